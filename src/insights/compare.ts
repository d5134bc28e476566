import type { ExerciseType } from '../domain/log.ts';
import { isWithin, type Period } from './days.ts';
import {
  type ExerciseSummary,
  exerciseKey,
  FEWEST_TO_RANK,
  type Response,
  type SessionFields,
} from './exercises.ts';
import { compareText, round, roundInterval } from './numbers.ts';
import type { ResponseRule } from './rules.ts';
import { differenceInterval, type Interval } from './stats/interval.ts';
import { type Summary, Tally } from './summary.ts';

/** What the interval of a difference says of the second period; `new` and `stopped`: done in one period only. */
export type Shift = 'lower' | 'higher' | 'unclear' | 'too-few' | 'new' | 'stopped';

/** Two figures and their difference, second − first, with a 95 % interval where there are sessions on both sides. */
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
    painBefore: differ(painOf(first), painOf(second)),
    meanChange: differ(changeOf(first.overall), changeOf(second.overall)),
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
    meanChange: differ(changeOf(first), changeOf(second)),
  };
}

interface Estimate {
  readonly mean: number;
  readonly interval: Readonly<Interval>;
  readonly sessions: number;
}

function differ(first: Estimate | null, second: Estimate | null): Difference {
  const sides = { first: first?.mean ?? null, second: second?.mean ?? null };
  if (!first || !second) {
    const shift = second ? 'new' : first ? 'stopped' : 'too-few';
    return { ...sides, difference: null, interval: null, shift };
  }
  const interval = roundInterval(differenceInterval(first, second));
  const fewer = Math.min(first.sessions, second.sessions);
  return { ...sides, difference: round(second.mean - first.mean), interval, shift: shiftOf(interval, fewer) };
}

function shiftOf([low, high]: Interval, sessions: number): Shift {
  if (sessions < FEWEST_TO_RANK) return 'too-few';
  if (high < 0) return 'lower';
  return low > 0 ? 'higher' : 'unclear';
}

function changeOf(response: Response | null | undefined): Estimate | null {
  return response
    ? { mean: response.meanChange, interval: response.interval, sessions: response.sessions }
    : null;
}

function painOf({ level }: Summary): Estimate | null {
  if (level === null || level.mean === null || level.interval === null) return null;
  return { mean: level.mean, interval: level.interval, sessions: level.sessions };
}

function responseOf(exercise: Response): Response {
  const { sessions, meanChange, medianChange, interval, responded, effective } = exercise;
  return { sessions, meanChange, medianChange, interval, responded, effective };
}
