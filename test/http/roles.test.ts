import { describe, expect, test } from 'vitest';
import { kindOf, ownedKindNames } from '../../src/domain/kinds.ts';
import type { GateOptions } from '../../src/http/guard/gate.ts';
import { routes } from '../../src/http/routes/index.ts';
import type { HttpRequest } from '../../src/http/wire/message.ts';
import { writeParcel } from '../../src/store/reconcile/parcel.ts';
import type { Records } from '../../src/store/records/records.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';
import { exampleOf } from '../samples.ts';
import { freshStore } from '../store/helpers.ts';
import { type Answer, deleteForRestore, freshGate, guardedApp, nora, stretch, withNora } from './helpers.ts';

/** User 1 with log 1 is the caller's own, user 2 with log 2 somebody else's, and there is nothing with id 9. */
const tokens = {
  nobody: undefined,
  patient: { role: 'patient', users: [1] },
  provider: { role: 'provider', users: [1] },
  'provider of all': { role: 'provider', users: null },
  admin: { role: 'admin', users: null },
} as const;

type Who = keyof typeof tokens;

const whos = Object.keys(tokens) as Who[];

/** The kinds with a collection of their own, but for logs; of each a record, and another that may be beside it. */
const collections = ownedKindNames
  .filter((kind) => kindOf(kind).place === 'collection' && kind !== 'log')
  .map((kind) => {
    const { path, fields } = kindOf(kind);
    const { id: _, ...record } = exampleOf(fields) as Record<string, unknown>;
    const other = { ...record, ...(kind === 'trial' ? { state: 'finished' } : { date: '2026-02-01' }) };
    return { kind, path, record, other };
  });

/** What each gets of such a kind: as of logs. */
const decidedOf = (path: string): typeof decided =>
  Object.fromEntries(
    Object.entries(decided)
      .filter(([route]) => route.includes('/userExerciseLogs'))
      .map(([route, statuses]) => [route.replace('/userExerciseLogs', path), statuses]),
  );

/** What each gets, in the order of `tokens`, about the own record, another's and a missing one. */
const decided: Record<string, readonly [string, string, string, string, string]> = {
  'GET /users': ['401', '200', '200', '200', '200'],
  'POST /users': ['401', '403', '403', '403', '201'],
  'GET /users/{id}': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'PUT /users/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'PATCH /users/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'DELETE /users/{id}': ['401', '403', '403', '403', '200 200 404'],
  'POST /users/{id}/restore': ['401', '403', '403', '403', '201 201 404'],
  'GET /overviews': ['401', '200', '200', '200', '200'],
  'GET /users/{id}/history': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/exercises': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/summary': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/compare': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/report': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/userExerciseLogs': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /userExerciseLogs': ['401', '200', '200', '200', '200'],
  'POST /userExerciseLogs': ['401', '201 400 400', '403', '403', '201 201 400'],
  'GET /userExerciseLogs/{id}': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'PUT /userExerciseLogs/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'PATCH /userExerciseLogs/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'DELETE /userExerciseLogs/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'POST /userExerciseLogs/{id}/restore': ['401', '201 404 404', '403', '403', '201 201 404'],
  'GET /userExerciseLogs/{id}/history': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'GET /users/{id}/routines': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'POST /users/{id}/routines': ['401', '201 404 404', '403', '403', '201 201 404'],
  'PUT /users/{id}/goal': ['401', '200 404 404', '403', '403', '200 200 404'],
  'GET /users/{id}/goal': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'PATCH /users/{id}/goal': ['401', '200 404 404', '403', '403', '200 200 404'],
  'DELETE /users/{id}/goal': ['401', '200 404 404', '403', '403', '200 200 404'],
  'GET /routines/{id}': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
  'PUT /routines/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'PATCH /routines/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'DELETE /routines/{id}': ['401', '200 404 404', '403', '403', '200 200 404'],
  'POST /routines/{id}/restore': ['401', '201 404 404', '403', '403', '201 201 404'],
  'GET /changes': ['401', '200', '200', '200', '200'],
  'POST /undo': ['401', '200 404 404', '403', '403', '200 200 404'],
  'POST /batch': ['401', '200 404 404', '403', '403', '200 200 404'],
  'POST /exchange': ['401', '200', '200', '200', '200'],
  'GET /me': ['401', '200', '200', '200', '200'],
  'POST /me/token': ['401', '201', '201', '201', '201'],
  'DELETE /me/token': ['401', '200', '200', '200', '200'],
  // Nothing is there unless a code is open: test/http/pairing.test.ts.
  'POST /pair': ['404', '404', '404', '404', '404'],
  'GET /health': ['200', '200', '200', '200', '200'],
  'GET /openapi.json': ['200', '200', '200', '200', '200'],
  'GET /': ['302', '302', '302', '302', '302'],
  'GET /docs': ['200', '200', '200', '200', '200'],
};

