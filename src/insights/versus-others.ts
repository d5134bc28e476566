import { round, roundInterval } from './numbers.ts';
import type { VersusOthers } from './shapes.ts';
import { confidenceSequence } from './stats/estimate.ts';
import { adjustedDifference, type Sums } from './stats/least-squares.ts';
import { cut } from './stats/points.ts';
import { CHANGES, FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** Sessions of other exercises that a comparison needs. */
const FEWEST_OTHERS = 8;
const TOO_FEW: VersusOthers = { difference: null, interval: null, verdict: 'too-few' };

/**
 * The only control that such records have: people exercise on bad days, bad days get better by themselves, and
 * a comparison at the same pain before takes that out. Least squares of the change on the pain before and an
 * indicator of the exercise.
 * @param own change on pain before, of the sessions of this exercise
 * @param others the same of all other sessions of the person
 * @param prior the person's prior deviation, in points
 * @returns too few below 3 sessions of this and 8 of others, or where the pain before alone tells them apart
 */
export function versusOthers(own: Sums, others: Sums, prior: number): VersusOthers {
  if (own.n < FEWEST_TO_SAY || others.n < FEWEST_OTHERS) return TOO_FEW;
  const estimate = adjustedDifference(own, others, prior);
  if (estimate === null) return TOO_FEW;
  const interval = roundInterval(cut(confidenceSequence(estimate), CHANGES));
  const side = sideOf(interval);
  const verdict = side === 'less' ? 'more' : side === 'more' ? 'less' : 'open';
  return { difference: round(estimate.value), interval, verdict };
}
