import { expect, test } from 'vitest';
import { changedFields, type HistoryEntry, seenBy, usersOf } from '../../src/domain/history.ts';
import type { AnyRecord } from '../../src/domain/kinds.ts';
import { log } from './samples.ts';

const of = (userId: number | null) => userId && ({ ...log, id: 7, userId } as AnyRecord);
const entry = (before: number | null, after: number | null): HistoryEntry => ({
  ...{ seq: 1, change: 1, at: '2026-03-02T12:00:00.000Z', source: 'cli', record: 'log', id: 7 },
  action: before ? (after ? 'update' : 'delete') : 'create',
  before: of(before) || null,
  after: of(after) || null,
});
const ofUser: HistoryEntry = { ...entry(null, null), record: 'user', id: 2 };

test.each<[HistoryEntry, users: number[]]>([
  [entry(null, 1), [1]],
  [entry(1, null), [1]],
  [entry(1, 2), [1, 2]],
  [ofUser, [2]],
])('an entry is about its users', (given, users) => expect(usersOf(given)).toEqual(users));

test.each<[before: number | null, after: number | null, seen: unknown]>([
  [1, 1, { action: 'update', before: of(1), after: of(1) }],
  [1, 2, { action: 'delete', before: of(1), after: null }],
  [2, 1, { action: 'create', before: null, after: of(1) }],
  [1, null, { action: 'delete', before: of(1), after: null }],
  [2, 2, undefined],
])('who may see user 1 sees of an entry from %j to %j its own part', (before, after, seen) => {
  const given = entry(before, after);
  expect(seenBy([1], given)).toEqual(seen && { ...given, ...(seen as object) });
});

test('who may see some users sees no other, and no name of a file', () => {
  expect([seenBy([1], ofUser), seenBy([1, 2], ofUser)]).toEqual([undefined, ofUser]);
  const caller = 'ole.csv';
  expect(seenBy([1], { ...entry(null, 1), source: 'import', caller })?.caller).toBeUndefined();
  expect(seenBy([1], { ...entry(null, 1), source: 'api', caller })?.caller).toBe(caller);
});

test('the fields that differ are told, those too that came or went', () => {
  const of = (after: object) =>
    changedFields({ before: { a: 1, list: [{ b: 1 }] } as never, after: after as never });
  expect(of({ a: 1, list: [{ b: 1 }] })).toEqual([]);
  expect(of({ a: 2, list: [{ b: 2 }] })).toEqual(['a', 'list']);
  expect(of({ list: [{ b: 1 }], c: 3 })).toEqual(['a', 'c']);
  expect(changedFields({ before: null, after: { a: 1 } as never })).toEqual([]);
});
