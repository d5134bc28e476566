import { expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { dbOf, log, openStore, user } from '../store/helpers.ts';
import { freshApp, freshServer, guardedApp } from './helpers.ts';

/** Another process says that user 2 is user 1, who has log 1 and then also log 2. */
async function merge(store: Store): Promise<void> {
  const other = openStore(store.path);
  other.users.create(user({ firstName: 'Norah' }));
  other.logs.create(log({ userId: 2, notes: 'of 2' }));
  (await other.replication()).mergeUsers(2, 1, Date.now());
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

/** Two users, the second of whom is merged into the first, and a token for each. */
async function merged() {
  const { call, store } = guardedApp();
  store.users.create(user({ firstName: 'Norah' }));
  const tokenFor = (users: number[]) =>
    store.tokens.create({ name: `t${users}`, role: 'patient', users, lifetime: null }).token;
  const [own, former] = [tokenFor([1]), tokenFor([2])];
  (await store.replication()).mergeUsers(2, 1, Date.now());
  return { call, store, own, former };
}

test.each<[string, string, object]>([
  ['a log', '/userExerciseLogs', log({ userId: 2, notes: 'by the phone' })],
  ['several logs', '/userExerciseLogs', [log({ userId: 2, notes: 'by the phone' })]],
  ['a pain entry', '/painEntries', { userId: 2, date: '2026-03-02', pain: 5 }],
])('what the phone of a merged user still records shows under the other: %s', async (_, path, body) => {
  const { call, store, former, own } = await merged();
  const authorization = `Bearer ${former}`;
  expect((await call('POST', path, { body, headers: { authorization } })).status).toBe(201);
  const kind = path === '/painEntries' ? 'painEntry' : 'log';
  expect(store.of(kind).list({ sort: '-id', limit: 1 })).toMatchObject([{ userId: 1 }]);
  // It sees nothing of the other.
  const seen = async (token: string) =>
    (await call('GET', path, { headers: { authorization: `Bearer ${token}` } })).body as object[];
  expect([(await seen(former)).length, (await seen(own)).length > 0]).toEqual([0, true]);
});

test('a phone records for nobody else, and for nobody who was deleted', async () => {
  const { call, store, own, former } = await merged();
  const post = async (token: string, userId: number) =>
    (
      await call('POST', '/userExerciseLogs', {
        body: log({ userId }),
        headers: { authorization: `Bearer ${token}` },
      })
    ).status;
  expect([await post(own, 2), await post(former, 1), await post(former, 3)]).toEqual([400, 400, 400]);
  store.users.delete(1);
  (await store.replication()).receive([]);
  expect([await post(own, 1), await post(former, 2)]).toEqual([400, 201]);
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
