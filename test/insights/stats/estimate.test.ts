import fc from 'fast-check';
import * as reference from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { Covariance } from '../../../src/insights/stats/covariance.ts';
import {
  confidenceSequence,
  type Estimate,
  evidenceAbove,
  evidenceBelow,
  meanEstimate,
  priorDeviation,
  tInterval,
  welch,
} from '../../../src/insights/stats/estimate.ts';
import {
  pointsOf as counted,
  meanOf,
  medianOf,
  type Point,
  squaresOf,
} from '../../../src/insights/stats/points.ts';
import { generator } from '../helpers.ts';

const pointsOf = (values: readonly number[]): Point[] =>
  [...new Set(values)]
    .sort((a, b) => a - b)
    .map((value) => [value, values.filter((other) => other === value).length]);
const samples = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 2, maxLength: 40 });
const half = ([low, high]: readonly [number, number]) => (high - low) / 2;
const estimate = (given: Partial<Estimate>): Estimate => ({
  value: 0,
  deviation: 1,
  freedom: 10,
  size: 1,
  ...given,
});

test('mean, squares and median agree with simple-statistics', () => {
  fc.assert(
    fc.property(samples, (values) => {
      const points = pointsOf(values);
      expect(counted(values)).toEqual(points);
      expect(meanOf(points)).toBeCloseTo(reference.mean(values), 10);
      expect(squaresOf(points)).toBeCloseTo(reference.variance(values) * values.length, 8);
      expect(medianOf(points)).toBe(reference.median(values));
    }),
  );
});

// 97.5 % quantiles from the tables of Student's t (NIST/SEMATECH e-Handbook 1.3.6.7.2).
test.each([
  [4, 2.776],
  [6, 2.447],
  [11, 2.201],
  [63, 1.998],
  [1e9, 1.96],
])('the half width of a t interval with %d degrees of freedom is %d deviations', (freedom, quantile) => {
  expect(half(tInterval(estimate({ freedom })))).toBeCloseTo(quantile, 3);
  expect(half(tInterval(estimate({ freedom, size: 4, deviation: 3 })))).toBeCloseTo(1.5 * quantile, 2);
});

describe('a moderated deviation', () => {
  test.each([
    [[-2, -2, -2], 1.5, 1.2247, 6], // √(4 × 2.25 / 6)
    [[-2], 1.5, 1.5, 4],
    [[-4, 0], 1.5, 1.8439, 5], // √((8 + 9) / 5)
    [[-4, 0], 3, 2.9665, 5], // √((8 + 36) / 5)
  ])('of %j with a prior of %d is %d', (values, prior, deviation, freedom) => {
    const given = meanEstimate(pointsOf(values), prior);
    expect(given.deviation).toBeCloseTo(deviation, 4);
    expect(given.freedom).toBe(freedom);
  });

  test.each([
    [[[0, 1, 2]], 1.5],
    [[[0], [9]], 1.5],
    [[[-4, 0], [1]], 2.8284], // √(8 / 1)
    [
      [
        [-4, 0],
        [5, 7, 9],
      ],
      2.3094,
    ], // √((8 + 8) / 3)
  ])('the prior of %j is pooled within them: %d', (groups, prior) => {
    expect(priorDeviation(groups.map(pointsOf))).toBeCloseTo(prior, 4);
  });
});

describe('the confidence sequence', () => {
  test('worked by hand: 8 sessions, 11 degrees of freedom', () => {
    // A = (100 × 9)^(1/12) = 1.762734; x = 0.762734 / (1 − 1.762734 / 9) = 0.948509.
    const width = half(confidenceSequence(estimate({ size: 8, freedom: 11 })));
    expect(width).toBeCloseTo(Math.sqrt((11 * 0.948509) / 8), 5);
  });

  test('is the set of means that the mixture of Student ratios does not reject at 10 to 1', () => {
    // The likelihood ratio of t with effects N(0, 1) in deviations: √(1/(1+n)) ((1 + t²/v) / (1 + t²/(v(1+n))))^((v+1)/2).
    for (const [size, freedom] of [
      [3, 6],
      [20, 23],
      [2.4, 13],
      [400, 403],
    ] as const) {
      const t = half(confidenceSequence(estimate({ size, freedom }))) * Math.sqrt(size);
      const grown = (1 + t ** 2 / freedom) / (1 + t ** 2 / (freedom * (1 + size)));
      expect(Math.sqrt(1 / (1 + size)) * grown ** ((freedom + 1) / 2)).toBeCloseTo(10, 6);
    }
  });

  test('says nothing where even an infinite t would not reject', () => {
    expect(confidenceSequence(estimate({ size: 0.5, freedom: 4 }))).toEqual([
      Number.NEGATIVE_INFINITY,
      Number.POSITIVE_INFINITY,
    ]);
    for (let n = 3; n < 1000; n += 1)
      expect(half(confidenceSequence(estimate({ size: n, freedom: n + 3 })))).toBeLessThan(9);
  });

  test('is wider than the interval, from 3 sessions to a million', () => {
    for (const n of [3, 4, 8, 20, 60, 1000, 1e6]) {
      const given = estimate({ size: n, freedom: n + 3 });
      expect(half(confidenceSequence(given))).toBeGreaterThan(half(tInterval(given)));
    }
  });
});

