import { describe, expect, test } from 'vitest';
import { invalid, Outdated, SciaticaError } from '../../src/domain/errors.ts';
import { faultOf } from '../../src/domain/field-kinds.ts';
import { logFields } from '../../src/domain/log.ts';
import { userFields } from '../../src/domain/user.ts';
import { problemResponse, problemTypes } from '../../src/http/wire/problem.ts';
import { run } from '../helpers.ts';
import { freshApp, guardedApp, nora, stretch } from './helpers.ts';

type Errors = { errors: Record<string, unknown>[] };

test('whether to try again is said of what passes by itself', () => {
  const after = (code: 'busy' | 'gone' | 'full') =>
    problemResponse(new SciaticaError(code, '')).headers['retry-after'];
  expect([after('busy'), after('gone'), after('full')]).toEqual(['1', undefined, undefined]);
});

test.each([
  [new SciaticaError('invalid', 'why'), 400, 'malformed-request', 'why'],
  [
    invalid([{ field: 'age', message: 'why' }]),
    400,
    'invalid-input',
    'The request has faults; errors names each.',
  ],
  [new SciaticaError('not-found', 'why'), 404, 'not-found', 'why'],
  [new SciaticaError('conflict', 'why'), 409, 'in-conflict', 'why'],
  [new Outdated(1, 'restored'), 410, 'history-gap', expect.stringContaining('a backup was restored')],
  [new SciaticaError('stale', 'why'), 412, 'record-changed', 'why'],
  [new SciaticaError('busy', 'why'), 503, 'unavailable', 'why'],
  [new SciaticaError('gone', 'why'), 503, 'unavailable', 'why'],
  [new SciaticaError('full', 'why'), 507, 'storage-full', 'why'],
  [new SciaticaError('uncertain', 'why'), 500, 'internal-error', 'why'],
  // The messages of these name files.
  [
    new SciaticaError('unusable', '/a.db'),
    500,
    'internal-error',
    expect.stringMatching(/^Something went wrong/),
  ],
  [
    new SciaticaError('damaged', '/a.db'),
    500,
    'internal-error',
    expect.stringMatching(/^The database is damaged/),
  ],
])('%s is %i %s', (error, status, type, detail) => {
  const body = JSON.parse(String(problemResponse(error).body));
  expect(body).toMatchObject({ status, type: `/docs#problem-${type}`, detail });
  expect(body.detail).not.toContain('/a.db');
  expect(body.reason).toBe(error instanceof Outdated ? 'restored' : undefined);
});

test('/health tells a monitor that records cannot be read now', async () => {
  const { store, call } = freshApp();
  store.users.has = () => {
    throw new SciaticaError('busy', 'why');
  };
  expect((await call('GET', '/health')).status).toBe(503);
});

describe('a fault has a code and the bounds', () => {
  test.each<[keyof typeof logFields | keyof typeof userFields, unknown, object]>([
    ['painAfter', undefined, { code: 'missing' }],
    ['painAfter', 11, { code: 'out-of-range', minimum: 1, maximum: 10 }],
    ['painAfter', '5', { code: 'wrong-type' }],
    ['painAfter', 5.5, { code: 'wrong-type' }],
    ['effective', 'yes', { code: 'wrong-type' }],
    ['date', '2026-02-30', { code: 'not-a-date' }],
    ['date', 5, { code: 'wrong-type' }],
    ['exerciseType', 'yoga', { code: 'not-a-choice', values: ['stretch', 'strengthening'] }],
    ['exerciseName', '  ', { code: 'blank', minLength: 1 }],
    ['exerciseName', 'x'.repeat(101), { code: 'too-long', maxLength: 100 }],
    ['exerciseName', ' '.repeat(100), { code: 'blank', minLength: 1 }],
    ['exerciseName', '\ud800', { code: 'not-unicode' }],
    ['notes', 'a\0', { code: 'not-unicode' }],
    ['notes', null, { code: 'wrong-type' }],
    ['email', 'nora', { code: 'not-an-email' }],
    ['email', '😀'.repeat(254), { code: 'not-an-email' }],
  ])('%s %j', (name, value, fault) => {
    const fields = { ...userFields, ...logFields };
    expect(faultOf(fields[name], value)).toEqual(fault);
  });

  test('in bodies, arrays and queries', async () => {
    const { call } = freshApp();
    const post = async (body: unknown) =>
      ((await call('POST', '/userExerciseLogs', { body })).body as Errors).errors;
    expect(await post({ ...stretch, painAfter: 11, mood: 1 })).toEqual([
      {
        field: 'painAfter',
        code: 'out-of-range',
        minimum: 1,
        maximum: 10,
        message: 'must be a whole number from 1 to 10',
      },
      { field: 'mood', code: 'unknown', message: 'is not a field here' },
    ]);
    expect(await post([{ ...stretch, painAfter: 11 }])).toMatchObject([
      { field: '[0].painAfter', maximum: 10 },
    ]);
    expect(await post({ ...stretch, userId: 9 })).toMatchObject([{ code: 'no-such-user' }]);
    const query = '/userExerciseLogs?painAfter_gte=11&since=x&sort=id&sort=id&_page=1&mood=2';
    expect(
      ((await call('GET', query)).body as Errors).errors.map(({ field, code }) => [field, code]),
    ).toEqual(
      expect.arrayContaining([
        ['painAfter_gte', 'out-of-range'],
        ['since', 'not-a-date'],
        ['sort', 'repeated'],
        ['mood', 'unknown'],
      ]),
    );
  });
});