const decidedAll: typeof decided = {
  ...decided,
  ...Object.assign({}, ...collections.map(({ path }) => decidedOf(path))),
  'GET /trials/{id}/status': ['401', '200 404 404', '200 404 404', '200 200 404', '200 200 404'],
};

const cases = routes.map(({ method, path }) => ({ method, path, route: `${method} ${path}` }));

/** By whom they are sent. */
const headers = {} as Record<Who, Record<string, string>>;

/** Everything of both users, and a token of each. */
function fill(store: Store): void {
  withNora(store);
  store.users.create({ ...nora, firstName: 'Ole' });
  store.logs.create({ ...stretch, userId: 2 });
  for (const userId of [1, 2]) {
    store.goals.create({ userId, sessionsPerWeek: 4 });
    store.routines.create({ ...morning, userId });
    for (const { kind, record } of collections)
      (store.of(kind) as Records<'log'>).create({ ...record, userId } as never);
  }
  for (const who of whos) {
    const token = tokens[who];
    const made = token && store.tokens.create({ name: who, ...token, lifetime: null });
    headers[who] = made ? { authorization: `Bearer ${made.token}` } : {};
  }
}

/** The service behind the gate, and a way to call it as somebody. */
function behindGate(options: GateOptions = {}) {
  const { store, call, errors } = guardedApp({ ...options, fill });
  const as = (who: Who, method: string, target: string, body?: unknown) =>
    call(method, target, { headers: headers[who], ...(body !== undefined && { body }) });
  return { store, as, call, errors };
}

/** What is sent about a user. */
function bodyFor(route: string, id: number): unknown {
  // The change that created the log of the user; none has the number 99.
  if (route === 'POST /undo') return { change: { 1: 2, 2: 4 }[id] ?? 99 };
  if (['POST /users/{id}/restore', 'POST /me/token'].includes(route)) return undefined;
  if (route.endsWith('s/{id}/restore')) return {};
  if (route === 'POST /exchange') return { parcel: NOTHING, have: null, wants: true };
  if (route === 'POST /batch')
    return { requests: [{ method: 'PATCH', url: `/userExerciseLogs/${id}`, body: { painAfter: 2 } }] };
  if (route === 'PATCH /users/{id}/goal') return { sessionsPerWeek: 5 };
  const changes = {
    '/userExerciseLogs': { painAfter: 2 },
    '/users': { painLevel: 3 },
    '/routines': { name: 'evening' },
  } as Record<string, object>;
  if (route.startsWith('PATCH')) return changes[/\/\w+/.exec(route)?.[0] ?? ''] ?? {};
  if (route === 'POST /userExerciseLogs') return { ...stretch, userId: id };
  if (route.startsWith('PUT /userExerciseLogs')) return { ...stretch, userId: id === 9 ? 1 : id };
  if (route === 'POST /users/{id}/routines') return { ...morning, name: 'evening' };
  if (route === 'PUT /routines/{id}') return { ...morning, userId: id === 9 ? 1 : id };
  if (route === 'PUT /users/{id}/goal') return { sessionsPerWeek: 5 };
  const own = collections.find(({ path }) => new RegExp(`^(POST|PUT|PATCH) ${path}(/|$)`).test(route));
  if (own && route.startsWith('PUT')) return { ...own.record, userId: id === 9 ? 1 : id };
  if (own && route.startsWith('POST')) return { ...own.other, userId: id };
  return /^(POST|PUT)/.test(route) ? nora : undefined;
}

const BEGINNING = { seq: 0, uid: 0, rev: 0 };

/** A parcel without a record. */
const NOTHING = writeParcel(
  {
    database: '0f6e2a52-95c4-4d39-a5a4-6d2c3a1f7b10',
    format: migrations.length,
    from: BEGINNING,
    to: BEGINNING,
    isLast: true,
    erased: [],
    view: null,
    states: [],
  },
  new Map(),
);

const morning = {
  name: 'morning',
  exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }],
};

/** An answer without what the caller said. */
const sameAs = ({ status, text, headers }: Answer, id: number) => ({
  status,
  text: text.replaceAll(` ${id}.`, ' ID.').replace(/change \d+/, 'change N'),
  headers: Object.keys(headers).sort(),
});

