import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { freshApp, guardedApp, nora, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';
const routine = {
  userId: 1,
  name: 'morning',
  exercises: [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }],
};

test('a deleted log comes back with its id, as it was deleted, and what undo would do is done', async () => {
  const { call, store } = freshApp();
  store.logs.update(1, { notes: 'as it was deleted' });
  const before = store.logs.get(1);
  store.logs.delete(1);
  const deletion = store.latestChange ?? 0;
  const { status, headers, body } = await call('POST', `${logs}/1/restore`);
  expect([status, headers['location'], body, store.logs.get(1)]).toEqual([201, `${logs}/1`, before, before]);
  expect(headers['etag']).toBe((await call('GET', `${logs}/1`)).headers['etag']);
  expect(store.history.lastOf('log', 1)).toMatchObject({ source: 'api', action: 'create', after: before });
  expect(await call('POST', '/undo', { body: { change: deletion } })).toMatchObject({
    status: 409,
    body: { detail: expect.stringContaining('log 1 was changed again') },
  });
});

test('with a user comes back what was deleted with the user, and has not come back since', async () => {
  const { call, store } = freshApp();
  store.users.create(nora);
  for (const notes of ['deleted before', 'restored since', 'restored and deleted since', 'of another'])
    store.logs.create({ ...stretch, userId: notes === 'of another' ? 2 : 1, notes });
  store.routines.create(routine);
  store.goals.create({ userId: 1, sessionsPerWeek: 3 });
  store.logs.delete(2);
  store.users.delete(1);
  for (const id of [3, 4])
    expect((await call('POST', `${logs}/${id}/restore?userId=2`)).body).toMatchObject({ id, userId: 2 });
  store.logs.delete(4);
  expect(await call('POST', '/users/1/restore')).toMatchObject({ status: 201, body: store.users.get(1) });
  expect(store.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
    [1, 1],
    [3, 2],
    [5, 2],
  ]);
  expect([store.routines.has(1), store.goals.has(1)]).toEqual([true, true]);
});

test.each([
  ['no header of its own', {}, 415],
  ['a type that a form can send', { 'content-type': 'text/plain' }, 415],
  ['an Idempotency-Key', { 'content-type': 'text/plain', 'idempotency-key': 'abc-12345678' }, 201],
  ['the type of JSON', { 'content-type': 'application/json' }, 201],
])('without a body it takes %s: %j is answered with %i', async (_, headers, status) => {
  const { call, store } = freshApp();
  store.logs.delete(1);
  const given = { 'content-type': '', ...headers };
  expect((await call('POST', `${logs}/1/restore`, { headers: given })).status).toBe(status);
  store.users.delete(1);
  expect((await call('POST', '/users/1/restore', { headers: given })).status).toBe(status);
});

describe('is refused', () => {
  const deleted = (store: Store) => void store.logs.delete(1);
  test.each<[string, (store: Store) => void, string, number, string]>([
    ['a log that is there', () => {}, `${logs}/1`, 409, 'There is log 1: it is not deleted.'],
    ['a log that never was', () => {}, `${logs}/9`, 404, 'There is no log 9.'],
    ['a user who is there', () => {}, '/users/1', 409, 'There is user 1: it is not deleted.'],
    [
      'a log of a user who was deleted',
      (store) => void store.users.delete(1),
      `${logs}/1`,
      409,
      'log 1 cannot be restored: user 1 is not there any more.',
    ],
    ['a log of a user who was erased', (store) => store.erase(1), `${logs}/1`, 404, 'There is no log 1.'],
    ['a user who was erased', (store) => store.erase(1), '/users/1', 404, 'There is no user 1.'],
    [
      'a routine whose name another one has',
      (store) => {
        store.routines.create(routine);
        store.routines.delete(1);
        store.routines.create(routine);
      },
      '/routines/1',
      409,
      'routine 1 cannot be restored: routine 2 has taken its place.',
    ],
  ])('%s', async (_, prepare, path, status, detail) => {
    const { call, store } = freshApp();
    prepare(store);
    const last = store.history.last();
    expect(await call('POST', `${path}/restore`)).toMatchObject({ status, body: { status, detail } });
    expect(store.history.last()).toBe(last);
  });

  test.each([
    [`${logs}/1/restore?userId=9`, 'userId'],
    [`${logs}/1/restore?userId=x`, 'userId'],
    [`${logs}/1/restore?user=1`, 'user'],
    ['/users/1/restore?userId=1', 'userId'],
  ])('%s', async (path, field) => {
    const { call, store } = freshApp();
    deleted(store);
    expect(await call('POST', path)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
    expect(store.logs.count()).toBe(0);
  });
});

describe('a token limited to users', () => {
  /** User 1 with log 1, user 2 with log 2. */
  function limited() {
    const { store, call } = guardedApp();
    store.users.create(nora);
    store.logs.create({ ...stretch, userId: 2 });
    const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
    const restore = (path: string, search = '') =>
      call('POST', `${path}/restore${search}`, { headers: { authorization: `Bearer ${token}` } });
    return { store, restore };
  }

  test('restores what is theirs, in its name', async () => {
    const { store, restore } = limited();
    store.logs.delete(1);
    expect((await restore(`${logs}/1`)).status).toBe(201);
    expect(store.history.lastOf('log', 1)).toMatchObject({ source: 'api', caller: 'phone' });
  });

  test.each<[string, (store: Store) => void, number]>([
    ['is there, of another user', () => {}, 2],
    ['was deleted as one of another user', (store) => void store.logs.delete(2), 2],
    ['has moved to another user', (store) => void store.logs.update(1, { userId: 2 }), 1],
    [
      'was deleted after it had moved to another user',
      (store) => {
        store.logs.update(1, { userId: 2 });
        store.logs.delete(1);
      },
      1,
    ],
  ])('learns nothing of a log that %s', async (_, prepare, id) => {
    const { store, restore } = limited();
    prepare(store);
    const { status, text } = await restore(`${logs}/${id}`);
    const never = await restore(`${logs}/99`);
    expect([status, text.replace(`log ${id}.`, 'log 99.')]).toEqual([404, never.text]);
  });

  test('gives nothing to another user', async () => {
    const { store, restore } = limited();
    store.logs.delete(1);
    expect(await restore(`${logs}/1`, '?userId=2')).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'userId', message: 'must be the id of an existing user' }] },
    });
  });

  test('restores no user: that is for an admin', async () => {
    const { store, restore } = limited();
    store.users.delete(1);
    expect([(await restore('/users/1')).status, store.users.has(1)]).toEqual([403, false]);
  });
});

