import { addDays } from '../domain/words/day.ts';
import { isWithin } from './days.ts';
import { type Change, Diary } from './diary.ts';
import { ExerciseTallies, type SessionFields, summarizeExercises, summarizeResponse } from './exercises.ts';
import type { Entry } from './pain-days.ts';
import { PainTable } from './pain-table.ts';
import { summarizeRhythm, type Target } from './rhythm.ts';
import { responseRules } from './rules.ts';
import type { ResponseRule, Summary } from './shapes.ts';
import { priorDeviation } from './stats/estimate.ts';
import { type DayPains, painLevel, summarizeTrend } from './trend.ts';

export interface SummaryOptions {
  /** First and last day, included. Logs outside are left out. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** Weeks that ended before this day count against the target, with or without sessions; by default those of the period. */
  readonly today?: string | undefined;
  readonly rule?: ResponseRule | undefined;
  /** Weekly target to compare with. */
  readonly target?: Target | undefined;
  /** Number of records that were left out because their days cannot be right. */
  readonly leftOut?: number | undefined;
}

/**
 * Summarizes logs. Days may come in any order; the sessions of one day come in the order in which they were recorded, for
 * their place in the day counts.
 */
export function summarize(
  logs: Iterable<SessionFields>,
  options: SummaryOptions = {},
  entries: Iterable<Entry> = [],
): Summary {
  return tallyOf(logs, options, entries).summary(options);
}

/** The tally from which `summarize` makes a summary. */
export function tallyOf(
  logs: Iterable<SessionFields>,
  options: SummaryOptions = {},
  entries: Iterable<Entry> = [],
): Tally {
  const tally = new Tally();
  for (const entry of entries) if (isWithin(entry.date, options)) tally.addEntry(entry);
  for (const log of logs) if (isWithin(log.date, options)) tally.add(log);
  return tally;
}

/** Accumulates what a summary needs of logs that arrive one by one, in eight bytes for each. */
export class Tally {
  readonly #all = new PainTable();
  readonly #exercises = new ExerciseTallies();
  readonly #diary = new Diary();

  /** Adds a session. The caller leaves out what is not in the period. */
  add(log: SessionFields): void {
    this.#all.add(log);
    const { number } = this.#exercises.add(log);
    this.#diary.add(log.date, number, log);
  }

  /** Adds a pain entry; those of one day in the order in which they were recorded, and before its sessions. */
  addEntry(entry: Omit<Entry, 'id'>): void {
    this.#diary.addEntry(entry);
  }

  /** The pain of each day. */
  get pains(): DayPains {
    return this.#diary.pains();
  }

  /** The changes of all sessions, in order, each with the key of its exercise. */
  get changes(): (Change & { key: string })[] {
    const { keys } = this.#exercises;
    return Array.from(this.#diary.changes(), (one) => ({ ...one, key: keys[one.exercise] as string }));
  }

  summary(options: SummaryOptions = {}): Summary {
    const rule = options.rule ?? responseRules.default;
    const dates = this.#diary.dates;
    const exercised = dates.filter((date) => this.#diary.sessionsOn(date) > 0);
    const [first, last] = [dates[0], dates.at(-1)];
    const since = options.since ?? exercised[0] ?? first;
    const until = options.until ?? exercised.at(-1) ?? last;
    const asOf = options.until ?? last;
    const yesterday = options.today && addDays(options.today, -1);
    const [over = until] = [options.until, yesterday].filter((day) => day !== undefined).sort();
    const { sessions } = this.#all;
    const known = {
      since: since ?? null,
      until: until ?? null,
      asOf: asOf ?? null,
      sessions,
      leftOut: options.leftOut ?? 0,
      rule,
    };
    if (!first || !last || !since || !until || !asOf || !over)
      return {
        ...known,
        overall: null,
        controlDays: 0,
        exercises: [],
        level: null,
        pain: null,
        rhythm: null,
      };
    const sessionsByDay = new Map(exercised.map((date) => [date, this.#diary.sessionsOn(date)]));
    const { pains } = this;
    const prior = priorDeviation([...this.#exercises].map(({ table }) => table.changes()));
    const found = this.#diary.read(this.#exercises.keys.length);
    return {
      ...known,
      overall: sessions > 0 ? summarizeResponse(this.#all, prior, rule) : null,
      controlDays: found.controlDays,
      exercises: summarizeExercises(this.#exercises, found, prior, rule),
      level: painLevel(pains, { since: options.since ?? first, until: options.until ?? last }),
      pain: summarizeTrend(pains, asOf, options.since),
      rhythm: summarizeRhythm(sessionsByDay, { since, until }, asOf, over, options.target),
    };
  }
}
