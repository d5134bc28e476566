import { expect, test } from 'vitest';
import type { LogFilter } from '../../src/domain/log.ts';
import { dbOf, filledStore, log } from './helpers.ts';

const sessionsOf = (store: ReturnType<typeof filledStore>, filter: LogFilter) =>
  [...store.logs.sessions(filter)].flat();

test.each([
  {},
  { userId: 1 },
  { userId: 2, exerciseType: 'stretch' },
  { since: '2026-01-05', until: '2026-01-20' },
  { userId: 99 },
] satisfies LogFilter[])('sessions of %j are the logs without their notes', (filter: LogFilter) => {
  const store = filledStore(2100);
  const logs = store.logs.list(filter).map(({ notes: _, ...session }) => session);
  expect(sessionsOf(store, filter)).toEqual(logs);
});

test('they come in blocks of bounded size, all from one moment', () => {
  const store = filledStore(2100);
  const blocks = store.logs.sessions();
  const sizes = [blocks.next().value?.length];
  store.logs.create(log());
  for (const { length } of blocks) sizes.push(length);
  expect(sizes).toEqual([1000, 1000, 100]);
});

test('one user takes that index, and no plan sorts', () => {
  const db = dbOf(filledStore(10));
  const plan = (where: string) =>
    db
      .all<{ detail: string }>(
        `EXPLAIN QUERY PLAN SELECT id, date FROM logs WHERE ${where} AND id > 1 ORDER BY id LIMIT 9`,
      )
      .map(({ detail }) => detail)
      .join('; ');
  expect(plan('userId = 1')).toBe('SEARCH logs USING COVERING INDEX logs_of_user (userId=? AND id>?)');
  expect(plan("date >= '2026-01-01'")).toBe('SEARCH logs USING INTEGER PRIMARY KEY (rowid>?)');
});
