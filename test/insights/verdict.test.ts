import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { type ExerciseSummary, sessionsToSettle, summarize } from '../../src/insights/index.ts';
import { log, logsOf } from './helpers.ts';

const times = (n: number, change: number) => Array<number>(n).fill(change);
const others = (n: number, change = 0) =>
  logsOf(
    Array.from({ length: n }, (_, i) => change + (i % 3) - 1),
    { exerciseName: 'Others' },
  );
const of = (logs: readonly Log[], name = 'Piriformis Stretch'): ExerciseSummary => {
  const found = summarize(logs).exercises.find(({ exerciseName }) => exerciseName === name);
  if (!found) throw new Error(`There is no ${name}.`);
  return found;
};

describe('the verdict', () => {
  test.each([
    [[-9, -9], 'too-few', null],
    [[-2, -2, -2], 'likely', 'less'],
    [[2, 2, 2], 'likely', 'more'],
    [[-1, -1, -1], 'open', null],
    [times(4, -2), 'likely', 'less'],
    [times(5, -2), 'clear', 'less'],
    [times(5, 2), 'clear', 'more'],
    [[-1, 1, -1, 1, 0, 0], 'open', null],
  ])('of changes %j is %s, %s', (changes, verdict, direction) => {
    expect(of(logsOf(changes, { painBefore: changes.includes(-9) ? 10 : 5 }))).toMatchObject({
      verdict,
      direction,
    });
  });

  test('of one exercise is more careful where the others vary much', () => {
    const wild = logsOf([-4, 4, -4, 4, -4, 4, -4, 4], { exerciseName: 'Wild' });
    expect(of(logsOf(times(6, -2))).verdict).toBe('clear');
    expect(of([...logsOf(times(6, -2)), ...wild]).verdict).toBe('open');
  });

  test('holds nothing that the scale has no room for', () => {
    const { interval, sequence } = of(logsOf(times(3, -9), { painBefore: 10 }));
    expect([interval[0], sequence?.[0]]).toEqual([-9, -9]);
  });
});

describe('compared with the other exercises', () => {
  test.each([
    [3, 8, 'open'],
    [2, 8, 'too-few'],
    [3, 7, 'too-few'],
  ])('%i sessions against %i of others are %s', (own, rest, verdict) => {
    const { versusOthers } = of([...logsOf(times(own, -1)), ...others(rest)]);
    expect(versusOthers.verdict).toBe(verdict);
    expect(versusOthers.difference === null).toBe(verdict === 'too-few');
    expect(versusOthers.interval === null).toBe(verdict === 'too-few');
  });

  test.each([
    [-3, 'more'],
    [3, 'less'],
    [0, 'open'],
  ])('a change of %i where the others change nothing is %s relief', (change, verdict) => {
    const { versusOthers } = of([...logsOf(times(10, change)), ...others(21)]);
    expect(versusOthers).toMatchObject({ difference: change, verdict });
  });

  test('at the same pain before: bad days that get better by themselves are no relief', () => {
    // Whatever is done, pain goes halfway back to 5; the exercise is done on the bad days.
    const after = (before: number, i: number) =>
      5 + Math.round((before - 5) / 2) + (Math.floor(i / 6) % 3) - 1;
    const sessions = (name: string, befores: readonly number[]) =>
      Array.from({ length: 24 }, (_, i) => {
        const painBefore = befores[i % befores.length] ?? 5;
        return log({ exerciseName: name, painBefore, painAfter: after(painBefore, i) });
      });
    const { meanChange, verdict, versusOthers } = of([
      ...sessions('Piriformis Stretch', [7, 9]),
      ...sessions('Others', [3, 5, 7]),
    ]);
    expect([meanChange, verdict]).toEqual([-1.75, 'clear']);
    expect(versusOthers.verdict).toBe('open');
    expect(versusOthers.difference).toBeCloseTo(0, 0);
  });

  test('is too few where the pain before alone tells the two apart', () => {
    const bad = logsOf(times(10, -2), { painBefore: 9 });
    const good = logsOf(times(10, 0), { exerciseName: 'Others', painBefore: 3 });
    expect(of([...bad, ...good]).versusOthers).toEqual({
      difference: null,
      interval: null,
      verdict: 'too-few',
    });
  });
});

describe('the day after', () => {
  /** A diary of so many days in a row, with the exercise on every third; the next day pain is less by 2. */
  const diary = (days: number, every = 1) =>
    Array.from({ length: days }, (_, i) =>
      log({
        exerciseName: i % 3 === 0 ? 'Piriformis Stretch' : 'Others',
        date: new Date(Date.UTC(2026, 0, 1 + i * every)).toISOString().slice(0, 10),
        painBefore: (i % 3 === 1 ? 4 : 6) + (i % 2),
        painAfter: 5,
      }),
    );

  test('is said from 30 pairs of consecutive days on', () => {
    expect(of(diary(30)).dayAfter).toBeNull();
    expect(of(diary(31)).dayAfter).toMatchObject({ days: 10 });
    expect(of(diary(90, 2)).dayAfter, 'no two days in a row').toBeNull();
  });

  test('finds less pain where there is', () => {
    const found = of(diary(60)).dayAfter;
    expect(found?.difference).toBeLessThan(-1.5);
    expect(found?.interval[1]).toBeLessThan(0);
    expect(of(diary(60), 'Others').dayAfter?.difference).toBeGreaterThan(1.5);
  });

  test.each([
    [2, true],
    [3, false],
    [35, false],
    [36, true],
  ])(
    'is said of an exercise that was done on 3 days at least and left out on 8: %i of 43 (none: %s)',
    (n, none) => {
      // Spread over the diary, with pain that is the same on days with and without it.
      const days = diary(44).map((each, i) => ({
        ...each,
        painBefore: 4 + ((i * 7) % 3),
        exerciseName: 'Other',
      }));
      const done = days.slice(0, n).map((each) => ({ ...each, exerciseName: 'Rare' }));
      expect(of([...days, ...done], 'Rare').dayAfter === null).toBe(none);
    },
  );
});

describe('how many further sessions would settle it', () => {
  const settle = (changes: readonly number[]) => sessionsToSettle(of(logsOf(changes)));

  test.each([
    [times(3, -2), 2, 'half widths at 4 and 5 sessions: 2.34 and 1.94'],
    [times(4, -2), 1, ''],
    [times(5, -2), null, 'it is clear'],
    [times(2, -2), null, 'too few to go by'],
    [times(3, 0), null, 'it would take more than 10'],
    [times(3, 2), null, 'nobody should repeat what hurts'],
  ])('%j: %j (%s)', (changes, more, _) => expect(settle(changes)).toBe(more));

  test('that many like those so far do settle it, one fewer does not', () => {
    const changes = [-3, -1, -2, -1, -3, 1];
    const alike = [-3, 0, -3, 0, -2];
    expect(settle(changes)).toBe(alike.length);
    expect(of(logsOf([...changes, ...alike])).verdict).toBe('clear');
    expect(of(logsOf([...changes, ...alike.slice(0, 4)])).verdict).not.toBe('clear');
  });
});
