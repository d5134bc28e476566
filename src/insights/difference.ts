import { round, roundInterval } from './numbers.ts';
import type { Difference } from './shapes.ts';
import { type Estimate, moderatedFreedom, tInterval, welch } from './stats/estimate.ts';
import { cut } from './stats/points.ts';
import { FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** A mean of sessions, or of days, as a summary gives it. */
export interface Mean {
  readonly mean: number;
  readonly standardDeviation: number;
  readonly sessions: number;
}

/**
 * The difference of two means, second − first, and its 95 % interval (Welch).
 * @param options.furthest the largest difference that the scale allows
 * @param options.times variance inflation: how many times the variance is that of independent values
 * @param options.among how many differences share one error (Bonferroni)
 */
export function differ(
  first: Mean | null,
  second: Mean | null,
  { furthest, times, among = 1 }: { furthest: number; times: number; among?: number },
): Difference {
  const sides = { first: first?.mean ?? null, second: second?.mean ?? null };
  if (!first || !second) return { ...sides, difference: null, interval: null, shift: 'too-few' };
  const estimate = welch(estimateOf(first), estimateOf(second));
  const wider = { ...estimate, deviation: estimate.deviation * Math.sqrt(times) };
  const intervalOf = (error: number) => roundInterval(cut(tInterval(wider, error), [-furthest, furthest]));
  const side = sideOf(intervalOf(0.05 / among));
  const isFew = Math.min(first.sessions, second.sessions) < FEWEST_TO_SAY;
  const shift = isFew ? 'too-few' : side ? ({ less: 'lower', more: 'higher' } as const)[side] : 'unclear';
  return { ...sides, difference: round(second.mean - first.mean), interval: intervalOf(0.05), shift };
}

function estimateOf({ mean: value, standardDeviation: deviation, sessions: size }: Mean): Estimate {
  return { value, deviation, size, freedom: moderatedFreedom(size) };
}
