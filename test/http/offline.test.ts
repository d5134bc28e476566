import { describe, expect, onTestFinished, test } from 'vitest';
import { run } from '../helpers.ts';
import { newDatabase } from '../new-database.ts';
import { openStore } from '../store/helpers.ts';
import { freshApp, freshServer, nora, stretch } from './helpers.ts';

/** What an app needs that keeps a copy and works without a network. */

const logs = '/userExerciseLogs';
const auth = { burst: 100, perSecond: 100 };

describe('entity tags of records', () => {
  test('come with lists and changes where they are asked for', async () => {
    const { call, store } = freshApp();
    store.logs.create(stretch);
    const tag = (await call('GET', `${logs}/2`)).headers['etag'];
    for (const path of [`${logs}?etags=true`, `/users/1${logs}?etags=true`, `${logs}?etags=true&limit=2`])
      expect(((await call('GET', path)).body as object[])[1]).toEqual({ ...stretch, id: 2, etag: tag });
    store.logs.delete(1);
    const changes = (await call('GET', '/changes?since=0&etags=true')).body as object[];
    expect(changes.slice(-2)).toMatchObject([
      { id: 2, etag: tag },
      { id: 1, after: null, etag: null },
    ]);
    const page = await call('GET', '/changes?since=0&etags=true&limit=1');
    expect(page.headers['link']).toContain('limit=1&etags=true');
    const csv = await call('GET', `${logs}?etags=true`, { headers: { accept: 'text/csv' } });
    expect(csv.text).toMatch(/,notes,medication,etag\r\n/);
    expect((await call('GET', `${logs}?etags=true&fields=id`)).body).toMatchObject({
      errors: [{ field: 'etags' }],
    });
    expect((await call('GET', logs)).text).not.toContain('etag');
  });

  test('412 brings the record as it is', async () => {
    const { call } = freshApp();
    const { headers, body } = await call('GET', `${logs}/1`);
    const condition = { headers: { 'if-match': '"x"' }, body: { painAfter: 1 } };
    const alone = await call('PATCH', `${logs}/1`, condition);
    expect([alone.status, alone.headers['etag'], alone.body]).toMatchObject([
      412,
      headers['etag'],
      { current: body },
    ]);
    const request = { method: 'PATCH', url: `${logs}/1`, headers: { 'If-Match': '"x"' }, body: {} };
    const batch = await call('POST', '/batch', { body: { requests: [request] } });
    expect([batch.headers['etag'], batch.body]).toMatchObject([headers['etag'], { index: 0, current: body }]);
  });
});

test('undo is done once for a key', async () => {
  const { call, store } = freshApp();
  store.logs.update(1, { painAfter: 1 });
  const change = store.historyOf('log', 1).at(-1)?.change;
  const undo = (body: unknown) => call('POST', '/undo', { body, headers: { 'idempotency-key': 'k' } });
  const [first, again] = [await undo({ change }), await undo({ change })];
  expect([first.status, again.text, again.headers['idempotency-replayed']]).toEqual([
    200,
    first.text,
    'true',
  ]);
  expect(store.logs.get(1).painAfter).toBe(stretch.painAfter);
  expect((await undo({ change: 1 })).status).toBe(422);
});

describe('410 says why', () => {
  const reasonOf = async (call: ReturnType<typeof freshApp>['call'], since: number) =>
    ((await call('GET', `/changes?since=${since}`)).body as { reason?: string }).reason;

  test('erased, where records had gone from one person to another; unknown for a number of no entry', async () => {
    const { call, store } = freshApp();
    store.users.create(nora);
    store.logs.update(1, { userId: 2 });
    store.erase(1);
    expect(await reasonOf(call, 2)).toBe('erased');
    expect(await reasonOf(call, 99)).toBe('unknown');
  });

  test('restored, also where somebody was erased since', async () => {
    const store = openStore(newDatabase());
    for (const person of [nora, nora]) store.users.create(person);
    store.logs.create(stretch);
    await run(['backup', `${store.path}.copy`], { db: store.path });
    store.logs.create(stretch);
    const { path } = store;
    const since = store.history.last();
    store.close();
    await run(['restore', `${path}.copy`, '--yes'], { db: path });
    const restored = openStore(path);
    onTestFinished(() => restored.close());
    expect(() => restored.requireSince(since)).toThrow(expect.objectContaining({ reason: 'restored' }));
    restored.logs.update(1, { userId: 2 });
    restored.erase(1);
    expect(() => restored.requireSince(since)).toThrow(expect.objectContaining({ reason: 'restored' }));
    expect(() => restored.requireSince(restored.history.last() - 1)).toThrow(
      expect.objectContaining({ reason: 'erased' }),
    );
  });
});

describe('a stream says why it ends', () => {
  const opened = async (url: string, token?: string) => {
    const headers = { accept: 'text/event-stream', ...(token && { authorization: `Bearer ${token}` }) };
    const response = await fetch(`${url}/changes`, { headers });
    expect(response.status).toBe(200);
    // Not awaited: it goes on until the stream ends.
    return { text: response.text() };
  };

  test.each<[string, number, (store: Awaited<ReturnType<typeof freshServer>>['store']) => void]>([
    ['token-revoked', 401, (store) => void store.tokens.revoke('phone')],
    ['person-erased', 401, (store) => store.erase(1)],
  ])('%s', async (kind, status, end) => {
    const { url, store } = await freshServer({ auth });
    const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
    const { text } = await opened(url, token);
    end(store);
    const [, data = ''] = /\nevent: end\ndata: (.*)\n\n$/.exec(await text) ?? [];
    expect(JSON.parse(data)).toMatchObject({ type: `/docs#problem-${kind}`, status });
  });

  test('history-gap, and when the service stops', async () => {
    const { url, store, server } = await freshServer();
    store.users.create(nora);
    const first = await opened(url);
    store.logs.update(1, { userId: 2 });
    store.erase(1);
    expect(await first.text).toContain('"reason":"erased"');
    const second = await opened(url);
    await server.stop();
    expect(await second.text).toMatch(/event: end\ndata: .*unavailable.*\n\n$/);
  });
});
