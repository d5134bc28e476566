import jstat from 'jstat';
import { countOf, type Interval, meanOf, type Point, squaresOf } from './points.ts';

/** A figure computed from sessions, and how far it may be from the truth. */
export interface Estimate {
  readonly value: number;
  /** Standard deviation of one session, in points. */
  readonly deviation: number;
  /** Degrees of freedom of the deviation. */
  readonly freedom: number;
  /** Sessions whose mean would be as certain: the standard error is deviation ÷ √size. */
  readonly size: number;
}

/** Standard deviation, in points, that few sessions are moderated towards; the least that is taken for it. */
export const LEAST_DEVIATION = 1.5;
/** Degrees of freedom that the prior deviation weighs. */
const PRIOR_FREEDOM = 4;
/** Above this the t distribution is normal to six digits; jstat loses accuracy from 1e8 on. */
const MOST_FREEDOM = 1e6;
/** Of all people who look after every session, the share for whom a sequence ever leaves out the truth. */
const SEQUENCE_ERROR = 0.1;

/**
 * A deviation moderated by a prior one, as Smyth (2004, Stat Appl Genet Mol Biol 3(1):3) does with
 * d₀ = 4: s² = (squares + 4·prior²) ÷ (freedom + 4). Few sessions that happen to be alike get an honest width.
 * @param squares sum of the squared residuals
 * @param freedom their degrees of freedom, 0 or more
 * @param prior the deviation expected before any session, in points
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
 * The prior deviation of one person's sessions: the pooled deviation within groups of sessions, and 1.5
 * points at the least. Pooling over few sessions can only make it larger, so intervals wider.
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

/** The same from the sum of the squared residuals and its degrees of freedom. */
export function pooled(squares: number, freedom: number): number {
  return freedom > 0 ? Math.max(LEAST_DEVIATION, Math.sqrt(squares / freedom)) : LEAST_DEVIATION;
}

/** The interval of Student's t, of 95 % unless told otherwise. */
export function tInterval({ value, deviation, freedom, size }: Estimate, error = 0.05): Interval {
  const half = (tQuantile(1 - error / 2, freedom) * deviation) / Math.sqrt(size);
  return [value - half, value + half];
}

/**
 * A confidence sequence: intervals, one after each session, of which 90 % of all people see none that leaves
 * out the truth, however often they look. A normal mixture over the effect in deviations, N(0, 1), with the
 * deviation estimated (Lai 1976, Ann Stat 4:265–280; Wang & Ramdas 2023, arXiv:2310.03722; for a
 * coefficient of a regression Lindon et al. 2022, arXiv:2210.08589). Proved for a normal law without the prior
 * deviation; with it, test/insights/proof.test.ts counts.
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

/**
 * The difference of two independent means, second − first (Welch 1947, Biometrika 34:28–35).
 */
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

/** Degrees of freedom of the sum of two estimated variances (Satterthwaite 1946, Biometrics Bull 2:110–114). */
export function satterthwaite(...parts: readonly { variance: number; freedom: number }[]): number {
  const sum = parts.reduce((total, { variance }) => total + variance, 0);
  return sum ** 2 / parts.reduce((total, { variance, freedom }) => total + variance ** 2 / freedom, 0);
}

/** The quantile of Student's t. */
export function tQuantile(probability: number, freedom: number): number {
  return jstat.jStat.studentt.inv(probability, Math.min(freedom, MOST_FREEDOM));
}

/** The probability of no more than `x` under the noncentral t distribution. */
export const noncentralT = (x: number, freedom: number, noncentrality: number): number =>
  jstat.jStat.noncentralt.cdf(x, freedom, noncentrality);
/**
 * The evidence that an effect is below 0 rather than 0, as an e-value: its mean over all that see it grow without such an
 * effect is at most 1 however often they look, so that it reaches 20 for at most one of 20. A mixture over the effect in
 * deviations, the half of N(0, 1) below 0, with the deviation estimated (Lai 1976; Wang & Ramdas 2023).
 */
export function evidenceBelow({ value, deviation, freedom, size }: Estimate): number {
  const t = (value * Math.sqrt(size)) / deviation;
  const [square, all] = [t * t, freedom + 1];
  const both =
    ((1 + square / freedom) / (1 + square / (freedom * (1 + size)))) ** (all / 2) / Math.sqrt(1 + size);
  // The rest can only make it less.
  if (2 * both < 1) return 2 * both;
  const shrunken = t * Math.sqrt(size / (1 + size)) * Math.sqrt(all / (freedom + square / (1 + size)));
  return 2 * both * jstat.jStat.studentt.cdf(-shrunken, Math.min(all, MOST_FREEDOM));
}

/** The same of an effect above 0. */
export const evidenceAbove = (estimate: Estimate): number =>
  evidenceBelow({ ...estimate, value: -estimate.value });
