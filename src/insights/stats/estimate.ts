import jstat from 'jstat';
import { countOf, type Interval, meanOf, type Point, squaresOf } from './points.ts';

/** An estimate from sessions, with what its standard error is made of. */
export interface Estimate {
  readonly value: number;
  /** Standard deviation of one session, in points. */
  readonly deviation: number;
  /** Degrees of freedom of the deviation. */
  readonly freedom: number;
  /** Effective sample size: the standard error is deviation ÷ √size. */
  readonly size: number;
}

/** Least prior standard deviation, in points, towards which that of few sessions is moderated. */
export const LEAST_DEVIATION = 1.5;
/** Weight of the prior deviation, in degrees of freedom. */
const PRIOR_FREEDOM = 4;
/** Above this the t distribution is normal to six digits; jstat loses accuracy from 1e8 on. */
const MOST_FREEDOM = 1e6;
/** Error of a confidence sequence: the share of people, looking after every session, for whom it ever excludes the truth. */
const SEQUENCE_ERROR = 0.1;

/**
 * A standard deviation moderated by a prior one, as Smyth (2004, Stat Appl Genet Mol Biol 3(1):3) does with d₀ = 4: s² =
 * (squares + 4·prior²) ÷ (freedom + 4). Few sessions that happen to be alike do not get too narrow an interval.
 * @param squares sum of the squared residuals
 * @param freedom their degrees of freedom, 0 or more
 * @param prior the standard deviation expected before any session, in points
 */
export function moderated(
  squares: number,
  freedom: number,
  prior: number,
): Pick<Estimate, 'deviation' | 'freedom'> {
  const total = freedom + PRIOR_FREEDOM;
  return { deviation: Math.sqrt((squares + PRIOR_FREEDOM * prior ** 2) / total), freedom: total };
}

/** Degrees of freedom of the moderated deviation of so many values. */
export const moderatedFreedom = (size: number): number => size - 1 + PRIOR_FREEDOM;

/** The mean of at least one value, its deviation moderated by `prior`. */
export function meanEstimate(points: readonly Point[], prior = LEAST_DEVIATION): Estimate {
  const size = countOf(points);
  return { value: meanOf(points), size, ...moderated(squaresOf(points), size - 1, prior) };
}

/** Number, mean and sum of the squared residuals of values that come one by one (Welford 1962, Technometrics 4(3):419–420). */
export class Moments {
  n = 0;
  mean = 0;
  squares = 0;

  add(value: number): void {
    this.n += 1;
    const apart = value - this.mean;
    this.mean += apart / this.n;
    this.squares += apart * (value - this.mean);
  }

  /** The mean of at least one value, its deviation moderated by 1.5 points. */
  estimate(): Estimate {
    return { value: this.mean, size: this.n, ...moderated(this.squares, this.n - 1, LEAST_DEVIATION) };
  }
}

/**
 * The prior standard deviation of one person's sessions: the pooled one within groups of sessions, and 1.5 points at the least.
 * Pooling few sessions can only raise it above 1.5, which makes intervals wider.
 */
export function priorDeviation(groups: Iterable<readonly Point[]>): number {
  let squares = 0;
  let freedom = 0;
  for (const points of groups) {
    squares += squaresOf(points);
    freedom += countOf(points) - 1;
  }
  return pooled(squares, freedom);
}

/** The same, from the sum of the squared residuals and its degrees of freedom. */
export function pooled(squares: number, freedom: number): number {
  return freedom > 0 ? Math.max(LEAST_DEVIATION, Math.sqrt(squares / freedom)) : LEAST_DEVIATION;
}

/** The interval of Student's t. @param error 1 − coverage, by default for 95 % */
export function tInterval({ value, deviation, freedom, size }: Estimate, error = 0.05): Interval {
  const half = (tQuantile(1 - error / 2, freedom) * deviation) / Math.sqrt(size);
  return [value - half, value + half];
}

/**
 * A confidence sequence: intervals, one after each session, which for 90 % of people (1 − `error`) all contain the truth,
 * however often they look. A normal mixture over the effect in standard deviations, N(0, 1), with the deviation estimated (Lai
 * 1976, Ann Stat 4:265–280; Wang & Ramdas 2023, arXiv:2310.03722; for a coefficient of a regression Lindon et al. 2022,
 * arXiv:2210.08589). Proved for normal data without the prior deviation; with it, measured in
 * test/insights/simulation/proof.test.ts.
 */
export function confidenceSequence(
  { value, deviation, freedom, size }: Estimate,
  error = SEQUENCE_ERROR,
): Interval {
  const odds = ((1 + size) / error ** 2) ** (1 / (freedom + 1));
  if (odds >= 1 + size) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const squared = (odds - 1) / (1 - odds / (1 + size));
  const half = deviation * Math.sqrt((freedom * squared) / size);
  return [value - half, value + half];
}

/** The difference of two independent means, second − first (Welch 1947, Biometrika 34:28–35). */
export function welch(first: Estimate, second: Estimate): Estimate {
  const part = ({ deviation, size, freedom }: Estimate) => ({ variance: deviation ** 2 / size, freedom });
  const [a, b] = [part(first), part(second)];
  return {
    value: second.value - first.value,
    deviation: Math.sqrt(a.variance + b.variance),
    freedom: satterthwaite(a, b),
    size: 1,
  };
}

/** Degrees of freedom of a sum of estimated variances (Satterthwaite 1946, Biometrics Bull 2:110–114). */
export function satterthwaite(...parts: readonly { variance: number; freedom: number }[]): number {
  const sum = parts.reduce((total, { variance }) => total + variance, 0);
  return sum ** 2 / parts.reduce((total, { variance, freedom }) => total + variance ** 2 / freedom, 0);
}

/** The quantile of Student's t. */
export function tQuantile(probability: number, freedom: number): number {
  return jstat.jStat.studentt.inv(probability, Math.min(freedom, MOST_FREEDOM));
}

/** The cumulative distribution function of the noncentral t distribution. */
export const noncentralT = (x: number, freedom: number, noncentrality: number): number =>
  jstat.jStat.noncentralt.cdf(x, freedom, noncentrality);
/**
 * The evidence for an effect below 0 against no effect, as an e-value: without an effect its expectation is at most 1 however
 * often somebody looks, so that it ever reaches 20 in at most one of 20 cases. A normal mixture over the effect in standard
 * deviations, the half of N(0, 1) below 0, with the deviation estimated (Lai 1976; Wang & Ramdas 2023).
 */
export function evidenceBelow({ value, deviation, freedom, size }: Estimate): number {
  const t = (value * Math.sqrt(size)) / deviation;
  const [square, all] = [t * t, freedom + 1];
  const both =
    ((1 + square / freedom) / (1 + square / (freedom * (1 + size)))) ** (all / 2) / Math.sqrt(1 + size);
  // The remaining factor is below 1. Less than 1 is no evidence anyway, so this upper bound is enough.
  if (2 * both < 1) return 2 * both;
  const shrunken = t * Math.sqrt(size / (1 + size)) * Math.sqrt(all / (freedom + square / (1 + size)));
  return 2 * both * jstat.jStat.studentt.cdf(-shrunken, Math.min(all, MOST_FREEDOM));
}

/** The same for an effect above 0. */
export const evidenceAbove = (estimate: Estimate): number =>
  evidenceBelow({ ...estimate, value: -estimate.value });