test('every route is decided, and none that is not there', () => {
  expect(Object.keys(decidedAll).sort()).toEqual(cases.map(({ route }) => route).sort());
});

describe.each(whos)('%s', (who) => {
  test.each(cases)('$route', async ({ method, path, route }) => {
    const answers: Answer[] = [];
    for (const id of [1, 2, 9]) {
      const { store, as, errors } = behindGate();
      const target = path.replace('{id}', String(id));
      deleteForRestore(store, target);
      answers.push(await as(who, method, target, bodyFor(route, id)));
      expect(errors).toEqual([]);
    }
    const statuses = answers.map(({ status }) => String(status));
    const wanted = decidedAll[route]?.[whos.indexOf(who)] ?? '';
    expect(new Set(statuses).size === 1 ? statuses[0] : statuses.join(' ')).toBe(wanted);
    const [, other, missing] = answers as [Answer, Answer, Answer];
    if (other.status >= 400) expect(sameAs(other, 2)).toEqual(sameAs(missing, 9));
  });

  test('HEAD is as GET', async () => {
    const { as } = behindGate();
    for (const target of ['/users', '/users/1', '/users/2', '/userExerciseLogs/2'])
      expect((await as(who, 'HEAD', target)).status).toBe((await as(who, 'GET', target)).status);
  });
});

describe.each(['patient', 'provider'] as const)('a %s', (who) => {
  test.each([
    ['/users', [1]],
    ['/users?sort=-id', [1]],
    ['/userExerciseLogs', [1]],
    ['/userExerciseLogs?sort=-date', [1]],
    ['/userExerciseLogs?userId=2', []],
    ['/userExerciseLogs?userId=9', []],
    ['/userExerciseLogs?userId=1&userId=2', [1]],
    ['/userExerciseLogs?id=1&id=2', [1]],
    ['/userExerciseLogs?userId_ne=1', []],
    ['/userExerciseLogs?id_gte=0', [1]],
    ['/userExerciseLogs?q=e', [1]],
    ['/userExerciseLogs?notes_like=sets', [1]],
    ['/users?id=1&id=2', [1]],
    ['/users?firstName_like=o', [1]],
    ['/users?id_ne=1', []],
  ])('sees in %s only %j', async (target, ids) => {
    const { as } = behindGate();
    expect((await as(who, 'GET', target)).body).toMatchObject(ids.map((id) => ({ id })));
    const page = await as(who, 'GET', `${target}${target.includes('?') ? '&' : '?'}limit=1`);
    expect(page.headers['x-total-count']).toBe(String(ids.length));
    expect(page.headers['link']).toBeUndefined();
  });

  test('sees in /overviews only the own', async () => {
    const { as } = behindGate();
    const { body, text } = await as(who, 'GET', '/overviews');
    expect(body).toMatchObject([{ id: 1, firstName: nora.firstName }]);
    expect([(body as []).length, text.includes('Ole')]).toEqual([1, false]);
  });

  test('sees in a long list only the own', async () => {
    const { as, store } = behindGate();
    store.change(() => {
      for (let i = 0; i < 600; i++) store.logs.create({ ...stretch, userId: (i % 2) + 1 });
    });
    for (const sort of ['id', '-painAfter,id']) {
      const { body } = await as(who, 'GET', `/userExerciseLogs?sort=${sort}`);
      const owners = (body as { userId: number }[]).map(({ userId }) => userId);
      expect(owners).toHaveLength(301);
      expect(new Set(owners)).toEqual(new Set([1]));
    }
  });
});

test('a provider of several sees each of them', async () => {
  const { call, store } = behindGate();
  store.users.create(nora);
  const { token } = store.tokens.create({ name: 'few', role: 'provider', users: [2, 3], lifetime: null });
  const headers = { authorization: `Bearer ${token}` };
  expect((await call('GET', '/users', { headers })).body).toMatchObject([{ id: 2 }, { id: 3 }]);
  expect((await call('GET', '/userExerciseLogs', { headers })).body).toMatchObject([{ id: 2 }]);
  expect((await call('GET', '/users/1/summary', { headers })).status).toBe(404);
});

test('a provider of nobody sees nobody', async () => {
  const { call, store } = behindGate();
  const { token } = store.tokens.create({ name: 'none', role: 'provider', users: [], lifetime: null });
  const headers = { authorization: `Bearer ${token}` };
  for (const path of ['/users', '/userExerciseLogs', '/overviews', '/changes'])
    expect((await call('GET', path, { headers })).body, path).toEqual([]);
  expect((await call('GET', '/users/1', { headers })).status).toBe(404);
});

