import { describe, expect, test } from 'vitest';
import { dbOf } from '../store/helpers.ts';
import { freshApp, nora, stretch } from './helpers.ts';

/** Every row of the interface: what is sent, what comes back. */
const rows: [name: string, method: string, target: string, body: unknown, status: number, answer: unknown][] =
  [
    ['all logs', 'GET', '/userExerciseLogs', undefined, 200, [{ id: 1, ...stretch }]],
    ['logs of a user', 'GET', '/userExerciseLogs?userId=1', undefined, 200, [{ id: 1, ...stretch }]],
    ['logs of nobody', 'GET', '/userExerciseLogs?userId=77', undefined, 200, []],
    [
      'logs of a user and a type',
      'GET',
      '/userExerciseLogs?userId=1&exerciseType=strengthening',
      undefined,
      200,
      [],
    ],
    [
      'logs of a type',
      'GET',
      '/userExerciseLogs?exerciseType=stretch',
      undefined,
      200,
      [{ id: 1, ...stretch }],
    ],
    ['one log', 'GET', '/userExerciseLogs/1', undefined, 200, { id: 1, ...stretch }],
    ['a new log', 'POST', '/userExerciseLogs', stretch, 201, { id: 2, ...stretch }],
    [
      'a replaced log',
      'PUT',
      '/userExerciseLogs/1',
      { ...stretch, notes: '' },
      200,
      { id: 1, ...stretch, notes: '' },
    ],
    [
      'a changed log',
      'PATCH',
      '/userExerciseLogs/1',
      { effective: false },
      200,
      { id: 1, ...stretch, effective: false },
    ],
    ['a deleted log', 'DELETE', '/userExerciseLogs/1', undefined, 200, {}],
    ['all users', 'GET', '/users', undefined, 200, [{ id: 1, ...nora }]],
    ['one user', 'GET', '/users/1', undefined, 200, { id: 1, ...nora }],
    ['a new user', 'POST', '/users', nora, 201, { id: 2, ...nora }],
    ['a replaced user', 'PUT', '/users/1', { ...nora, age: 45 }, 200, { id: 1, ...nora, age: 45 }],
    ['a changed user', 'PATCH', '/users/1', { painLevel: 3 }, 200, { id: 1, ...nora, painLevel: 3 }],
    ['a deleted user', 'DELETE', '/users/1', undefined, 200, {}],
    ['an empty patch', 'PATCH', '/users/1', {}, 200, { id: 1, ...nora }],
    ['an id in a new record', 'POST', '/users', { id: 9, ...nora }, 201, { id: 2, ...nora }],
    ['an id in a replaced record', 'PUT', '/users/1', { id: 'x', ...nora }, 200, { id: 1, ...nora }],
    ['a patch of the id alone', 'PATCH', '/users/1', { id: 5 }, 200, { id: 1, ...nora }],
    ['5.0 for 5', 'PATCH', '/users/1', '{"painLevel": 5.0}', 200, { id: 1, ...nora, painLevel: 5 }],
    ['a trailing slash', 'GET', '/users/1/', undefined, 200, { id: 1, ...nora }],
    ['a parameter against caches', 'GET', '/users?_t=1&_t=2', undefined, 200, [{ id: 1, ...nora }]],
    [
      'a space as a plus',
      'GET',
      '/userExerciseLogs?exerciseName=Piriformis+Stretch',
      undefined,
      200,
      [{ id: 1, ...stretch }],
    ],
    [
      'a space as %20',
      'GET',
      '/userExerciseLogs?exerciseName=Piriformis%20Stretch',
      undefined,
      200,
      [{ id: 1, ...stretch }],
    ],
    ['from a day on', 'GET', '/userExerciseLogs?since=2026-03-03', undefined, 200, []],
    ['until a day', 'GET', '/userExerciseLogs?until=2026-03-02', undefined, 200, [{ id: 1, ...stretch }]],
    ['what helped', 'GET', '/userExerciseLogs?effective=true', undefined, 200, [{ id: 1, ...stretch }]],
    ['what did not help', 'GET', '/userExerciseLogs?effective=false', undefined, 200, []],
    ['health', 'GET', '/health', undefined, 200, { status: 'ok' }],
  ];

describe('the interface', () => {
  test.each(rows)('%s', async (_, method, target, body, status, answer) => {
    const { call, errors } = freshApp();
    const got = await call(method, target, body === undefined ? {} : { body });
    expect(got.body).toEqual(answer);
    expect(got.status).toBe(status);
    expect(got.headers['content-type']).toBe('application/json');
    expect(errors).toEqual([]);
  });

  test('a new record is where Location says', async () => {
    const { call } = freshApp();
    const { headers, body } = await call('POST', '/userExerciseLogs', { body: stretch });
    expect(headers['location']).toBe('/userExerciseLogs/2');
    expect((await call('GET', '/userExerciseLogs/2')).body).toEqual(body);
  });

  test('a new user appears at the end', async () => {
    const { call } = freshApp();
    await call('POST', '/users', { body: { ...nora, firstName: 'Ada' } });
    expect((await call('GET', '/users')).body).toMatchObject([{ firstName: 'Nora' }, { firstName: 'Ada' }]);
  });

  test('a deleted user takes the logs along', async () => {
    const { call } = freshApp();
    await call('DELETE', '/users/1');
    expect((await call('GET', '/userExerciseLogs')).body).toEqual([]);
    expect((await call('GET', '/userExerciseLogs/1')).status).toBe(404);
  });
});

