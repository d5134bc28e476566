import { afterEach, describe, expect, test, vi } from 'vitest';
import type { HistoryEntry } from '../../src/domain/history.ts';
import { AuditTrail } from '../../src/http/guard/audit.ts';
import type { Rate } from '../../src/http/guard/limits.ts';
import { disclosedChanges } from '../../src/http/protocol/disclosure.ts';
import type { Chunks } from '../../src/http/wire/message.ts';
import type { Store } from '../../src/store/store.ts';
import { run } from '../helpers.ts';
import { dbOf, freshStore } from '../store/helpers.ts';
import { freshServer, guardedApp, nora, stretch } from './helpers.ts';

function audited(rate?: Rate) {
  const { call, store, gate } = guardedApp(rate && { rate });
  store.users.create({ ...nora, firstName: 'Ole' });
  store.logs.create({ ...stretch, userId: 2 });
  const token = (name: string, role: 'admin' | 'provider' | 'patient', users: number[] | null) =>
    store.tokens.create({ name, role, users, lifetime: null }).token;
  const tokens = {
    boss: token('boss', 'admin', null),
    phone: token('phone', 'patient', [1]),
    couple: token('couple', 'provider', [1, 2]),
  };
  const as = (who: keyof typeof tokens | undefined, method: string, target: string, body?: unknown) =>
    call(method, target, {
      headers: who ? { authorization: `Bearer ${tokens[who]}` } : {},
      ...(body !== undefined && { body }),
    });
  const entries = async (filter = {}) => {
    await gate.audit.flush();
    return store.audit.list({ limit: 100, ...filter });
  };
  return { as, store, entries, tokens, call, gate };
}

type Row = [
  who: 'boss' | 'phone' | 'couple' | undefined,
  method: string,
  target: string,
  body: unknown,
  entry: object,
];

describe('the audit says', () => {
  const one = (id: number) => ({ first: id, last: id, count: 1 });
  const none = { first: null, last: null, count: 0 };

  test.each<Row>([
    ['boss', 'GET', '/users/2', undefined, { route: '/users/{id}', userId: 2, ...one(2), status: 200 }],
    ['boss', 'GET', '/users', undefined, { userId: null, first: 1, last: 2, count: 2 }],
    ['boss', 'GET', '/users?sort=-id', undefined, { first: 1, last: 2, count: 2 }],
    ['boss', 'GET', '/users?limit=1&sort=-id', undefined, { ...one(2), status: 200 }],
    ['phone', 'GET', '/users/2/userExerciseLogs', undefined, { userId: 2, ...none, status: 404 }],
    ['boss', 'GET', '/users/2/history', undefined, { route: '/users/{id}/history', userId: 2, ...one(2) }],
    ['boss', 'GET', '/overviews', undefined, { record: 'user', userId: null, first: 1, last: 2, count: 2 }],
    ['phone', 'GET', '/overviews', undefined, { record: 'user', userId: 1, ...one(1) }],
    ['boss', 'HEAD', '/users', undefined, { method: 'HEAD', ...none }],
    ['phone', 'GET', '/users', undefined, { userId: 1, ...one(1) }],
    ['couple', 'GET', '/users', undefined, { userId: null, first: 1, last: 2, count: 2 }],
    // No database holds such a number: the trail could not be written.
    ['boss', 'GET', '/users?userId=99999999999999999999', undefined, { userId: null, ...none, status: 400 }],
    ['phone', 'GET', '/userExerciseLogs/2', undefined, { userId: 2, ...one(2), status: 404 }],
    ['phone', 'GET', '/userExerciseLogs?userId=1', undefined, { record: 'log', userId: 1, ...one(1) }],
    ['boss', 'POST', '/userExerciseLogs', stretch, { userId: 1, ...one(3), status: 201 }],
    ['boss', 'POST', '/userExerciseLogs', [stretch, stretch], { first: 3, last: 4, count: 2, status: 201 }],
    ['boss', 'POST', '/users', nora, { record: 'user', userId: null, ...one(3), status: 201 }],
    ['boss', 'PATCH', '/userExerciseLogs/2', { painAfter: 1 }, { userId: 2, ...one(2), status: 200 }],
    ['boss', 'POST', '/userExerciseLogs', {}, { ...none, status: 400 }],
    ['phone', 'DELETE', '/userExerciseLogs/1', undefined, { userId: 1, ...one(1), status: 200 }],
    ['phone', 'DELETE', '/users/1', undefined, { userId: 1, ...one(1), status: 403 }],
    [undefined, 'GET', '/users/1', undefined, { who: null, token: null, ...one(1), status: 401 }],
    // Their names, and no session: there is none with the id 0.
    ['boss', 'GET', '/users/2/exercises', undefined, { record: 'log', userId: 2, ...none, status: 200 }],
    ['boss', 'GET', '/users/1/report', undefined, { route: '/users/{id}/report', userId: 1, ...one(1) }],
  ])('%s %s %s', async (who, method, target, body, entry) => {
    const { as, entries } = audited();
    await as(who, method, target, body);
    expect(await entries()).toMatchObject([{ who: who ?? null, method, address: '192.0.2.7', ...entry }]);
  });
});

