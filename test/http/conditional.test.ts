import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshApp, guardedApp, nora, stretch } from './helpers.ts';

describe('entity tags', () => {
  test.each(['/users/1', '/users', '/userExerciseLogs?userId=1&limit=5', '/openapi.json', '/docs'])(
    '%s',
    async (target) => {
      const { call } = freshApp();
      const etag = (await call('GET', target)).headers['etag'] ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      // In a batch nothing trims a header.
      for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*', ' * ']) {
        const again = await call('GET', target, { headers: { 'if-none-match': known } });
        expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', etag]);
      }
      expect((await call('GET', target, { headers: { 'if-none-match': '"other"' } })).status).toBe(200);
    },
  );

  test('change with the record', async () => {
    const { call } = freshApp();
    const before = (await call('GET', '/users/1')).headers['etag'];
    const changed = await call('PATCH', '/users/1', { body: { painLevel: 2 } });
    const after = await call('GET', '/users/1');
    expect(after.headers['etag']).toBe(changed.headers['etag']);
    expect(after.headers['etag']).not.toBe(before);
  });

  test('may hold the mark of weak ones in the middle', async () => {
    const { call } = freshApp();
    for (let i = 0, etag = ''; !etag.includes('W/'); i++) {
      const changed = await call('PATCH', '/userExerciseLogs/1', {
        body: { notes: `${i}` },
        headers: etag ? { 'if-match': etag } : {},
      });
      expect(changed.status).toBe(200);
      etag = changed.headers['etag'] ?? '';
      if (!etag.includes('W/')) continue;
      const known = (condition: string) =>
        call('GET', '/userExerciseLogs/1', { headers: { 'if-none-match': condition } });
      expect([(await known(etag)).status, (await known(`W/${etag}`)).status]).toEqual([304, 304]);
      const again = { body: { notes: 'changed' }, headers: { 'if-match': etag } };
      expect((await call('PATCH', '/userExerciseLogs/1', again)).status).toBe(200);
    }
  });

  test.each([
    ['PUT', { ...stretch, painAfter: 2 }],
    ['PATCH', { painAfter: 2 }],
    ['DELETE', undefined],
  ])('If-Match guards %s', async (method, body) => {
    const { call, store } = freshApp();
    const target = '/userExerciseLogs/1';
    const etag = (await call('GET', target)).headers['etag'] ?? '';
    const write = (condition: Record<string, string>) =>
      call(method, target, body ? { headers: condition, body } : { headers: condition });
    for (const stale of ['"other"', `W/${etag}`])
      expect((await write({ 'if-match': stale })).status).toBe(412);
    for (const known of ['*', `W/${etag}`])
      expect((await write({ 'if-none-match': known })).status).toBe(412);
    expect(store.logs.get(1)).toEqual({ id: 1, ...stretch });
    expect((await write({ 'if-match': `"x", ${etag}` })).status).toBe(200);
  });

  test('two who read the same record cannot both write it', async () => {
    const { call } = freshApp();
    const etag = (await call('GET', '/users/1')).headers['etag'] ?? '';
    const writes = [1, 2].map((painLevel) =>
      call('PATCH', '/users/1', { headers: { 'if-match': etag }, body: { painLevel } }),
    );
    expect((await Promise.all(writes)).map(({ status }) => status).sort()).toEqual([200, 412]);
  });
});

describe('a record of a list with etags=true, sent back', () => {
  const target = '/userExerciseLogs/1';
  /** Log 1 as a list has it, and a way to send it. */
  async function read() {
    const { call, store } = freshApp();
    const [record] = (await call('GET', '/userExerciseLogs?etags=true')).body as [{ etag: string }];
    const write = (method: string, changed: object, headers = {}) =>
      call(method, target, { body: { ...record, ...changed }, headers });
    return { call, store, record, write };
  }

  test.each(['PUT', 'PATCH'])('%s takes its tag for If-Match, unless the header is there', async (method) => {
    const { write, record } = await read();
    const first = await write(method, { painAfter: 2 });
    const { etag: _, ...log } = record;
    expect([first.status, first.body]).toEqual([200, { ...log, painAfter: 2 }]);
    expect(await write(method, { painAfter: 3 })).toMatchObject({
      status: 412,
      body: { type: '/docs#problem-record-changed', current: { painAfter: 2 } },
    });
    for (const known of ['*', first.headers['etag'] ?? ''])
      expect((await write(method, { painAfter: 2 }, { 'if-match': known })).status).toBe(200);
    expect(await write(method, { painAfter: 2, etag: 5 })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'etag', code: 'wrong-type' }] },
    });
  });

  test('is created anew by POST, alone and among others', async () => {
    const { call, record } = await read();
    expect((await call('POST', '/userExerciseLogs', { body: record })).status).toBe(201);
    expect((await call('POST', '/userExerciseLogs', { body: [record, record] })).status).toBe(201);
  });

  test('is the condition of its part of a batch, which may be repeated', async () => {
    const { call, record } = await read();
    const request = { method: 'PUT', url: target, body: { ...record, painAfter: 2 } };
    const batch = (key: string) =>
      call('POST', '/batch', { body: { requests: [request] }, headers: { 'idempotency-key': key } });
    const [first, again, other] = [await batch('a'), await batch('a'), await batch('b')];
    expect([first.status, again.text]).toEqual([200, first.text]);
    expect(other).toMatchObject({ status: 412, body: { index: 0 } });
  });

  test('is the condition of a goal', async () => {
    const { call } = freshApp();
    const goal = '/users/1/goal';
    const set = (method: string, etag: string, sessionsPerWeek: number) =>
      call(method, goal, { body: { sessionsPerWeek, etag } });
    expect((await set('PUT', '"x"', 3)).status).toBe(412);
    const { headers } = await call('PUT', goal, { body: { sessionsPerWeek: 3 } });
    const etag = headers['etag'] ?? '';
    const statuses = [await set('PATCH', etag, 4), await set('PATCH', etag, 5), await set('PUT', etag, 5)];
    expect(statuses.map(({ status }) => status)).toEqual([200, 412, 412]);
  });
});