/** What is refused: the status, and the fields named in `errors`. */
const refusals: [
  name: string,
  method: string,
  target: string,
  body: unknown,
  status: number,
  fields?: string[],
][] = [
  ['a field missing', 'POST', '/users', { ...nora, age: undefined }, 400, ['age']],
  ['nothing but an empty object', 'POST', '/users', {}, 400, Object.keys(nora)],
  ['a field missing in PUT', 'PUT', '/userExerciseLogs/1', { ...stretch, notes: undefined }, 400, ['notes']],
  ['pain of 99', 'PATCH', '/users/1', { painLevel: 99 }, 400, ['painLevel']],
  ['pain of 0', 'PATCH', '/users/1', { painLevel: 0 }, 400, ['painLevel']],
  ['pain as text', 'PATCH', '/users/1', { painLevel: '5' }, 400, ['painLevel']],
  ['an unknown place', 'PATCH', '/users/1', { painLocation: 'knee' }, 400, ['painLocation']],
  ['an unknown type', 'PATCH', '/userExerciseLogs/1', { exerciseType: 'yoga' }, 400, ['exerciseType']],
  ['effective as 1', 'PATCH', '/userExerciseLogs/1', { effective: 1 }, 400, ['effective']],
  ['a user nobody is, in POST', 'POST', '/userExerciseLogs', { ...stretch, userId: 77 }, 400, ['userId']],
  ['a user nobody is, in PUT', 'PUT', '/userExerciseLogs/1', { ...stretch, userId: 77 }, 400, ['userId']],
  ['a user nobody is, in PATCH', 'PATCH', '/userExerciseLogs/1', { userId: 77 }, 400, ['userId']],
  [
    'every fault at once',
    'PATCH',
    '/userExerciseLogs/1',
    { userId: 77, painAfter: 11, note: '' },
    400,
    ['painAfter', 'note', 'userId'],
  ],
  ['another spelling', 'PATCH', '/users/1', { pain_level: 3 }, 400, ['pain_level']],
  ['an id nobody has', 'GET', '/users/77', undefined, 404],
  ['an id nobody has, in PUT', 'PUT', '/users/77', nora, 404],
  ['an id nobody has, with faults in the body', 'PUT', '/userExerciseLogs/77', {}, 404],
  ['an id nobody has, in PATCH', 'PATCH', '/userExerciseLogs/77', {}, 404],
  ['an id nobody has, in DELETE', 'DELETE', '/userExerciseLogs/77', undefined, 404],
  ['a word as an id', 'GET', '/users/abc', undefined, 404],
  ['id 0', 'GET', '/users/0', undefined, 404],
  ['a negative id', 'GET', '/users/-1', undefined, 404],
  ['an id with a fraction', 'GET', '/users/1.0', undefined, 404],
  ['an id beyond numbers', 'GET', '/users/99999999999999999999', undefined, 404],
  ['an unknown path', 'GET', '/patients', undefined, 404],
  ['a path below a record', 'GET', '/users/1/x', undefined, 404],
  ['the template of a path', 'GET', '/users/{id}', undefined, 404],
  ['//evil', 'GET', '//evil.example/users', undefined, 404],
  ['a user as text', 'GET', '/userExerciseLogs?userId=abc', undefined, 400, ['userId']],
  ['no user', 'GET', '/userExerciseLogs?userId=', undefined, 400, ['userId']],
  [
    'an unknown type, as a filter',
    'GET',
    '/userExerciseLogs?exerciseType=yoga',
    undefined,
    400,
    ['exerciseType'],
  ],
  ['a parameter nobody knows', 'GET', '/userExerciseLogs?userid=1', undefined, 400, ['userid']],
  [
    'a parameter twice',
    'GET',
    '/userExerciseLogs?since=2026-01-01&since=2026-01-02',
    undefined,
    400,
    ['since'],
  ],
  ['an unknown filter of users', 'GET', '/users?exerciseType=stretch', undefined, 400, ['exerciseType']],
  ['a filter of one record', 'GET', '/users/1?userId=1', undefined, 400, ['userId']],
  ['a day that is none', 'GET', '/userExerciseLogs?since=2026-02-30', undefined, 400, ['since']],
  ['a limit of 0', 'GET', '/userExerciseLogs?limit=0', undefined, 400, ['limit']],
  ['an order nobody knows', 'GET', '/userExerciseLogs?sort=-day', undefined, 400, ['sort']],
  ['a cursor nobody gave', 'GET', '/userExerciseLogs?cursor=abc', undefined, 400, ['cursor']],
  ['bad percent-encoding', 'GET', '/userExerciseLogs?exerciseName=%FF', undefined, 400, ['query']],
  ['a method a path lacks', 'PUT', '/users', nora, 405],
  ['a method nobody knows', 'BREW', '/users', undefined, 405],
];