test.each(['PUT', 'PATCH'])('a patient cannot move a log to somebody by %s', async (method) => {
  const { as, store } = behindGate();
  const move = (userId: number) =>
    as('patient', method, '/userExerciseLogs/1', method === 'PUT' ? { ...stretch, userId } : { userId });
  const [other, missing] = [await move(2), await move(9)];
  expect(other.status).toBe(400);
  expect(other).toEqual(missing);
  expect(store.logs.get(1).userId).toBe(1);
});

describe.each(['patient', 'provider'] as const)('a %s', (who) => {
  test.each(['_page=1', '_limit=5', '_start=0&_end=9', 'fields=id', '_sort=id&_order=desc&_page=1&_limit=1'])(
    'sees in %s nobody else',
    async (search) => {
      const { as } = behindGate();
      const { body, headers } = await as(who, 'GET', `/userExerciseLogs?${search}`);
      expect(body).toMatchObject([{ id: 1 }]);
      expect(headers['x-total-count'] ?? '1').toBe('1');
    },
  );
});

test('a change bears the name of its token', async () => {
  const { as, store } = behindGate();
  await as('patient', 'PATCH', '/users/1', { painLevel: 3 });
  expect(store.history.list({ limit: 1 })).toMatchObject([{ source: 'api', caller: 'patient', id: 1 }]);
});

test('tokens of the same users each bear their own name', async () => {
  const { call, store } = behindGate();
  for (const name of ['phone', 'tablet']) {
    const { token } = store.tokens.create({ name, role: 'patient', users: [1], lifetime: null });
    await call('PATCH', '/users/1', {
      headers: { authorization: `Bearer ${token}` },
      body: { painLevel: name.length },
    });
  }
  expect(store.history.list({ limit: 2 }).map(({ caller }) => caller)).toEqual(['tablet', 'phone']);
});

