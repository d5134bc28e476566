import { expect, test } from 'vitest';
import { Covariance } from '../../../src/insights/stats/covariance.ts';
import { generator } from '../helpers.ts';
import { normal } from '../simulation/laws.ts';

/** Two groups on 40 days each, with one covariate and a deviation of 3; each observation so many times a day. */
function contrastOf(times: number, of: (random: () => number) => (known: number) => number) {
  const [covariance, random] = [new Covariance(1), generator(5)];
  for (let day = 0; day < 80; day += 1) {
    const respond = of(random);
    const before = 5 + normal(random);
    for (let i = 0; i < times; i += 1)
      covariance.add(day % 2, Float64Array.of(before), (day % 2) - 0.5 * before + respond(i), i > 0);
  }
  const { value = 0, deviation = 0, size = 1 } = covariance.contrast(1, [0]) ?? {};
  return { value, error: deviation / Math.sqrt(size) };
}

test('what is entered twice a day is as certain as what is entered once', () => {
  const same = (random: () => number) => {
    const noise = 3 * normal(random);
    return () => noise;
  };
  const [once, twice] = [contrastOf(1, same), contrastOf(2, same)];
  expect(twice.value).toBeCloseTo(once.value, 9);
  expect(twice.error).toBeCloseTo(once.error, 9);
});

test('what differs within a day is more certain, by as much as it is more', () => {
  const own = (random: () => number) => () => 3 * normal(random);
  expect(contrastOf(1, own).error / contrastOf(4, own).error).toBeCloseTo(2, 0);
});

/** Two groups of 40 with two covariates, whose means differ by 2 and 1, and a response that is less, the higher they are. */
function read(effect: number) {
  const [covariance, random] = [new Covariance(2), generator(9)];
  const all = Array.from({ length: 80 }, (_, i) => {
    const group = i % 2;
    const [before, average] = [5 + 2 * group + normal(random), 5 + group + normal(random)];
    const response = effect * group - 0.4 * before - 0.2 * average + 0.5 * normal(random);
    covariance.add(group, Float64Array.of(before, average), response);
    return { group, values: [before, average, response] as const };
  });
  return { covariance, all };
}

/** The contrast by the slopes whose sums within the groups have the error taken off: a third of what no other covariate says. */
function corrected({ all }: ReturnType<typeof read>, reading: readonly [number, number]): number {
  const means = [0, 1].map((group) => {
    const own = all.filter((one) => one.group === group);
    return [0, 1, 2].map((i) => own.reduce((sum, { values }) => sum + (values[i] ?? 0), 0) / own.length);
  }) as [[number, number, number], [number, number, number]];
  const sum = (i: number, j: number) =>
    all.reduce((total, { group, values }) => {
      const mean = means[group] ?? [];
      return total + ((values[i] ?? 0) - (mean[i] ?? 0)) * ((values[j] ?? 0) - (mean[j] ?? 0));
    }, 0);
  const solved = (matrix: number[][], right: readonly number[]) => {
    const [p, q, , r, u, v] = [...matrix.flat(), ...right] as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    return [(r * u - q * v) / (p * r - q * q), (p * v - q * u) / (p * r - q * q)] as const;
  };
  const sums = [0, 1].map((i) => [0, 1].map((j) => sum(i, j)));
  const [first, second] = solved(sums, [...reading]);
  const error = 1 / 3 / (reading[0] * first + reading[1] * second);
  const without = sums.map((row, i) =>
    row.map((each, j) => each - error * (reading[i] ?? 0) * (reading[j] ?? 0)),
  );
  const slopes = solved(
    without,
    [0, 1].map((i) => sum(i, 2) + error * (reading[i] ?? 0)),
  );
  const apart = [0, 1, 2].map((i) => (means[1][i] ?? 0) - (means[0][i] ?? 0)) as [number, number, number];
  return apart[2] - slopes[0] * apart[0] - slopes[1] * apart[1];
}

test.each([
  [1, 0],
  [1, 0.3],
] as const)('an error of reading that moves the covariates by %d and %d is allowed for', (...reading) => {
  const sample = read(2);
  const { value = 0 } = sample.covariance.contrast(1, [0], Float64Array.from(reading)) ?? {};
  expect(value).toBeCloseTo(corrected(sample, reading), 9);
  expect(value).toBeLessThan((sample.covariance.contrast(1, [0])?.value ?? 0) - 0.2);
});

test.each([
  ['more than there is', 0.2, 0],
  ['the other way', -1, undefined],
])('a contrast that owes the error %s goes no further than 0, nor away from it', (_, effect, expected) => {
  const { covariance } = read(effect);
  const { value } = covariance.contrast(1, [0]) ?? {};
  expect(covariance.contrast(1, [0], Float64Array.of(1, 0))?.value).toBe(expected ?? value);
});