describe('with a body', () => {
  const body = { ...stretch, userId: 2, notes: 'kept by another machine' };
  /** Log 1 was erased with user 1, log 2 is of user 2. */
  function erased() {
    const app = freshApp();
    app.store.users.create(nora);
    app.store.logs.create({ ...stretch, userId: 2 });
    app.store.erase(1);
    return app;
  }

  test('a log of which erasing has left nothing comes back as the body has it, once', async () => {
    const { call, store } = erased();
    const headers = { 'idempotency-key': 'kept' };
    const first = await call('POST', `${logs}/1/restore`, { body, headers });
    expect([first.status, first.body, store.logs.get(1)]).toEqual([
      201,
      { id: 1, ...body },
      { id: 1, ...body },
    ]);
    expect(store.history.of('log', 1)).toMatchObject([{ action: 'create', source: 'api' }]);
    expect((await call('POST', `${logs}/1/restore`, { body, headers })).text).toBe(first.text);
    expect((await call('POST', `${logs}/1/restore`, { body: { ...body, notes: '' }, headers })).status).toBe(
      422,
    );
    expect(await call('POST', `${logs}/1/restore`, { body })).toMatchObject({
      status: 409,
      body: { detail: 'There is log 1: it is not deleted.' },
    });
  });

  test('it becomes the one of the user in the query', async () => {
    const { call, store } = erased();
    const { id } = store.users.create(nora);
    const restored = { id: 1, ...body, userId: id };
    expect(await call('POST', `${logs}/1/restore?userId=${id}`, { body })).toMatchObject({
      status: 201,
      body: restored,
    });
    expect(store.logs.get(1)).toEqual(restored);
  });

  test('a log whose deletion is known comes back as it was deleted', async () => {
    const { call, store } = erased();
    const before = store.logs.get(2);
    store.logs.delete(2);
    expect(await call('POST', `${logs}/2/restore`, { body })).toMatchObject({ status: 201, body: before });
  });

  test.each<[string, string, object, number]>([
    ['an id that was never given', `${logs}/3`, body, 404],
    ['a user who was erased', '/users/1', {}, 404],
    ['no such user', `${logs}/1`, { ...body, userId: 1 }, 400],
    ['no such user in the query', `${logs}/1`, body, 400],
    ['a field missing', `${logs}/1`, { userId: 2 }, 400],
  ])('nothing comes back: %s', async (what, path, body, status) => {
    const { call, store } = erased();
    const search = what.endsWith('query') ? '?userId=9' : '';
    expect((await call('POST', `${path}/restore${search}`, { body })).status).toBe(status);
    expect([store.users.count(), store.logs.count()]).toEqual([1, 1]);
  });

  test.each<[string, string, object, string[]]>([
    ['with fields that are wrong', `${logs}/2`, { userId: 3, foo: 1, painAfter: 99 }, ['painAfter', 'foo']],
    ['of another user than it comes back to', `${logs}/2`, { ...body, userId: 3 }, ['userId']],
    ['that is no object', `${logs}/2`, [body], ['body']],
    ['where none is taken', '/users/2', nora, Object.keys(nora)],
    ['that is no object where none is taken', '/users/2', [], ['body']],
  ])('nothing is restored for one %s', async (_, path, sent, fields) => {
    const { call, store } = erased();
    store.users.create(nora);
    store.logs.delete(2);
    if (path.startsWith('/users')) store.users.delete(2);
    const last = store.history.last();
    const { status, body: problem } = await call('POST', `${path}/restore`, { body: sent });
    const named = (problem as { errors: { field: string }[] }).errors.map(({ field }) => field);
    expect([status, named]).toEqual([400, expect.arrayContaining(fields)]);
    expect(store.history.last()).toBe(last);
  });

  test('a routine whose name another one has comes back under another name', async () => {
    const { call, store } = freshApp();
    store.routines.create(routine);
    store.users.create(nora);
    store.routines.create({ ...routine, userId: 2 });
    store.erase(1);
    const restore = (name: string) =>
      call('POST', '/routines/1/restore', { body: { ...routine, userId: 2, name } });
    expect(await restore('Morning')).toMatchObject({ status: 400, body: { errors: [{ field: 'name' }] } });
    expect(store.routines.has(1)).toBe(false);
    expect((await restore('evening')).status).toBe(201);
  });

  test('an empty one is as none', async () => {
    const { call, store } = erased();
    store.logs.delete(2);
    expect((await call('POST', `${logs}/2/restore`, { body: {} })).status).toBe(201);
    store.users.delete(2);
    expect((await call('POST', '/users/2/restore', { body: {} })).status).toBe(201);
  });

  test('the user in the query counts, not the one in the body', async () => {
    const { call, store } = erased();
    const { id } = store.users.create(nora);
    store.logs.delete(2);
    expect(await call('POST', `${logs}/2/restore?userId=${id}`, { body })).toMatchObject({
      status: 201,
      body: { userId: id },
    });
  });

  test('a token limited to users puts nothing in the place of what it does not see, nor of what was erased', async () => {
    const { store, call } = guardedApp();
    store.users.create(nora);
    store.logs.create({ ...stretch, userId: 2 });
    store.logs.create({ ...stretch, userId: 2 });
    store.logs.delete(2);
    store.logs.create({ ...stretch, userId: store.users.create(nora).id });
    store.erase(3);
    const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    for (const id of [2, 3, 4])
      expect((await call('POST', `${logs}/${id}/restore`, { body: stretch, headers })).status).toBe(404);
    expect(store.logs.list().map(({ id, userId }) => [id, userId])).toEqual([
      [1, 1],
      [3, 2],
    ]);
  });
});