describe('a token', () => {
  const basic = (password: string, user = 'nora') =>
    `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

  test.each<[string, (token: string) => string | undefined, 'valid' | 'invalid' | 'none']>([
    ['as a bearer', (token) => `Bearer ${token}`, 'valid'],
    ['in lower case', (token) => `bearer ${token}`, 'valid'],
    ['as a password', (token) => basic(token), 'valid'],
    ['as a password of nobody', (token) => basic(token, ''), 'valid'],
    ['behind a colon of the password', (token) => basic(`x:${token}`), 'invalid'],
    ['as a password of no character', () => basic(''), 'none'],
    ['as a user name', (token) => basic('', token), 'none'],
    ['alone', (token) => token, 'none'],
    ['in another scheme', (token) => `Digest ${token}`, 'none'],
    ['with more after it', (token) => `Bearer ${token}x`, 'invalid'],
    ['cut short', (token) => `Bearer ${token.slice(0, -1)}`, 'invalid'],
    ['not at all', () => undefined, 'none'],
    ['empty', () => 'Bearer ', 'none'],
    ['in Basic that is no pair', (token) => `Basic ${Buffer.from(token).toString('base64')}`, 'none'],
    ['behind an endless user name', (token) => basic(token, 'x'.repeat(1_000)), 'none'],
    ['endless', () => `Bearer ${'x'.repeat(10_000)}`, 'none'],
  ])('%s', async (_, headerOf, seen) => {
    const { call } = behindGate();
    const header = headerOf(headers.admin['authorization']?.slice('Bearer '.length) ?? '');
    const answer = await call('GET', '/users', {
      headers: header === undefined ? {} : { authorization: header },
    });
    expect(answer.status).toBe(seen === 'valid' ? 200 : 401);
    const error = seen === 'none' ? '' : ', error="invalid_token"';
    const challenge = `Bearer realm="sciatica"${error}, Basic realm="sciatica", charset="UTF-8"`;
    expect(answer.headers['www-authenticate']).toBe(seen === 'valid' ? undefined : challenge);
  });

  test('that bears the name of one whose user was erased is for its own user', async () => {
    const { call, store } = guardedApp();
    store.users.create({ ...nora, firstName: 'Ole' });
    const read = async (user: number) => {
      const { token } = store.tokens.create({
        name: 'phone',
        role: 'patient',
        users: [user],
        lifetime: null,
      });
      const { body } = await call('GET', '/users', { headers: { authorization: `Bearer ${token}` } });
      return (body as { id: number }[]).map(({ id }) => id);
    };
    expect(await read(1)).toEqual([1]);
    store.erase(1);
    expect(await read(2)).toEqual([2]);
  });

  test('has the moment of its last use to the minute, over a restart too', async () => {
    let now = Date.parse('2026-03-02T12:00:00Z');
    const { store } = behindGate({ now: () => now });
    const { id, token } = store.tokens.create({ name: 'phone', role: 'admin', users: null, lifetime: null });
    const request = {
      headers: { authorization: `Bearer ${token}` },
      address: () => '',
    } as unknown as HttpRequest;
    const use = async () => {
      // As after a restart.
      const gate = freshGate(
        freshStore(store.path, () => now),
        { now: () => now },
      );
      gate.admit(request, { right: 'read user' });
      // What was submitted is written in the next turns of the event loop.
      for (let i = 0; i < 5; i++) await new Promise(setImmediate);
      return store.tokens.get(id).lastUsedAt;
    };
    const first = now;
    expect(await use()).toBe(first);
    now += 59_999;
    expect(await use()).toBe(first);
    now += 1;
    expect(await use()).toBe(now);
  });

  test('that was taken back is refused at once', async () => {
    const { as, store } = behindGate();
    expect((await as('patient', 'GET', '/users/1')).status).toBe(200);
    store.tokens.revoke('patient');
    expect((await as('patient', 'GET', '/users/1')).status).toBe(401);
  });

  test('expires', async () => {
    let now = Date.now();
    const { call, store } = behindGate({ now: () => now });
    const { token } = store.tokens.create({ name: 'short', role: 'admin', users: null, lifetime: 60_000 });
    const get = () => call('GET', '/users', { headers: { authorization: `Bearer ${token}` } });
    expect((await get()).status).toBe(200);
    now += 61_000;
    expect((await get()).status).toBe(401);
  });

  test('notes its last use, once a minute', async () => {
    let now = Date.now();
    const { as, store } = behindGate({ now: () => now });
    const used = () => store.tokens.list().find(({ name }) => name === 'patient')?.lastUsedAt;
    let writes = 0;
    const touch = store.tokens.touch.bind(store.tokens);
    store.tokens.touch = (id) => {
      writes++;
      touch(id);
    };
    expect(used()).toBeNull();
    for (let i = 0; i < 5; i++) await as('patient', 'GET', '/users/1');
    await expect.poll(used).toBeGreaterThan(0);
    expect(writes).toBe(1);
    now += 61_000;
    await as('patient', 'GET', '/users/1');
    await expect.poll(() => writes).toBe(2);
  });

  test('notes a use again that could not be written', async () => {
    const { as, store } = behindGate();
    const touch = store.tokens.touch.bind(store.tokens);
    const used = () => store.tokens.list().find(({ name }) => name === 'patient')?.lastUsedAt;
    let isFull = true;
    let tries = 0;
    store.tokens.touch = (...use) => {
      tries++;
      if (isFull) throw new Error('The disk is full.');
      touch(...use);
    };
    await as('patient', 'GET', '/users/1');
    await expect.poll(() => tries).toBeGreaterThan(0);
    await store.submitUpkeep(() => {});
    expect(used()).toBeNull();
    isFull = false;
    await as('patient', 'GET', '/users/1');
    await expect.poll(used).toBeGreaterThan(0);
  });

  test('of nobody who is still there opens nothing', async () => {
    const { as, store } = behindGate();
    store.users.delete(1);
    expect((await as('patient', 'GET', '/users')).body).toEqual([]);
    expect((await as('patient', 'GET', '/users/2')).status).toBe(404);
  });
});

test('OPTIONS needs no token: browsers ask without', async () => {
  const { as } = behindGate();
  expect((await as('nobody', 'OPTIONS', '/users')).status).toBe(204);
});

test("the history of a log that was somebody else's begins where it became the own one", async () => {
  const { store, as } = behindGate();
  store.logs.update(2, { notes: 'private' });
  store.logs.update(2, { userId: 1 });
  store.logs.update(2, { painAfter: 1 });
  const own = await as('patient', 'GET', '/userExerciseLogs/2/history');
  expect(own.body).toMatchObject([
    { action: 'create', before: null, after: { userId: 1 } },
    { action: 'update', before: { userId: 1 }, after: { painAfter: 1 } },
  ]);
  expect(own.body).toHaveLength(2);
  expect((await as('admin', 'GET', '/userExerciseLogs/2/history')).body).toHaveLength(4);
});
