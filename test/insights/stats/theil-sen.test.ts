import fc from 'fast-check';
import * as reference from 'simple-statistics';
import { expect, test } from 'vitest';
import { theilSen } from '../../../src/insights/stats/theil-sen.ts';
import { generator } from '../helpers.ts';

const series = (values: readonly number[]) => values.map((value, time) => ({ time, value }));

test('the median of the slopes of all pairs', () => {
  // Slopes of 1, 4, 2, 5: 3, 1/2, 4/3, −2, 1/2, 3; sorted −2, 1/2, 1/2, 4/3, 3, 3.
  expect(theilSen(series([1, 4, 2, 5])).slope).toBeCloseTo((1 / 2 + 4 / 3) / 2, 12);
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 10 }), { minLength: 2, maxLength: 30 }), (values) => {
      const slopes = values.flatMap((b, j) => values.slice(0, j).map((a, i) => (b - a) / (j - i)));
      expect(theilSen(series(values)).slope).toBeCloseTo(reference.median(slopes), 10);
    }),
  );
});

test('the interval is that of the example in Sen (1968), as Hollander & Wolfe work it', () => {
  // n = 7, N = 21: P(K ≥ 15) = 0.015, P(K ≥ 13) = 0.035, so k = 15, C = 13, M = 4: the 4th and the 18th slope.
  const values = [9, 15, 19, 20, 45, 55, 78];
  const times = [1, 2, 3, 4, 10, 12, 18];
  const slopes = values
    .flatMap((b, j) => values.slice(0, j).map((a, i) => (b - a) / ((times[j] ?? 0) - (times[i] ?? 0))))
    .sort((a, b) => a - b);
  const { slope, interval } = theilSen(values.map((value, i) => ({ time: times[i] ?? 0, value })));
  expect(slope).toBe(4);
  expect(interval).toEqual([slopes[3], slopes[17]]);
});

test('one wild day does not bend it', () => {
  const values = Array.from({ length: 40 }, (_, i) => 8 - i / 10);
  const wild = values.with(39, 10);
  expect(theilSen(series(wild)).slope).toBeCloseTo(-0.1, 2);
});

test.each([12, 60])(
  'holds a true slope of 0 at least 93 %% of the time: %i days of whole-number pain',
  (n) => {
    const random = generator(n);
    let held = 0;
    for (let seed = 0; seed < 600; seed += 1) {
      const { interval } = theilSen(series(Array.from({ length: n }, () => 3 + Math.floor(random() * 5))));
      if (interval[0] <= 0 && 0 <= interval[1]) held += 1;
    }
    expect(held / 600).toBeGreaterThanOrEqual(0.93);
  },
);
