import { expect, test } from 'vitest';
import { kindOf, ownedKindNames } from '../../src/domain/kinds.ts';
import type { LogFilter } from '../../src/domain/log.ts';
import { dbOf, filledStore } from './helpers.ts';

/** How SQLite goes about a list. */
function planOf(filter: LogFilter): string {
  const store = filledStore(10);
  const [db, { logs }] = [dbOf(store), store];
  const all = db.all.bind(db);
  let plan = '';
  db.all = <T>(sql: string, ...values: (string | number | null)[]): T[] => {
    plan = all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...values)
      .map(({ detail }) => detail)
      .join('; ');
    return all<T>(sql, ...values);
  };
  const { sort } = filter;
  const { next } = logs.page(sort === undefined ? {} : { sort }, 3);
  logs.list({ ...filter, ...(filter.cursor === 'next' && next ? { cursor: next } : {}), limit: 30 });
  return plan;
}

const named = { field: 'exerciseName', operator: 'eq', values: ['Cat-Cow'] } as const;

test.each([
  [{}, 'SCAN logs'],
  [{ cursor: 'next' }, 'SEARCH logs USING INTEGER PRIMARY KEY (rowid>?)'],
  [{ sort: '-id' }, 'SCAN logs'],
  [{ userId: 1 }, 'SEARCH logs USING COVERING INDEX logs_of_user (userId=?)'],
  [{ userId: 1, cursor: 'next' }, 'SEARCH logs USING COVERING INDEX logs_of_user (userId=? AND id>?)'],
  [{ userId: 1, exerciseType: 'stretch' }, 'SEARCH logs USING COVERING INDEX logs_of_user (userId=?)'],
  [{ userId: 1, sort: '-date,-id' }, 'SEARCH logs USING INDEX logs_by_user_and_date (userId=?)'],
  [{ where: [named] }, 'SEARCH logs USING INDEX logs_by_name (exerciseName=?)'],
  [{ sort: '-date,-id' }, 'SCAN logs USING INDEX logs_by_date'],
  [{ sort: '-date,-id', cursor: 'next' }, 'SEARCH logs USING INDEX logs_by_date (date<?)'],
] as const)('%j needs no sort: %s', (filter, plan) => expect(planOf(filter)).toBe(plan));

test.each(ownedKindNames)('the records of a %s are found by their user', (kind) => {
  const sql = `EXPLAIN QUERY PLAN SELECT id FROM ${kindOf(kind).table} WHERE userId = 1`;
  expect(dbOf(filledStore(1)).all(sql)).toEqual([
    expect.objectContaining({ detail: expect.stringMatching(/^SEARCH .*\(userId=\?\)/) }),
  ]);
});

test.each([
  "UPDATE history SET clock = 1, uid = 1, source = 'cli' WHERE seq = 1",
  "INSERT INTO logs (userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes) VALUES (1, 'stretch', 'Cobra', '2026-01-05', 6, 4, 1, '')",
  "UPDATE logs SET notes = 'another' WHERE id = 1",
  'DELETE FROM logs WHERE id = 1',
])('%s builds no table in memory', (sql) => {
  const program = dbOf(filledStore(1)).all<{ opcode: string }>(`EXPLAIN ${sql}`);
  const opcodes = program.map(({ opcode }) => opcode);
  expect(opcodes).toContain('Halt');
  expect(opcodes).not.toContain('OpenEphemeral');
});
