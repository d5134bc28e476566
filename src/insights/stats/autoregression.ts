import type { Estimate } from './estimate.ts';

/**
 * Size of the grid of lag-1 autocorrelations ρ over which the likelihood is averaged: the sines of equally spaced angles from 0
 * to almost 90°, the largest 0.997. Equal steps of the angle are Jeffreys’ prior of the autocorrelation, 1 ÷ √(1 − ρ²).
 */
const STEPS = 20;
const ANGLE = Math.PI / 2 / STEPS;
/** Grid sizes for means of periods: ρ up to 0.97 for days, and up to 0.89 for sessions, which are less correlated. */
export const [UP_TO_DAYS, UP_TO_SESSIONS] = [18, 15];
/**
 * Shares of the variance that are autocorrelated, with their prior weights; the rest is white noise. Without the noise, a slow
 * wander beneath what differs from day to day would pass for a trend. Shares below 1 apply from ρ = 0.7 (`from`, a step of the
 * grid) on: below it, the autocorrelated part is hardly different from noise itself.
 */
const LASTING = [
  { lasting: 1, prior: 1, from: 0 },
  { lasting: 0.7, prior: 0.03, from: STEPS / 2 },
  { lasting: 0.4, prior: 0.03, from: STEPS / 2 },
] as const;

/** Observations in ascending order of time; y is regressed on x and a constant. */
interface Series {
  /** In days, or in sessions; no two the same. */
  readonly times: ArrayLike<number>;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly length: number;
}

/**
 * The slope of y on x by generalized least squares, with errors from a first-order autoregression in which observations may be
 * missing (Jones 1980, Technometrics 22:389–395), plus white noise (Jones & Boadi-Boateng 1991, Biometrics 47:161–175).
 * Autocorrelation and noise share are not fixed at an estimate: slope and variance are averages over their restricted
 * likelihood (Harville 1974, Biometrika 61:383–385), with the variance between the slopes added.
 * @returns the slope, with its standard error as the deviation (size 1); null if x is constant, or there are fewer than 4
 *   observations
 */
export function autoregression(series: Series): Estimate | null {
  const fits = weighted(series, STEPS);
  if (fits === null) return null;
  const value = average(fits, ({ slope }) => slope);
  const variance = average(fits, (fit) => fit.variance + (fit.slope - value) ** 2);
  return { value, deviation: Math.sqrt(variance), size: 1, freedom: series.length - 2 };
}

/**
 * Variance inflation by autocorrelation of the difference of two means, of y where x is 1 and where it is 0, against
 * independent observations: an average over the same likelihood. At least 1; 1 if there are too few observations.
 * @param steps size of the grid of autocorrelations
 */
export function inflation(series: Series, steps = UP_TO_DAYS): number {
  const fits = weighted(series, steps);
  const [independent] = fits ?? [];
  if (!fits || !independent) return 1;
  return Math.max(1, average(fits, (fit) => fit.scale * spread(series, fit)) / independent.variance);
}

/** Prior probability that sessions are independent: a few of them cannot show it, and would hardly ever be clear without it. */
const INDEPENDENT = 0.8;

/**
 * Variance inflation by autocorrelation of the mean of values in order, against independent ones: an average over the
 * likelihood of ρ; 1 unless it is more likely than not that each value is correlated with the one before.
 */
export const inflationOfMean = (values: readonly number[]): number => inflationWithin([values], [1]);

/**
 * The same for the difference of means of several series. A value is correlated with the one before it in its own series, even
 * if values of others come between; all series have the same ρ.
 * @param series the values of each, in order; series of fewer than 4 values are left out
 * @param shares the weight of each mean in the difference
 */
export function inflationWithin(series: readonly (readonly number[])[], shares: readonly number[]): number {
  const told = series.flatMap((values, i) =>
    values.length < 4 ? [] : { sums: sumsOf(values), share: shares[i] ?? 0 },
  );
  if (told.length === 0) return 1;
  const fits = Array.from({ length: UP_TO_SESSIONS }, (_, step) => {
    const prior = step === 0 ? INDEPENDENT : (1 - INDEPENDENT) / (UP_TO_SESSIONS - 1);
    let [logLikelihood, variance] = [Math.log(prior), 0];
    for (const { sums, share } of told) {
      const fit = constant(sums, Math.sin(step * ANGLE));
      logLikelihood += fit.logLikelihood;
      variance += share ** 2 * fit.variance;
    }
    return { logLikelihood, variance };
  });
  const all = weighed(fits);
  const [independent] = all as [(typeof all)[number]];
  if (average(all, (fit) => Number(fit === independent)) > 0.5) return 1;
  return Math.max(1, average(all, ({ variance }) => variance) / independent.variance);
}

/** The sums that the fit of a constant to values in order needs. */
function sumsOf(values: readonly number[]) {
  let [sum, squares, products] = [0, 0, 0];
  for (const [i, value] of values.entries()) {
    sum += value;
    squares += value * value;
    products += value * (values[i - 1] ?? 0);
  }
  return { n: values.length, first: values[0] ?? 0, last: values.at(-1) ?? 0, sum, squares, products };
}

