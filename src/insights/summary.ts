import { dayPairs } from './day-after.ts';
import { isWithin } from './days.ts';
import {
  ExerciseTallies,
  priorOf,
  type SessionFields,
  summarizeExercises,
  summarizeResponse,
} from './exercises.ts';
import { PainTable } from './pain-table.ts';
import { summarizeRhythm } from './rhythm.ts';
import { responseRules } from './rules.ts';
import type { ResponseRule, Summary } from './shapes.ts';
import { painLevel, pointsOf, summarizeTrend } from './trend.ts';

export interface SummaryOptions {
  /** First and last day, included. Logs outside are left out. */
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  /** The day the summary looks back from. By default `until`, else the day of the latest log. */
  readonly asOf?: string | undefined;
  readonly rule?: ResponseRule | undefined;
  /** Sessions per week to compare with. */
  readonly target?: number | undefined;
  /** How many sessions were left out for their days, which cannot be right. */
  readonly leftOut?: number | undefined;
}

/**
 * Summarizes logs in one pass and in any order, keeping counts only: memory grows with the number of
 * exercises and of days, not of logs.
 */
export function summarize(logs: Iterable<SessionFields>, options: SummaryOptions = {}): Summary {
  const tally = new Tally();
  for (const log of logs) if (isWithin(log.date, options)) tally.add(log);
  return tally.summary(options);
}

/**
 * Everything a summary needs of its logs, for where they arrive one by one or counted already (a query that
 * groups sessions alike can add each group at once).
 */
export class Tally {
  readonly #all = new PainTable();
  readonly #exercises = new ExerciseTallies();
  readonly #days = new Map<string, Float64Array>();

  /** Adds a session, or so many that are alike. Keeping to a period is the caller's part. */
  add(log: SessionFields, times = 1): void {
    this.#all.add(log, times);
    this.#exercises.add(log, times);
    const pains = this.#days.get(log.date) ?? new Float64Array(10);
    pains[log.painBefore - 1] = (pains[log.painBefore - 1] ?? 0) + times;
    this.#days.set(log.date, pains);
  }

  summary(options: SummaryOptions = {}): Summary {
    const rule = options.rule ?? responseRules.default;
    const [first, last] = ends(this.#days.keys());
    const since = options.since ?? first;
    const until = options.until ?? last;
    const asOf = options.asOf ?? until;
    if (first === undefined || since === undefined || until === undefined || asOf === undefined)
      return {
        since: since ?? null,
        until: until ?? null,
        asOf: asOf ?? null,
        sessions: 0,
        leftOut: options.leftOut ?? 0,
        rule,
        overall: null,
        exercises: [],
        level: null,
        pain: null,
        rhythm: null,
      };
    const sessionsByDay = new Map(
      [...this.#days].map(([day, pains]) => [day, pains.reduce((a, b) => a + b, 0)]),
    );
    const prior = priorOf(this.#exercises);
    const pairs = dayPairs(new Map([...this.#days].map(([day, pains]) => [day, pointsOf(pains)])));
    return {
      since,
      until,
      asOf,
      sessions: this.#all.sessions,
      leftOut: options.leftOut ?? 0,
      rule,
      overall: summarizeResponse(this.#all, prior, rule),
      exercises: summarizeExercises(this.#exercises, { all: this.#all, pairs, prior }, rule),
      level: painLevel(this.#days, { since, until }),
      pain: summarizeTrend(this.#days, asOf),
      rhythm: summarizeRhythm(sessionsByDay, { since, until }, asOf, options.target),
    };
  }
}

function ends(days: Iterable<string>): [first: string | undefined, last: string | undefined] {
  let first: string | undefined;
  let last: string | undefined;
  for (const day of days) {
    if (first === undefined || day < first) first = day;
    if (last === undefined || day > last) last = day;
  }
  return [first, last];
}
