import { describe, expect, test } from 'vitest';
import { Quota } from '../../src/http/guard/limits.ts';
import { freshServer, guardedApp, nora, stretch } from './helpers.ts';

const HOUR_MS = 3_600_000;
const auth = { burst: 10_000, perSecond: 10_000 };

describe('a quota', () => {
  const of = (most: number) => {
    let now = 1_000_000;
    const quota = new Quota(most, () => now);
    return {
      take: (token: number, ...bytes: number[]) => {
        const charge = quota.charge(token);
        for (const each of bytes) charge.raise(each);
        return charge;
      },
      pass: (ms: number) => (now += ms),
    };
  };
  const refusal = (seconds: number) =>
    expect.objectContaining({ status: 429, headers: { 'retry-after': String(seconds) } });

  test('whose hour ends while a body arrives may go on at once', () => {
    const { take, pass } = of(100);
    take(1, 60);
    pass(HOUR_MS - 1);
    const charge = take(1);
    pass(2_000);
    expect(() => charge.raise(41)).toThrow(refusal(1));
  });

  test('is of one token and one hour, which begins with its first write', () => {
    const { take, pass } = of(100);
    take(1, 60);
    pass(HOUR_MS / 2);
    take(1, 40);
    expect(() => take(1, 1)).toThrow(refusal(1800));
    take(2, 100);
    pass(HOUR_MS / 2 - 1);
    expect(() => take(1, 1)).toThrow(refusal(1));
    pass(1);
    take(1, 100);
  });

  test('begins anew when the clock is set back', () => {
    const { take, pass } = of(100);
    take(1, 100);
    pass(-1);
    take(1, 100);
  });

  test('has room for what a charge may be raised to', () => {
    const { take } = of(100);
    take(1, 30);
    expect(take(1, 20).room).toBe(70);
  });

  test('takes all or none', () => {
    const { take } = of(100);
    expect(() => take(1, 101)).toThrow();
    take(1, 100);
  });

  test('gets back what was not stored, and counts the larger of body and change', () => {
    const { take } = of(100);
    take(1, 90).release();
    take(1, 10, 70, 70);
    take(1, 30, 5);
    expect(() => take(1, 1)).toThrow();
  });

  test('says when it goes on, and has the first refusal of an hour audited', () => {
    const { take } = of(100);
    const refused = () => {
      try {
        take(1, 101);
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect([refused(), refused()]).toMatchObject([
      {
        type: 'quota-used-up',
        isAudited: true,
        detail: expect.stringContaining('at 1970-01-01T01:16:40.000Z.'),
      },
      { isAudited: false },
    ]);
  });
});

describe('what a token writes', () => {
  function limited(quota: number) {
    const { call, store, gate } = guardedApp({ rate: auth, quota });
    const token = (name: string) =>
      store.tokens.create({ name, role: 'admin', users: null, lifetime: null }).token;
    const tokens = { a: token('a'), b: token('b') };
    const as = (who: 'a' | 'b', method: string, target: string, body?: unknown, key?: string) =>
      call(method, target, {
        headers: { authorization: `Bearer ${tokens[who]}`, ...(key && { 'idempotency-key': key }) },
        body,
      });
    return { as, store, audit: gate.audit };
  }

  test('is bounded, and what others write and what it reads is not', async () => {
    const { as, store } = limited(10_000);
    const long = { ...stretch, notes: 'x'.repeat(4_000) };
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) statuses.push((await as('a', 'POST', '/userExerciseLogs', long)).status);
    expect(statuses).toEqual([201, 201, 429, 429]);
    const refused = await as('a', 'POST', '/userExerciseLogs', long);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_500);
    expect((await as('a', 'GET', '/userExerciseLogs')).status).toBe(200);
    expect((await as('a', 'DELETE', '/userExerciseLogs/1')).status).toBe(200);
    expect((await as('b', 'POST', '/userExerciseLogs', long)).status).toBe(201);
    expect(store.logs.count()).toBe(3);
  });

  test('in an array is stored whole or not at all', async () => {
    const { as, store } = limited(3_000);
    const one = JSON.stringify(stretch).length;
    const many = Array(Math.ceil(3_000 / one) + 1).fill(stretch);
    expect((await as('a', 'POST', '/userExerciseLogs', many)).status).toBe(429);
    expect(store.logs.count()).toBe(1);
    expect((await as('a', 'POST', '/userExerciseLogs', [stretch, stretch])).status).toBe(201);
  });

  test('counts with the record that the history keeps, however small the change', async () => {
    const { as } = limited(40_000);
    await as('a', 'PATCH', '/userExerciseLogs/1', { notes: 'x'.repeat(5_000) });
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++)
      statuses.push((await as('a', 'PATCH', '/userExerciseLogs/1', { painAfter: i + 1 })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  test.each<[string, unknown]>([
    ['/userExerciseLogs', stretch],
    ['/userExerciseLogs/', [stretch]],
    ['/users/1/routines', { name: 'a', exercises: [{ exerciseType: 'stretch', exerciseName: 'Cat-Cow' }] }],
    ['/batch', { requests: [{ method: 'POST', url: '/userExerciseLogs', body: stretch }] }],
    ['/undo', { change: 4 }],
    ['/userExerciseLogs/2/restore', stretch],
  ])(
    'once costs nothing when it comes again with its key, even when nothing is left: %s',
    async (path, body) => {
      const { as, store } = limited(2_000);
      store.logs.create(stretch);
      store.logs.delete(2);
      store.logs.create(stretch);
      const first = await as('a', 'POST', path, body, 'k');
      expect(first.status).toBeLessThan(300);
      expect((await as('a', 'POST', '/users', { ...nora, email: 'x'.repeat(2_000) })).status).toBe(429);
      for (let i = 0; i < 20; i++) {
        const again = await as('a', 'POST', path, body, 'k');
        expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
          first.status,
          first.text,
          'true',
        ]);
      }
      const large = { ...stretch, notes: 'x'.repeat(2_000) };
      expect((await as('a', 'POST', '/userExerciseLogs', large, 'another')).status).toBe(429);
      expect((await as('a', 'PATCH', '/userExerciseLogs/1', large, 'k')).status).toBe(429);
    },
  );

  test('and is refused costs nothing', async () => {
    const { as } = limited(1_000);
    for (let i = 0; i < 20; i++)
      expect((await as('a', 'POST', '/users', { ...nora, age: 'x'.repeat(300) })).status).toBe(400);
    expect((await as('a', 'POST', '/users', nora)).status).toBe(201);
  });

  test('counts with what an undo stores, refused before the work', async () => {
    const { as, store } = limited(200_000);
    store.change(() => {
      for (let i = 0; i < 10; i++) store.logs.create({ ...stretch, notes: 'x'.repeat(5_000) });
    });
    const statuses: number[] = [];
    for (let i = 0; i < 6; i++)
      statuses.push((await as('a', 'POST', '/undo', { change: store.latestChange })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429, 429]);
    expect((await as('b', 'POST', '/undo', { change: store.latestChange })).status).toBe(200);
  });

  test('says nothing of how large a change of others is', async () => {
    const { store, call } = guardedApp({ quota: 1_000 });
    const { id } = store.users.create(nora);
    store.logs.delete(store.logs.create({ ...stretch, userId: id, notes: 'x'.repeat(5_000) }).id);
    const { token } = store.tokens.create({ name: 'a', role: 'patient', users: [1], lifetime: null });
    const sent = { headers: { authorization: `Bearer ${token}` }, body: { change: store.latestChange } };
    expect((await call('POST', '/undo', sent)).status).toBe(404);
  });

  test('counts with a DELETE and a restore', async () => {
    const { as, store } = limited(9_000);
    const { id } = store.logs.create({ ...stretch, notes: 'x'.repeat(8_000) });
    const path = `/userExerciseLogs/${id}`;
    const statuses = [
      await as('a', 'DELETE', path),
      await as('a', 'POST', `${path}/restore`),
      await as('a', 'DELETE', path),
    ].map(({ status }) => status);
    expect(statuses).toEqual([200, 201, 429]);
    expect(store.logs.has(id)).toBe(true);
  });

  test('and what is refused for it is in the audit once', async () => {
    const { as, store, audit } = limited(100);
    for (let i = 0; i < 3; i++) expect((await as('a', 'POST', '/users', nora)).status).toBe(429);
    await audit.flush();
    expect(store.audit.list({ limit: 10 })).toMatchObject([{ status: 429, who: 'a', route: '/users' }]);
  });

  test('has no bound without --auth', async () => {
    const { url } = await freshServer({ quota: 10 });
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(nora);
    expect((await fetch(`${url}/users`, { method: 'POST', headers, body })).status).toBe(201);
  });
});