/** The restricted log likelihood of an autocorrelation, and the variance of the mean under it. */
function constant(
  { n, first, last, sum, squares, products }: ReturnType<typeof sumsOf>,
  correlation: number,
) {
  const [fresh, share] = [1 - correlation ** 2, 1 - correlation];
  // Generalized least squares of a constant; the inverse of the correlation matrix is tridiagonal.
  const cc = fresh + (n - 1) * share ** 2;
  const cv = fresh * first + share * (sum - first - correlation * (sum - last));
  const vv = squares - 2 * correlation * products + correlation ** 2 * (squares - first ** 2 - last ** 2);
  const left = Math.max(ROUNDING * n, vv - cv ** 2 / cc);
  const lasting = (2 * correlation * (1 - (1 - correlation ** n) / (n * share))) / share;
  return {
    logLikelihood: (Math.log(fresh / cc) - (n - 1) * Math.log(left)) / 2,
    variance: ((left / fresh) * (1 + lasting)) / (n * (n - 1)),
  };
}

/** The variance of the difference of the two means in units of that of one observation. */
function spread({ times, x, length }: Series, { correlation, lasting }: Fit): number {
  let ones = 0;
  for (let i = 0; i < length; i += 1) ones += x[i] as number;
  let [sum, before] = [0, 0];
  for (let i = 0; i < length; i += 1) {
    const weight = x[i] === 1 ? 1 / ones : -1 / (length - ones);
    if (i > 0) before *= correlation ** ((times[i] as number) - (times[i - 1] as number));
    sum += weight * (weight + 2 * lasting * before);
    before += weight;
  }
  return sum;
}

type Fit = NonNullable<ReturnType<typeof fitted>>;
type WeightedFit = Fit & { weight: number };

/** The fits of all autocorrelations with their weights, that of independent observations first. */
function weighted(series: Series, steps: number): WeightedFit[] | null {
  if (series.length < 4) return null;
  const fits: Fit[] = [];
  for (const { lasting, prior, from } of LASTING)
    for (let step = from; step < steps; step += 1) {
      const fit = fitted(series, Math.sin(step * ANGLE), lasting);
      if (fit === null) return null;
      fits.push({ ...fit, logLikelihood: fit.logLikelihood + Math.log(prior) });
    }
  return weighed(fits);
}

function weighed<T extends { logLikelihood: number }>(fits: readonly T[]): (T & { weight: number })[] {
  const most = Math.max(...fits.map(({ logLikelihood }) => logLikelihood));
  return fits.map((fit) => ({ ...fit, weight: Math.exp(fit.logLikelihood - most) }));
}

function average<T extends { weight: number }>(fits: readonly T[], of: (fit: T) => number): number {
  const total = fits.reduce((sum, { weight }) => sum + weight, 0);
  return fits.reduce((sum, fit) => sum + fit.weight * of(fit), 0) / total;
}

/** Least squares on the innovations of a Kalman filter: the part of each observation that earlier ones do not predict. */
function fitted({ times, x, y, length }: Series, correlation: number, lasting: number) {
  const freedom = length - 2;
  let [cc, cx, cy, xx, xy, yy] = [0, 0, 0, 0, 0, 0];
  // Variances are multiplied, and logarithms taken of products: one takes as long as the rest of a step.
  let [logs, product] = [0, 1];
  // Predictions of the constant, of x and of y, and the variance of the autocorrelated part.
  let [c, u, v, variance] = [0, 0, 0, lasting];
  let [gap, share] = [0, 0];
  for (let i = 0; i < length; i += 1) {
    const next = i > 0 ? (times[i] as number) - (times[i - 1] as number) : 0;
    if (next !== gap) {
      gap = next;
      share = correlation === 0 ? 0 : correlation ** gap;
    }
    variance = lasting + share * share * (variance - lasting);
    const total = variance + 1 - lasting;
    const precision = 1 / total;
    const gain = variance * precision;
    const newC = 1 - share * c;
    const newX = (x[i] as number) - share * u;
    const newY = (y[i] as number) - share * v;
    c = share * c + gain * newC;
    u = share * u + gain * newX;
    v = share * v + gain * newY;
    variance -= gain * variance;
    cc += newC * newC * precision;
    cx += newC * newX * precision;
    cy += newC * newY * precision;
    xx += newX * newX * precision;
    xy += newX * newY * precision;
    yy += newY * newY * precision;
    product *= total;
    if (product < 1e-200) {
      logs += Math.log(product);
      product = 1;
    }
  }
  logs += Math.log(product);
  const within = xx - (cx * cx) / cc;
  if (!(within > 1e-9 * xx)) return null;
  const slope = (xy - (cx * cy) / cc) / within;
  const squares = Math.max(ROUNDING * length, yy - (cy * cy) / cc - slope * slope * within);
  const scale = squares / freedom;
  const logLikelihood = -0.5 * (logs + Math.log(cc * within) + freedom * Math.log(squares));
  return { correlation, lasting, slope, scale, variance: scale / within, logLikelihood };
}

/** The variance of rounding to whole points, which is the least residual variance. */
const ROUNDING = 1 / 12;
