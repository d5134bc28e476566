import { describe, expect, test } from 'vitest';
import { freshApp, guardedApp, nora } from './helpers.ts';

const morning = {
  name: 'morning',
  exercises: [
    { exerciseName: 'Piriformis Stretch', exerciseType: 'stretch' },
    { exerciseName: 'Bird Dog', exerciseType: 'strengthening' },
  ],
};
const list = '/users/1/routines';

describe('routines', () => {
  test('are created, listed, read, replaced and removed', async () => {
    const { call } = freshApp();
    expect(await call('GET', list)).toMatchObject({ status: 200, text: '[]' });
    const made = await call('POST', list, { body: morning });
    expect(made).toMatchObject({ status: 201, body: { id: 1, userId: 1, ...morning } });
    expect(made.headers['location']).toBe('/routines/1');
    const read = await call('GET', '/routines/1');
    expect([read.status, read.text, read.headers['etag']]).toEqual([200, made.text, made.headers['etag']]);
    expect((await call('GET', list)).text).toBe(`[${made.text}]`);
    const put = await call('PUT', '/routines/1', { body: { ...(read.body as object), name: 'daily' } });
    expect(put).toMatchObject({ status: 200, body: { id: 1, userId: 1, name: 'daily' } });
    expect(await call('DELETE', '/routines/1')).toMatchObject({ status: 200, text: '{}' });
    expect((await call('GET', '/routines/1')).status).toBe(404);
  });

  test.each<[string, unknown, object[]]>([
    [
      '{}',
      {},
      [
        {
          field: 'name',
          message: 'is missing: it must be text of 1 to 100 characters, not only spaces',
          code: 'missing',
        },
        {
          field: 'exercises',
          message: 'is missing: it must be a list of 1 to 50 objects with exerciseName and exerciseType',
          code: 'missing',
        },
      ],
    ],
    [
      'no exercises',
      { ...morning, exercises: [] },
      [
        {
          field: 'exercises',
          message: 'must be a list of 1 to 50 objects with exerciseName and exerciseType',
          code: 'out-of-range',
          minimum: 1,
          maximum: 50,
        },
      ],
    ],
    [
      'a text',
      { ...morning, exercises: 'Bird Dog' },
      [
        {
          field: 'exercises',
          message: 'must be a list of 1 to 50 objects with exerciseName and exerciseType',
          code: 'wrong-type',
        },
      ],
    ],
    [
      'a faulty exercise',
      { ...morning, exercises: [{ exerciseName: ' ', exerciseType: 'yoga', sets: 3 }] },
      [
        {
          field: 'exercises[0].exerciseName',
          message: 'must be text of 1 to 100 characters, not only spaces',
          code: 'blank',
          minLength: 1,
        },
        {
          field: 'exercises[0].exerciseType',
          message: 'must be one of stretch, strengthening',
          code: 'not-a-choice',
          values: ['stretch', 'strengthening'],
        },
        { field: 'exercises[0].sets', message: 'is not a field here', code: 'unknown' },
      ],
    ],
    [
      'an exercise twice',
      {
        ...morning,
        exercises: [morning.exercises[1], { ...morning.exercises[1], exerciseName: 'bird dog' }],
      },
      [{ field: 'exercises[1].exerciseName', message: 'is in the list already', code: 'repeated' }],
    ],
    [
      'another user',
      { ...morning, userId: 2 },
      [{ field: 'userId', message: 'must be 1, as in the path, or absent', code: 'invalid' }],
    ],
    [
      'another user with an unknown field',
      { ...morning, userId: 2, title: 'x' },
      [
        { field: 'userId', message: 'must be 1, as in the path, or absent', code: 'invalid' },
        { field: 'title', message: 'is not a field here', code: 'unknown' },
      ],
    ],
    [
      'an unknown field',
      { ...morning, title: 'x' },
      [{ field: 'title', message: 'is not a field here', code: 'unknown' }],
    ],
  ])('are not made of %s', async (_, body, errors) => {
    const { call, store } = freshApp();
    const answer = await call('POST', list, { body });
    expect(answer.status).toBe(400);
    expect((answer.body as { errors: object[] }).errors).toEqual(errors);
    expect(store.routines.count()).toBe(0);
  });

  test.each<[string, string, unknown, number]>([
    ['POST', '/users/9/routines', morning, 404],
    ['POST', list, [morning], 400],
    ['PUT', '/routines/9', { ...morning, userId: 1 }, 404],
    ['PUT', '/routines/1', morning, 400],
    ['PUT', '/routines/1', { ...morning, userId: 9 }, 400],
    ['PATCH', '/routines/1', morning, 200],
    ['PATCH', '/routines/1', { name: '' }, 400],
    ['PATCH', '/routines/9', morning, 404],
    ['GET', '/routines', undefined, 404],
    ['GET', `${list}?limit=0`, undefined, 400],
    ['GET', `${list}?exercises=x`, undefined, 400],
    ['GET', `${list}?sort=exercises`, undefined, 400],
    ['GET', `${list}?_sort=exercises`, undefined, 400],
    ['GET', `${list}?mood=1`, undefined, 400],
    ['GET', '/users/9/routines?limit=1', undefined, 404],
  ])('%s %s %j', async (method, target, body, status) => {
    const { call } = freshApp();
    await call('POST', list, { body: { ...morning, name: 'evening' } });
    expect((await call(method, target, body === undefined ? {} : { body })).status).toBe(status);
  });

  test('are a list as any other', async () => {
    const { call, store } = freshApp();
    for (const name of ['morning', 'evening', '+Änderung'])
      await call('POST', list, { body: { ...morning, name } });
    store.users.create(nora);
    await call('POST', '/users/2/routines', { body: morning });
    const ids = async (search: string) =>
      ((await call('GET', `${list}?${search}`)).body as { id: number }[]).map(({ id }) => id);
    expect(await ids('sort=-name')).toEqual([1, 2, 3]);
    expect(await ids('_sort=name&_order=asc')).toEqual([3, 2, 1]);
    expect(await ids('name=morning&name=evening')).toEqual([1, 2]);
    expect(await ids('name_like=ÄND')).toEqual([3]);
    expect(await ids('q=ING')).toEqual([1, 2]);
    expect(await ids('id_gte=2&_limit=1')).toEqual([2]);
    const page = await call('GET', `${list}?limit=2`);
    expect(page.headers).toMatchObject({ 'x-total-count': '3' });
    const next = /^<([^>]+)>/.exec(page.headers['link'] ?? '')?.[1] ?? '';
    expect((await call('GET', next)).body).toMatchObject([{ id: 3 }]);
    expect((await call('GET', `${list}?fields=name,exercises&id=1`)).body).toEqual([morning]);
    const csv = await call('GET', list, { headers: { accept: 'text/csv' } });
    expect(csv.text.split('\r\n')[3]).toMatch(/^3,1,'\+Änderung,"\[\{""exerciseName"":/);
    const lines = await call('GET', list, { headers: { accept: 'application/x-ndjson' } });
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(store.routines.list({ userId: 1 }));
    expect((await call('GET', list, { headers: { accept: 'image/png' } })).status).toBe(406);
  });

  test('have a name of their own, whatever its letters', async () => {
    const { call } = freshApp();
    await call('POST', list, { body: morning });
    const answer = await call('POST', list, { body: { ...morning, name: 'MORNING' } });
    expect(answer).toMatchObject({
      status: 400,
      body: {
        errors: [
          { field: 'name', message: 'is the name of another routine of the user', code: 'in-conflict' },
        ],
      },
    });
  });

  test('are created once, however often the request comes', async () => {
    const { call, store } = freshApp();
    const headers = { 'idempotency-key': 'a-key' };
    const first = await call('POST', list, { headers, body: morning });
    const again = await call('POST', list, { headers, body: morning });
    expect([again.status, again.text]).toEqual([201, first.text]);
    expect((await call('POST', list, { headers, body: { ...morning, name: 'x' } })).status).toBe(422);
    expect(store.routines.count()).toBe(1);
  });

  test('are written only as the caller saw them', async () => {
    const { call } = freshApp();
    const { headers } = await call('POST', list, { body: morning });
    const put = (etag: string) =>
      call('PUT', '/routines/1', {
        headers: { 'if-match': etag },
        body: { ...morning, userId: 1, name: 'x' },
      });
    expect((await put('"other"')).status).toBe(412);
    expect((await put(headers['etag'] ?? '')).status).toBe(200);
  });

  test('are in the changes, and audited with their user', async () => {
    const { call, store, gate } = guardedApp();
    store.users.create(nora);
    const { token } = store.tokens.create({ name: 'app', role: 'admin', users: null, lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    await call('POST', '/users/2/routines', { headers, body: morning });
    await call('GET', '/users/2/routines', { headers });
    await call('GET', '/routines/1', { headers });
    const { body } = await call('GET', '/changes?since=3', { headers });
    expect(body).toMatchObject([{ record: 'routine', id: 1, after: morning, caller: 'app' }]);
    await gate.audit.flush();
    const entry = { record: 'routine', userId: 2, first: 1, last: 1, count: 1 };
    const entries = store.audit.list({ limit: 9 }).filter(({ route }) => route !== '/changes');
    expect(entries).toMatchObject([
      { route: '/routines/{id}', ...entry },
      { route: '/users/{id}/routines', method: 'GET', ...entry },
      { route: '/users/{id}/routines', method: 'POST', ...entry },
    ]);
  });
});
