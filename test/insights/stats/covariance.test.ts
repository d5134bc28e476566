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
