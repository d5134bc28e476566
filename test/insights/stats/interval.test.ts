import fc from 'fast-check';
import * as reference from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { probabilityNotPositive } from '../../../src/insights/stats/gammas.ts';
import {
  differenceInterval,
  meanInterval,
  meanOf,
  medianOf,
  type Point,
} from '../../../src/insights/stats/interval.ts';
import { generator } from '../helpers.ts';

const CHANGE = [-9, 9] as const;
const pointsOf = (values: readonly number[]): Point[] =>
  [...new Set(values)]
    .sort((a, b) => a - b)
    .map((value) => [value, values.filter((other) => other === value).length]);
const samples = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 1, maxLength: 40 });

describe('the interval of a mean', () => {
  // Clopper & Pearson (1934): the exact binomial interval, from tables.
  test.each([
    [0, 10, 0, 0.3085],
    [1, 10, 0.0025, 0.445],
    [5, 10, 0.1871, 0.8129],
    [4, 20, 0.0573, 0.4366],
    [20, 20, 0.8316, 1],
  ])('of %i yes in %i is that of Clopper and Pearson', (yes, n, low, high) => {
    const [lower, upper] = meanInterval(
      [
        [0, n - yes],
        [1, yes],
      ],
      [0, 1],
    );
    expect(lower).toBeCloseTo(low, 4);
    expect(upper).toBeCloseTo(high, 4);
  });

  test('of 8 equal changes is as wide as the one bad day in three that they cannot rule out', () => {
    const weight = 1 - 0.025 ** (1 / 8);
    const [low, high] = meanInterval([[-2, 8]], CHANGE);
    expect(low).toBeCloseTo(-2 - 7 * weight, 5);
    expect(high).toBeCloseTo(-2 + 11 * weight, 5);
  });

  test('agrees with weights drawn at random', () => {
    const random = generator(7);
    const values = [-3, -3, -2, -1, 0, 2];
    const means = Array.from({ length: 40_000 }, () => {
      const weights = [...values, 9].map(() => -Math.log(1 - random()));
      return (
        reference.sum([...values, 9].map((value, i) => value * (weights[i] ?? 0))) / reference.sum(weights)
      );
    });
    expect(meanInterval(pointsOf(values), CHANGE)[1]).toBeCloseTo(reference.quantile(means, 0.975), 1);
  });

  test('holds the mean, lies within the ends, and narrows as the same sessions repeat', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const points = pointsOf(values);
        const [low, high] = meanInterval(points, CHANGE);
        const more = meanInterval(
          points.map(([value, count]) => [value, count * 4]),
          CHANGE,
        );
        expect(low).toBeLessThanOrEqual(meanOf(points));
        expect(high).toBeGreaterThanOrEqual(meanOf(points));
        expect(low).toBeGreaterThanOrEqual(-9);
        expect(high).toBeLessThanOrEqual(9);
        expect(more[1] - more[0]).toBeLessThan(high - low);
      }),
    );
  });

  test('mirrors when the values do', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const [low, high] = meanInterval(pointsOf(values), CHANGE);
        const [mirroredLow, mirroredHigh] = meanInterval(pointsOf(values.map((value) => -value + 0)), CHANGE);
        expect(mirroredLow).toBeCloseTo(-high, 4);
        expect(mirroredHigh).toBeCloseTo(-low, 4);
      }),
    );
  });

  test('of a million comes to the interval of the normal distribution', () => {
    const [low, high] = meanInterval(
      [
        [-1, 500_000],
        [1, 500_000],
      ],
      CHANGE,
    );
    expect(high).toBeCloseTo(1.96e-3, 4);
    expect(low).toBeCloseTo(-1.96e-3, 4);
    expect(meanInterval([[0, 1_000_000]], CHANGE)[1]).toBeCloseTo((9 * -Math.log(0.025)) / 1e6, 6);
  });
});

test('the distribution of a sum of gamma variables: the exponential and the beta are known', () => {
  expect(probabilityNotPositive([{ scale: -1, shape: 3 }])).toBe(1);
  expect(probabilityNotPositive([{ scale: 1, shape: 3 }])).toBe(0);
  // P(E₁ ≤ 2 E₂) = 2/3; P(Beta(1, 5) ≤ 0.2) = 1 − 0.8^5.
  const ratio = [
    { scale: 1, shape: 1 },
    { scale: -2, shape: 1 },
  ];
  expect(probabilityNotPositive(ratio)).toBeCloseTo(2 / 3, 5);
  const beta = [
    { scale: 0.8, shape: 1 },
    { scale: -0.2, shape: 5 },
  ];
  expect(probabilityNotPositive(beta)).toBeCloseTo(1 - 0.8 ** 5, 6);
});

test('mean and median agree with simple-statistics', () => {
  fc.assert(
    fc.property(samples, (values) => {
      expect(meanOf(pointsOf(values))).toBeCloseTo(reference.mean(values), 10);
      expect(medianOf(pointsOf(values))).toBe(reference.median(values));
    }),
  );
});

test('the interval of a difference (MOVER), worked by hand', () => {
  const [low, high] = differenceInterval(
    { mean: -1, interval: [-1.5, -0.6] },
    { mean: -2, interval: [-2.3, -1.6] },
  );
  expect(low).toBeCloseTo(-1 - 0.5, 10); // √(0.3² + 0.4²)
  expect(high).toBeCloseTo(-1 + Math.sqrt(0.41), 10); // √(0.4² + 0.5²)
});
