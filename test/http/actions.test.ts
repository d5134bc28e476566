import { hostname } from 'node:os';
import { describe, expect, test, vi } from 'vitest';
import { MOST_AT_ONCE } from '../../src/domain/schema.ts';
import { START } from '../../src/store/reconcile/collect.ts';
import { dbOf, freshStore } from '../store/helpers.ts';
import { freshApp, freshServer, guardedApp, nora, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';

/** Behind the gate: user 1 with log 1, user 2 with log 2, and a way to call with a new token. */
function guarded() {
  const { store, call, gate } = guardedApp();
  store.users.create({ ...nora, firstName: 'Ole' });
  store.logs.create({ ...stretch, userId: 2 });
  let count = 0;
  const as = (role: 'patient' | 'provider' | 'admin', users: number[] | null) => {
    const { token } = store.tokens.create({
      name: `token ${count++}`.replace(/^t/, 'T'),
      role,
      users,
      lifetime: null,
    });
    const authorization = `Bearer ${token}`;
    return (method: string, target: string, body?: unknown, headers = {}) =>
      call(method, target, { headers: { authorization, ...headers }, ...(body !== undefined && { body }) });
  };
  return { store, as, gate };
}

describe('the logs of a user', () => {
  test('are a list as any other', async () => {
    const { store, call } = freshApp();
    store.users.create(nora);
    for (const userId of [2, 1, 2]) store.logs.create({ ...stretch, userId });
    expect((await call('GET', '/users/2/userExerciseLogs')).body).toMatchObject([{ id: 2 }, { id: 4 }]);
    // The path says whose they are.
    expect((await call('GET', '/users/2/userExerciseLogs?userId=1')).status).toBe(400);
    const page = await call('GET', '/users/2/userExerciseLogs?_page=1&_limit=1');
    expect(page.headers).toMatchObject({ 'x-total-count': '2' });
    expect(page.headers['link']).toContain('/users/2/userExerciseLogs?_page=2&_limit=1>; rel="next"');
    const first = await call('GET', '/users/2/userExerciseLogs?limit=1');
    const next = /^<([^>]+)>/.exec(first.headers['link'] ?? '')?.[1] ?? '';
    expect((await call('GET', next)).body).toMatchObject([{ id: 4 }]);
    expect((await call('GET', '/users/9/userExerciseLogs')).status).toBe(404);
    expect((await call('GET', '/users/2/userExerciseLogs?mood=1')).status).toBe(400);
  });

  test('are in the audit as logs of that user', async () => {
    const { as, store, gate } = guarded();
    await as('admin', null)('GET', '/users/2/userExerciseLogs');
    await gate.audit.flush();
    const [entry] = store.audit.list({ limit: 1 });
    expect(entry).toMatchObject({ record: 'log', userId: 2, first: 2, last: 2, count: 1 });
  });
});

describe('me', () => {
  test('is the token', async () => {
    const { as, store } = guarded();
    expect((await as('patient', [2])('GET', '/me')).body).toEqual({
      authentication: true,
      name: 'Token 0',
      role: 'patient',
      users: [2],
      createdAt: expect.stringMatching(/^\d{4}-/),
      expiresAt: null,
      database: store.id,
      machine: hostname(),
    });
  });

  test('says when it ends', async () => {
    const { call, store } = guardedApp();
    const made = store.tokens.create({ name: 'short', role: 'admin', users: null, lifetime: 60_000 });
    const { body } = await call('GET', '/me', { headers: { authorization: `Bearer ${made.token}` } });
    expect(body).toMatchObject({ users: null, expiresAt: new Date(made.expiresAt ?? 0).toISOString() });
  });

  test('is nobody where all is open', async () => {
    const { call, store } = freshApp();
    const nobody = { authentication: false, name: null, role: null, users: null };
    const service = { createdAt: null, expiresAt: null, database: store.id, machine: hostname() };
    expect((await call('GET', '/me')).body).toEqual({ ...nobody, ...service });
  });
});

describe('compare', () => {
  test('is what the command line gives', async () => {
    const { call, store } = freshApp();
    for (let day = 10; day < 28; day++)
      store.logs.create({ ...stretch, date: `2026-03-${day}`, painAfter: (day % 5) + 1 });
    const { status, body } = await call('GET', '/users/1/compare?since=2026-03-20&until=2026-03-27');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      first: { since: '2026-03-12', until: '2026-03-19', sessions: 8 },
      second: { since: '2026-03-20', until: '2026-03-27', sessions: 8 },
      meanChange: { difference: expect.any(Number) },
    });
    expect((await call('GET', '/users/1/compare?before=2026-03-20')).body).toMatchObject({
      second: { sessions: 8 },
    });
    for (const [search, field] of [
      ['before=2026-03-20&since=2026-03-01', 'before'],
      ['since=2026-03-20&until=2026-03-01', 'since'],
      ['since=x', 'since'],
    ])
      expect((await call('GET', `/users/1/compare?${search}`)).body).toMatchObject({ errors: [{ field }] });
  });
});