describe('repeated with its Idempotency-Key', () => {
  const headers = { 'idempotency-key': 'again' };

  test.each<[string, () => string, (store: Store) => void]>([
    ['a log', () => `${logs}/1`, (store) => void store.logs.delete(1)],
    ['a user with logs', () => '/users/1', (store) => void store.users.delete(1)],
  ])('%s gets the first answer while it is there, and 410 after that', async (_, path, prepare) => {
    const { call, store } = freshApp();
    prepare(store);
    const first = await call('POST', `${path()}/restore`, { headers });
    store.logs.update(1, { notes: 'changed since' });
    const again = await call('POST', `${path()}/restore`, { headers });
    expect([first.status, again.status, again.text]).toEqual([201, 201, first.text]);
    expect(again.headers['idempotency-replayed']).toBe('true');
    prepare(store);
    const gone = await call('POST', `${path()}/restore`, { headers });
    expect([gone.status, gone.body]).toMatchObject([410, { type: '/docs#problem-record-gone' }]);
    expect(store.logs.has(1)).toBe(false);
  });

  test('it may have another parameter that is ignored', async () => {
    const { call, store } = freshApp();
    store.logs.delete(1);
    const [first, again] = [
      await call('POST', `${logs}/1/restore?_t=1`, { headers }),
      await call('POST', `${logs}/1/restore?_t=2`, { headers }),
    ];
    expect([again.status, again.text]).toEqual([201, first.text]);
  });

  test('is 422 for another user, and 404 once it is erased', async () => {
    const { call, store } = freshApp();
    store.users.create(nora);
    store.logs.delete(1);
    await call('POST', `${logs}/1/restore`, { headers });
    expect((await call('POST', `${logs}/1/restore?userId=2`, { headers })).status).toBe(422);
    store.erase(1);
    expect((await call('POST', `${logs}/1/restore`, { headers })).status).toBe(404);
  });

  test('without a key it is 409', async () => {
    const { call, store } = freshApp();
    store.logs.delete(1);
    await call('POST', `${logs}/1/restore`);
    expect((await call('POST', `${logs}/1/restore`)).status).toBe(409);
  });
});
