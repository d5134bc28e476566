import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { responds, responseRules, summarize } from '../../src/insights/index.ts';
import { log, logsOf } from './helpers.ts';

const anyLog: fc.Arbitrary<Log> = fc
  .record({
    exerciseName: fc.constantFrom('Bird Dog', 'bird dog', 'Cobra', '__proto__', 'ß'),
    exerciseType: fc.constantFrom('stretch', 'strengthening'),
    date: fc
      .integer({ min: 0, max: 400 })
      .map((n) => new Date(Date.UTC(2025, 0, 1 + n)).toISOString().slice(0, 10)),
    painBefore: fc.integer({ min: 1, max: 10 }),
    painAfter: fc.integer({ min: 1, max: 10 }),
    effective: fc.boolean(),
  })
  .map((fields) => log(fields));

describe('a meaningful response', () => {
  test.each([
    [6, 4, true, 'two points'],
    [10, 8, true, 'two points, though 20 %'],
    [3, 2, true, 'one point of three is 33 %'],
    [4, 3, false, 'one point of four is 25 %'],
    [2, 1, true, 'half'],
    [1, 1, false, 'the scale ends here'],
    [5, 7, false, 'a rise'],
  ])('from %i to %i: %s (%s)', (before, after, expected) => {
    expect(responds(before, after, responseRules.default)).toBe(expected);
  });
  test('the radicular rule takes one point of four', () => {
    expect(responds(4, 3, responseRules.radicular)).toBe(true);
    expect(responds(5, 4, responseRules.radicular)).toBe(false);
  });
});

describe('the figures of an exercise', () => {
  test('worked by hand', () => {
    const logs = logsOf([-3, -2, -1, 0, -2, 1], { painBefore: 6, effective: true }).map((each, i) => ({
      ...each,
      effective: i < 3,
    }));
    expect(summarize(logs).exercises).toEqual([
      {
        exerciseName: 'Piriformis Stretch',
        exerciseType: 'stretch',
        rank: 1,
        sessions: 6,
        meanChange: -1.1667,
        medianChange: -1.5,
        interval: [expect.any(Number), expect.any(Number)],
        responded: 0.5,
        effective: 0.5,
        verdict: 'unclear',
        signTest: 0.375, // 2 × (1 + 5) / 32
        signedRankTest: 0.1875, // zero is rank 1, ±1 share 2.5, ±2 share 4.5, −3 is 6: P(rise ≤ 2.5) = 3 / 32
        firstDate: '2026-01-01',
        lastDate: '2026-01-06',
      },
    ]);
  });

  test('one lucky day is too few to say; a long modest record ranks before a short brilliant one', () => {
    const { exercises } = summarize([
      ...logsOf([-6], { exerciseName: 'Lucky', painBefore: 8 }),
      ...logsOf([-3, -3, -3], { exerciseName: 'Short' }),
      ...logsOf(
        Array.from({ length: 40 }, (_, i) => -1 - (i % 2)),
        { exerciseName: 'Long' },
      ),
      ...logsOf(
        Array.from({ length: 40 }, () => 1),
        { exerciseName: 'Worse' },
      ),
    ]);
    expect(exercises.map(({ exerciseName, rank, verdict }) => [exerciseName, rank, verdict])).toEqual([
      ['Long', 1, 'lower'],
      ['Worse', 2, 'higher'],
      ['Short', 3, 'unclear'],
      ['Lucky', null, 'too-few'],
    ]);
  });

  test('one name under two types, or in two cases, is as many exercises', () => {
    const given = [
      log({ exerciseName: 'Bridge' }),
      log({ exerciseName: 'Bridge', exerciseType: 'strengthening' }),
      log({ exerciseName: 'bridge' }),
    ];
    expect(summarize(given).exercises.map(({ sessions }) => sessions)).toEqual([1, 1, 1]);
  });

  test('equal changes leave a width', () => {
    const [low, high] = summarize(logsOf([-1, -1, -1, -1, -1, -1, -1, -1])).exercises[0]?.interval ?? [0, 0];
    expect(low).toBeLessThan(-1.5);
    expect(high).toBeGreaterThan(-0.5);
  });
});

describe('properties', { timeout: 20_000 }, () => {
  test('the order of the logs does not matter', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { maxLength: 30 }), fc.integer(), (logs, seed) => {
        const shuffled = logs
          .map((each, i) => ({ each, key: Math.imul(i + 1, seed | 1) }))
          .sort((a, b) => a.key - b.key);
        expect(summarize(shuffled.map(({ each }) => each))).toEqual(summarize(logs));
      }),
    );
  });
  test('every session is counted once, intervals hold the mean within ±9, and the ranking is total', () => {
    fc.assert(
      fc.property(fc.array(anyLog, { minLength: 1, maxLength: 40 }), (logs) => {
        const { exercises } = summarize(logs);
        expect(exercises.reduce((sum, { sessions }) => sum + sessions, 0)).toBe(logs.length);
        for (const { interval, meanChange } of exercises) {
          expect(interval[0]).toBeGreaterThanOrEqual(-9);
          expect(interval[0]).toBeLessThanOrEqual(meanChange);
          expect(interval[1]).toBeGreaterThanOrEqual(meanChange);
          expect(interval[1]).toBeLessThanOrEqual(9);
        }
        const ranks = exercises.map(({ rank }) => rank);
        const ranked = ranks.filter((rank) => rank !== null);
        expect(ranked).toEqual(ranked.map((_, i) => i + 1));
        expect(ranks.slice(ranked.length).every((rank) => rank === null)).toBe(true);
        const highs = exercises.slice(0, ranked.length).map(({ interval }) => interval[1]);
        expect(highs).toEqual(highs.toSorted((a, b) => a - b));
        expect(JSON.parse(JSON.stringify(exercises))).toEqual(exercises);
      }),
    );
  });
});