describe('undo', () => {
  test('takes a change back, in the name of the token', async () => {
    const { as, store } = guarded();
    const me = as('patient', [1]);
    await me('PATCH', `${logs}/1`, { painAfter: 9 });
    const { status, body } = await me('POST', '/undo', { change: 5 });
    expect([status, body]).toEqual([200, { undoes: 5, entries: 1, since: 5 }]);
    expect(store.logs.get(1).painAfter).toBe(stretch.painAfter);
    const { body: entries } = await me('GET', '/changes?since=5');
    expect(entries).toMatchObject([
      { source: 'undo', undoes: 5, caller: 'Token 0', after: { painAfter: 4 } },
    ]);
  });

  test('brings back what was deleted, and only with the right to create it', async () => {
    const { as, store } = guarded();
    const patient = as('patient', [1]);
    store.users.delete(1);
    expect((await patient('POST', '/undo', { change: 5 })).status).toBe(404);
    expect((await as('admin', null)('POST', '/undo', { change: 5 })).status).toBe(200);
    expect([store.users.has(1), store.logs.has(1)]).toEqual([true, true]);
  });

  test('brings back what the caller deleted', async () => {
    const { as, store } = guarded();
    const me = as('patient', [1]);
    const before = store.logs.get(1);
    await me('DELETE', `${logs}/1`);
    expect((await me('POST', '/undo', { change: 5 })).status).toBe(200);
    expect(store.logs.get(1)).toEqual(before);
  });

  test('of a change that is also about others is not there', async () => {
    const { as, store } = guarded();
    store.change(() => {
      store.logs.update(1, { painAfter: 9 });
      store.logs.update(2, { painAfter: 9 });
    });
    store.logs.update(2, { userId: 1 });
    for (const change of [5, 6])
      expect((await as('patient', [1])('POST', '/undo', { change })).status).toBe(404);
    expect(store.logs.get(1).painAfter).toBe(9);
  });

  test('of a change that another machine has by now asks for a yes', async () => {
    const { as, store } = guarded();
    const [me, other] = [as('patient', [1]), freshStore()];
    await me('PATCH', `${logs}/1`, { painAfter: 9 });
    const replication = await other.replication();
    const parcel = replication.nothing(replication.collector(), START).text;
    const beginning = { seq: 0, uid: 0, rev: 0 };
    const { body } = await me('POST', '/exchange', { parcel, have: beginning, wants: true });
    const have = replication.read((body as { parcel: string }).parcel).to;
    await me('POST', '/exchange', { parcel, have, wants: true });
    const refused = await me('POST', '/undo', { change: 5 });
    expect([refused.status, store.logs.get(1).painAfter]).toEqual([409, 9]);
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('?everywhere=true') });
    // Not who has it.
    expect(refused.text).not.toContain('Token');
    expect((await me('POST', '/undo?everywhere=false', { change: 5 })).status).toBe(409);
    expect((await me('POST', '/undo?everywhere=perhaps', { change: 5 })).status).toBe(400);
    for (const query of ['', '?everywhere=true'])
      expect((await as('patient', [2])('POST', `/undo${query}`, { change: 5 })).status).toBe(404);
    expect((await me('POST', '/undo?everywhere=true', { change: 5 })).status).toBe(200);
    expect(store.logs.get(1).painAfter).toBe(stretch.painAfter);
    const undo = store.history.undoOf(5);
    for (const query of ['', '?everywhere=true'])
      expect((await me('POST', `/undo${query}`, { change: 5 })).body).toMatchObject({
        status: 409,
        detail: `Change 5 was undone by change ${undo} already. To have it back: sciatica undo ${undo}`,
      });
    // What was made since is known here only.
    await me('PATCH', `${logs}/1`, { painAfter: 8 });
    for (const query of ['', '?everywhere=true']) {
      const inTheWay = await me('POST', `/undo${query}`, { change: undo });
      expect(inTheWay.body).toMatchObject({ status: 409, detail: expect.stringContaining('changed again') });
      expect(inTheWay.text).not.toMatch(/everywhere|sciatica undo/);
    }
    expect(store.logs.get(1).painAfter).toBe(8);
    const change = Math.max(...store.history.list().map((entry) => entry.change));
    expect((await me('POST', '/undo', { change })).status).toBe(200);
  });

  test.each([
    [{}, 400],
    [{ change: 'x' }, 400],
    [[], 400],
    [null, 400],
    [{ change: 1, more: 1 }, 400],
    [{ change: 99 }, 404],
    [{ change: 1 }, 409],
  ])('%j is %i', async (body, status) => {
    const { call, store } = freshApp();
    expect((await call('POST', '/undo', { body })).status).toBe(status);
    expect(store.history.last()).toBe(2);
  });
});