describe('what is refused', () => {
  test.each(refusals)('%s', async (_, method, target, body, status, fields) => {
    const { call, errors, store } = freshApp();
    const before = JSON.stringify([store.users.list(), store.logs.list()]);
    const got = await call(method, target, body === undefined ? {} : { body });
    expect(got.status).toBe(status);
    expect(got.headers['content-type']).toBe('application/problem+json');
    const problem = got.body as { status: number; errors?: { field: string }[] };
    expect(problem).toMatchObject({
      type: expect.stringMatching(/^\/docs#problem-[a-z-]+$/),
      status,
      title: expect.any(String),
      detail: expect.any(String),
    });
    expect(problem.errors?.map(({ field }) => field)).toEqual(fields);
    expect(errors).toEqual([]);
    expect(JSON.stringify([store.users.list(), store.logs.list()])).toBe(before);
  });

  test('says which field was probably meant', async () => {
    const { call } = freshApp();
    expect((await call('PATCH', '/users/1', { body: { pain_level: 3 } })).text).toContain(
      'did you mean painLevel?',
    );
    expect((await call('GET', '/userExerciseLogs?userid=1')).text).toContain('did you mean userId?');
  });

  test.each([
    ['no type', { 'content-type': '' }, 415],
    ['text', { 'content-type': 'text/plain' }, 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['a patch of another kind', { 'content-type': 'application/merge-patch+json' }, 415],
    ['JSON in Latin-1', { 'content-type': 'application/json; charset=iso-8859-1' }, 415],
    ['compressed JSON', { 'content-encoding': 'gzip' }, 415],
    ['JSON in a chain of codings', { 'content-encoding': 'identity, gzip' }, 415],
    ['JSON that is not compressed', { 'content-encoding': 'Identity' }, 200],
    ['JSON', { 'content-type': 'application/json' }, 200],
    ['JSON in UTF-8', { 'content-type': 'application/json; charset=utf-8' }, 200],
    ['JSON in quoted UTF-8', { 'content-type': 'Application/JSON;charset="UTF-8"' }, 200],
  ])('a body that is %s', async (_, headers, status) => {
    const { call } = freshApp();
    const answer = await call('PATCH', '/users/1', { headers, body: {} });
    expect(answer.status).toBe(status);
    // RFC 9110, 15.5.16: what else would do is said where the coding is the reason.
    expect(answer.headers['accept-encoding']).toBe(
      status === 415 && 'content-encoding' in headers ? 'identity' : undefined,
    );
  });

  test('what was not foreseen says nothing of the inside, and the service goes on', async () => {
    const { call, errors, store } = freshApp();
    dbOf(store).exec('ALTER TABLE logs RENAME TO gone');
    const got = await call('GET', '/userExerciseLogs');
    expect(got.status).toBe(500);
    expect(got.text).not.toMatch(/logs|sql|table|\/src\//i);
    expect(errors).toHaveLength(1);
    expect((await call('GET', '/users')).status).toBe(200);
  });
});

describe('methods', () => {
  test('OPTIONS of the service as a whole', async () => {
    const { call } = freshApp();
    const { status, text } = await call('OPTIONS', '*');
    expect([status, text]).toEqual([204, '']);
    expect((await call('OPTIONS', '*', { hosts: ['evil.example'] })).status).toBe(403);
    expect((await call('GET', '*')).status).toBe(404);
    expect((await call('OPTIONS', 'http://localhost:3000')).headers['allow']).toBe('GET, HEAD, OPTIONS');
    expect((await call('GET', 'http://localhost:3000')).status).toBe(302);
  });

  test.each([
    ['/users', 'GET, POST, HEAD, OPTIONS'],
    ['/users/1', 'GET, PUT, PATCH, DELETE, HEAD, OPTIONS'],
    ['/health', 'GET, HEAD, OPTIONS'],
  ])('OPTIONS %s', async (target, allow) => {
    const { call } = freshApp();
    const options = await call('OPTIONS', target);
    expect([options.status, options.headers['allow'], options.text]).toEqual([204, allow, '']);
    expect((await call('TRACE', target)).headers['allow']).toBe(allow);
  });

  test.each([
    '/users',
    '/users/1',
    '/userExerciseLogs?limit=1',
    '/health',
    '/openapi.json',
    '/docs',
    '/users/77',
    '/users?x=1',
  ])('HEAD %s is GET without a body', async (target) => {
    const { call } = freshApp();
    const get = await call('GET', target);
    const head = await call('HEAD', target);
    expect(head.text).toBe('');
    expect(head.status).toBe(get.status);
    expect(head.headers).toEqual({ ...get.headers, 'content-length': String(Buffer.byteLength(get.text)) });
  });
});