test.each(['userId=1&userId[]=2', 'userId=1&user%49d=2', 'userId[0]=1&userId[1]=2'])(
  'a list asked for with %s may have held both users',
  async (search) => {
    const { as, entries } = audited();
    expect((await as('boss', 'GET', `/userExerciseLogs?${search}`)).body).toHaveLength(2);
    expect((await entries())[0]?.userId).toBe(null);
  },
);

test('what holds no record leaves nothing', async () => {
  const { as, entries } = audited();
  for (const target of ['/health', '/openapi.json', '/docs', '/nowhere']) await as('boss', 'GET', target);
  await as('boss', 'OPTIONS', '/users');
  expect(await entries()).toEqual([]);
});

test.each(['/changes', '/changes?limit=9'])('%s counts users and logs apart', async (target) => {
  const { as, entries } = audited();
  await as('boss', 'GET', target);
  expect(await entries()).toMatchObject([
    { record: 'log', first: 1, last: 2, count: 2, userId: null, status: 200 },
    { record: 'user', first: 1, last: 2, count: 2, userId: null, status: 200 },
  ]);
  await as('boss', 'GET', `/changes?since=4`);
  expect(await entries()).toHaveLength(2);
});

test('an undone import counts as a whole, however large', () => {
  const entries = Array.from({ length: 500_000 }, (_, i) => ({ record: 'log', id: i + 1 }) as HistoryEntry);
  expect(disclosedChanges(entries)).toEqual([{ record: 'log', first: 1, last: 500_000, count: 500_000 }]);
});

test('changes sent in chunks are recorded chunk by chunk', async () => {
  const { as, store, entries } = audited();
  for (let i = 0; i < 100; i++) store.logs.update(1, { painAfter: 1 + (i % 10) });
  store.logs.update(2, { painAfter: 1 });
  await as('boss', 'GET', '/changes?since=4');
  expect((await entries()).map(({ first, last, count }) => [first, last, count])).toEqual([
    [2, 2, 1],
    [1, 1, 100],
  ]);
});

test('the history of a record counts that record once, however long', async () => {
  const { as, store, entries } = audited();
  for (let i = 0; i < 30; i++) store.logs.update(1, { notes: String(i).repeat(5_000) });
  await as('boss', 'GET', '/userExerciseLogs/1/history');
  expect(await entries()).toMatchObject([{ record: 'log', first: 1, last: 1, count: 1 }]);
});

test('callers over their rate limit leave nothing', async () => {
  const { as, entries } = audited({ burst: 1, perSecond: 0.001 });
  await as('boss', 'GET', '/users/1');
  expect((await as('boss', 'GET', '/users/1')).status).toBe(429);
  expect(await entries()).toMatchObject([{ status: 200 }]);
});

test('what could not be written is written later, in order', async () => {
  const { as, store, entries, gate } = audited();
  const { add } = store.audit;
  store.audit.add = () => {
    store.audit.add = add;
    throw new Error('no');
  };
  await as('boss', 'GET', '/users/1');
  await gate.audit.flush();
  await as('boss', 'GET', '/users/2');
  expect((await entries()).map(({ first }) => first)).toEqual([2, 1]);
});

test('the owner of a log is the one it had when it was asked for', async () => {
  const { as, store, entries } = audited();
  await as('boss', 'GET', '/userExerciseLogs/2');
  await as('boss', 'PATCH', '/userExerciseLogs/2', { userId: 1 });
  await as('boss', 'DELETE', '/userExerciseLogs/2');
  store.erase(1);
  expect((await entries()).map(({ method, userId }) => [method, userId])).toEqual([
    ['DELETE', 1],
    ['PATCH', 1],
    ['GET', 2],
  ]);
});

