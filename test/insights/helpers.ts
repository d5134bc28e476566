import type { Log } from '../../src/domain/log.ts';
import { compareTallies } from '../../src/insights/compare.ts';
import type { Period } from '../../src/insights/days.ts';
import type { Comparison } from '../../src/insights/shapes.ts';
import { tallyOf } from '../../src/insights/summary.ts';

/** A log with what a test does not care about filled in. */
export function log(given: Partial<Log> = {}): Log {
  return {
    id: 1,
    userId: 1,
    exerciseType: 'stretch',
    exerciseName: 'Piriformis Stretch',
    date: '2026-03-02',
    painBefore: 6,
    painAfter: 4,
    effective: true,
    notes: '',
    ...given,
  };
}

/** Logs of one exercise, a day apart, with these changes from a pain before of 5 unless told otherwise. */
export function logsOf(changes: readonly number[], given: Partial<Log> = {}): Log[] {
  return changes.map((change, i) => {
    const painBefore = given.painBefore ?? 5;
    const date = new Date(Date.UTC(2026, 0, 1 + i)).toISOString().slice(0, 10);
    return log({ id: i + 1, date, ...given, painBefore, painAfter: painBefore + change });
  });
}

/** Uniform numbers in [0, 1): mulberry32, the same sequence for the same seed. */
export function generator(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Two periods of the same logs side by side. */
export const comparePeriods = (logs: readonly Log[], first: Period, second: Period): Comparison =>
  compareTallies([tallyOf(logs, first), tallyOf(logs, second)], [first, second]);
