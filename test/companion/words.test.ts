import { afterEach, expect, test, vi } from 'vitest';
import { EMPTY } from '../../src/companion/notebook.ts';
import { daysAgo, logsOf, painsOf, personOf, sessionsOf } from '../../src/companion/words.ts';

afterEach(() => void vi.useRealTimers());

test.each([
  [0, '2026-03-01'],
  [1, '2026-02-28'],
  [14, '2026-02-15'],
])('%i days before the first minute and the last of 1 March is %s', (days, day) => {
  for (const moment of [new Date(2026, 2, 1, 0, 1), new Date(2026, 2, 1, 23, 59)]) {
    vi.setSystemTime(moment);
    expect(daysAgo(days)).toBe(day);
  }
});

test.each([
  [0, '0 sessions'],
  [1, '1 session'],
])('%i are %s', (count, text) => expect(sessionsOf(count)).toBe(text));

test.each([
  [{ users: [1, 2] }, 1],
  [{ users: [1, 2], person: 2 }, 2],
  [{ users: null }, undefined],
])('of %j the diary of %j is shown, and nothing of others', (given, person) => {
  const list = { 1: { id: 1, userId: 1 }, 2: { id: 2, userId: 2 } };
  const kept = { ...EMPTY, ...given, records: { log: list, painEntry: list } };
  expect(personOf(kept)).toBe(person);
  for (const of of [logsOf, painsOf])
    expect(of(kept).map(({ userId }) => userId)).toEqual(person === undefined ? [] : [person]);
});