describe('the evidence', () => {
  /** The likelihood of t, but for what does not depend on the effect, which is in deviations: over the unknown deviation, in small steps. */
  const likelihood = (t: number, { freedom, size }: Estimate, effect: number) => {
    let sum = 0;
    for (let s = 0.05; s < 12; s += 0.05)
      sum +=
        s ** freedom *
        Math.exp(-(s * s + ((t * s) / Math.sqrt(freedom) - effect * Math.sqrt(size)) ** 2) / 2);
    return sum;
  };

  test.each([
    [-2, 5, 8],
    [-1, 3, 6],
    [-0.4, 60, 63],
    [-1.2, 2.4, 13],
    [0.3, 40, 43],
  ])('of a mean of %d in %d sessions is the mixture over the effects below 0', (value, size, freedom) => {
    const given = estimate({ value, size, freedom });
    const t = value * Math.sqrt(size);
    let mixture = 0;
    for (let effect = -5.9975; effect < 0; effect += 0.005)
      mixture +=
        (0.01 / Math.sqrt(2 * Math.PI)) * Math.exp(-(effect ** 2) / 2) * likelihood(t, given, effect);
    const expected = mixture / likelihood(t, given, 0);
    expect(evidenceBelow(given) / expected).toBeCloseTo(1, 3);
    expect(evidenceAbove({ ...given, value: -value, deviation: 1 })).toBe(evidenceBelow(given));
  });

  test('never reaches 1 where there is no effect', () => {
    expect(evidenceBelow(estimate({ size: 20, freedom: 23 }))).toBeLessThan(1);
  });
});

test('Welch, worked by hand: variances of means 1/4 and 1/2, freedom 3 and 6', () => {
  const first = estimate({ value: -1, deviation: 1, size: 4, freedom: 3 });
  const second = estimate({ value: -3, deviation: 2, size: 8, freedom: 6 });
  const { value, deviation, freedom, size } = welch(first, second);
  expect([value, size]).toEqual([-2, 1]);
  expect(deviation).toBeCloseTo(Math.sqrt(0.75), 12);
  expect(freedom).toBeCloseTo(0.75 ** 2 / (0.25 ** 2 / 3 + 0.5 ** 2 / 6), 12);
});

