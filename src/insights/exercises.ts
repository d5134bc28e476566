import type { ExerciseType, Log } from '../domain/log.ts';
import { type DayPairs, dayAfter } from './day-after.ts';
import { round } from './numbers.ts';
import { PainTable } from './pain-table.ts';
import type { ExerciseSummary, Response, ResponseRule } from './shapes.ts';
import { meanEstimate, priorDeviation } from './stats/estimate.ts';
import { without } from './stats/least-squares.ts';
import { medianOf } from './stats/points.ts';
import { findingOf, ranked } from './verdict.ts';
import { versusOthers } from './versus-others.ts';

/** What a summary reads of a log. */
export type SessionFields = Pick<
  Log,
  'exerciseName' | 'exerciseType' | 'date' | 'painBefore' | 'painAfter' | 'effective'
>;

/** The sessions of one exercise, gathered. */
export interface ExerciseTally {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly table: PainTable;
  readonly days: Set<string>;
  firstDate: string;
  lastDate: string;
}

/** Gathers sessions by exercise, in any order. */
export class ExerciseTallies {
  readonly #tallies = new Map<string, ExerciseTally>();

  add(log: SessionFields, times = 1): void {
    const key = exerciseKey(log);
    let tally = this.#tallies.get(key);
    if (!tally) {
      const { exerciseName, exerciseType, date } = log;
      const [table, days] = [new PainTable(), new Set<string>()];
      tally = { exerciseName, exerciseType, table, days, firstDate: date, lastDate: date };
      this.#tallies.set(key, tally);
    }
    tally.table.add(log, times);
    tally.days.add(log.date);
    if (log.date < tally.firstDate) tally.firstDate = log.date;
    if (log.date > tally.lastDate) tally.lastDate = log.date;
  }

  [Symbol.iterator](): Iterator<ExerciseTally> {
    return this.#tallies.values();
  }
}

/** What tells exercises apart: the type and the name, exactly as written. */
export const exerciseKey = (exercise: { exerciseName: string; exerciseType: string }): string =>
  `${exercise.exerciseType}:${exercise.exerciseName}`;

/** What the figures of an exercise are measured against: all sessions of the same person. */
export interface Person {
  readonly all: PainTable;
  readonly pairs: DayPairs;
  /** Prior deviation of a change, in points. */
  readonly prior: number;
}

/** The prior deviation of somebody's changes: pooled within their exercises, and 1.5 points at the least. */
export function priorOf(tallies: Iterable<ExerciseTally>): number {
  return priorDeviation([...tallies].map(({ table }) => table.changes()));
}

/** The figures of each exercise, in ranked order; those with too few sessions last. */
export function summarizeExercises(
  tallies: Iterable<ExerciseTally>,
  person: Person,
  rule: ResponseRule,
): ExerciseSummary[] {
  const summaries = [...tallies].map((tally) => summarizeExercise(tally, person, rule));
  return ranked(summaries, ({ sessions }) => sessions);
}

function summarizeExercise(
  { exerciseName, exerciseType, table, days, firstDate, lastDate }: ExerciseTally,
  { all, pairs, prior }: Person,
  rule: ResponseRule,
): Omit<ExerciseSummary, 'rank'> {
  const sums = table.sums();
  return {
    exerciseName,
    exerciseType,
    ...summarizeResponse(table, prior, rule),
    ...findingOf(meanEstimate(table.changes(), prior)),
    versusOthers: versusOthers(sums, without(all.sums(), sums), prior),
    dayAfter: dayAfter(pairs, days, prior),
    firstDate,
    lastDate,
  };
}

/**
 * The figures of a group of at least one session.
 * @param prior the person's prior deviation, in points
 */
export function summarizeResponse(table: PainTable, prior: number, rule: ResponseRule): Response {
  const changes = table.changes();
  const estimate = meanEstimate(changes, prior);
  return {
    sessions: table.sessions,
    meanChange: round(estimate.value),
    medianChange: round(medianOf(changes)),
    standardDeviation: round(estimate.deviation),
    interval: findingOf(estimate).interval,
    responded: round(table.responded(rule) / table.sessions),
    effective: round(table.effective / table.sessions),
  };
}
