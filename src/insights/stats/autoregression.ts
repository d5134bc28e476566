import type { Estimate } from './estimate.ts';

/** Autocorrelations of neighbouring units of time over which the likelihood is averaged: 0, 0.05, … 0.95. */
const STEPS = 20;
const STEP = 0.05;

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
 * likelihood (Harville 1974, Biometrika 61:383–385; the prior is Jeffreys’, 1 ÷ √(1 − ρ²)), with the variance between the slopes added.
 * @returns null where x is constant, or there are fewer than 4 observations
 */
export function autoregression(series: Series): Estimate | null {
  const freedom = series.length - 2;
  if (freedom < 2) return null;
  const [values, variances, logs] = [[], [], []] as [number[], number[], number[]];
  for (let step = 0; step < STEPS; step += 1) {
    const fit = fitted(series, step * STEP, freedom);
    if (fit === null) return null;
    values.push(fit.slope);
    variances.push(fit.variance);
    logs.push(fit.logLikelihood);
  }
  const most = Math.max(...logs);
  const weights = logs.map((log) => Math.exp(log - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = (of: (i: number) => number) =>
    weights.reduce((sum, weight, i) => sum + weight * of(i), 0) / total;
  const value = average((i) => values[i] as number);
  const variance = average((i) => (variances[i] as number) + ((values[i] as number) - value) ** 2);
  return { value, deviation: Math.sqrt(variance), size: 1, freedom };
}

function fitted({ times, x, y, length }: Series, correlation: number, freedom: number) {
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
  return {
    slope,
    variance: squares / freedom / within,
    logLikelihood:
      -0.5 * (logs + Math.log(cc * within) + freedom * Math.log(squares) + Math.log(1 - correlation ** 2)),
  };
}

/** The variance of what rounding to whole points takes away: the least that residuals vary. */
const ROUNDING = 1 / 12;
