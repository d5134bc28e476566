import type { ExerciseType, Log } from '../domain/log.ts';
import { compareText, round, roundInterval, roundP } from './numbers.ts';
import { changeInterval, PainTable } from './pain-table.ts';
import type { ResponseRule } from './rules.ts';
import { signedRankTest, signTest } from './stats/exact.ts';
import { type Interval, meanOf, medianOf } from './stats/interval.ts';

/** Below this many sessions (or patients) nothing is said about an exercise. */
export const FEWEST_TO_RANK = 3;
/** Below this many sessions no test is given: it could not reach 5 % whatever the data. */
export const FEWEST_TO_TEST = 6;

/** What the interval says: pain is lower after than before, higher, neither is clear, or there are too few. */
export type Verdict = 'lower' | 'higher' | 'unclear' | 'too-few';

/** The response to a group of sessions. Changes are painAfter − painBefore in points, from −9 to 9; shares 0 to 1. */
export interface Response {
  readonly sessions: number;
  readonly meanChange: number;
  readonly medianChange: number;
  /** A 95 % interval for the true mean change. */
  readonly interval: Interval;
  /** Share of sessions with a meaningful response, by the rule of the summary. */
  readonly responded: number;
  /** Share of sessions that the patient marked effective. */
  readonly effective: number;
}

/** One exercise: a name together with a type. Names that differ in case only are different exercises. */
export interface ExerciseSummary extends Response {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  /** 1 is the best by the cautious (high) end of the interval; null when there are too few sessions. */
  readonly rank: number | null;
  readonly verdict: Verdict;
  /** Two-sided exact p-values, from 6 sessions on: is a fall as likely as a rise? */
  readonly signTest: number | null;
  readonly signedRankTest: number | null;
  readonly firstDate: string;
  readonly lastDate: string;
}

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
      tally = { exerciseName, exerciseType, table: new PainTable(), firstDate: date, lastDate: date };
      this.#tallies.set(key, tally);
    }
    tally.table.add(log, times);
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

/** The figures of each exercise, in ranked order; those with too few sessions last. */
export function summarizeExercises(tallies: Iterable<ExerciseTally>, rule: ResponseRule): ExerciseSummary[] {
  return rankByCaution([...tallies].map((tally) => summarizeExercise(tally, rule)));
}

function summarizeExercise(tally: ExerciseTally, rule: ResponseRule): Omit<ExerciseSummary, 'rank'> {
  const response = summarizeResponse(tally.table, rule);
  const changes = tally.table.changes();
  const tested = response.sessions >= FEWEST_TO_TEST;
  return {
    exerciseName: tally.exerciseName,
    exerciseType: tally.exerciseType,
    ...response,
    verdict: verdictOf(response.interval, response.sessions),
    signTest: tested ? roundP(signTest(changes)) : null,
    signedRankTest: tested ? roundP(signedRankTest(changes)) : null,
    firstDate: tally.firstDate,
    lastDate: tally.lastDate,
  };
}

/** The figures of a group of at least one session. */
export function summarizeResponse(table: PainTable, rule: ResponseRule): Response {
  const changes = table.changes();
  const mean = meanOf(changes);
  return {
    sessions: table.sessions,
    meanChange: round(mean),
    medianChange: round(medianOf(changes)),
    interval: roundInterval(changeInterval(changes, table.before(), mean)),
    responded: round(table.responded(rule) / table.sessions),
    effective: round(table.effective / table.sessions),
  };
}

export function verdictOf([low, high]: Readonly<Interval>, count: number): Verdict {
  if (count < FEWEST_TO_RANK) return 'too-few';
  if (high < 0) return 'lower';
  return low > 0 ? 'higher' : 'unclear';
}

/** What a ranking goes by. */
interface Rankable {
  readonly exerciseName: string;
  readonly exerciseType: string;
  readonly verdict: Verdict;
  readonly interval: Readonly<Interval>;
  readonly meanChange: number;
  readonly sessions: number;
}

/**
 * Ranks by the end of the interval that is nearest to harm, the high one: an exercise comes first when even
 * the cautious reading of its sessions is good, not when one lucky day was. Ties: the lower mean, the more
 * sessions, the name, the type. Too few to say: no rank, last, the most sessions first.
 */
export function rankByCaution<T extends Rankable>(exercises: readonly T[]): (T & { rank: number | null })[] {
  const few = (exercise: T) => Number(exercise.verdict === 'too-few');
  const cautious = (exercise: T) => (few(exercise) ? 0 : exercise.interval[1]);
  const mean = (exercise: T) => (few(exercise) ? 0 : exercise.meanChange);
  return exercises
    .toSorted(
      (a, b) =>
        few(a) - few(b) ||
        cautious(a) - cautious(b) ||
        mean(a) - mean(b) ||
        b.sessions - a.sessions ||
        compareText(a.exerciseName, b.exerciseName) ||
        compareText(a.exerciseType, b.exerciseType),
    )
    .map((exercise, index) => ({ ...exercise, rank: few(exercise) ? null : index + 1 }));
}
