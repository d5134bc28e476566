import { copyFileSync, renameSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { Workers } from '../../../src/http/workers/pool.ts';
import { dbOf, freshStore, user } from '../../store/helpers.ts';
import { freshServer } from '../helpers.ts';

/** More logs than a change may have that is taken back while others wait. */
const LOGS = 10_100;

/** A server whose change 3 made many logs of user 1, and how many writes went to threads of their own. */
async function largeServer(options: Parameters<typeof freshServer>[0] = {}) {
  const write = vi.spyOn(Workers.prototype, 'write').mockClear();
  const { store, url, server } = await freshServer(options);
  store.users.create(user({ firstName: 'Ole' }));
  const fields = 'userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes';
  store.change(() =>
    dbOf(store).run(
      `INSERT INTO logs (${fields}) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${LOGS})
       SELECT ${fields} FROM logs CROSS JOIN n`,
    ),
  );
  const change = store.latestChange ?? 0;
  const ask = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const sent = { method, headers: { 'content-type': 'application/json', ...headers } };
    const response = await fetch(url + path, { ...sent, ...(body && { body: JSON.stringify(body) }) });
    const repeated = response.headers.get('idempotency-replayed') !== null;
    return { status: response.status, body: await response.json(), repeated, headers: response.headers };
  };
  return { store, server, change, ask, away: () => write.mock.calls.length };
}

test('a large change is taken back in a thread of its own, and others are answered meanwhile', async () => {
  const { store, change, ask, away } = await largeServer();
  let isOver = false;
  const undone = ask('POST', '/undo', { change }, { 'idempotency-key': 'once' }).finally(() => {
    isOver = true;
  });
  let reads = 0;
  while (!isOver) {
    expect((await ask('GET', '/users/2')).status).toBe(200);
    reads += 1;
  }
  expect(reads).toBeGreaterThan(3);
  const answer = await undone;
  expect(answer).toMatchObject({ status: 200, body: { undoes: change, entries: LOGS - 1 } });
  expect([store.logs.count(), away()]).toEqual([1, 1]);
  const again = await ask('POST', '/undo', { change }, { 'idempotency-key': 'once' });
  expect(again).toMatchObject({ status: 200, body: answer.body });
  expect(store.logs.count()).toBe(1);
  expect(store.history.entry(store.history.last())).toMatchObject({ action: 'delete', record: 'log' });
});

test('a write that comes meanwhile waits, and is saved', async () => {
  const { store, change, ask } = await largeServer();
  const { id: _, ...log } = store.logs.get(1);
  const [undone, created] = await Promise.all([
    ask('POST', '/undo', { change }),
    ask('POST', '/userExerciseLogs', log),
  ]);
  expect([undone.status, created.status, store.logs.count()]).toEqual([200, 201, 2]);
});

test.each([
  ['a body', 'POST', '/undo'],
  ['none', 'DELETE', '/users/1'],
])('a request with %s may wait longer for it than a connection may be silent', async (_, method, path) => {
  const stall = 500;
  const { store, change, ask } = await largeServer({ timeouts: { stall } });
  const other = dbOf(freshStore(store.path));
  other.run('BEGIN IMMEDIATE');
  const asked = ask(method, path, method === 'POST' ? { change } : undefined);
  await new Promise((resolve) => setTimeout(resolve, 2 * stall));
  other.run('ROLLBACK');
  const answer = await asked;
  expect(answer.status).toBe(200);
});

