import { expect, test } from 'vitest';
import { dayOf } from '../../src/domain/words/day.ts';
import { comparedPeriods, compareTallies } from '../../src/insights/compare.ts';
import { tallyOf } from '../../src/insights/summary.ts';
import { comparePeriods, log, logsOf } from './helpers.ts';

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
  const changes = (count: number, change: number) =>
    comparePeriods(
      Array.from({ length: count }, (_, i) =>
        logsOf([...times(10, 0), ...times(10, change)], { exerciseName: `${i}` }),
      ).flat(),
      { since: '2026-01-01', until: '2026-01-10' },
      { since: '2026-01-11', until: '2026-01-20' },
    ).exercises.map(({ meanChange }) => meanChange);
  expect(changes(1, -2)).toMatchObject([{ shift: 'lower' }]);
  for (const { interval, shift } of changes(10, -1)) {
    expect(interval?.[1]).toBeLessThan(0);
    expect(shift).toBe('unclear');
  }
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

test('the 500 sessions of each period next to the other tell how much they resemble each other', () => {
  /** Of 700 sessions in each period: those so far from the other period are alike in spells of 50, the rest in turn. */
  const widthOf = (from: number, to: number) => {
    const logs = Array.from({ length: 1400 }, (_, i) => {
      const apart = i < 700 ? 699 - i : i - 700;
      const spell = apart >= from && apart < to ? 50 : 1;
      const change = (i < 700 ? 0 : -1) + (Math.floor(i / spell) % 2 ? 1 : -1);
      // Pain before that varies: these are no numbers entered again.
      const painBefore = 5 + (i % 3);
      return log({ id: i + 1, date: dayOf(15_000 + i), painBefore, painAfter: painBefore + change });
    });
    const period = (day: number) => ({ since: dayOf(day), until: dayOf(day + 699) });
    const { interval } = comparePeriods(logs, period(15_000), period(15_700)).meanChange;
    return interval ? interval[1] - interval[0] : Number.NaN;
  };
  expect(widthOf(0, 700)).toBe(widthOf(0, 500));
  expect(widthOf(500, 700)).toBe(widthOf(0, 0));
  expect(widthOf(300, 500)).toBeGreaterThan(widthOf(0, 0));
});

test('numbers that are entered again make a difference no surer', () => {
  const pairs = [0, -2, 0, -1, -2, 0, -1, 1].map((change, i) => [4 + ((3 * i) % 4), change] as const);
  const widthOf = (again: number) => {
    const logs = [...pairs, ...pairs.map(([painBefore, change]) => [painBefore, change - 2] as const)]
      .flatMap((pair) => Array(again).fill(pair) as typeof pairs)
      .map(([painBefore, change], i) =>
        log({ id: i + 1, date: dayOf(20_000 + i), painBefore, painAfter: painBefore + change }),
      );
    const half = logs.length / 2;
    const period = (from: number) => ({ since: dayOf(from), until: dayOf(from + half - 1) });
    const { meanChange } = comparePeriods(logs, period(20_000), period(20_000 + half));
    return (meanChange.interval?.[1] ?? 0) - (meanChange.interval?.[0] ?? 0);
  };
  expect(widthOf(6)).toBeGreaterThan(0.8 * widthOf(1));
});

test.each([
  [3, 3, 'lower'],
  [2, 40, 'too-few'],
  [40, 2, 'too-few'],
])('of %i sessions before and %i after the shift is %s', (then, now, shift) => {
  const logs = logsOf([...times(40, 4).slice(0, then), ...times(now, -4)]);
  const start = logs[then]?.date ?? '';
  const { meanChange, exercises } = comparePeriods(
    logs,
    { since: '2026-01-01', until: logs[then - 1]?.date ?? '' },
    { since: start, until: '2026-12-31' },
  );
  expect([meanChange.shift, exercises[0]?.meanChange.shift]).toEqual([shift, shift]);
});

