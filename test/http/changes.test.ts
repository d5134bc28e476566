import { describe, expect, test } from 'vitest';
import { freshApp, nora, stretch } from './helpers.ts';

interface Entry {
  seq: number;
  record: string;
  id: number;
  action: string;
}

const short = (body: unknown) =>
  (body as Entry[]).map(({ seq, action, record, id }) => `${seq} ${action} ${record} ${id}`);

describe('GET /changes', () => {
  test('gives what changed, in order, as the history has it', async () => {
    const { call, store } = freshApp();
    await call('PATCH', '/userExerciseLogs/1', { body: { painAfter: 2 } });
    await call('DELETE', '/userExerciseLogs/1');
    const { status, headers, body } = await call('GET', '/changes?since=1');
    expect([status, headers['x-last-seq']]).toEqual([200, '4']);
    expect(short(body)).toEqual(['2 create log 1', '3 update log 1', '4 delete log 1']);
    expect(body).toEqual(store.historyOf('log', 1));
  });

  test('without since gives all of them', async () => {
    const { call } = freshApp();
    expect(short((await call('GET', '/changes')).body)).toEqual(['1 create user 1', '2 create log 1']);
    expect((await call('GET', '/changes')).body).toEqual((await call('GET', '/changes?since=0')).body);
  });

  test('with limit leads on from page to page', async () => {
    const { call } = freshApp();
    const first = await call('GET', '/changes?limit=1');
    expect([first.headers['x-last-seq'], first.headers['link']]).toEqual([
      '1',
      '</changes?since=1&limit=1>; rel="next"',
    ]);
    const second = await call('GET', '/changes?since=1&limit=1');
    expect([second.headers['x-last-seq'], second.headers['link']]).toEqual(['2', undefined]);
    expect(short([...(first.body as Entry[]), ...(second.body as Entry[])])).toEqual([
      '1 create user 1',
      '2 create log 1',
    ]);
  });

  test('sends many in pieces', async () => {
    const { call, store } = freshApp();
    store.change(() => {
      for (let i = 0; i < 250; i++) store.logs.create(stretch);
    });
    for (const [since, count] of [
      [0, 252],
      [152, 100],
      [153, 99],
    ] as const) {
      const { body, headers } = await call('GET', `/changes?since=${since}`);
      expect((body as Entry[]).map(({ seq }) => seq)).toEqual(
        Array.from({ length: count }, (_, i) => since + i + 1),
      );
      expect(headers['etag'] === undefined).toBe(count > 100);
    }
  });

  test('is 304 while nothing changes', async () => {
    const { call, store } = freshApp();
    const { headers } = await call('GET', '/changes?since=2');
    const again = () =>
      call('GET', '/changes?since=2', { headers: { 'if-none-match': headers['etag'] ?? '' } });
    expect((await again()).status).toBe(304);
    store.logs.delete(1);
    expect((await again()).status).toBe(200);
  });

  test('to HEAD says where it ends', async () => {
    const { call } = freshApp();
    const { status, headers, text } = await call('HEAD', '/changes');
    expect([status, headers['x-last-seq'], text]).toEqual([200, '2', '']);
  });

  test('is told apart from the stream by caches', async () => {
    const origin = 'http://app.example';
    const alone = await freshApp().call('GET', '/changes');
    const app = await freshApp({ allowOrigins: [origin] }).call('GET', '/changes', { headers: { origin } });
    expect([alone.headers['vary'], app.headers['vary']]).toEqual(['Accept', 'Accept, Origin']);
    expect(app.headers['access-control-expose-headers']).toContain('X-Last-Seq');
  });

  test('is 410 where something is missing', async () => {
    const { call, store } = freshApp();
    expect((await call('GET', '/changes?since=3')).status).toBe(410);
    store.users.create({ ...nora, firstName: 'Ole' });
    store.logs.update(1, { userId: 2 });
    store.erase(2);
    const { status, body } = await call('GET', '/changes?since=2');
    expect([status, body]).toMatchObject([410, { detail: expect.stringMatching(/Read everything anew/) }]);
    expect(short((await call('GET', '/changes')).body)).toEqual([
      '1 create user 1',
      expect.stringMatching(/erase user 2/),
    ]);
  });

  test.each([
    'since=x',
    'since=-1',
    'since=1.5',
    'since=1e3',
    'limit=0',
    'limit=1001',
    'sinse=1',
    'since=1&since=2',
  ])('refuses %s', async (query) => {
    const { status, body } = await freshApp().call('GET', `/changes?${query}`);
    expect([status, body]).toMatchObject([400, { errors: [{ field: query.split('=')[0] }] }]);
  });
});

describe('with notes of the longest kind', () => {
  const notes = '\u0001'.repeat(10_000);
  const filled = () => {
    const app = freshApp();
    app.store.change(() => {
      for (let i = 0; i < 60; i++) app.store.logs.update(1, { notes, painAfter: 1 + (i % 10) });
    });
    return app;
  };

  test('a page is cut before it is large, and leads on', async () => {
    const { call } = filled();
    const seqs: number[] = [];
    for (let next = '/changes?limit=1000'; next; ) {
      const { text, body, headers } = await call('GET', next);
      expect(text.length).toBeLessThan(1_000_000);
      seqs.push(...(body as Entry[]).map(({ seq }) => seq));
      next = /<([^>]+)>/.exec(headers['link'] ?? '')?.[1] ?? '';
    }
    expect(seqs).toEqual(Array.from({ length: 62 }, (_, i) => i + 1));
  });

  test.each(['/changes', '/userExerciseLogs/1/history'])('%s comes in pieces', async (target) => {
    const { body, headers } = await filled().call('GET', target);
    expect(headers['etag']).toBeUndefined();
    expect(body).toHaveLength(target === '/changes' ? 62 : 61);
  });
});
