import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { dbOf, log, openStore, user } from '../store/helpers.ts';
import { freshApp, freshServer } from './helpers.ts';

/** Another process says that user 2 is user 1, who has log 1 and then also log 2. */
async function merge(store: Store): Promise<void> {
  const other = openStore(store.path);
  other.users.create(user({ firstName: 'Norah' }));
  other.logs.create(log({ userId: 2, notes: 'of 2' }));
  (await other.diary()).mergeUsers(2, 1, Date.now());
  other.close();
}

const shown = ({ users, logs }: Store) => [
  users.list().map(({ id }) => id),
  logs.list().map(({ userId, notes }) => [userId, notes]),
];

test.each<[string, string, string, object | undefined]>([
  ['alone', 'DELETE', '/users/1', undefined],
  ['in a batch', 'POST', '/batch', { requests: [{ method: 'DELETE', url: '/users/1' }] }],
])('who was merged into a user shows again when that one is deleted: %s', async (_, method, path, body) => {
  const { call, store } = freshApp();
  await merge(store);
  const before = shown(store);
  expect(before).toEqual([
    [1],
    [
      [1, '3 sets of 10'],
      [1, 'of 2'],
    ],
  ]);
  expect((await call(method, path, { body })).status).toBe(200);
  expect(shown(store)).toEqual([[2], [[2, 'of 2']]]);
  expect((await call('POST', '/undo', { body: { change: store.latestChange } })).status).toBe(200);
  expect(shown(store)).toEqual(before);
});

test('so it is with a user of many logs, in a thread of its own', async () => {
  const { url, store } = await freshServer();
  const fields = 'userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes';
  store.change(() =>
    dbOf(store).run(
      `INSERT INTO logs (${fields}) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10100)
       SELECT ${fields} FROM logs CROSS JOIN n WHERE logs.id = 1`,
    ),
  );
  await merge(store);
  expect((await fetch(`${url}/users/1`, { method: 'DELETE' })).status).toBe(200);
  expect(shown(store)).toEqual([[2], [[2, 'of 2']]]);
});
