import type { Estimate } from './estimate.ts';

/**
 * Autocorrelations of neighbouring units of time over which the likelihood is averaged: the sines of so many angles, from 0 to
 * almost 90°, hardly less than 1. Equal steps of the angle are Jeffreys’ prior of the autocorrelation, 1 ÷ √(1 − ρ²).
 */
const STEPS = 20;
const ANGLE = Math.PI / 2 / STEPS;
/** Of them, those up to 0.97, for the means of periods: what wanders more than that has moved between them, without any direction. */
const UP_TO_PERIODS = 18;

/** Observations in ascending order of time; x is what the response is regressed on, beside a constant. */
interface Series {
  /** In days, or in sessions; no two the same. */
  readonly times: ArrayLike<number>;
  readonly x: ArrayLike<number>;
  readonly y: ArrayLike<number>;
  readonly length: number;
}

/**
 * The slope of y on x by generalized least squares, with residuals that resemble each other the more, the closer they are in
 * time: a first-order autoregression, of which observations may be missing (Jones 1980, Technometrics 22:389–395). The
 * autocorrelation is not estimated and then taken for certain: slope and variance are averages over its restricted
 * likelihood (Harville 1974, Biometrika 61:383–385), with the variance between the slopes added.
 * @returns null where x is constant, or there are fewer than 4 observations
 */
export function autoregression(series: Series): Estimate | null {
  const fits = weighted(series, STEPS);
  if (fits === null) return null;
  const value = average(fits, ({ slope }) => slope);
  const variance = average(fits, (fit) => fit.variance + (fit.slope - value) ** 2);
  return { value, deviation: Math.sqrt(variance), size: 1, freedom: series.length - 2 };
}

/**
 * How many times the variance of the difference of two means, of y where x is 1 and where it is 0, is what it would be for independent
 * observations: an average over the same likelihood; 1 at the least, and where there is too little to tell.
 */
export function inflation(series: Series): number {
  const fits = weighted(series, UP_TO_PERIODS);
  const [independent] = fits ?? [];
  if (!fits || !independent) return 1;
  return Math.max(
    1,
    average(fits, (fit) => fit.scale * spread(series, fit.correlation)) / independent.variance,
  );
}

/** The variance of the difference of the two means in units of that of one observation. */
function spread({ times, x, length }: Series, correlation: number): number {
  let ones = 0;
  for (let i = 0; i < length; i += 1) ones += x[i] as number;
  let [sum, before] = [0, 0];
  for (let i = 0; i < length; i += 1) {
    const weight = x[i] === 1 ? 1 / ones : -1 / (length - ones);
    if (i > 0) before *= correlation ** ((times[i] as number) - (times[i - 1] as number));
    sum += weight * (weight + 2 * before);
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
  for (let step = 0; step < steps; step += 1) {
    const fit = fitted(series, Math.sin(step * ANGLE));
    if (fit === null) return null;
    fits.push(fit);
  }
  const most = Math.max(...fits.map(({ logLikelihood }) => logLikelihood));
  return fits.map((fit) => ({ ...fit, weight: Math.exp(fit.logLikelihood - most) }));
}

function average(fits: readonly WeightedFit[], of: (fit: WeightedFit) => number): number {
  const total = fits.reduce((sum, { weight }) => sum + weight, 0);
  return fits.reduce((sum, fit) => sum + fit.weight * of(fit), 0) / total;
}

function fitted({ times, x, y, length }: Series, correlation: number) {
  const freedom = length - 2;
  let [cc, cx, cy, xx, xy, yy, logs] = [1, x[0] as number, y[0] as number, 0, 0, 0, 0];
  [xx, xy, yy] = [cx * cx, cx * cy, cy * cy];
  let [gap, share, left, log] = [0, 1, 0, 0];
  for (let i = 1; i < length; i += 1) {
    const next = (times[i] as number) - (times[i - 1] as number);
    if (next !== gap) {
      gap = next;
      share = correlation === 0 ? 0 : correlation ** gap;
      left = 1 - share * share;
      log = Math.log(left);
    }
    const c = 1 - share;
    const u = (x[i] as number) - share * (x[i - 1] as number);
    const v = (y[i] as number) - share * (y[i - 1] as number);
    cc += (c * c) / left;
    cx += (c * u) / left;
    cy += (c * v) / left;
    xx += (u * u) / left;
    xy += (u * v) / left;
    yy += (v * v) / left;
    logs += log;
  }
  const within = xx - (cx * cx) / cc;
  if (!(within > 1e-9 * xx)) return null;
  const slope = (xy - (cx * cy) / cc) / within;
  const squares = Math.max(ROUNDING * length, yy - (cy * cy) / cc - slope * slope * within);
  const scale = squares / freedom;
  const logLikelihood = -0.5 * (logs + Math.log(cc * within) + freedom * Math.log(squares));
  return { correlation, slope, scale, variance: scale / within, logLikelihood };
}

/** The variance of what rounding to whole points takes away: the least that residuals vary. */
const ROUNDING = 1 / 12;