test('a long list counts when it has left, as far as it was read', async () => {
  const { as, store, entries } = audited();
  store.change(() => {
    for (let i = 0; i < 600; i++) store.logs.create({ ...stretch, notes: '{"id":9999' });
  });
  await as('boss', 'GET', '/userExerciseLogs');
  expect(await entries()).toMatchObject([{ first: 1, last: 602, count: 602 }]);
});

test('no name, note, token or query is in it', async () => {
  const { as, store, entries, tokens } = audited();
  await as('boss', 'GET', '/userExerciseLogs?exerciseName=Piriformis+Stretch');
  await as('boss', 'POST', '/userExerciseLogs', { ...stretch, notes: 'secret notes' });
  await entries();
  const text = JSON.stringify(dbOf(store).all('SELECT * FROM audit'));
  for (const word of ['boss', 'Piriformis', 'secret', 'Nora', tokens.boss]) expect(text).not.toContain(word);
});

test('it only grows, also when a user is erased', async () => {
  const { as, store, entries } = audited();
  await as('phone', 'GET', '/users/1');
  await entries();
  for (const sql of [
    'DELETE FROM audit',
    'UPDATE audit SET at = 0',
    'INSERT OR REPLACE INTO audit SELECT * FROM audit',
  ])
    expect(() => dbOf(store).run(sql)).toThrow();
  store.erase(1);
  expect(await entries()).toMatchObject([{ who: null, token: 2, userId: 1, status: 200 }]);
});

test('it is found by user, day and number', async () => {
  const { as, entries } = audited();
  // It shows nobody.
  await as('boss', 'HEAD', '/userExerciseLogs');
  for (const target of ['/users/1', '/users/2', '/users', '/userExerciseLogs?userId=2'])
    await as('boss', 'GET', target);
  const routes = async (filter: object) =>
    (await entries(filter)).map(({ route, userId }) => [route, userId]);
  expect(await routes({ user: 1 })).toEqual([
    ['/users', null],
    ['/users/{id}', 1],
  ]);
  expect(await routes({ user: 3 })).toEqual([]);
  expect(await routes({ limit: 1 })).toEqual([['/userExerciseLogs', 2]]);
  const [latest] = await entries();
  expect(await routes({ since: Date.parse(latest?.at ?? '') })).toContainEqual(['/userExerciseLogs', 2]);
  expect(await routes({ since: Date.now() + 60_000 })).toEqual([]);
});

test('while it cannot be written nobody gets in, once too much waits; nothing is forgotten', async () => {
  const { call, store, gate, tokens } = audited({ burst: 1e6, perSecond: 1e6 });
  const headers = { authorization: `Bearer ${tokens.boss}` };
  const get = () => call('GET', '/users/1', { headers });
  const other = freshStore(store.path);
  dbOf(other).begin();
  const statuses = new Map<number, number>();
  const count = ({ status }: { status: number }) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (let i = 0; i < 10_000; i++) count(await get());
  // Each of these waits for a while before it is refused.
  for (const answer of await Promise.all(Array.from({ length: 50 }, get))) count(answer);
  expect([...statuses]).toEqual([
    [200, 10_000],
    [503, 50],
  ]);
  expect((await call('GET', '/health')).status).toBe(200);
  expect((await call('POST', '/pair', { body: { code: 'x' } })).status).toBe(503);
  dbOf(other).run('ROLLBACK');
  await gate.audit.flush();
  expect((await get()).status).toBe(200);
  expect(store.audit.list({ limit: 99_999 })).toHaveLength(10_000);
});

