import { dayNumber, dayOf } from './days.ts';
import { round, roundInterval } from './numbers.ts';
import type { DayAfter } from './shapes.ts';
import { tInterval } from './stats/estimate.ts';
import { adjustedDifference, noSums, plus, without } from './stats/least-squares.ts';
import { cut, meanOf, type Point } from './stats/points.ts';
import { CHANGES } from './verdict.ts';

/** Below this many pairs of consecutive days nothing is said of the day after. */
export const FEWEST_PAIRS = 30;
/** Days with the exercise, and without, that a comparison needs. */
const [FEWEST_WITH, FEWEST_WITHOUT] = [3, 8];

/** The mean pain before of a day and of the day that follows it. */
export type DayPairs = ReadonlyMap<string, { readonly pain: number; readonly next: number }>;

/** The pairs of consecutive days with sessions. */
export function dayPairs(days: ReadonlyMap<string, readonly Point[]>): DayPairs {
  const pairs = new Map<string, { pain: number; next: number }>();
  for (const [day, points] of days) {
    const next = days.get(dayOf(dayNumber(day) + 1));
    if (next && next !== points) pairs.set(day, { pain: meanOf(points), next: meanOf(next) });
  }
  return pairs;
}

/**
 * Least squares of the next day's pain before on this day's and on whether the exercise was done.
 * @param prior the person's prior deviation, in points
 * @returns null where there are too few pairs, or too few of them with or without the exercise
 */
export function dayAfter(pairs: DayPairs, days: Iterable<string>, prior: number): DayAfter | null {
  if (pairs.size < FEWEST_PAIRS) return null;
  let all = noSums;
  for (const { pain, next } of pairs.values()) all = plus(all, pain, next);
  let withIt = noSums;
  for (const day of days) {
    const pair = pairs.get(day);
    if (pair) withIt = plus(withIt, pair.pain, pair.next);
  }
  const others = without(all, withIt);
  if (withIt.n < FEWEST_WITH || others.n < FEWEST_WITHOUT) return null;
  const estimate = adjustedDifference(withIt, others, prior);
  return (
    estimate && {
      days: withIt.n,
      difference: round(estimate.value),
      interval: roundInterval(cut(tInterval(estimate), CHANGES)),
    }
  );
}
