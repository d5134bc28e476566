import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { bundle, freshPath, freshStore, start } from '../store/helpers.ts';
import { conformance } from './conformance.ts';
import { type Answer, freshApp, guardedApp, nora, stretch } from './helpers.ts';

const KEY = '0f5c3c5e-3f0e-4f0c-9a53-0d8a4c6f2b1e';
const logs = '/userExerciseLogs';

/** The app, and a POST with a key. */
function keyed() {
  const app = freshApp();
  const post = (target: string, body: unknown, key = KEY) =>
    app.call('POST', target, { body, headers: { 'idempotency-key': key } });
  return { ...app, post };
}

/** The same answer, marked as given before. */
const replayOf = (first: Answer) => ({
  ...first,
  headers: { ...first.headers, 'idempotency-replayed': 'true' },
});

describe('a POST that comes again', () => {
  test.each<[string, string, unknown]>([
    ['a log', logs, stretch],
    ['a user', '/users', { ...nora, firstName: 'Zoë 🧘' }],
    ['several logs', logs, [stretch, { ...stretch, notes: 'second' }]],
    ['one log in an array', logs, [stretch]],
  ])('gets the first answer, byte for byte: %s', async (_, target, body) => {
    const { post, store } = keyed();
    const first = await post(target, body);
    const counts = [store.users.count(), store.logs.count(), store.history.last()];
    expect(first.status).toBe(201);
    expect(await post(target, body)).toEqual(replayOf(first));
    expect([store.users.count(), store.logs.count(), store.history.last()]).toEqual(counts);
  });

  test.each<[string, (store: ReturnType<typeof keyed>['store']) => void]>([
    ['deleted', (store) => store.logs.delete(2)],
    ['undone', (store) => store.undo(3)],
    ['deleted with its user', (store) => store.users.delete(1)],
  ])('is told that the log was %s meanwhile', async (_, meanwhile) => {
    const { post, store } = keyed();
    await post(logs, stretch);
    meanwhile(store);
    const count = store.logs.count();
    expect(await post(logs, stretch)).toMatchObject({
      status: 410,
      headers: { 'idempotency-replayed': 'true' },
      body: { type: '/docs#problem-record-gone' },
    });
    expect(store.logs.count()).toBe(count);
  });

  test('is told that the routine was deleted with its user', async () => {
    const { post, store } = keyed();
    const exercises = [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' }];
    const again = () => post('/users/1/routines', { name: 'morning', exercises });
    expect((await again()).status).toBe(201);
    store.users.delete(1);
    expect(await again()).toMatchObject({ status: 410, body: { type: '/docs#problem-record-gone' } });
  });

  test('is told so as the document describes it, and of several when a part was erased, not deleted', async () => {
    const { call, post, store } = keyed();
    const faultsOf = conformance(JSON.parse((await call('GET', '/openapi.json')).text));
    store.users.create(nora);
    const several = [stretch, { ...stretch, userId: 2 }];
    const sent = { one: stretch, several };
    for (const [key, body] of Object.entries(sent)) await post(logs, body, key);
    for (const log of store.logs.list()) store.logs.delete(log.id);
    const again = async () => {
      const answers = [await post(logs, sent.one, 'one'), await post(logs, several, 'several')];
      expect(answers.flatMap((answer) => faultsOf('POST', logs, answer))).toEqual([]);
      return answers.map(({ status }) => status);
    };
    expect(await again()).toEqual([410, 201]);
    store.erase(2);
    expect(await again()).toEqual([410, 410]);
  });

  test('gets the first answer even when the log was changed meanwhile', async () => {
    const { post, store } = keyed();
    const first = await post(logs, stretch);
    store.logs.update(2, { painAfter: 1 });
    expect(await post(logs, stretch)).toEqual(replayOf(first));
  });

  test('in another form is the same request; one of an earlier release is compared by its text', async () => {
    const { post, store } = keyed();
    const first = await post(logs, stretch);
    const other = JSON.stringify(Object.fromEntries(Object.entries(stretch).reverse()), null, 1);
    expect(await post(logs, other.replace(/("painAfter": \d)/, '$1.0'))).toEqual(replayOf(first));
    const text = JSON.stringify({ ...stretch, date: '2026-03-09' });
    store.change(() => {
      const key = createHash('sha256')
        .update(JSON.stringify([null, logs, 'old']))
        .digest();
      store.logs.create(JSON.parse(text));
      store.requests.add({ key, body: createHash('sha256').update(text).digest() });
    });
    expect((await post(logs, text, 'old')).status).toBe(201);
    expect((await post(logs, ` ${text}`, 'old')).headers['location']).toBe('/userExerciseLogs/3');
  });

  test('five at once create one', async () => {
    const { post, store } = keyed();
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(logs, stretch)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(store.logs.count()).toBe(2);
  });

  test('with another body is refused, and nothing is stored', async () => {
    const { post, store } = keyed();
    await post(logs, stretch);
    for (const body of [{ ...stretch, painAfter: 1 }, [stretch], {}]) {
      const { status, body: problem } = await post(logs, body);
      expect([status, problem]).toMatchObject([422, { detail: expect.stringMatching(/another body/) }]);
    }
    await post(logs, [stretch, stretch], 'several');
    const refused = await post(logs, [stretch], 'several');
    // No one record is what it made.
    expect([refused.status, refused.headers['location']]).toEqual([422, undefined]);
    const [same, other] = await Promise.all([
      post(logs, stretch, 'k2'),
      post(logs, { ...stretch, painAfter: 1 }, 'k2'),
    ]);
    expect([same.status, other.status]).toEqual([201, 422]);
    expect(store.logs.count()).toBe(5);
  });

  test('after a refusal is a first one', async () => {
    const { post, store } = keyed();
    expect((await post(logs, { ...stretch, painAfter: 11 })).status).toBe(400);
    expect((await post(logs, stretch)).status).toBe(201);
    expect(store.logs.count()).toBe(2);
  });

  test('elsewhere is another', async () => {
    const { post, store } = keyed();
    await post(logs, stretch);
    expect((await post('/users', nora)).status).toBe(201);
    expect(store.users.count()).toBe(2);
  });

  test.each<[string, string, unknown, unknown]>([
    ['several logs', logs, [stretch, { ...stretch, userId: 2 }], [stretch]],
    [
      'a batch',
      '/batch',
      { requests: [1, 2].map((userId) => ({ method: 'POST', url: logs, body: { ...stretch, userId } })) },
      { requests: [{ method: 'POST', url: '/users', body: nora }] },
    ],
    ['an undo', '/undo', { change: 4 }, { change: 1 }],
  ])(
    'after a part of it was erased has no answer any more, nor has another body: %s',
    async (_, target, body, other) => {
      const { post, store } = keyed();
      store.users.create({ ...nora, firstName: 'Ole' });
      store.logs.createAll([stretch, { ...stretch, userId: 2 }]);
      expect((await post(target, body)).status).toBeLessThan(300);
      store.erase(1);
      const last = store.history.last();
      for (const sent of [body, other])
        expect(await post(target, sent)).toMatchObject({
          status: 410,
          headers: { 'idempotency-replayed': 'true' },
          body: { type: '/docs#problem-record-gone' },
        });
      expect(store.history.last()).toBe(last);
    },
  );

  test('after the user was erased finds nobody', async () => {
    const { post, store } = keyed();
    await post(logs, stretch);
    store.erase(1);
    expect((await post(logs, stretch)).status).toBe(400);
  });
});

test.each([
  ['', 400],
  ['x'.repeat(255), 201],
  ['x'.repeat(256), 400],
  ['"quoted, with spaces"', 201],
  ['schlüssel', 400],
  ['a\tb', 400],
])('the key %j gets %i', async (key, status) => {
  const { post } = keyed();
  expect((await post(logs, stretch, key)).status).toBe(status);
});

test('a body that nests deep is refused as it is without a key', async () => {
  const { post, store } = keyed();
  expect((await post(logs, '['.repeat(30_000) + ']'.repeat(30_000))).status).toBe(400);
  expect(store.logs.count()).toBe(1);
});

describe('behind the gate', () => {
  const behind = () => {
    const { call, store } = guardedApp();
    store.users.create({ ...nora, firstName: 'Ole' });
    const token = (name: string, role: 'patient' | 'admin', users: number[] | null) =>
      store.tokens.create({ name, role, users, lifetime: null }).token;
    const as = (secret: string, body: unknown = stretch) =>
      call('POST', logs, { body, headers: { authorization: `Bearer ${secret}`, 'idempotency-key': KEY } });
    return { store, token, as };
  };

  test("nobody gets another's answer", async () => {
    const { store, token, as } = behind();
    const first = await as(token('nora', 'patient', [1]));
    const admin = await as(token('boss', 'admin', null), { ...stretch, notes: 'of the clinic' });
    const ole = await as(token('ole', 'patient', [2]), { ...stretch, userId: 2 });
    expect([first, admin, ole].map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(store.logs.count()).toBe(4);
  });

  test('a new token gets the answer of the old one', async () => {
    const { store, token, as } = behind();
    const first = await as(token('old', 'patient', [1]));
    store.tokens.revoke('old');
    expect(await as(token('new', 'patient', [1]))).toEqual(replayOf(first));
    expect(store.logs.count()).toBe(2);
  });

  test('the answer bears the name of the caller in the history once', async () => {
    const { store, token, as } = behind();
    const secret = token('phone', 'patient', [1]);
    await as(secret);
    await as(secret);
    expect(store.history.list({ log: 2 })).toMatchObject([{ caller: 'phone', action: 'create' }]);
  });
});

describe('a service killed under load', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundle(`
      import { openStore } from './src/store/store.ts';
      import { startServer } from './src/http/server.ts';
      const origins = { allowHosts: [], allowOrigins: [] };
      startServer(openStore(process.argv[2]), { host: '127.0.0.1', port: 0, origins, log: () => {} })
        .then(({ port }) => console.log(port));
    `);
  });

  const started = async (path: string) => {
    const child = start(script, [path]);
    const port = await new Promise<number>((resolve) =>
      child.stdout.once('data', (text) => resolve(Number(text))),
    );
    const post = async (n: number) => {
      const response = await fetch(`http://127.0.0.1:${port}${logs}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': `key ${n}` },
        body: JSON.stringify({ ...stretch, notes: `log ${n}` }),
      });
      return response.text();
    };
    return { child, post };
  };

  test('creates nothing twice when every request is sent again', async () => {
    const path = freshPath();
    const store = freshStore(path);
    store.users.create(nora);
    store.close();
    const all = Array.from({ length: 120 }, (_, n) => n);
    const answers = new Map<number, string>();
    for (const enough of [1, 20, 45, 70]) {
      const { child, post } = await started(path);
      const gone = new Promise((resolve) => child.on('close', resolve));
      let answered = 0;
      const send = async (n: number) => {
        const text = await post(n);
        expect(answers.get(n) ?? text).toBe(text);
        answers.set(n, text);
        answered += 1;
        if (answered === enough) child.kill('SIGKILL');
      };
      await Promise.allSettled(all.map(send));
      await gone;
    }
    const { child, post } = await started(path);
    for (const n of all) expect(await post(n)).toBe(answers.get(n) ?? (await post(n)));
    child.kill();
    const notes = freshStore(path)
      .logs.list()
      .map((log) => log.notes);
    expect(notes.sort()).toEqual(all.map((n) => `log ${n}`).sort());
  });
});