describe('a trail', () => {
  /** A trail that cannot be written to until `fails` is false, and what was written. */
  function trail() {
    const written: number[] = [];
    const statuses: number[] = [];
    const state = { fails: false };
    const audit = {
      add: (records: readonly { status: number }[]) => {
        written.push(records.length);
        statuses.push(...records.map(({ status }) => status));
      },
    };
    const submitUpkeep = async (work: () => unknown) =>
      state.fails ? Promise.reject(new Error('no')) : work();
    const gate = new AuditTrail({ audit, submitUpkeep } as unknown as Store, Date.now, () => {});
    const request = { method: 'GET', target: '/users', headers: {}, hosts: [], address: () => '' };
    const context = { request, path: '/users', right: 'read user', id: 0, search: '', caller: undefined };
    const record = (status: number, body?: Chunks) => {
      const asked = { ...context, right: body ? 'read changes' : context.right };
      const response = { status, headers: {}, ...(body && { body }) };
      return gate.recorded(asked as unknown as Parameters<AuditTrail['recorded']>[0], response).body;
    };
    return { gate, written, statuses, state, record };
  }

  afterEach(() => void vi.useRealTimers());

  test('is written at once when much waits, and twice a second otherwise', async () => {
    vi.useFakeTimers();
    const { written, record } = trail();
    for (let i = 0; i < 5_000; i++) record(200);
    await vi.advanceTimersByTimeAsync(0);
    expect(written).toEqual([5_000]);
    record(200);
    await vi.advanceTimersByTimeAsync(499);
    expect(written).toEqual([5_000]);
    await vi.advanceTimersByTimeAsync(1);
    expect(written).toEqual([5_000, 1]);
  });

  test('that could not be written is tried again by itself', async () => {
    vi.useFakeTimers();
    const { written, record, state } = trail();
    state.fails = true;
    record(200);
    await vi.advanceTimersByTimeAsync(500);
    state.fails = false;
    await vi.advanceTimersByTimeAsync(500);
    expect(written).toEqual([1]);
  });

  test('that could not be written keeps its order', async () => {
    const { gate, statuses, record, state } = trail();
    state.fails = true;
    record(200);
    const failed = gate.flush();
    await Promise.resolve();
    // While the one before is being written.
    record(404);
    await failed;
    state.fails = false;
    await gate.flush();
    expect(statuses).toEqual([200, 404]);
  });

  test('is full no longer once all of it is written', async () => {
    const { gate, record, state } = trail();
    state.fails = true;
    for (let i = 0; i < 10_000; i++) record(200);
    await gate.flush();
    expect(gate.isFull).toBe(true);
    state.fails = false;
    await gate.flush();
    expect(gate.isFull).toBe(false);
  });

  test('has a change before it is sent: the reader may leave with it', async () => {
    const { gate, written, record } = trail();
    const chunks = (function* () {
      yield { text: '', disclosed: [{ record: 'log', first: 1, last: 1, count: 1 }] } as const;
    })();
    const sent = record(200, chunks) as Chunks;
    await sent.next();
    await sent.return(undefined);
    await gate.flush();
    expect(written).toEqual([1]);
  });

  test('has what was refused as busy, but no rate limit', async () => {
    const { gate, written, record } = trail();
    for (const status of [503, 429]) record(status);
    await gate.flush();
    expect(written).toEqual([1]);
  });
});

test('without authentication there is none', async () => {
  const { url, store, server } = await freshServer();
  await fetch(`${url}/users`);
  await server.stop();
  expect(store.audit.list({ limit: 10 })).toEqual([]);
});

test('sciatica audit shows it, all that was answered before a stop', async () => {
  const { url, store, server } = await freshServer({ auth: { burst: 9, perSecond: 9 } });
  const { token } = store.tokens.create({ name: 'boss', role: 'admin', users: null, lifetime: null });
  expect((await run(['audit'], { db: store.path })).stderr).toContain('Nobody asked');
  await fetch(`${url}/users/1`, { headers: { authorization: `Bearer ${token}` } });
  await fetch(`${url}/users`);
  await server.stop();
  const { stdout } = await run(['audit'], { db: store.path });
  expect(stdout.split('\n')).toEqual([
    'at\ttoken\twho\tmethod\troute\trecord\tuserId\tfirst\tlast\tcount\tstatus\taddress',
    expect.stringMatching(/\t\t\tGET\t\/users\tuser\t\t\t\t0\t401\t127\.0\.0\.1$/),
    expect.stringMatching(/\t1\tboss\tGET\t\/users\/\{id\}\tuser\t1\t1\t1\t1\t200\t127\.0\.0\.1$/),
    '',
  ]);
  const wide = await run(['audit'], { db: store.path, columns: 120 });
  expect(wide.stdout).toMatch(/nobody .*GET \/users .* 401 .*127\.0\.0\.1/);
  expect(wide.stdout).toMatch(/boss .*GET \/users\/\{id\} .*user 1 .* 200 .*127\.0\.0\.1/);
  const narrow = await run(['audit'], { db: store.path, columns: 40 });
  expect(narrow.stdout).toMatch(/^When \(UTC\) .*\nWho +nobody\nWhat +GET \/users\n/);
  const json = await run(['audit', '--json', '--user', '1', '--limit', '1'], { db: store.path });
  expect(JSON.parse(json.stdout)).toMatchObject([{ who: 'boss', userId: 1, status: 200 }]);
  expect((await run(['audit', '--since', 'soon'], { db: store.path })).code).toBe(2);
});
