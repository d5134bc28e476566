import { expect, test } from 'vitest';
import { comparePeriods, logsOf } from './helpers.ts';

const times = (n: number, change: number) => Array<number>(n).fill(change);

test('two periods side by side', () => {
  const logs = [
    ...logsOf([...times(30, -1), ...times(30, -3)], { exerciseName: 'Better' }),
    ...logsOf([...times(30, -1), ...times(30, -1)], { exerciseName: 'Same' }),
    ...logsOf(times(5, -1), { exerciseName: 'Old' }),
    ...logsOf([...times(58, 0), 0, 0].slice(0, 60), { exerciseName: 'New' }).slice(40),
  ];
  const comparison = comparePeriods(
    logs,
    { since: '2026-01-01', until: '2026-01-30' },
    { since: '2026-01-31', until: '2026-03-01' },
  );
  expect(
    comparison.exercises.map(({ exerciseName, meanChange }) => [
      exerciseName,
      meanChange.difference,
      meanChange.shift,
    ]),
  ).toEqual([
    ['Better', -2, 'lower'],
    ['Same', 0, 'unclear'],
    ['New', null, 'new'],
    ['Old', null, 'stopped'],
  ]);
  expect(comparison.painBefore).toMatchObject({ first: 5, second: 5, difference: 0, shift: 'unclear' });
});

test('of many exercises more is asked than of one', () => {
  const shifts = (count: number) =>
    comparePeriods(
      Array.from({ length: count }, (_, i) =>
        logsOf([...times(10, 0), ...times(10, -1)], { exerciseName: `${i}` }),
      ).flat(),
      { since: '2026-01-01', until: '2026-01-10' },
      { since: '2026-01-11', until: '2026-01-20' },
    ).exercises.map(({ meanChange }) => meanChange.shift);
  expect(shifts(1)).toEqual(['lower']);
  expect(new Set(shifts(10))).toEqual(new Set(['unclear']));
});

test('days that resemble each other make the interval of two periods wider', () => {
  const pains = (order: (i: number) => number) =>
    Array.from({ length: 56 }, (_, i) =>
      logsOf(Array<number>(56).fill(0), { painBefore: order(i) }).slice(i, i + 1),
    ).flat();
  const of = (order: (i: number) => number) =>
    comparePeriods(
      pains(order),
      { since: '2026-01-01', until: '2026-01-28' },
      { since: '2026-01-29', until: '2026-02-25' },
    ).painBefore;
  const mixed = of((i) => (i < 28 ? 4 + 3 * (i % 2) : 3 + 3 * (i % 2)));
  const inFlares = of((i) => (i < 28 ? 4 + 3 * (Math.floor(i / 7) % 2) : 3 + 3 * (Math.floor(i / 7) % 2)));
  expect(mixed).toMatchObject({ difference: -1, shift: 'lower' });
  expect(inFlares).toMatchObject({ difference: -1, shift: 'unclear' });
});

test('an empty period is too few to say, not zero', () => {
  const period = { since: '2020-01-01', until: '2020-01-02' };
  expect(comparePeriods(logsOf([-1]), period, period)).toMatchObject({
    painBefore: { difference: null, shift: 'too-few' },
    exercises: [],
  });
});

test('no interval is wider than the scale', () => {
  const logs = [
    ...logsOf([-8, 8], { painBefore: 9 }).slice(0, 1),
    ...logsOf([0, 0], { painBefore: 1 }).slice(1),
  ];
  const { painBefore } = comparePeriods(
    logs,
    { since: '2026-01-01', until: '2026-01-01' },
    { since: '2026-01-02', until: '2026-01-02' },
  );
  expect(painBefore).toMatchObject({ difference: -8, interval: [-9, expect.any(Number)], shift: 'too-few' });
});
