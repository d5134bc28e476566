import { compareText, round, roundInterval } from './numbers.ts';
import type { Direction, Finding, Verdict } from './shapes.ts';
import { confidenceSequence, type Estimate, tInterval } from './stats/estimate.ts';
import { cut, type Interval } from './stats/points.ts';

/** Below this many sessions (or patients) nothing is said about an exercise. */
export const FEWEST_TO_SAY = 3;

/** The changes that the scale allows, in points. */
export const CHANGES: Readonly<Interval> = [-9, 9];

/** The 95 % interval of a change, as it is published. */
export const intervalOf = (estimate: Estimate): Interval => roundInterval(cut(tInterval(estimate), CHANGES));

/**
 * The verdict on an estimated mean change; `estimate.size` is the number of sessions (or patients).
 * @param inflation variance inflation by autocorrelation, at least 1; it widens the confidence sequence, not the interval
 */
export function findingOf(estimate: Estimate, inflation = 1): Finding {
  const interval = intervalOf(estimate);
  if (estimate.size < FEWEST_TO_SAY) return { verdict: 'too-few', direction: null, interval, sequence: null };
  const resembling = { ...estimate, size: estimate.size / inflation };
  const sequence = roundInterval(cut(confidenceSequence(resembling), CHANGES));
  const [clear, likely] = [sideOf(sequence), sideOf(interval)];
  const verdict = clear ? 'clear' : likely ? 'likely' : 'open';
  return { verdict, direction: clear ?? likely, interval, sequence };
}

/** The side of 0 on which an interval lies; null if it contains 0. */
export function sideOf([low, high]: Readonly<Interval>): Direction | null {
  if (high < 0) return 'less';
  return low > 0 ? 'more' : null;
}

/** An exercise to be ranked, with what decides between equal effects. */
interface Rankable {
  readonly exerciseName: string;
  readonly exerciseType: string;
  readonly verdict: Verdict;
  readonly sessions: number;
}

/** Number of sessions at the overall mean that each exercise is given for the order (shrinkage). */
const SHRINKAGE = 2;

/**
 * Orders exercises by their effect, shrunken towards the mean of all sessions (James & Stein 1961), the most relief first: a
 * few good sessions count, one lucky day does not. Ties are ordered by more sessions, name, type. Exercises with too few
 * sessions have no rank and come last, by more sessions.
 * @param weight number of sessions, or of patients
 * @param effect in points
 */
export function ranked<T extends Rankable>(
  exercises: readonly T[],
  weight: (exercise: T) => number,
  effect: (exercise: T) => number,
): (T & { rank: number | null })[] {
  const total = exercises.reduce((sum, exercise) => sum + weight(exercise), 0);
  const mean = exercises.reduce((sum, exercise) => sum + weight(exercise) * effect(exercise), 0) / total;
  const few = (exercise: T) => Number(exercise.verdict === 'too-few');
  const shrunken = (exercise: T) => {
    if (few(exercise)) return 0;
    const n = weight(exercise);
    return round(mean + ((effect(exercise) - mean) * n) / (n + SHRINKAGE));
  };
  return exercises
    .toSorted(
      (a, b) =>
        few(a) - few(b) ||
        shrunken(a) - shrunken(b) ||
        b.sessions - a.sessions ||
        compareText(a.exerciseName, b.exerciseName) ||
        compareText(a.exerciseType, b.exerciseType),
    )
    .map((exercise, index) => ({ ...exercise, rank: few(exercise) ? null : index + 1 }));
}
