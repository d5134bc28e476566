import {
  type Arm,
  armsOf,
  BLOCK,
  drawnArms,
  type questions,
  randomFrom,
  type TrialInput,
  UNNAMED,
} from '../domain/trial.ts';
import { round, roundInterval } from './numbers.ts';
import { noncentralT, tQuantile } from './stats/estimate.ts';
import { cut, within } from './stats/points.ts';
import { CHANGES } from './verdict.ts';
import { count } from './wording.ts';

/**
 * The analysis of a trial: a randomization test (Fisher) on the differences within blocks of four days, adjusted for the pain
 * before. Without any effect (sharp null hypothesis) the outcomes would be the same under every order that could have been
 * drawn: orders are drawn again, and the statistic of the real one is ranked among theirs. This is valid whatever the outcomes
 * depend on: drift, the time of day, the pain of the day before. Interim looks at the end of each block share the error (alpha
 * spending; Lan and DeMets 1983); each ranks among the orders that had not stopped the trial before.
 */

/** A day of the analysis, under the arm that was drawn, whatever was done (intention to treat). */
export interface Outcome {
  /** Number of the day in the trial, from 0. */
  readonly index: number;
  readonly first: number;
  readonly second: number;
}

type Question = (typeof questions)[number];

/** What a trial has shown. */
export interface TrialResult {
  /** `less` and `more`: pain with the exercise, if that is clear. */
  readonly verdict: 'less' | 'more' | 'open';
  /** Mean outcome with the exercise minus that without, in points, adjusted for the pain before. */
  readonly difference: number | null;
  readonly interval: readonly [number, number] | null;
  /** Days with an outcome. */
  readonly withIt: number;
  readonly without: number;
  /** Days after which the trial ended. */
  readonly afterDays: number;
}

/** Error of the test, both directions together. */
const ERROR = 0.05;
/** The part of it for harm (more pain), if the question is one-sided. */
const HARM = 0.01;
/** Number of orders that are drawn again (Monte Carlo). */
const ORDERS = 1999;
/** Number of blocks before the first look: with fewer, no order is rare enough. */
const FIRST_LOOK = 4;
/** Variance of rounding to whole points (Sheppard 1898): the least residual variance, also if all outcomes are alike. */
const ROUNDING = 1 / 12;
/** Mixed into the seed, so that these orders differ from that of the plan. */
const OTHER_STREAM = 0x5bd1e995;

/** Alpha spending: the share of the error spent after a share of the trial. Most is left for the end (Kim and DeMets 1987). */
const spent = (share: number): number => share ** 8;

/**
 * The result of the outcomes so far.
 * @param seed of the plan
 * @param days of the plan
 * @param passed number of days that have passed, with an outcome or without
 * @param isOver whether no more outcomes will come
 * @returns undefined while the trial goes on
 */
export function trialResult(
  { seed, days, question }: { seed: number; days: number; question: Question },
  outcomes: readonly Outcome[],
  passed: number,
  isOver = false,
): TrialResult | undefined {
  const random = randomFrom(seed ^ OTHER_STREAM);
  // The orders as numbers: 1 for a day with the exercise, −1 for one without.
  const drawn = Array.from({ length: ORDERS }, () => drawnArms(random, days));
  const orders = [armsOf(seed, days), ...drawn].map((arms) =>
    Int8Array.from(arms.map((arm) => (arm === 'a' ? 1 : -1))),
  );
  const sides =
    question === 'either'
      ? [{ sign: 0, error: ERROR, ended: 0 }]
      : [
          { sign: -1, error: ERROR - HARM, ended: 0 },
          { sign: 1, error: HARM, ended: 0 },
        ];
  const ended = new Uint8Array(orders.length);
  const last = isOver ? days : passed;
  for (let end = Math.min(FIRST_LOOK * BLOCK, days); end <= last; end = Math.min(end + BLOCK, days)) {
    const data = new Adjusted(outcomes.filter(({ index }) => index < end));
    const statistics = new Float64Array(orders.length);
    for (let j = 0; j < orders.length; j++)
      if (ended[j] === 0) statistics[j] = data.statistic(orders[j] as Int8Array);
    let bound = 0;
    for (const side of sides) {
      const { sign, error } = side;
      const limit = Math.floor(error * spent(end / days) * orders.length + 1e-9) - side.ended;
      const sized = (j: number) => {
        const value = statistics[j] ?? 0;
        return sign === 0 ? Math.abs(value) : sign * value;
      };
      const most = mostOf(ended, sized, limit);
      if (sized(0) >= 0) bound = most;
      for (let j = 0; j < orders.length; j++)
        if (ended[j] === 0 && sized(j) > most) {
          ended[j] = 1;
          side.ended += 1;
        }
    }
    if (ended[0] === 1 || end === days) {
      const order = orders[0] ?? new Int8Array();
      return resultOf(data, order, { bound, isClear: ended[0] === 1, afterDays: Math.min(end, passed) });
    }
  }
  return undefined;
}

