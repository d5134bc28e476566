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