describe('a batch', () => {
  const patch = (id: number, body: object, headers?: object) => ({
    ...{ method: 'PATCH', url: `${logs}/${id}`, body },
    ...(headers && { headers }),
  });

  test('does all, in order, as one change', async () => {
    const { call, store } = freshApp();
    const { status, body } = await call('POST', '/batch', {
      body: {
        requests: [
          { method: 'POST', url: logs, body: { ...stretch, notes: 'new' } },
          patch(2, { painAfter: 1 }),
          { method: 'PUT', url: '/users/1', body: { ...nora, age: 50 } },
          // As some write a body that is not there.
          { method: 'DELETE', url: `${logs}/1`, body: null },
        ],
      },
    });
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        status: 201,
        headers: { location: `${logs}/2`, etag: expect.any(String) },
        body: { id: 2, ...stretch, notes: 'new' },
      },
      { status: 200, headers: { etag: expect.any(String) }, body: store.logs.get(2) },
      { status: 200, headers: { etag: expect.any(String) }, body: store.users.get(1) },
      { status: 200, headers: {}, body: {} },
    ]);
    expect(
      new Set(
        store.history
          .list({ limit: 9 })
          .slice(0, 4)
          .map(({ change }) => change),
      ),
    ).toEqual(new Set([3]));
    expect((await call('GET', `${logs}/2`)).headers['etag']).toBe(
      (body as { headers: { etag: string } }[])[1]?.headers.etag,
    );
  });

  test.each<[string, object, number, object]>([
    [
      'an invalid field',
      patch(1, { painAfter: 11 }),
      400,
      { errors: [{ field: 'painAfter', code: 'out-of-range' }] },
    ],
    ['a missing record', patch(9, { painAfter: 1 }), 404, {}],
    ['a missing user', { method: 'POST', url: logs, body: { ...stretch, userId: 9 } }, 400, {}],
    ['a stale record', patch(1, { painAfter: 1 }, { 'If-Match': '"x"' }), 412, {}],
    ['an array', { method: 'POST', url: logs, body: [stretch] }, 400, {}],
    ['no body', { method: 'POST', url: logs }, 400, {}],
    ['a body of 64 KiB', patch(1, { notes: 'x'.repeat(65_530) }), 413, {}],
    ['no path', { method: 'POST', url: '/nothing', body: {} }, 404, {}],
    [
      'a path with a typing mistake',
      { method: 'POST', url: '/userExerciseLog', body: {} },
      404,
      { detail: `There is nothing at this path (did you mean ${logs}?).` },
    ],
    ['a method that the path does not take', { method: 'POST', url: `${logs}/1`, body: {} }, 405, {}],
    ['an unknown parameter', { method: 'DELETE', url: `${logs}/1?x=1` }, 400, {}],
  ])('does nothing after %s', async (_, request, status, problem) => {
    const { call, store, errors } = freshApp();
    const sent = {
      requests: [patch(1, { painAfter: 1 }), { method: 'POST', url: '/users', body: nora }, request],
    };
    const answer = await call('POST', '/batch', { body: sent });
    expect(answer).toMatchObject({ status, body: { status, index: 2, ...problem } });
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect([store.history.last(), store.users.count(), errors]).toEqual([2, 1, []]);
  });

  test('says an unforeseen error to who runs the service', async () => {
    const { call, store, errors } = freshApp();
    dbOf(store).exec('ALTER TABLE logs RENAME TO gone');
    const answer = await call('POST', '/batch', { body: { requests: [patch(1, { painAfter: 1 })] } });
    expect([answer.status, errors.length]).toEqual([500, 1]);
  });

  test('is in the audit from its lowest id to its highest, in whatever order', async () => {
    const { call, store, gate } = guardedApp();
    for (let i = 0; i < 2; i++) store.logs.create(stretch);
    const { token } = store.tokens.create({ name: 'boss', role: 'admin', users: null, lifetime: null });
    const requests = [1, 3, 2].map((id) => patch(id, { painAfter: 1 }));
    const headers = { authorization: `Bearer ${token}` };
    expect((await call('POST', '/batch', { headers, body: { requests } })).status).toBe(200);
    await gate.audit.flush();
    expect(store.audit.list({ limit: 9 })).toMatchObject([{ record: 'log', first: 1, last: 3, count: 3 }]);
  });

  test.each<[string, unknown, string[]]>([
    ['nothing', {}, ['requests']],
    ['an array', [], ['requests']],
    ['no requests', { requests: [] }, ['requests']],
    ['too many', { requests: Array(501).fill(patch(1, {})) }, ['requests']],
    ['more fields', { requests: [patch(1, {})], atomic: true }, ['atomic']],
    ['no objects', { requests: [1, null, []] }, ['requests[0]', 'requests[1]', 'requests[2]']],
    [
      'all faults at once',
      { requests: [{ method: 'GET', url: 'x', headers: { accept: 'x' }, id: 1 }] },
      ['requests[0].id', 'requests[0].method', 'requests[0].url', 'requests[0].headers'],
    ],
    ['a batch in a batch', { requests: [{ method: 'POST', url: '/batch', body: {} }] }, ['requests[0].url']],
    ['an undo', { requests: [{ method: 'POST', url: '/undo', body: {} }] }, ['requests[0].url']],
    [
      'a method that is no text',
      { requests: [{ ...patch(1, {}), method: ['PATCH'] }] },
      ['requests[0].method'],
    ],
    [
      'a DELETE with a body',
      { requests: [{ method: 'DELETE', url: `${logs}/1`, body: {} }] },
      ['requests[0].body'],
    ],
    [
      'a header twice',
      { requests: [patch(1, {}, { 'If-Match': '"x"', 'if-match': '*' })] },
      ['requests[0].headers'],
    ],
    [
      'a header that is no text',
      { requests: [{ ...patch(1, {}), headers: { 'If-Match': 1 } }] },
      ['requests[0].headers'],
    ],
    ['another header', { requests: [patch(1, {}, { authorization: 'Bearer x' })] }, ['requests[0].headers']],
  ])('refuses %s', async (_, body, fields) => {
    const { call, store } = freshApp();
    const answer = await call('POST', '/batch', { body });
    expect(answer.status).toBe(400);
    expect((answer.body as { errors: { field: string }[] }).errors.map(({ field }) => field)).toEqual(fields);
    expect(store.history.last()).toBe(2);
  });

  test('needs for each request the right that it needs alone', async () => {
    const { as, store } = guarded();
    const send = (role: 'patient' | 'provider', ...requests: object[]) =>
      as(role, [1])('POST', '/batch', { requests });
    expect(await send('patient', patch(1, { painAfter: 1 }), patch(2, { painAfter: 1 }))).toMatchObject({
      status: 404,
      body: { index: 1, detail: 'There is no log 2.' },
    });
    const removal = { method: 'DELETE', url: '/users/1' };
    expect(await send('patient', removal)).toMatchObject({ status: 403, body: { index: 0 } });
    expect(await send('provider', patch(1, {}))).toMatchObject({ status: 403, body: { index: 0 } });
    const move = patch(1, { userId: 2 });
    expect(await send('patient', move)).toMatchObject({ status: 400, body: { index: 0 } });
    expect(store.history.last()).toBe(4);
    expect((await send('patient', patch(1, { painAfter: 1 }))).status).toBe(200);
    expect(store.history.list({ limit: 1 })).toMatchObject([{ id: 1, source: 'api' }]);
  });

  test('is in the audit with its records', async () => {
    const { as, store, gate } = guarded();
    const requests = [patch(1, { painAfter: 1 }), patch(2, { painAfter: 1 })];
    await as('admin', null)('POST', '/batch', { requests });
    await gate.audit.flush();
    expect(
      store.audit
        .list({ limit: 9 })
        .map(({ route, record, first, userId }) => [route, record, first, userId]),
    ).toEqual([
      ['/batch', 'log', 2, 2],
      ['/batch', 'log', 1, 1],
    ]);
  });

  test('repeated gets the first answer, from the history', async () => {
    const { call, store } = freshApp();
    const headers = { 'idempotency-key': 'k' };
    const requests = [
      patch(1, {}),
      patch(1, { painAfter: 1 }),
      patch(1, { painAfter: 1 }),
      patch(1, { painAfter: 2, notes: 'x' }),
      { method: 'POST', url: '/users', body: nora },
      { method: 'PUT', url: '/users/2', body: { ...nora, age: 9 } },
      { method: 'PATCH', url: '/users/1', body: {} },
      { method: 'DELETE', url: '/users/2' },
    ];
    const first = await call('POST', '/batch', { headers, body: { requests } });
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([200, undefined]);
    store.users.update(1, { age: 99 });
    store.logs.delete(1);
    const last = store.history.last();
    const again = await call('POST', '/batch', { headers, body: { requests } });
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(store.history.last()).toBe(last);
    expect((await call('POST', '/batch', { headers, body: { requests: [patch(1, {})] } })).status).toBe(422);
  });
});