/** The critical value: the least that at most `limit` of the orders still in the trial exceed; of equal values all or none. */
function mostOf(ended: Uint8Array, sized: (j: number) => number, limit: number): number {
  const values = new Float64Array(ended.length);
  for (let j = 0; j < ended.length; j++) values[j] = ended[j] === 1 ? 0 : sized(j);
  values.sort();
  return Math.max(0, values.at(-1 - limit) ?? 0) + 1e-9;
}

function resultOf(
  data: Adjusted,
  order: Int8Array,
  { bound, isClear, afterDays }: { bound: number; isClear: boolean; afterDays: number },
): TrialResult {
  const { difference, error, freedom } = data.estimate(order);
  const counts = data.counts(order);
  const isKnown = Number.isFinite(difference) && Number.isFinite(error);
  // If clear, the interval of the test; otherwise at least a 95 % interval, also for a one-sided question.
  const half = error * (isClear ? bound : Math.max(bound, tQuantile(1 - ERROR / 2, freedom)));
  return {
    verdict: isClear ? (difference < 0 ? 'less' : 'more') : 'open',
    difference: isKnown ? round(within(difference, CHANGES)) : null,
    interval: isKnown ? roundInterval(cut([difference - half, difference + half], CHANGES)) : null,
    ...counts,
    afterDays,
  };
}

/** Outcomes and pain before, centred on their block means, and the residuals of the outcomes given the pain before. */
class Adjusted {
  readonly #blocks: { start: number; end: number }[] = [];
  readonly #index: Int32Array;
  readonly #pre: Float64Array;
  readonly #rest: Float64Array;
  readonly #prePower: number;
  readonly #restPower: number;
  readonly #freedom: number;

  constructor(outcomes: readonly Outcome[]) {
    const sorted = outcomes.toSorted((a, b) => a.index - b.index);
    this.#index = Int32Array.from(sorted, ({ index }) => index);
    for (let start = 0; start < sorted.length; ) {
      const block = Math.floor((sorted[start]?.index ?? 0) / BLOCK);
      let end = start;
      while (end < sorted.length && Math.floor((sorted[end]?.index ?? 0) / BLOCK) === block) end++;
      this.#blocks.push({ start, end });
      start = end;
    }
    this.#pre = this.#centred(Float64Array.from(sorted, ({ first }) => first));
    const second = this.#centred(Float64Array.from(sorted, ({ second }) => second));
    this.#prePower = product(this.#pre, this.#pre);
    const slope = this.#prePower > 0 ? product(this.#pre, second) / this.#prePower : 0;
    this.#rest = second.map((value, i) => value - slope * (this.#pre[i] ?? 0));
    this.#restPower = product(this.#rest, this.#rest);
    this.#freedom = sorted.length - this.#blocks.length - (this.#prePower > 0 ? 2 : 1);
  }

  #centred(values: Float64Array): Float64Array {
    for (const { start, end } of this.#blocks) {
      let sum = 0;
      for (let i = start; i < end; i++) sum += values[i] ?? 0;
      for (let i = start; i < end; i++) values[i] = (values[i] ?? 0) - sum / (end - start);
    }
    return values;
  }

  /**
   * Difference of the arms with its standard error, by least squares with blocks and pain before taken out (Frisch and Waugh).
   */
  estimate(order: Int8Array): { difference: number; error: number; freedom: number } {
    // Pain and outcomes are centred within blocks: the block means of the arms cancel in the products.
    const [index, pre, rest, prePower] = [this.#index, this.#pre, this.#rest, this.#prePower];
    let power = 0;
    let withPre = 0;
    let withRest = 0;
    for (const { start, end } of this.#blocks) {
      let sum = 0;
      for (let i = start; i < end; i++) {
        const arm = (order[index[i] as number] as number) / 2;
        sum += arm;
        withPre += arm * (pre[i] as number);
        withRest += arm * (rest[i] as number);
      }
      power += (end - start) / 4 - (sum * sum) / (end - start);
    }
    if (prePower > 0) power -= (withPre * withPre) / prePower;
    const freedom = this.#freedom;
    if (power <= 1e-9 || freedom < 1) return { difference: 0, error: Number.POSITIVE_INFINITY, freedom: 1 };
    const difference = withRest / power;
    const left = this.#restPower - difference * difference * power;
    return { difference, error: Math.sqrt(Math.max(left / freedom, ROUNDING) / power), freedom };
  }

  /** The test statistic: the difference in standard errors. */
  statistic(order: Int8Array): number {
    const { difference, error } = this.estimate(order);
    return difference / error;
  }

  counts(order: Int8Array): { withIt: number; without: number } {
    const withIt = this.#index.filter((index) => order[index] === 1).length;
    return { withIt, without: this.#index.length - withIt };
  }
}

function product(one: Float64Array, other: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < one.length; i++) sum += (one[i] ?? 0) * (other[i] ?? 0);
  return sum;
}

/**
 * The power of a trial for a true difference, from 0 to 1, by the t test at its end (noncentral t).
 * @param difference in points, more than 0
 * @param deviation standard deviation of the outcome within an arm, given the pain before, in points
 */
