import { FEWEST_OTHERS, type Marks } from './marks.ts';
import { averageOf, round, roundInterval } from './numbers.ts';
import type { Lately, VersusOthers } from './shapes.ts';
import { autoregression } from './stats/autoregression.ts';
import { confidenceSequence, type Estimate } from './stats/estimate.ts';
import { cut, within } from './stats/points.ts';
import { CHANGES, FEWEST_TO_SAY, sideOf } from './verdict.ts';

/** Error of the comparison with one exercise: the share of people for whom its confidence sequence ever excludes the truth. */
const ONE_BY_ONE = 0.05;
/** The same, two-sided, for the comparisons of all exercises with the others together: each gets an equal part (Bonferroni). */
const TOGETHER = 0.1;
const TOO_FEW: VersusOthers = { difference: null, interval: null, verdict: 'too-few' };

/**
 * The change after an exercise minus that after the person's other exercises, at the same pain before, the same first pain of
 * the day and the same place in the day. The verdict `more` (relief) compares with the others together; `less` also requires
 * less relief than after each of them, one by one: an exercise that helps a little is not blamed for a better one beside it.
 * @param sessions number of sessions of each exercise, in the numbering of `marks`
 * @returns `too-few` below 3 sessions of this and 8 of the others, if order or pain separate them (not estimable), or if the
 *   exercise shares its numbers with others
 */
export function versusOthers(marks: Marks, sessions: readonly number[], exercise: number): VersusOthers {
  const others = [...sessions.keys()].filter((other) => other !== exercise);
  const total = others.reduce((sum, other) => sum + (sessions[other] ?? 0), 0);
  if ((sessions[exercise] ?? 0) < FEWEST_TO_SAY || total < FEWEST_OTHERS) return TOO_FEW;
  if (marks.sharedNumbers.has(exercise)) return TOO_FEW;
  const among = marks.comparable(exercise, others);
  const sideAmong = (estimate: Estimate) => sideOf(confidenceSequence(estimate, TOGETHER / sessions.length));
  let estimate = marks.contrast(exercise, among);
  // The robust estimate is slower and nearer to 0: needed only where the plain one finds a difference.
  if (estimate && sideAmong(estimate)) estimate = marks.robustContrast(exercise, among);
  if (estimate === null) return TOO_FEW;
  const side = sideAmong(estimate);
  const isLess = () =>
    others.every((other) => {
      const one = marks.robustContrast(exercise, [other]);
      return one !== null && confidenceSequence(one, ONE_BY_ONE)[0] > 0;
    });
  const verdict = side === 'less' ? 'more' : side === 'more' && isLess() ? 'less' : 'open';
  return { difference: round(within(estimate.value, CHANGES)), interval: sequenceOf(estimate), verdict };
}

const sequenceOf = (estimate: Estimate) => roundInterval(cut(confidenceSequence(estimate), CHANGES));

/** Number of the latest sessions that are compared, and the least number of sessions before them. */
const LATELY = 12;
/** Most sessions before them in the comparison. */
const MOST_BEFORE = 120;
/**
 * Critical value of the difference, in standard errors. Among people who look after each of 300 sessions, at most 5 of 100 ever
 * see a false difference, with autocorrelations of 0 to 0.6: simulated in test/insights/simulation.
 */
const BOUND = 4.4;

/**
 * Whether the mean of the last 12 changes of an exercise differs from the mean before; autocorrelation is allowed for.
 * @param changes in points, in the order of the sessions
 * @returns null if they do not differ, or there are fewer than 24
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
