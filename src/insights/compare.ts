import type { ExerciseType } from '../domain/log.ts';
import { isWithin, type Period } from './days.ts';
import { type ExerciseSummary, exerciseKey, type Response, type SessionFields } from './exercises.ts';
import { compareText, round } from './numbers.ts';
import type { ResponseRule } from './rules.ts';
import type { Interval } from './stats/points.ts';
import { type Summary, Tally } from './summary.ts';
import { differenceOfMeans } from './trend.ts';
import { FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** What the interval of a difference says of the second period; `new` and `stopped`: done in one period only. */
export type Shift = 'lower' | 'higher' | 'unclear' | 'too-few' | 'new' | 'stopped';

/** Two means and their difference, second − first, with Welch's 95 % interval where there are sessions on both sides. */
export interface Difference {
  readonly first: number | null;
  readonly second: number | null;
  readonly difference: number | null;
  readonly interval: Interval | null;
  readonly shift: Shift;
}

export interface ExerciseComparison {
  readonly exerciseName: string;
  readonly exerciseType: ExerciseType;
  readonly first: Response | null;
  readonly second: Response | null;
  /** Of the mean change. */
  readonly meanChange: Difference;
}

/** Two periods side by side. */
export interface Comparison {
  readonly first: Summary;
  readonly second: Summary;
  /** The mean pain before exercise. */
  readonly painBefore: Difference;
  /** The mean change of all sessions. It also moves when other exercises are done. */
  readonly meanChange: Difference;
  /** Every exercise of either period, in the ranked order of the second; those that stopped last. */
  readonly exercises: readonly ExerciseComparison[];
}

/** Summarizes two periods of the same logs and compares them. The periods may overlap; then so do their sessions. */
export function comparePeriods(
  logs: Iterable<SessionFields>,
  first: Period,
  second: Period,
  options: { rule?: ResponseRule | undefined; target?: number | undefined } = {},
): Comparison {
  const [earlier, later] = [new Tally(), new Tally()];
  for (const log of logs) {
    if (isWithin(log.date, first)) earlier.add(log);
    if (isWithin(log.date, second)) later.add(log);
  }
  return compareSummaries(
    earlier.summary({ ...options, ...first }),
    later.summary({ ...options, ...second }),
  );
}

/** Compares two summaries made with the same rule. */
export function compareSummaries(first: Summary, second: Summary): Comparison {
  const earlier = new Map(first.exercises.map((exercise) => [exerciseKey(exercise), exercise]));
  const later = new Map(second.exercises.map((exercise) => [exerciseKey(exercise), exercise]));
  const stopped = first.exercises
    .filter((exercise) => !later.has(exerciseKey(exercise)))
    .toSorted(
      (a, b) => compareText(a.exerciseName, b.exerciseName) || compareText(a.exerciseType, b.exerciseType),
    );
  return {
    first,
    second,
    painBefore: differ(painOf(first), painOf(second), 9),
    meanChange: differ(changeOf(first.overall), changeOf(second.overall), 18),
    exercises: [...second.exercises, ...stopped].map((exercise) =>
      compareExercise(earlier.get(exerciseKey(exercise)), later.get(exerciseKey(exercise)), exercise),
    ),
  };
}

function compareExercise(
  first: ExerciseSummary | undefined,
  second: ExerciseSummary | undefined,
  { exerciseName, exerciseType }: ExerciseSummary,
): ExerciseComparison {
  return {
    exerciseName,
    exerciseType,
    first: first ? responseOf(first) : null,
    second: second ? responseOf(second) : null,
    meanChange: differ(changeOf(first), changeOf(second), 18),
  };
}

type Mean = Parameters<typeof differenceOfMeans>[0];

/** @param furthest the largest difference that the scale allows */
function differ(first: Mean | null, second: Mean | null, furthest: number): Difference {
  const sides = { first: first?.mean ?? null, second: second?.mean ?? null };
  if (!first || !second) {
    const shift = second ? 'new' : first ? 'stopped' : 'too-few';
    return { ...sides, difference: null, interval: null, shift };
  }
  const interval = differenceOfMeans(first, second, furthest);
  const fewer = Math.min(first.sessions, second.sessions);
  return { ...sides, difference: round(second.mean - first.mean), interval, shift: shiftOf(interval, fewer) };
}

function shiftOf(interval: Interval, sessions: number): Shift {
  if (sessions < FEWEST_TO_SAY) return 'too-few';
  const side = sideOf(interval);
  return side ? ({ less: 'lower', more: 'higher' } as const)[side] : 'unclear';
}

function changeOf(response: Response | null | undefined): Mean | null {
  return response ? { ...response, mean: response.meanChange } : null;
}

function painOf({ level }: Summary): Mean | null {
  if (!level || level.mean === null || level.standardDeviation === null) return null;
  return { mean: level.mean, standardDeviation: level.standardDeviation, sessions: level.sessions };
}

function responseOf(exercise: Response): Response {
  const { sessions, meanChange, medianChange, standardDeviation, interval, responded, effective } = exercise;
  return { sessions, meanChange, medianChange, standardDeviation, interval, responded, effective };
}