export function powerOf(
  { days, question }: { days: number; question: Question },
  difference: number,
  deviation: number,
): number {
  const freedom = days - Math.ceil(days / BLOCK) - 2;
  const error = question === 'either' ? ERROR / 2 : ERROR - HARM;
  const noncentrality = (difference * Math.sqrt(days)) / (2 * deviation);
  // Nominal level of the last look: about 90 % of the error, after the earlier looks.
  return 1 - noncentralT(tQuantile(1 - error * 0.9, freedom), freedom, noncentrality);
}

/** Standard deviation of the outcome given the pain before, in points: below `FEWEST_SESSIONS` sessions, and the least. */
const USUAL_DEVIATION = 1.5;
const LEAST_DEVIATION = 0.8;
const FEWEST_SESSIONS = 10;

/**
 * The residual standard deviation of pain after given pain before (linear regression), in points, from a person's own sessions.
 * @returns the usual one if there are too few sessions, and whether it is the person's own
 */
export function deviationOf(sessions: readonly { painBefore: number; painAfter: number }[]): {
  deviation: number;
  isOwn: boolean;
} {
  const { length } = sessions;
  if (length < FEWEST_SESSIONS) return { deviation: USUAL_DEVIATION, isOwn: false };
  const mean = (of: (session: (typeof sessions)[number]) => number) =>
    sessions.reduce((sum, session) => sum + of(session), 0) / length;
  const [before, after] = [mean(({ painBefore }) => painBefore), mean(({ painAfter }) => painAfter)];
  const xs = Float64Array.from(sessions, ({ painBefore }) => painBefore - before);
  const ys = Float64Array.from(sessions, ({ painAfter }) => painAfter - after);
  const power = product(xs, xs);
  const shared = product(xs, ys);
  const left = product(ys, ys) - (power > 0 ? (shared * shared) / power : 0);
  return { deviation: Math.max(LEAST_DEVIATION, Math.sqrt(Math.max(0, left) / (length - 2))), isOwn: true };
}

/** When the outcome is felt, in words. */
export const WHEN = { hour: 'an hour later', bedtime: 'at bedtime', morning: 'the next morning' } as const;

/** What is done on the days without the exercise. @param name how a name is shown */
export function insteadOf(
  {
    exerciseName,
    against,
    otherExercise = UNNAMED,
  }: Pick<TrialInput, 'exerciseName' | 'against' | 'otherExercise'>,
  name: (text: string) => string,
): string {
  if (against === 'exercise') return name(otherExercise);
  return against === 'rest' ? 'rest' : `the usual without ${name(exerciseName)}`;
}

/** A trial that has ended, as a report shows it. */
export interface EndedTrial {
  readonly trial: TrialInput;
  readonly result: TrialResult;
  readonly outcomes: Readonly<Record<Arm, readonly number[]>>;
}

/** Title of the table of days at each level of pain. */
export const pictureTitle = ({ outcome }: Pick<TrialInput, 'outcome'>): string =>
  `Days at each pain ${WHEN[outcome]}`;

/** A row for each arm: the number of days at each level of pain. */
export function daysAtEachPain({ a, b }: EndedTrial['outcomes']): [label: string, days: number[]][] {
  const days = (values: readonly number[]) =>
    Array.from({ length: 10 }, (_, i) => values.filter((value) => value === i + 1).length);
  return [
    ['with it', days(a)],
    ['without', days(b)],
  ];
}

/** Caveat on a clear result: the person cannot be blind to what was done, so expectation may be a part of it. */
export const WHAT_IT_CANNOT_SAY = 'It cannot say what part expectation has: you knew which day it was.';

/** What a trial has shown, as a sentence. */
export function resultSentence(
  { outcome, difference: matters }: { outcome: keyof typeof WHEN; difference: number },
  { verdict, difference, interval, withIt, without, afterDays }: TrialResult,
): string {
  if (difference === null || interval === null)
    return `After ${count(afterDays, 'day')} there are too few with both pains to say anything (${withIt} with it, ${without} without).`;
  const points = (value: number) => Math.abs(value).toFixed(1);
  const side = (value: number) => `${points(value)} ${value < 0 ? 'lower' : 'higher'}`;
  const [low, high] = interval;
  const [least, most] = difference < 0 ? [high, low] : [low, high];
  const range =
    low < 0 !== high < 0 ? `${side(low)} to ${side(high)}` : `${points(least)} to ${points(most)}`;
  const than = points(difference) === '0.0' ? ['the same', 'as'] : [side(difference), 'than'];
  const said = `On ${count(withIt, 'day')} with it pain ${WHEN[outcome]} was ${than[0]} (${range}) ${than[1]} on ${count(without, 'day')} without, at the same pain before.`;
  if (verdict !== 'open') return said;
  return low > -matters && high < matters
    ? `${said} That is no clear difference, and one of ${matters} or more is unlikely.`
    : `${said} That is no clear difference; one of ${matters} is possible.`;
}
