import { describe, expect, test } from 'vitest';
import { autoregression, inflation } from '../../../src/insights/stats/autoregression.ts';
import { generator } from '../helpers.ts';

interface Series {
  times: number[];
  x: number[];
  y: number[];
  length: number;
}

/** The inverse of a symmetric, positive definite matrix, and the logarithm of its determinant, by elimination. */
function inverted(matrix: readonly (readonly number[])[]): { inverse: number[][]; logDeterminant: number } {
  const size = matrix.length;
  const rows = matrix.map((row, i) => [...row, ...Array.from({ length: size }, (_, j) => Number(i === j))]);
  let logDeterminant = 0;
  for (const [k, pivot] of rows.entries()) {
    const own = pivot[k] ?? 0;
    logDeterminant += Math.log(own);
    for (let j = 0; j < pivot.length; j += 1) pivot[j] = (pivot[j] ?? 0) / own;
    for (const [i, row] of rows.entries()) {
      const factor = row[k] ?? 0;
      if (i !== k) for (let j = 0; j < row.length; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
    }
  }
  return { inverse: rows.map((row) => row.slice(size)), logDeterminant };
}

/** a′·M·b */
const product = (a: readonly number[], matrix: readonly (readonly number[])[], b: readonly number[]) =>
  a.reduce((sum, p, i) => sum + b.reduce((all, q, j) => all + p * (matrix[i]?.[j] ?? 0) * q, 0), 0);

/**
 * Generalized least squares with the whole matrix of correlations, by the definition, at each autocorrelation and share of the variance
 * that lasts, with its weight.
 */
function fitsOf({ times, x, y, length }: Series, steps: number) {
  const ones = x.map(() => 1);
  const all = Array.from({ length: steps }, (_, step) => step);
  const laws = [1, 0.7, 0.4].flatMap((lasting) =>
    all.slice(lasting < 1 ? 10 : 0).map((step) => ({ lasting, step })),
  );
  const fits = laws.map(({ lasting, step }) => {
    const correlation = Math.sin((step * Math.PI) / 40);
    const correlations = times.map((one) =>
      times.map((other) => (one === other ? 1 : lasting * correlation ** Math.abs(one - other))),
    );
    const { inverse: own, logDeterminant } = inverted(correlations);
    const information = [ones, x].map((a) => [ones, x].map((b) => product(a, own, b)));
    const { inverse, logDeterminant: logInformation } = inverted(information);
    const right = [ones, x].map((a) => product(a, own, y));
    const [level = 0, slope = 0] = inverse.map((row) =>
      row.reduce((sum, p, i) => sum + p * (right[i] ?? 0), 0),
    );
    const residuals = y.map((value, i) => value - level - slope * (x[i] ?? 0));
    // Rounding to whole points alone makes residuals vary by 1/12.
    const squares = Math.max(length / 12, product(residuals, own, residuals));
    const scale = squares / (length - 2);
    const logWeight =
      Math.log(lasting < 1 ? 0.03 : 1) -
      0.5 * (logDeterminant + logInformation + (length - 2) * Math.log(squares));
    return { slope, scale, variance: scale * (inverse[1]?.[1] ?? 0), correlations, logWeight };
  });
  const most = Math.max(...fits.map(({ logWeight }) => logWeight));
  const weights = fits.map(({ logWeight }) => Math.exp(logWeight - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = (of: (fit: (typeof fits)[number]) => number) =>
    fits.reduce((sum, fit, i) => sum + ((weights[i] ?? 0) / total) * of(fit), 0);
  return { fits, average };
}

/** Pain that resembles that of the day before, of days with gaps between them. */
function wandering(length: number, seed: number): Series {
  const random = generator(seed);
  const times: number[] = [];
  const y: number[] = [];
  let [day, level] = [0, 5];
  for (let i = 0; i < length; i += 1) {
    day += 1 + Math.floor(3 * random());
    level += 0.4 * (5 - level) + 3 * (random() - 0.5);
    times.push(day);
    y.push(Math.round(level));
  }
  return { times, x: times.map((time) => time / 7), y, length };
}

const line: Series = { times: [0, 1, 2, 3, 4], x: [0, 1, 2, 3, 4], y: [1, 2, 3, 4, 5], length: 5 };

describe('the slope', () => {
  test.each<[string, Series]>([
    ['30 days', wandering(30, 1)],
    ['12 days', wandering(12, 2)],
    ['4 days', wandering(4, 3)],
    ['days on a line', line],
  ])('of %s is that of the definition', (_, series) => {
    const { average } = fitsOf(series, 20);
    const value = average(({ slope }) => slope);
    const variance = average((fit) => fit.variance + (fit.slope - value) ** 2);
    const found = autoregression(series);
    expect(found?.value).toBeCloseTo(value, 8);
    expect(found?.deviation).toBeCloseTo(Math.sqrt(variance), 8);
    expect(found).toMatchObject({ size: 1, freedom: series.length - 2 });
  });

  test('is none of fewer than 4 days, or where nothing changes that it could be on', () => {
    expect(autoregression(wandering(3, 1))).toBeNull();
    expect(autoregression({ ...line, x: [2, 2, 2, 2, 2] })).toBeNull();
  });
});

describe('how much wider the difference of two periods is', () => {
  test('is that of the definition', () => {
    const series = wandering(24, 4);
    const x = series.times.map((_, i) => Number(i >= 10));
    const { fits, average } = fitsOf({ ...series, x }, 18);
    const weights = x.map((one) => (one ? 1 / 14 : -1 / 10));
    const variance = average(({ scale, correlations }) => scale * product(weights, correlations, weights));
    expect(variance / (fits[0]?.variance ?? 0)).toBeGreaterThan(1.5);
    expect(inflation({ ...series, x })).toBeCloseTo(variance / (fits[0]?.variance ?? 0), 8);
  });

  test('is 1 at the least: of days in turn, which resemble each other, and where there is too little to tell', () => {
    const series = wandering(24, 4);
    expect(inflation({ ...series, x: series.times.map((_, i) => i % 2) })).toBe(1);
    expect(inflation(wandering(3, 1))).toBe(1);
  });
});