describe('a batch of routines and goals', () => {
  const routine = {
    name: 'morning',
    exercises: [{ exerciseType: 'stretch', exerciseName: 'Piriformis Stretch' }],
  };
  const requests = [
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 4, userId: 9 } },
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 4 } },
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 5 } },
    // The goal is by now another than when this path was named first, and this changes nothing.
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 5 } },
    { method: 'POST', url: '/users/1/routines', body: routine },
    { method: 'POST', url: '/users/1/routines', body: { ...routine, name: 'evening' } },
    { method: 'PUT', url: '/routines/2', body: { ...routine, userId: 1, name: 'night' } },
    { method: 'DELETE', url: '/routines/1' },
    { method: 'DELETE', url: '/users/1/goal' },
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 6 } },
  ];

  test('does what each would do alone', async () => {
    const [together, apart] = [freshApp(), freshApp()];
    const { body } = await together.call('POST', '/batch', { body: { requests } });
    for (const [i, { method, url, body: sent }] of requests.entries()) {
      const alone = await apart.call(method, url, sent === undefined ? {} : { body: sent });
      const { etag, location } = alone.headers;
      expect((body as object[])[i]).toEqual({
        status: alone.status,
        headers: { ...(location !== undefined && { location }), ...(etag !== undefined && { etag }) },
        body: alone.body,
      });
    }
    expect(together.store.routines.list()).toEqual(apart.store.routines.list());
  });

  test('repeated gets the first answer, from the history', async () => {
    const { call, store } = freshApp();
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    const headers = { 'idempotency-key': 'k' };
    const send = () => call('POST', '/batch', { headers, body: { requests } });
    const first = await send();
    expect(first.status).toBe(200);
    store.goals.delete(store.goals.list()[0]?.id ?? 0);
    store.routines.delete(2);
    expect((await send()).text).toBe(first.text);
  });

  test('needs the rights of each', async () => {
    const { as, store } = guarded();
    for (const one of requests) {
      const answer = await as('provider', [1])('POST', '/batch', { requests: [one] });
      expect(answer).toMatchObject({ status: 403, body: { index: 0 } });
      const url = one.url.replace('/users/1', '/users/2');
      if (url !== one.url)
        expect((await as('patient', [1])('POST', '/batch', { requests: [{ ...one, url }] })).status).toBe(
          404,
        );
    }
    expect(store.history.last()).toBe(4);
    expect((await as('patient', [1])('POST', '/batch', { requests })).status).toBe(200);
  });
});

