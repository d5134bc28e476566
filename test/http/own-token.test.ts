import { describe, expect, test } from 'vitest';
import { CODE_LIFETIME_MS } from '../../src/domain/pairing.ts';
import { guardedApp, nora } from './helpers.ts';

const DAY_MS = 86_400_000;
const KEY = '0f5c3c5e-3f0e-4f0c-9a53-0d8a4c6f2b1e';

interface Made {
  token: string;
  name: string;
  expiresAt: string;
}

/** The service, a clock, and ways to call with a token. */
function phones() {
  const clock = { now: Date.parse('2026-03-02T12:00:00Z') };
  const made = guardedApp({ isPairing: true, now: () => clock.now });
  const { pairing } = made.store.tokens;
  const bearer = (token: string, key?: string) => ({
    headers: { authorization: `Bearer ${token}`, ...(key !== undefined && { 'idempotency-key': key }) },
  });
  const status = async (token: string) => (await made.call('GET', '/users', bearer(token))).status;
  const kind = async (token: string) => {
    const { status, headers, body } = await made.call('GET', '/users', bearer(token));
    expect([status, headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('error="invalid_token"'),
    ]);
    return (body as { type: string }).type;
  };
  const pair = (code: string, key?: string) =>
    made.call('POST', '/pair', {
      body: { code },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    });
  return { ...made, clock, pairing, bearer, status, kind, pair };
}

describe('a pairing whose answer was lost', () => {
  test('gives the same phone the same token again, while the code would have been open', async () => {
    const { clock, pairing, pair, store } = phones();
    const { code } = pairing.open(1, DAY_MS);
    const first = await pair(code, KEY);
    expect(first.status).toBe(201);
    expect((await pair(code, KEY)).text).toBe(first.text);
    expect((await pair(code, `${KEY}x`)).status).toBe(404);
    expect((await pair(code)).status).toBe(404);
    expect((await pair('x', KEY)).status).toBe(404);
    expect(store.tokens.list()).toHaveLength(1);
    clock.now += CODE_LIFETIME_MS;
    expect((await pair(code, KEY)).status).toBe(404);
  });

  test('needs a key that nobody guesses', async () => {
    const { pairing, pair } = phones();
    const { code } = pairing.open(1, DAY_MS);
    expect((await pair(code, 'k'.repeat(21))).status).toBe(400);
    expect((await pair(code, 'k'.repeat(22))).status).toBe(201);
  });
});

describe('a token', () => {
  const paired = async (app: ReturnType<typeof phones>): Promise<Made> =>
    (await app.pair(app.pairing.open(1, 90 * DAY_MS).code)).body as Made;

  test('is renewed for as long again; the secret before works until the new one was used', async () => {
    const app = phones();
    const old = await paired(app);
    app.clock.now += 80 * DAY_MS;
    const renew = () => app.call('POST', '/me/token', app.bearer(old.token, KEY));
    const [first, again] = [await renew(), await renew()];
    expect([first.status, again.text]).toEqual([201, first.text]);
    const renewed = first.body as Made;
    expect(renewed).toMatchObject({ name: 'phone', users: [1], expiresAt: '2026-08-19T12:00:00.000Z' });
    expect(await app.status(old.token)).toBe(200);
    expect(await app.status(renewed.token)).toBe(200);
    await expect.poll(() => app.kind(old.token)).toBe('/docs#problem-token-unknown');
    expect(app.store.tokens.list()).toMatchObject([
      { name: 'phone', expiresAt: Date.parse(renewed.expiresAt) },
    ]);
    app.clock.now += 89 * DAY_MS;
    expect((await app.call('POST', '/me/token', app.bearer(renewed.token))).body).toMatchObject({
      expiresAt: '2026-11-16T12:00:00.000Z',
    });
  });

  test('is not renewed with a key that somebody may guess', async () => {
    const app = phones();
    const { token } = await paired(app);
    expect((await app.call('POST', '/me/token', app.bearer(token, 'k'.repeat(21)))).status).toBe(400);
    expect(await app.status(token)).toBe(200);
  });

  test('is not renewed by a request with a body, which takes none', async () => {
    const app = phones();
    const { token } = await paired(app);
    const renew = (body: object) => app.call('POST', '/me/token', { ...app.bearer(token, KEY), body });
    expect(await renew({ name: 'other' })).toMatchObject({
      status: 400,
      body: { errors: [{ field: 'name', code: 'unknown' }] },
    });
    expect((await renew({})).status).toBe(201);
  });

  test('that was renewed is taken back with its name', async () => {
    const app = phones();
    const old = await paired(app);
    const renewed = (await app.call('POST', '/me/token', app.bearer(old.token))).body as Made;
    app.store.tokens.revoke('phone');
    expect([await app.kind(old.token), await app.kind(renewed.token)]).toEqual(
      Array(2).fill('/docs#problem-token-revoked'),
    );
  });

  test('is given back', async () => {
    const app = phones();
    const { token } = await paired(app);
    expect((await app.call('DELETE', '/me/token', app.bearer(token))).text).toBe('{}');
    expect(await app.kind(token)).toBe('/docs#problem-token-revoked');
  });

  test.each(['DELETE', 'POST'])('is given back, whatever comes with it: %s', async (method) => {
    const app = phones();
    const { token } = await paired(app);
    const [given, refused] = await Promise.all(
      ['DELETE', method].map((each) => app.call(each, '/me/token', app.bearer(token))),
    );
    expect([given?.status, refused?.status]).toEqual([200, 401]);
    expect(app.store.tokens.list()).toMatchObject([{ revokedAt: app.clock.now }]);
  });

  test.each<[string, 'POST' | 'DELETE', (store: ReturnType<typeof phones>['store']) => void, string]>([
    ['renewed', 'POST', (store) => store.tokens.revoke('phone'), 'token-revoked'],
    ['renewed', 'POST', (store) => store.erase(1), 'person-erased'],
    ['given back', 'DELETE', (store) => store.erase(1), 'person-erased'],
  ])(
    'is not %s once it is taken back, not even by a request that was let in',
    async (_, method, takeBack, type) => {
      const app = phones();
      const { token } = await paired(app);
      const answer = app.call(method, '/me/token', app.bearer(token));
      takeBack(app.store);
      expect(await answer).toMatchObject({ status: 401, body: { type: `/docs#problem-${type}` } });
    },
  );

  test('says why it is refused, and of an erased person nothing but that', async () => {
    const app = phones();
    app.store.users.create({ ...nora, firstName: 'Ole' });
    const of = (name: string, users: number[], lifetime: number | null = null) =>
      app.store.tokens.create({ name, role: users.length > 1 ? 'provider' : 'patient', users, lifetime })
        .token;
    const [own, unused, both, short] = [
      of('own', [1]),
      of('unused', [1]),
      of('both', [1, 2]),
      of('short', [2], 1),
    ];
    const renewed = (await app.call('POST', '/me/token', app.bearer(own))).body as Made;
    app.clock.now += 1;
    app.store.erase(1);
    for (const token of [own, unused, renewed.token])
      expect(await app.kind(token)).toBe('/docs#problem-person-erased');
    expect(await app.kind(short)).toBe('/docs#problem-token-expired');
    expect(await app.kind(`${own}x`)).toBe('/docs#problem-token-unknown');
    expect(await app.status(both)).toBe(200);
    const none = await app.call('GET', '/users');
    expect(none.body).toMatchObject({ type: '/docs#problem-no-token' });
    expect(none.headers['www-authenticate']).not.toContain('error');
    expect(JSON.stringify(app.store.tokens.list())).not.toContain('own');
  });
});
