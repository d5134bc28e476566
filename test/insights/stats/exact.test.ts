import fc from 'fast-check';
import * as reference from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { signedRankTest, signTest } from '../../../src/insights/stats/exact.ts';
import type { Point } from '../../../src/insights/stats/interval.ts';

const pointsOf = (values: readonly number[]): Point[] =>
  [...new Set(values)]
    .sort((a, b) => a - b)
    .map((value) => [value, values.filter((other) => other === value).length]);

/** Every way to give the changes other than 0 a sign, and how extreme the statistic is in each: the definition. */
function enumerate(values: readonly number[], rankOf: (value: number) => number): number {
  const moved = values.filter((value) => value !== 0);
  const total = reference.sum([0, ...moved.map(rankOf)]);
  const away = (rose: number) => Math.abs(2 * rose - total);
  const observed = away(reference.sum([0, ...moved.filter((value) => value > 0).map(rankOf)]));
  let extreme = 0;
  for (let signs = 0; signs < 2 ** moved.length; signs += 1) {
    const rose = moved.filter((_, i) => signs & (1 << i)).map(rankOf);
    if (away(reference.sum([0, ...rose])) >= observed - 1e-9) extreme += 1;
  }
  return extreme / 2 ** moved.length;
}

/** Pratt's mean rank of |value| among all of them, zeros included. */
const rankAmong = (values: readonly number[]) => (value: number) => {
  const below = values.filter((other) => Math.abs(other) < Math.abs(value)).length;
  const equal = values.filter((other) => Math.abs(other) === Math.abs(value)).length;
  return below + (equal + 1) / 2;
};

const small = fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 1, maxLength: 10 });

describe('the sign test', () => {
  test('worked by hand: 1 rise in 8 is 2 × (1 + 8) / 256', () => {
    expect(signTest(pointsOf([-2, -1, -3, -1, -2, -1, -4, 1]))).toBeCloseTo(18 / 256, 12);
  });
  test('zeros say nothing', () => {
    expect(signTest([[0, 12]])).toBe(1);
    expect(signTest(pointsOf([-1, -1, -1, -1, -1, -1, 0, 0, 0]))).toBeCloseTo(2 / 64, 12);
  });
  test('agrees with every sign tried out', () => {
    fc.assert(
      fc.property(small, (values) => {
        expect(signTest(pointsOf(values))).toBeCloseTo(
          enumerate(values, () => 1),
          9,
        );
      }),
    );
  });
  test('of a million sessions is quick and small', () => {
    expect(
      signTest([
        [-1, 501_000],
        [1, 499_000],
      ]),
    ).toBeCloseTo(0.0456, 3);
  });
});

describe('the signed-rank test', () => {
  test('worked by hand: ranks 1 to 6, all falls, is 2 / 64', () => {
    expect(signedRankTest(pointsOf([-1, -2, -3, -4, -5, -6]))).toBeCloseTo(2 / 64, 12);
  });
  test('only zeros: 1', () => expect(signedRankTest([[0, 7]])).toBe(1));
  test('agrees with every sign tried out, ties and zeros included', () => {
    fc.assert(
      fc.property(small, (values) => {
        expect(signedRankTest(pointsOf(values))).toBeCloseTo(enumerate(values, rankAmong(values)), 9);
      }),
    );
  });
  test('the approximation for many sessions follows on from the exact one', () => {
    const at = (n: number) =>
      signedRankTest([
        [-2, n / 4],
        [-1, n / 4 + 12],
        [1, n / 4],
        [2, n / 4 - 12],
      ]);
    expect(at(204)).toBeCloseTo(at(200), 1);
    expect(at(1_000_000)).toBeGreaterThan(0.9);
  });
});