const MANY = 300;
const names = Array.from({ length: MANY }, (_, i) => `n${i}`);
const many = Object.fromEntries(names.map((name) => [name, 1]));
const batchOf = (...requests: object[]) => ({ requests });
const oneLog = '/userExerciseLogs/1';

test.each<[string, string, string, unknown?]>([
  ['fields of a record', 'PATCH', oneLog, many],
  ['fields of one of several', 'POST', '/userExerciseLogs', [{ ...stretch, ...many }]],
  ['parameters', 'GET', `/userExerciseLogs?${names.join('&')}`],
  ['parameters of a path that takes none', 'DELETE', `${oneLog}?${names.join('&')}`],
  ['parameters given again', 'GET', `/userExerciseLogs?${'limit=1&'.repeat(MANY)}`],
  ['parameters that are no UTF-8', 'GET', `/userExerciseLogs?${'%&'.repeat(MANY)}`],
  ['fields to show', 'GET', `/userExerciseLogs?fields=${names}`],
  ['fields of a batch', 'POST', '/batch', { ...batchOf(), ...many }],
  ['fields in a batch', 'POST', '/batch', batchOf({ method: 'DELETE', url: oneLog, ...many })],
  ['headers in a batch', 'POST', '/batch', batchOf({ method: 'DELETE', url: oneLog, headers: many })],
])('of many %s that cannot be some are named', async (_, method, target, body) => {
  const { call } = freshApp();
  const answer = await call(method, target, { body });
  expect(answer.status).toBe(400);
  const { length } = (answer.body as Errors).errors;
  expect([length > 0, length < 15]).toEqual([true, true]);
});

describe('the type of a problem', () => {
  const typeOf = ({ body }: { body: unknown }) => (body as { type: string }).type;

  test('differs for each kind, the two of 403 among them, and leads to the page', async () => {
    const { call } = freshApp();
    const types = [
      typeOf(await call('POST', '/users', { body: {} })),
      typeOf(await call('POST', '/users', { body: '{' })),
      typeOf(await call('GET', '/nothing')),
      typeOf(await call('GET', '/users', { hosts: ['evil.example'] })),
      typeOf(await call('PUT', '/health')),
    ];
    const guarded = guardedApp();
    const { token } = guarded.store.tokens.create({
      name: 'p',
      role: 'provider',
      users: null,
      lifetime: null,
    });
    const headers = { authorization: `Bearer ${token}` };
    types.push(typeOf(await guarded.call('POST', '/users', { headers, body: nora })));
    types.push(typeOf(await guarded.call('GET', '/users')));
    expect(types.map((type) => type.replace('/docs#problem-', ''))).toEqual([
      ...['invalid-input', 'malformed-request', 'not-found', 'foreign-caller', 'method-not-allowed'],
      ...['role-lacks-right', 'no-token'],
    ]);
    const page = (await call('GET', '/docs')).text;
    for (const type of Object.keys(problemTypes)) expect(page).toContain(`id="problem-${type}"`);
  });
});

test('a repeated answer says that it is one', async () => {
  const { call } = freshApp();
  const post = () =>
    call('POST', '/users', { headers: { 'idempotency-key': 'k' }, body: nora }).then(
      ({ headers }) => headers,
    );
  expect((await post())['idempotency-replayed']).toBeUndefined();
  expect((await post())['idempotency-replayed']).toBe('true');
});

describe('origins of apps', () => {
  test.each(['capacitor://localhost', 'ionic://localhost', 'tauri://localhost'])('%s', async (origin) => {
    const { call } = freshApp({ allowOrigins: [origin] });
    const answer = await call('GET', '/users/1', { headers: { origin } });
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, origin]);
    const sent = 'cache-control,content-type,if-match,sentry-trace,traceparent,x-app-version';
    const preflight = await call('OPTIONS', '/users', {
      headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': sent },
    });
    expect(preflight.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': sent,
    });
    expect((await freshApp().call('GET', '/users/1', { headers: { origin } })).status).toBe(403);
  });

  test.each([
    ['http://localhost:*', /\* stands for nothing/],
    ['*', /\* stands for nothing/],
    ['https://*.example', /\* stands for nothing/],
    ['http://localhost:80', /browsers send http:\/\/localhost$/],
    ['https://app.example:443', /browsers send https:\/\/app\.example$/],
    ['http://localhost/', /must be an origin/],
    ['http://user@localhost', /must be an origin/],
    ['localhost:5173', /must be an origin/],
    ['null', /must be an origin/],
    ['file://x', /pages of files have none/],
    ['http://localhost:99999', /must be an origin/],
  ])('%s can never match and is refused', async (origin, words) => {
    const { code, stderr } = await run(['serve', '--port', '70000', '--allow-origin', origin]);
    expect(code).toBe(2);
    expect(stderr.split('\n').find((line) => line.includes('--allow-origin'))).toMatch(words);
  });

  test.each(['HTTP://LocalHost:5173', 'capacitor://localhost', 'chrome-extension://abcdef'])(
    '%s is taken',
    async (origin) => {
      // The port is wrong, so that nothing is served; nothing is said of the origin.
      const { stderr } = await run(['serve', '--port', '70000', '--allow-origin', origin]);
      expect(stderr).not.toContain('--allow-origin');
    },
  );
});
