import { FEWEST_OTHERS, type Marks } from './marks.ts';
import { averageOf, round, roundInterval } from './numbers.ts';
import type { Lately, VersusOthers } from './shapes.ts';
import { autoregression } from './stats/autoregression.ts';
import { confidenceSequence, type Estimate } from './stats/estimate.ts';
import { cut } from './stats/points.ts';
import { CHANGES, FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** The share of people for whom a comparison with one exercise ever leaves out the truth. */
const ONE_BY_ONE = 0.05;
/** The same of the comparisons of all exercises with the others together, either way. */
const TOGETHER = 0.1;
const TOO_FEW: VersusOthers = { difference: null, interval: null, verdict: 'too-few' };

/**
 * The change after an exercise against that after the person's other exercises, at the same pain before, the same first
 * pain of the day and the same place in the day. More relief is said against the others together; less relief only where
 * each of them, one by one, is followed by more: an exercise that helps a little is not blamed for a better one beside it.
 * @param sessions by exercise, by the numbers that the marks know
 * @returns too few below 3 sessions of this and 8 of others, or where order or pain alone tell them apart, or one pair of numbers
 *   stands for several exercises
 */
export function versusOthers(marks: Marks, sessions: readonly number[], exercise: number): VersusOthers {
  const others = [...sessions.keys()].filter((other) => other !== exercise);
  const total = others.reduce((sum, other) => sum + (sessions[other] ?? 0), 0);
  if ((sessions[exercise] ?? 0) < FEWEST_TO_SAY || total < FEWEST_OTHERS) return TOO_FEW;
  if (marks.sharedNumbers.has(exercise)) return TOO_FEW;
  const among = marks.comparable(exercise, others);
  const sideAmong = (estimate: Estimate) => sideOf(confidenceSequence(estimate, TOGETHER / sessions.length));
  let estimate = marks.contrast(exercise, among);
  // What takes sessions for independent is right where it says nothing, and costs less.
  if (estimate && sideAmong(estimate)) estimate = marks.robustContrast(exercise, among);
  if (estimate === null) return TOO_FEW;
  const side = sideAmong(estimate);
  const isLess = () =>
    others.every((other) => {
      const one = marks.robustContrast(exercise, [other]);
      return one !== null && confidenceSequence(one, ONE_BY_ONE)[0] > 0;
    });
  const verdict = side === 'less' ? 'more' : side === 'more' && isLess() ? 'less' : 'open';
  return { difference: round(estimate.value), interval: sequenceOf(estimate), verdict };
}

const sequenceOf = (estimate: Estimate) => roundInterval(cut(confidenceSequence(estimate), CHANGES));

/** Sessions that count as lately, and how many there must be before them. */
const LATELY = 12;
/** Most sessions before them that they are compared with. */
const MOST_BEFORE = 120;
/**
 * Standard errors that the difference must reach. Of those who look after each of 300 sessions at most 5 of 100 ever see a
 * difference that is none, with autocorrelations of 0 to 0.6: counted in test/insights/simulation.
 */
const BOUND = 4.4;

/**
 * Whether the last twelve changes of an exercise differ from those before.
 * @param changes in points, in the order of the sessions
 * @returns null where they do not, or there are fewer than 24
 */
export function latelyOf(changes: readonly number[]): Lately | null {
  const recent = changes.slice(-LATELY - MOST_BEFORE);
  const before = recent.length - LATELY;
  if (before < LATELY) return null;
  const [x, times] = [new Float64Array(recent.length).fill(1, before), recent.map((_, i) => i)];
  const estimate = autoregression({ times, x, y: recent, length: recent.length });
  if (estimate === null || Math.abs(estimate.value) < BOUND * estimate.deviation) return null;
  const [then, now] = [averageOf(recent.slice(0, before)), averageOf(recent.slice(before))];
  return {
    sessions: LATELY,
    meanChange: round(now),
    before: round(then),
    direction: now < then ? 'less' : 'more',
  };
}