test('a list that changes while it is read does not get the tag of before', async () => {
  const { call, store } = freshApp();
  const get = () => call('GET', '/userExerciseLogs');
  const before = await call('GET', '/userExerciseLogs?userId=1');
  const shortPage = store.logs.shortPage.bind(store.logs);
  store.logs.shortPage = (filter) => {
    store.logs.shortPage = shortPage;
    store.logs.update(1, { painAfter: 9 });
    return shortPage(filter);
  };
  const during = await get();
  expect(during.text).not.toBe(before.text);
  expect(during.headers['etag']).not.toBe(before.headers['etag']);
  expect((await get()).headers['etag']).toBe(during.headers['etag']);
});

test('a list that is asked for again and again is not read again until a record changes', async () => {
  const { call, store } = freshApp();
  const get = (accept = 'application/json') =>
    call('GET', '/userExerciseLogs?userId=1', { headers: { accept } });
  const shortPage = store.logs.shortPage.bind(store.logs);
  let reads = 0;
  store.logs.shortPage = (...asked) => {
    reads += 1;
    return shortPage(...asked);
  };
  const first = await get();
  for (let i = 0; i < 3; i++) expect(await get()).toEqual(first);
  expect(reads).toBe(2);
  expect((await get('text/csv')).text).toMatch(/^id,userId/);
  expect((await get()).text).toBe(first.text);
  const other = openStore(store.path);
  other.logs.update(1, { painAfter: 9 });
  other.close();
  expect(JSON.parse((await get()).text)[0].painAfter).toBe(9);
  expect(reads).toBe(4);
});

test('a list that is kept for one caller is not given to another', async () => {
  const { call, store } = guardedApp();
  store.users.create(nora);
  const tokens = [[1], [2], [1, 2]].map(
    (users, i) => store.tokens.create({ name: `token ${i}`, role: 'provider', users, lifetime: null }).token,
  );
  const idsOf = async (token: string) => {
    const { text } = await call('GET', '/users', { headers: { authorization: `Bearer ${token}` } });
    return (JSON.parse(text) as { id: number }[]).map(({ id }) => id);
  };
  for (let i = 0; i < 3; i++) expect(await Promise.all(tokens.map(idsOf))).toEqual([[1], [2], [1, 2]]);
});

test('a list that is kept is not given for another path with the same query', async () => {
  const { call, store } = freshApp();
  store.users.create(nora);
  store.logs.create({ ...stretch, userId: 2 });
  const idsOf = async (path: string) =>
    ((await call('GET', path)).body as { id: number }[]).map(({ id }) => id);
  const paths = ['/users/1/userExerciseLogs', '/users/2/userExerciseLogs', '/userExerciseLogs'];
  for (let i = 0; i < 3; i++) expect(await Promise.all(paths.map(idsOf))).toEqual([[1], [2], [1, 2]]);
});

test('a 304 varies with what its 200 varies with, and has the tag of the same coding', async () => {
  const { call } = freshApp();
  const headers = { 'accept-encoding': 'gzip' };
  const first = await call('GET', '/openapi.json', { headers });
  const known = { ...headers, 'if-none-match': first.headers['etag'] ?? '' };
  const again = await call('GET', '/openapi.json', { headers: known });
  expect([again.status, again.headers['vary']]).toEqual([304, first.headers['vary']]);
  expect(again.headers['etag']).toBe(first.headers['etag']);
});

test('lists of different queries have tags of their own', async () => {
  const { call } = freshApp();
  const tagOf = async (target: string) => (await call('GET', target)).headers['etag'] ?? '';
  const some = await tagOf('/userExerciseLogs?userId=1');
  const none = await tagOf('/userExerciseLogs?userId=2');
  expect(none).not.toBe(some);
  const condition = { headers: { 'if-none-match': some } };
  expect((await call('GET', '/userExerciseLogs?userId=2', condition)).status).toBe(200);
  expect((await call('GET', '/users', condition)).status).toBe(200);
  expect((await call('GET', '/userExerciseLogs?userId=1', condition)).status).toBe(304);
});