test('what is no longer done stands in the order of names and types, and what both left out is told together', () => {
  const stopped = [...logsOf([0, 0], { exerciseName: 'B' }), ...logsOf([0, 0], { exerciseName: 'A' })];
  const logs = [...stopped, ...logsOf([0], { exerciseName: 'A', exerciseType: 'strengthening' })];
  const { exercises, leftOut } = compareTallies(
    [tallyOf(logs), tallyOf([])],
    [{ leftOut: 2 }, { leftOut: 3 }],
  );
  expect(exercises.map(({ exerciseName, exerciseType }) => `${exerciseName} ${exerciseType}`)).toEqual([
    ...['A strengthening', 'A stretch', 'B stretch'],
  ]);
  expect(leftOut).toBe(5);
});

const ends = { first: '2026-01-10', last: '2026-03-31' };
const none = { first: undefined, last: undefined };

test.each<[Parameters<typeof comparedPeriods>[0], Parameters<typeof comparedPeriods>[1], string[]]>([
  [{}, ends, ['2026-02-04', '2026-03-03', '2026-03-04', '2026-03-31']],
  [{}, none, ['2026-03-09', '2026-04-05', '2026-04-06', '2026-05-03']],
  [{ since: '2026-03-30' }, ends, ['2026-03-28', '2026-03-29', '2026-03-30', '2026-03-31']],
  [{ since: '2026-03-31' }, ends, ['2026-03-30', '2026-03-30', '2026-03-31', '2026-03-31']],
  [{ before: '2026-02-01' }, ends, ['2026-01-10', '2026-01-31', '2026-02-01', '2026-03-31']],
  [{ before: '2026-01-01' }, ends, ['2025-12-31', '2025-12-31', '2026-01-01', '2026-03-31']],
  [{ before: '2026-04-02' }, ends, ['2026-01-10', '2026-04-01', '2026-04-02', '2026-04-02']],
  [
    { since: '2026-05-01', until: '2026-05-31' },
    ends,
    ['2026-04-28', '2026-04-30', '2026-05-01', '2026-05-03'],
  ],
])('%j of sessions %j compares these periods', (asked, ends, days) => {
  const periods = comparedPeriods(asked, ends, '2026-05-03');
  expect(periods.flatMap(({ since, until }) => [since, until])).toEqual(days);
});

test.each([
  [{ since: '2026-03-02', until: '2026-03-01' }, 'since begins an empty period'],
  [{ before: '2026-03-02', since: '2026-03-01' }, 'before takes all there is'],
  [{ before: '2026-03-02', until: '2026-03-04' }, 'before takes all there is'],
  [{ before: '2026-05-04' }, 'before is still to come: nothing came since'],
  [{ since: '2026-05-03' }, 'since begins after the latest record, which was on 2026-03-31'],
  [
    { since: '2026-05-04', until: '2026-05-31' },
    'since begins an empty period: from 2026-05-04 to 2026-05-03',
  ],
])('%j are no two periods', (asked, message) => {
  expect(() => comparedPeriods(asked, ends, '2026-05-03')).toThrow(message);
});

test('an empty period is too few to say, not zero', () => {
  const period = { since: '2020-01-01', until: '2020-01-02' };
  expect(comparePeriods(logsOf([-1]), period, period)).toMatchObject({
    painBefore: { difference: null, shift: 'too-few' },
    exercises: [],
  });
});

test('an exercise is new or no longer done, but not the pain of a period in which nothing is recorded', () => {
  const [without, recorded] = [
    { since: '2020-01-01', until: '2020-01-02' },
    { since: '2026-01-01', until: '2026-01-31' },
  ];
  for (const [first, second, shift] of [
    [without, recorded, 'new'],
    [recorded, without, 'stopped'],
  ] as const)
    expect(comparePeriods(logsOf([-1]), first, second)).toMatchObject({
      painBefore: { difference: null, shift: 'too-few' },
      meanChange: { difference: null, shift: 'too-few' },
      exercises: [{ meanChange: { difference: null, shift } }],
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
  const { meanChange } = comparePeriods(
    [...logsOf([-9], { painBefore: 10 }), ...logsOf([0, 9], { painBefore: 1 }).slice(1)],
    { since: '2026-01-01', until: '2026-01-01' },
    { since: '2026-01-02', until: '2026-01-02' },
  );
  expect(meanChange).toMatchObject({ difference: 18, interval: [expect.any(Number), 18] });
});