describe('the difference at the same pain before', () => {
  type Session = readonly [x: number, y: number];
  const differenceOf = (...groups: readonly (readonly Session[])[]) => {
    const covariance = new Covariance(1);
    for (const [group, sessions] of groups.entries())
      for (const [x, y] of sessions) covariance.add(group, Float64Array.of(x), y);
    return covariance.contrast(0, [1]);
  };

  /** Solves the normal equations of y on 1, x and the indicator by elimination: the definition. */
  function solved(first: readonly Session[], second: readonly Session[]) {
    const rows = [...first.map(([x, y]) => [1, x, 1, y]), ...second.map(([x, y]) => [1, x, 0, y])];
    const at = (i: number, j: number) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0);
    const matrix = [0, 1, 2].map((i) => [...[0, 1, 2].map((j) => at(i, j)), at(i, 3), i === 2 ? 1 : 0]);
    for (let k = 0; k < 3; k += 1) {
      const pivot = matrix[k] ?? [];
      for (const [i, row] of matrix.entries()) {
        if (i === k) continue;
        const factor = (row[k] ?? 0) / (pivot[k] ?? 0);
        for (let j = 0; j < 5; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0);
      }
    }
    const [a = 0, b = 0, d = 0] = matrix.map((row, i) => (row[3] ?? 0) / (row[i] ?? 0));
    const squares = [1, 0].map((group) =>
      rows.reduce(
        (sum, [, x = 0, z = 0, y = 0]) => sum + (z === group ? (y - a - b * x - d * z) ** 2 : 0),
        0,
      ),
    );
    // Each row of the weights is how much the coefficient moves with that response.
    const inverse = matrix.map((row, i) => (row[4] ?? 0) / (row[i] ?? 0));
    const weights = [1, 0].map((group) =>
      rows.reduce((sum, [one = 0, x = 0, z = 0]) => {
        const weight = one * (inverse[0] ?? 0) + x * (inverse[1] ?? 0) + z * (inverse[2] ?? 0);
        return z === group ? sum + weight ** 2 : sum;
      }, 0),
    );
    return { value: d, squares, weights, size: 1 / (inverse[2] ?? 0) };
  }

  test('is that of the normal equations', () => {
    const session = fc.tuple(fc.integer({ min: 1, max: 10 }), fc.integer({ min: -9, max: 9 }));
    const group = fc.array(session, { minLength: 3, maxLength: 15 });
    fc.assert(
      fc.property(group, group, (first, second) => {
        const given = differenceOf(first, second);
        const varied = [first, second].some((each) => new Set(each.map(([x]) => x)).size > 1);
        if (!varied || given === null) return;
        const { value, squares, weights, size } = solved(first, second);
        expect(given.value).toBeCloseTo(value, 7);
        expect(given.size).toBeCloseTo(size, 7);
        // The residuals of all, 1.5 at the least; those of each group, moderated by that.
        const freedom = first.length + second.length - 3;
        const common = Math.max(1.5 ** 2, reference.sum(squares) / freedom);
        const all = (reference.sum(squares) + 4 * common) / (freedom + 4);
        // Each gives its share of the one that the slope takes.
        const freedoms = [first, second].map(({ length }) => ((length - 1) * freedom) / (freedom + 1) + 4);
        const variances = squares.map((sum, i) => ((sum + 4 * all) / (freedoms[i] ?? 0)) * (weights[i] ?? 0));
        expect(given.deviation ** 2 / given.size).toBeCloseTo(reference.sum(variances), 7);
        const shares = variances.map((variance, i) => variance ** 2 / (freedoms[i] ?? 0));
        expect(given.freedom).toBeCloseTo(reference.sum(variances) ** 2 / reference.sum(shares), 6);
      }),
    );
  });

  test('at one pain before is the difference of the means', () => {
    const given = differenceOf(
      [
        [5, -2],
        [5, -4],
        [5, -3],
      ],
      [
        [5, 0],
        [5, -1],
      ],
    );
    expect(given?.value).toBeCloseTo(-2.5, 12);
    expect(given?.size).toBeCloseTo(1.2, 12);
  });

  test('is nothing where the pain before alone tells the groups apart', () => {
    const bad = Array.from({ length: 8 }, (): Session => [9, -3]);
    const good = Array.from({ length: 8 }, (): Session => [3, 0]);
    expect(differenceOf(bad, good)).toBeNull();
    expect(differenceOf(bad), 'no others').toBeNull();
    // 1 / (1/8 + 1/8 + 6²/xx) is 0.8 with xx = 36 and 1.23 with xx = 64.
    const spread = (by: number): Session[] => [...good.slice(2), [3 - by, 0], [3 + by, 0]];
    expect(differenceOf(bad, spread(Math.sqrt(18)))?.size).toBeUndefined();
    expect(differenceOf(bad, spread(Math.sqrt(32)))?.size).toBeCloseTo(1.23, 2);
  });

  test('finds a difference that the pain before hides', () => {
    const random = generator(3);
    const at = (x: number, more: number): Session => [x, -0.5 * (x - 5) + more + random() - 0.5];
    const own = Array.from({ length: 400 }, (_, i) => at(3 + (i % 4), -1));
    const others = Array.from({ length: 800 }, (_, i) => at(5 + (i % 4), 0));
    const meanOfY = (sessions: readonly Session[]) => meanOf(sessions.map(([, y]) => [y, 1]));
    expect(meanOfY(own) - meanOfY(others)).toBeCloseTo(0, 1);
    expect(differenceOf(own, others)?.value).toBeCloseTo(-1, 1);
  });
});
