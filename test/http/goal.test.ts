import { describe, expect, test } from 'vitest';
import { dbOf, freshStore } from '../store/helpers.ts';
import { freshApp, guardedApp, nora } from './helpers.ts';

const path = '/users/1/goal';

describe('the goal of a user', () => {
  test('is set, read, set anew and removed', async () => {
    const { call } = freshApp();
    expect(await call('GET', path)).toMatchObject({ status: 404, body: { detail: 'User 1 has no goal.' } });
    const first = await call('PUT', path, { body: { sessionsPerWeek: 4 } });
    expect(first).toMatchObject({ status: 201, body: { id: 1, userId: 1, sessionsPerWeek: 4 } });
    const read = await call('GET', path);
    expect([read.status, read.text, read.headers['etag']]).toEqual([200, first.text, first.headers['etag']]);
    const known = await call('GET', path, { headers: { 'if-none-match': read.headers['etag'] ?? '' } });
    expect(known.status).toBe(304);
    const again = await call('PUT', path, { body: { ...(read.body as object), sessionsPerWeek: 5 } });
    expect(again).toMatchObject({ status: 200, body: { id: 1, userId: 1, sessionsPerWeek: 5 } });
    expect(await call('DELETE', path)).toMatchObject({ status: 200, text: '{}' });
    expect((await call('DELETE', path)).status).toBe(404);
    expect((await call('GET', '/users/1')).body).not.toHaveProperty('sessionsPerWeek');
  });

  test.each([
    ['is not set back by a change of nothing', 'PUT', 200, 5],
    ['is not set again by a change', 'DELETE', 404, undefined],
  ])('%s after a %s that came meanwhile', async (_, method, status, sessionsPerWeek) => {
    const { call, store } = freshApp();
    await call('PUT', path, { body: { sessionsPerWeek: 4 } });
    const [, changed] = await Promise.all([
      call(method, path, { body: { sessionsPerWeek: 5 } }),
      call('PATCH', path, { body: method === 'PUT' ? {} : { sessionsPerWeek: 6 } }),
    ]);
    expect([changed?.status, store.goals.list()[0]?.sessionsPerWeek]).toEqual([status, sessionsPerWeek]);
  });

  test.each<[unknown, string, string]>([
    [{}, 'sessionsPerWeek', 'is missing: it must be a whole number from 1 to 100'],
    [{ sessionsPerWeek: 0 }, 'sessionsPerWeek', 'must be a whole number from 1 to 100'],
    [{ sessionsPerWeek: 101 }, 'sessionsPerWeek', 'must be a whole number from 1 to 100'],
    [{ sessionsPerWeek: '4' }, 'sessionsPerWeek', 'must be a whole number from 1 to 100'],
    [{ sessionsPerWeek: null }, 'sessionsPerWeek', 'must be a whole number from 1 to 100'],
    [
      { sessionsPerweek: 4, sessionsPerWeek: 4 },
      'sessionsPerweek',
      'is not a field here (did you mean sessionsPerWeek?)',
    ],
  ])('is not %j', async (body, field, message) => {
    const { call, store } = freshApp();
    const answer = await call('PUT', path, { body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field, message }] } });
    expect(store.goals.count()).toBe(0);
  });

  test.each(['[]', 'null', '4', '{'])('is no %s', async (body) => {
    const answer = await freshApp().call('PUT', path, { body });
    expect(answer.status).toBe(400);
    if (body !== '{')
      expect(answer.body).toMatchObject({
        errors: [{ field: 'body', code: 'wrong-type', message: 'must be a JSON object' }],
      });
  });

  test.each(['PUT', 'PATCH'])('is refused in %s at once, whoever else is writing', async (method) => {
    const { call, store } = freshApp();
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    const other = dbOf(freshStore(store.path));
    other.begin();
    expect((await call(method, path, { body: { sessionsPerWeek: 0 } })).status).toBe(400);
    other.run('ROLLBACK');
  });

  test.each<[string, number]>([
    ['/users/9/goal', 404],
    ['/users/0/goal', 404],
    ['/users/1/goal?x=1', 400],
    ['/users/1/goal/', 404],
  ])('GET %s', async (target, status) => {
    expect((await freshApp().call('GET', target)).status).toBe(status);
  });

  test('is written only if it is what the caller saw', async () => {
    const { call } = freshApp();
    const put = (sessionsPerWeek: number, headers: Record<string, string>) =>
      call('PUT', path, { headers, body: { sessionsPerWeek } });
    expect((await put(4, { 'if-match': '*' })).status).toBe(412);
    const first = await put(4, { 'if-none-match': '*' });
    expect(first.status).toBe(201);
    expect((await put(5, { 'if-none-match': '*' })).status).toBe(412);
    expect((await put(5, { 'if-match': '"other"' })).status).toBe(412);
    expect((await put(5, { 'if-match': first.headers['etag'] ?? '' })).status).toBe(200);
    expect(
      (await call('DELETE', path, { headers: { 'if-match': first.headers['etag'] ?? '' } })).status,
    ).toBe(412);
  });

  test.each(['summary', 'report?format=md'])(
    'is what %s compares with, unless told otherwise',
    async (what) => {
      const { call, store } = freshApp();
      const get = async (target = '') => {
        const sign = what.includes('?') ? '&' : '?';
        return (await call('GET', `/users/1/${what}${target && sign + target}`)).text;
      };
      const [none, four, five] = [await get(), await get('target=4'), await get('target=5')];
      store.goals.create({ userId: 1, sessionsPerWeek: 4 });
      expect(await get()).toBe(four);
      expect(await get('target=5')).toBe(five);
      expect(none).not.toBe(four);
    },
  );

  test('is in the changes', async () => {
    const { call } = freshApp();
    await call('PUT', path, { body: { sessionsPerWeek: 4 } });
    const { body } = await call('GET', '/changes?since=2');
    expect(body).toMatchObject([
      { record: 'goal', id: 1, action: 'create', before: null, after: { userId: 1, sessionsPerWeek: 4 } },
    ]);
  });

  test('is audited with its user', async () => {
    const { call, store, gate } = guardedApp();
    store.users.create(nora);
    store.goals.create({ userId: 2, sessionsPerWeek: 4 });
    const { token } = store.tokens.create({ name: 'app', role: 'admin', users: null, lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    await call('GET', '/users/2/goal', { headers });
    await call('GET', '/users/1/goal', { headers });
    await gate.audit.flush();
    expect(store.audit.list({ limit: 9 })).toMatchObject([
      {
        route: '/users/{id}/goal',
        record: 'goal',
        userId: 1,
        first: null,
        last: null,
        count: 0,
        status: 404,
      },
      { route: '/users/{id}/goal', record: 'goal', userId: 2, first: 1, last: 1, count: 1, status: 200 },
    ]);
    expect(store.audit.list({ user: 2, limit: 9 })).toHaveLength(1);
  });
});
