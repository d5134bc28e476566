import { expect, test } from 'vitest';
import type { LogFilter } from '../../src/domain/log.ts';
import { dbOf, freshStore, log, user } from './helpers.ts';

/**
 * A store with three logs of each of two users, and further ones of the first.
 * @param highest the highest id, which stands for the size of the table
 */
function sized(highest: number, further = 0) {
  const store = freshStore();
  store.change(() => {
    for (let id = 1; id <= 2; id++) {
      store.users.create(user());
      for (let i = 0; i < 3; i++) store.logs.create(log({ userId: id }));
    }
    store.logs.restore({ ...log({ userId: 2 }), id: highest });
    const fields = 'userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes';
    dbOf(store).run(
      `INSERT INTO logs (${fields}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT ${fields} FROM logs CROSS JOIN n WHERE id = 1 AND i <= ?`,
      further,
      further,
    );
  });
  return store;
}

const of = (field: string, ...values: (string | number)[]) => ({
  where: [{ field, operator: 'eq' as const, values }],
});

const searched: LogFilter = { search: 'x' };
const [small, middle, large] = [1_000, 10_000, 10_001];

test.each<[what: string, size: number, LogFilter, goesOn: boolean, isLong: boolean]>([
  ['everything', middle, {}, false, false],
  ['everything', large, {}, false, true],
  ['a page', large, { limit: 5 }, false, true],
  ['a sorted page', middle, { sort: 'painAfter', limit: 5 }, false, false],
  ['a search', small, searched, false, false],
  ['a search', middle, searched, false, true],
  [
    'texts that contain one',
    middle,
    { where: [{ field: 'notes', operator: 'like', values: ['x'] }] },
    false,
    true,
  ],
  ['some ids', large, { ...of('id', 1, 2), sort: 'date' }, false, false],
  ["one user's logs", large, { userId: 1 }, false, false],
  ["one user's logs by condition", large, of('userId', 1), false, false],
  ["what follows of one user's few logs", large, { userId: 1 }, true, false],
  ["a page of one user's few logs", large, { userId: 1, sort: '-date', limit: 2 }, false, false],
  ["two users' few logs", large, of('userId', 1, 2), false, false],
  ['others than one user', large, { where: [{ field: 'userId', operator: 'ne', values: [1] }] }, false, true],
])('%s of %i logs: %j, going on: %s, is long: %s', (_, size, filter, goesOn, isLong) => {
  expect(sized(size).logs.isLong(filter, goesOn)).toBe(isLong);
});

test.each<[LogFilter, goesOn: boolean, isLong: boolean]>([
  [{ userId: 1 }, false, false],
  [{ userId: 1 }, true, true],
  [{ userId: 1, sort: '-date', limit: 2 }, false, false],
  [{ userId: 1, offset: 20, limit: 10 }, false, false],
  [{ userId: 1, offset: 100_000, limit: 10 }, false, true],
  [{ userId: 1, sort: 'painAfter', limit: 2 }, false, true],
  [{ userId: 1, exerciseType: 'stretch', limit: 2 }, false, true],
  [{ userId: 1, search: 'zzzz', limit: 2 }, false, true],
  [{ userId: 1, exerciseType: 'stretch' }, false, true],
  [{ userId: 2, sort: '-date' }, false, false],
])('with a user who has many logs, %j, going on: %s, is long: %s', (filter, goesOn, isLong) => {
  expect(sized(large, 1_000).logs.isLong(filter, goesOn)).toBe(isLong);
});

test('what a caller may see counts, not what there is', () => {
  const store = sized(large).as({ users: [1] });
  const { logs, users } = store;
  const found = [
    logs.isLong({ sort: 'date' }),
    logs.isLong({}),
    users.isLong({}),
    users.isLong({ limit: 1 }),
  ];
  expect(found).toEqual([false, false, false, false]);
});

test('what others have is not long for who does not see it', () => {
  const { logs } = sized(large, 1_000).as({ users: [2] });
  const filters: LogFilter[] = [
    { userId: 1, search: 'x' },
    { ...of('userId', 1), sort: 'painAfter' },
  ];
  expect([logs.areMany(1), ...filters.map((filter) => logs.isLong(filter))]).toEqual([false, false, false]);
});

test('statistics of many logs are long, in a small database, too', () => {
  const { logs } = sized(small, 100);
  expect([logs.areMany(1), logs.areMany(2), logs.areMany(9)]).toEqual([true, false, false]);
});

test('so are those of many pain entries without logs', () => {
  const store = sized(small);
  store.change(() => {
    for (let i = 0; i <= 100; i++) store.of('painEntry').create({ userId: 1, date: '2026-03-02', pain: 5 });
  });
  expect([store.logs.areMany(1), store.logs.areMany(2)]).toEqual([true, false]);
});
