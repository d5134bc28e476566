import { describe, expect, test } from 'vitest';
import { Buckets, rateLimitKey } from '../../src/http/guard/limits.ts';
import { guardedApp } from './helpers.ts';

describe('a bucket', () => {
  const filled = () => {
    let now = 0;
    const buckets = new Buckets({ burst: 3, perSecond: 2 }, () => now);
    return { buckets, pass: (ms: number) => (now += ms) };
  };
  const refusal = { status: 429, headers: { 'retry-after': '1' } };

  test('gives its burst, then its rate', () => {
    const { buckets, pass } = filled();
    for (let i = 0; i < 3; i++) buckets.take('a');
    expect(() => buckets.take('a')).toThrow(expect.objectContaining(refusal));
    pass(500);
    buckets.take('a');
    expect(() => buckets.take('a')).toThrow();
    pass(60_000);
    for (let i = 0; i < 3; i++) buckets.take('a');
    expect(() => buckets.take('a')).toThrow();
  });

  test('is the own of each caller', () => {
    const { buckets } = filled();
    for (let i = 0; i < 3; i++) buckets.take('a');
    buckets.take('b');
  });

  test('does not empty when the clock is set back', () => {
    const { buckets, pass } = filled();
    pass(-10_000);
    buckets.take('a');
    pass(-10_000);
    buckets.take('a');
  });

  test('is forgotten when there are too many', () => {
    const { buckets } = filled();
    for (let i = 0; i < 20_000; i++) buckets.take(i);
    expect(buckets.size).toBe(10_000);
  });
});

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::', 'fe80:0:0:0'],
  ['', ''],
])('%s belongs to %s', (address, whole) => expect(rateLimitKey(address)).toBe(whole));

describe('with authentication', () => {
  function limited() {
    let now = Date.now();
    const { call, store } = guardedApp({ rate: { burst: 4, perSecond: 1 }, now: () => now });
    const tokens = ['a', 'b'].map(
      (name) => store.tokens.create({ name, role: 'admin', users: null, lifetime: null }).token,
    );
    const get = async (token: string | undefined, target = '/users/1') =>
      (await call('GET', target, { headers: token ? { authorization: `Bearer ${token}` } : {} })).status;
    const times = async (count: number, token?: string, target?: string) => {
      const statuses: number[] = [];
      for (let i = 0; i < count; i++) statuses.push(await get(token, target));
      return statuses;
    };
    return { times, tokens, store, pass: (ms: number) => (now += ms), call };
  }

  test('who is over it hears so after a while, and asks no more often than ten times a second', async () => {
    const { times, tokens } = limited();
    await times(4, tokens[0]);
    const began = performance.now();
    expect(await times(2, tokens[0])).toEqual([429, 429]);
    expect(performance.now() - began).toBeGreaterThan(190);
  });

  test('each token has a limit of its own', async () => {
    const { times, tokens, pass } = limited();
    expect(await times(5, tokens[0])).toEqual([200, 200, 200, 200, 429]);
    expect(await times(1, tokens[1])).toEqual([200]);
    pass(1000);
    expect(await times(2, tokens[0])).toEqual([200, 429]);
  });

  test('what a role may not do counts as well: each is in the audit', async () => {
    const { store, call } = limited();
    const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) statuses.push((await call('DELETE', '/users/1', { headers })).status);
    expect(statuses).toEqual([403, 403, 403, 403, 429]);
  });

  test('failed logins have a lower one, which locks no valid token out', async () => {
    const { times, tokens, pass } = limited();
    expect(await times(11, 'wrong')).toEqual([...Array<number>(10).fill(401), 429]);
    expect(await times(1, tokens[0])).toEqual([200]);
    pass(10_000);
    expect(await times(2, 'wrong')).toEqual([401, 429]);
  });

  test('no token, and one that was valid once, is no guess', async () => {
    const { times, tokens, store, pass } = limited();
    store.tokens.revoke('b');
    const { token: erased } = store.tokens.create({
      name: 'phone',
      role: 'patient',
      users: [1],
      lifetime: null,
    });
    store.erase(1);
    for (const token of [undefined, tokens[1], erased]) {
      for (let i = 0; i < 12; i++) {
        expect(await times(1, token)).toEqual([401]);
        pass(1000);
      }
    }
    expect(await times(10, 'wrong')).toEqual(Array(10).fill(401));
    // They are limited as what is open is, so that nobody fills the audit.
    expect((await times(6)).at(-1)).toBe(429);
  });

  test('what is open has one by address', async () => {
    const { times, call } = limited();
    expect(await times(5, undefined, '/health')).toEqual([200, 200, 200, 200, 429]);
    expect((await call('GET', '/health')).headers['retry-after']).toBe('1');
  });
});