// Newer versions of V8 write any depth as JSON: then it is refused as no number, or ignored as an id is.
test.each<[string, number[]]>([
  ['painAfter', [400]],
  ['mood', [400]],
  ['id', [400, 200]],
])('a batch with a value of %s that is nested deeply does not fail', async (name, statuses) => {
  const { call } = freshApp();
  const body = JSON.stringify({ requests: [{ method: 'PATCH', url: `${logs}/1`, body: { [name]: 0 } }] });
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
  const { status } = await call('POST', '/batch', { body: body.replace(':0', `:${deep}`) });
  expect(statuses).toContain(status);
});

test('a repeated batch knows a -0 by the 0 that it stored', async () => {
  const { call } = freshApp();
  const body = JSON.stringify({
    requests: [
      { method: 'PATCH', url: '/users/1', body: { age: 44 } },
      { method: 'POST', url: '/users', body: nora },
    ],
  }).replaceAll('44', '-0');
  const send = () => call('POST', '/batch', { headers: { 'idempotency-key': 'k' }, body });
  const first = await send();
  expect([first.status, first.text.split('"age":0,').length]).toEqual([200, 3]);
  expect((await send()).text).toBe(first.text);
});

describe('a batch that changes nothing', () => {
  const headers = { 'idempotency-key': 'k' };
  const requests = [
    { method: 'PATCH', url: `${logs}/1`, body: { painAfter: stretch.painAfter } },
    { method: 'PUT', url: '/users/1/goal', body: { sessionsPerWeek: 4 } },
  ];

  test('is remembered by its key', async () => {
    const { call, store } = freshApp();
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    const send = () => call('POST', '/batch', { headers, body: { requests } });
    const first = await send();
    store.logs.update(1, { painAfter: 9 });
    store.goals.delete(1);
    const last = store.history.last();
    const again = await send();
    expect([again.text, again.headers['idempotency-replayed']]).toEqual([first.text, 'true']);
    expect([store.logs.get(1).painAfter, store.goals.count(), store.history.last()]).toEqual([9, 0, last]);
    store.erase(1);
    expect((await send()).status).toBe(404);
  });

  test('is answered again with one look at each record, however often it names it', async () => {
    const { call, store } = freshApp();
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    const send = () =>
      call('POST', '/batch', { headers, body: { requests: Array(20).fill(requests).flat() } });
    const first = await send();
    store.logs.update(1, { painAfter: 9 });
    store.change(() => {
      for (let i = 0; i < 1_500; i++) store.logs.create(stretch);
    });
    store.goals.delete(1);
    const { history } = store;
    const looks = [vi.spyOn(history, 'list'), vi.spyOn(history, 'after'), vi.spyOn(store, 'historyOf')];
    expect((await send()).text).toBe(first.text);
    expect(looks.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBeLessThan(5);
  });

  test('leaves nothing to undo', async () => {
    const { call, store } = freshApp();
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    await call('POST', '/batch', { headers, body: { requests } });
    expect(store.history.nextUndo()).toBe(3);
    expect((await call('POST', '/undo', { body: { change: 4 } })).status).toBe(404);
  });
});

describe('the size of a body', () => {
  const long = { ...stretch, notes: 'x'.repeat(1500) };

  test.each([
    ['without --auth', undefined],
    ['with --auth', { burst: 100, perSecond: 100 }],
  ])('500 records fit, one of 70 KiB does not, %s', async (_, auth) => {
    const { url, store } = await freshServer({ auth });
    const { token } = store.tokens.create({ name: 'a', role: 'admin', users: null, lifetime: null });
    const send = async (path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
      return (await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })).status;
    };
    expect(await send(logs, Array(MOST_AT_ONCE).fill(long))).toBe(201);
    const requests = Array(MOST_AT_ONCE).fill({ method: 'POST', url: logs, body: long });
    expect(await send('/batch', { requests })).toBe(200);
    expect(store.logs.count()).toBe(1001);
    expect(await send(logs, { ...stretch, notes: 'x'.repeat(70_000) })).toBe(413);
    expect(await send(logs, Array(MOST_AT_ONCE).fill({ ...stretch, notes: 'x'.repeat(2_200) }))).toBe(413);
    expect(store.logs.count()).toBe(1001);
  });
});
