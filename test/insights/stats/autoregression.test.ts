import { describe, expect, test } from 'vitest';
import {
  autoregression,
  inflation,
  inflationOfMean,
  inflationWithin,
} from '../../../src/insights/stats/autoregression.ts';
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

describe('how much wider a mean of sessions is', () => {
  /** By the definition, with the whole matrix of correlations of each series at each autocorrelation. */
  function defined(series: readonly (readonly number[])[], shares: readonly number[] = [1]) {
    const fits = Array.from({ length: 15 }, (_, step) => {
      const correlation = Math.sin((step * Math.PI) / 40);
      let [logWeight, variance] = [Math.log(step === 0 ? 0.8 : 0.2 / 14), 0];
      for (const [k, values] of series.entries()) {
        const n = values.length;
        const ones = values.map(() => 1);
        const correlations = values.map((_, i) => values.map((_, j) => correlation ** Math.abs(i - j)));
        const { inverse: own, logDeterminant } = inverted(correlations);
        const information = product(ones, own, ones);
        const mean = product(ones, own, values) / information;
        const residuals = values.map((value) => value - mean);
        const fresh = 1 - correlation ** 2;
        const squares = Math.max(n / 12, fresh * product(residuals, own, residuals)) / fresh;
        logWeight -= 0.5 * (logDeterminant + Math.log(information) + (n - 1) * Math.log(squares));
        const ofMean = (squares / (n - 1)) * (product(ones, correlations, ones) / n ** 2);
        variance += (shares[k] ?? 0) ** 2 * ofMean;
      }
      return { weight: Math.exp(logWeight), variance };
    });
    const total = fits.reduce((sum, { weight }) => sum + weight, 0);
    const variance = fits.reduce((sum, fit) => sum + (fit.weight / total) * fit.variance, 0);
    return { independent: (fits[0]?.weight ?? 0) / total, inflation: variance / (fits[0]?.variance ?? 0) };
  }
  const twice = (values: readonly number[]) => values.flatMap((value) => [value, value]);
  const { y } = wandering(40, 5);

  test.each<[string, number[]]>([
    ['sessions that resemble each other', y],
    ['sessions that were entered twice', twice([-2, -1, 1, 0, 0, -3, -2, -1, 2, -1, 0, 1, 0, -4, -2, 0])],
    ['a fortnight of relief after one without', [...Array(14).fill(0), ...Array(14).fill(-2)]],
  ])('%s: that of the definition', (_, values) => {
    const { independent, inflation } = defined([values]);
    expect(independent).toBeLessThan(0.5);
    expect(inflation).toBeGreaterThan(1.5);
    expect(inflationOfMean(values)).toBeCloseTo(inflation, 8);
  });

  test.each<[string, number[]]>([
    ['nothing', []],
    ['three sessions', [-1, -1, -1]],
    ['sessions that are all alike', Array(40).fill(-2)],
    ['sessions in turn', Array.from({ length: 20 }, (_, i) => -(i % 2))],
    ['eight sessions of which none resembles the one before', [-2, 1, -3, 0, -1, -4, 1, -2]],
  ])('%s: not at all', (_, values) => expect(inflationOfMean(values)).toBe(1));

  test('the difference of means, where each series resembles its own last value: that of the definition', () => {
    const [own, other] = [wandering(24, 5).y, wandering(16, 9).y];
    const { independent, inflation } = defined([own, other], [1, 0.5]);
    expect(independent).toBeLessThan(0.5);
    expect(inflation).toBeGreaterThan(1.5);
    expect(inflationWithin([own, other], [1, 0.5])).toBeCloseTo(inflation, 8);
    // Three values tell nothing.
    expect(inflationWithin([own, [9, 9, 9], other], [1, 7, 0.5])).toBeCloseTo(inflation, 8);
    expect(inflationWithin([[1, 2, 3], []], [1, 1])).toBe(1);
  });
});
