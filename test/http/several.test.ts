import { describe, expect, test } from 'vitest';
import { freshApp, nora, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';

describe('POST of an array', () => {
  test('creates all, in order, as one change', async () => {
    const { call, store } = freshApp();
    const sent = ['a', 'b', 'c'].map((notes) => ({ ...stretch, notes, id: 77 }));
    const { status, headers, body } = await call('POST', logs, { body: sent });
    expect([status, headers['location'], headers['etag']]).toEqual([201, undefined, undefined]);
    expect(body).toEqual(sent.map((log, i) => ({ ...log, id: i + 2 })));
    expect(store.logs.list().slice(1)).toEqual(body);
    expect(store.history.ofChange(3).map(({ id }) => id)).toEqual([2, 3, 4]);
  });

  test('creates users too', async () => {
    const { call, store } = freshApp();
    const { status, body } = await call('POST', '/users', { body: [nora, nora] });
    expect([status, store.users.count()]).toEqual([201, 3]);
    expect(body).toMatchObject([{ id: 2 }, { id: 3 }]);
  });

  test.each<[string, string, unknown[], object[]]>([
    [
      'a wrong field of the third, and a missing one of the first',
      logs,
      [{ ...stretch, notes: undefined }, stretch, { ...stretch, painAfter: 11 }],
      [{ field: '[0].notes' }, { field: '[2].painAfter', message: 'must be a whole number from 1 to 10' }],
    ],
    ['a user that is not there', logs, [stretch, { ...stretch, userId: 9 }], [{ field: '[1].userId' }]],
    [
      'a missing user beside a wrong field of another',
      logs,
      [
        { ...stretch, painAfter: 11 },
        { ...stretch, userId: 9 },
      ],
      [{ field: '[0].painAfter' }, { field: '[1].userId' }],
    ],
    ['a misspelt field', logs, [{ ...stretch, pain_after: 1 }], [{ field: '[0].pain_after' }]],
    ['no objects', '/users', [1, null, [nora], nora], [{ field: '[0]' }, { field: '[1]' }, { field: '[2]' }]],
    ['nothing', logs, [], [{ field: 'body', message: 'must be an array of 1 to 500 JSON objects' }]],
    ['too many', logs, Array(501).fill(0), [{ field: 'body' }]],
  ])('refuses them all for %s', async (_, target, sent, errors) => {
    const { call, store } = freshApp();
    const { status, body } = await call('POST', target, { body: sent });
    expect(status).toBe(400);
    expect((body as { errors: object[] }).errors).toMatchObject(errors);
    expect((body as { errors: object[] }).errors).toHaveLength(errors.length);
    expect([store.users.count(), store.logs.count(), store.history.last()]).toEqual([1, 1, 2]);
  });

  test('takes as many as fit into a body', async () => {
    const { call, store } = freshApp();
    const { status } = await call('POST', logs, { body: Array(500).fill({ ...stretch, notes: '' }) });
    expect([status, store.logs.count()]).toEqual([201, 501]);
  });
});

test.each([
  [64 * 1024, 201],
  [64 * 1024 + 1, 413],
])('one record of %i bytes is answered with %i, though an array may have more', async (size, status) => {
  const { call } = freshApp();
  const body = JSON.stringify(stretch).padEnd(size);
  expect((await call('POST', logs, { body })).status).toBe(status);
  expect((await call('POST', logs, { body: `[${body}]` })).status).toBe(201);
});

test.each(['PUT', 'PATCH'])('%s takes no array', async (method) => {
  const { call } = freshApp();
  const { status, body } = await call(method, `${logs}/1`, { body: [stretch] });
  expect([status, body]).toMatchObject([400, { errors: [{ field: 'body' }] }]);
});