test('two at once go one after the other', async () => {
  const { store, change, ask } = await largeServer();
  const end = vi.spyOn(Worker.prototype, 'terminate').mockClear();
  const isOver = vi.fn();
  const begin = vi.spyOn(store, 'expectLongWrite').mockReturnValue(isOver);
  const answers = await Promise.all([ask('POST', '/undo', { change }), ask('POST', '/undo', { change })]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(store.logs.count()).toBe(1);
  // Other writes have a deadline again.
  expect([isOver.mock.calls.length, end.mock.calls.length]).toEqual([2, 2]);
  expect(begin.mock.invocationCallOrder[1]).toBeGreaterThan(isOver.mock.invocationCallOrder[0] ?? 0);
});

test('a user with many logs is deleted and brought back like any other', async () => {
  const { store, ask, away } = await largeServer();
  expect(await ask('DELETE', '/users/1')).toMatchObject({ status: 200, body: {} });
  expect([store.logs.count(), store.users.count()]).toEqual([0, 1]);
  // One of the logs is no large matter.
  expect((await ask('POST', '/userExerciseLogs/2/restore?userId=2')).status).toBe(201);
  expect(away()).toBe(1);
  expect(await ask('POST', '/users/1/restore')).toMatchObject({ status: 201, body: { id: 1 } });
  expect([store.logs.count(), store.users.count(), away()]).toEqual([LOGS, 2, 2]);
  expect((await ask('DELETE', '/users/2')).status).toBe(200);
  expect(away()).toBe(2);
});

test('a batch that deletes a user with many logs, and its repetition, keep nobody waiting', async () => {
  const { store, ask, away } = await largeServer();
  const requests = [
    { method: 'DELETE', url: '/users/1' },
    { method: 'PATCH', url: '/users/2', body: { age: 50 } },
  ];
  const send = () => ask('POST', '/batch', { requests }, { 'idempotency-key': 'once' });
  const first = await send();
  expect(first).toMatchObject({ status: 200, body: [{ body: {} }, { body: { id: 2, age: 50 } }] });
  expect([store.logs.count(), store.users.count(), away()]).toEqual([0, 1, 1]);
  expect(await send()).toMatchObject({ status: 200, body: first.body, repeated: true });
  expect(away()).toBe(2);
  const other = { requests: [{ method: 'PATCH', url: '/users/2', body: { age: 51 } }] };
  expect((await ask('POST', '/batch', other)).status).toBe(200);
  expect(away()).toBe(2);
});

const RATE = { burst: 500, perSecond: 50 };

/** The header of a token for the users. */
function bearer(store: ReturnType<typeof freshStore>, users: number[] | null) {
  const role = users ? 'patient' : 'admin';
  const { token } = store.tokens.create({ name: `for ${users}`, role, users, lifetime: null });
  return { authorization: `Bearer ${token}` };
}

test.each([
  ['a token for another user finds no such change', [2], undefined, 404],
  ['a token for the user takes it back', [1], undefined, 200],
  ['a token with too little room left is told when there is more', [1], 100_000, 429],
])('%s', async (_, users, quota, status) => {
  const { store, change, ask, away } = await largeServer({ auth: RATE, ...(quota && { quota }) });
  const answer = await ask('POST', '/undo', { change }, bearer(store, users));
  expect(answer.status).toBe(status);
  if (status === 429) expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3000);
  expect(store.logs.count()).toBe(status === 200 ? 1 : LOGS);
  expect(away()).toBe(status === 404 ? 0 : 1);
});

test('what took the room meanwhile refuses nothing that is stored', async () => {
  const { store, change, ask, away } = await largeServer({ auth: RATE, quota: 3_000_000 });
  const headers = bearer(store, [1]);
  const { id: _, ...log } = store.logs.get(1);
  const many = Array.from({ length: 90 }, () => ({ ...log, notes: 'x'.repeat(10_000) }));
  const undone = ask('POST', '/undo', { change }, headers);
  await expect.poll(away).toBe(1);
  const created = await Promise.all([1, 2].map(() => ask('POST', '/userExerciseLogs', many, headers)));
  expect([(await undone).status, ...created.map(({ status }) => status)]).toEqual([200, 201, 201]);
  expect(store.logs.count()).toBe(181);
  expect((await ask('PATCH', '/userExerciseLogs/1', { notes: '' }, headers)).status).toBe(429);
});

test('who made the change is kept', async () => {
  const { store, change, ask } = await largeServer({ auth: RATE });
  await ask('POST', '/undo', { change }, bearer(store, [1]));
  expect(store.history.entry(store.history.last())).toMatchObject({ source: 'undo', caller: 'for 1' });
});

test('a service that stops finishes it first', async () => {
  const { store, server, change, ask } = await largeServer();
  const undone = ask('POST', '/undo', { change });
  await expect.poll(() => vi.mocked(Workers.prototype.write).mock.calls.length).toBe(1);
  await Promise.all([server.stop(), undone.catch(() => {})]);
  expect(store.logs.count()).toBe(1);
});

test('of a file that has taken the place of the database nothing is read or changed', async () => {
  const { store, ask } = await largeServer();
  const other = freshStore();
  other.users.create(user());
  other.checkpoint();
  for (const end of ['', '-wal', '-shm']) renameSync(store.path + end, `${store.path}.old${end}`);
  copyFileSync(other.path, store.path);
  expect((await ask('GET', '/users/1/summary')).status).toBe(503);
  expect((await ask('DELETE', '/users/1')).status).toBe(503);
  expect(freshStore(store.path).users.count()).toBe(1);
});

test('nothing is refused as busy while one is under way', async () => {
  const store = freshStore();
  const other = freshStore(store.path);
  const isOver = store.expectLongWrite();
  dbOf(other).run('BEGIN IMMEDIATE');
  const saved = store.submit(() => store.users.create(user()));
  const now = performance.now.bind(performance);
  const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000);
  await new Promise((resolve) => setTimeout(resolve, 20));
  later.mockRestore();
  dbOf(other).run('COMMIT');
  isOver();
  expect(await saved).toMatchObject({ id: 1 });
});
