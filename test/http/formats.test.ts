import { get as httpGet, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { chunksOf, formatOf, jsonArray } from '../../src/http/protocol/formats.ts';
import { preferredType } from '../../src/http/wire/accept.ts';
import { isCompressible, preferredEncoding } from '../../src/http/wire/encoding.ts';
import type { HttpResponse } from '../../src/http/wire/message.ts';
import type { Store } from '../../src/store/store.ts';
import { freshApp, freshServer, guardedApp, stretch } from './helpers.ts';

const logs = '/userExerciseLogs';

// As after an erasure between the look at how long it is and the reading.
test.each([
  ['application/json', '[]'],
  ['application/x-ndjson', ''],
  ['text/csv', 'id,notes\r\n'],
] as const)('a long list of which nothing is left, as %s', (type, text) => {
  const chunks = chunksOf(formatOf(type, ['id', 'notes']), [], () => []);
  expect([...chunks].map((chunk) => chunk.text).join('')).toBe(text);
});

const fill = ({ logs }: Store, change: Store['change'], count: number) =>
  change(() => {
    for (let i = 0; i < count; i++) logs.create({ ...stretch, notes: i % 2 ? '=1+1, "x"' : 'two\nlines' });
  });

/** An app with so many logs more than one. */
function filled(count: number) {
  const { store, call } = freshApp();
  fill(store, (work) => store.change(work), count);
  const get = (search: string, headers: Record<string, string> = {}) =>
    call('GET', `${logs}?${search}`, { headers });
  return { store, get };
}

describe('fields', () => {
  test.each(['', '&limit=3', '&_page=1&_limit=3', '&sort=-painAfter', '&sort=-date&limit=2'])(
    'pick%s',
    async (more) => {
      const { get } = filled(9);
      const all = (await get(more)).body as Log[];
      const { body, text } = await get(`fields=painAfter,id${more}`);
      expect(body).toEqual(all.map(({ id, painAfter }) => ({ painAfter, id })));
      expect(text.startsWith('[{"painAfter":4,"id":')).toBe(true);
    },
  );

  test('of a long list, and what the audit says of it', async () => {
    const { call, store, gate } = guardedApp();
    fill(store, (work) => store.change(work), 600);
    const { token } = store.tokens.create({ name: 'all', role: 'admin', users: null, lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    for (const target of [`${logs}?fields=painAfter`, `${logs}?fields=painAfter&limit=1000`])
      expect((await call('GET', target, { headers })).body).toEqual(Array(601).fill({ painAfter: 4 }));
    await gate.audit.flush();
    expect(store.audit.list({ limit: 9 })).toMatchObject(Array(2).fill({ first: 1, last: 601, count: 601 }));
  });
});

describe('CSV and NDJSON', () => {
  const csv = 'id,notes\r\n1,3 sets of 10\r\n2,"two\nlines"\r\n3,"\'=1+1, ""x"""\r\n';

  test.each(['', '&limit=10', '&_limit=10'])('as Accept says%s', async (more) => {
    const { get } = filled(2);
    const asCsv = await get(`fields=id,notes${more}`, { accept: 'text/csv' });
    expect([asCsv.text, asCsv.headers['content-type'], asCsv.headers['vary']]).toEqual([
      csv,
      'text/csv; charset=utf-8',
      'Accept',
    ]);
    const lines = await get(more.slice(1), { accept: 'application/x-ndjson' });
    const records = lines.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    expect([records, lines.headers['content-type']]).toEqual([(await get('')).body, 'application/x-ndjson']);
  });

  test('have entity tags of their own', async () => {
    const { get } = filled(2);
    const tags = [];
    for (const accept of ['text/csv', 'application/json', 'application/x-ndjson']) {
      const etag = (await get('', { accept })).headers['etag'] ?? '';
      expect((await get('', { accept, 'if-none-match': etag })).status).toBe(304);
      tags.push(etag);
    }
    expect(new Set(tags).size).toBe(3);
  });

  test('of a long list are whole, and an empty one has its header', async () => {
    const { get, store } = filled(700);
    const all = store.logs.list();
    const rows = (await get('fields=id', { accept: 'text/csv' })).text.split('\r\n');
    expect(rows).toEqual(['id', ...all.map(({ id }) => String(id)), '']);
    const lines = (await get('', { accept: 'application/x-ndjson' })).text.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(all);
    expect((await get('id=9999&fields=id', { accept: 'text/csv' })).text).toBe('id\r\n');
    expect((await get('id=9999', { accept: 'application/x-ndjson' })).text).toBe('');
  });

  const types = ['application/json', 'application/x-ndjson', 'text/csv'] as const;
  test.each([
    [undefined, types[0]],
    ['*/*', types[0]],
    ['application/*', types[0]],
    ['text/*', types[2]],
    ['text/html, application/xhtml+xml, */*;q=0.8', types[0]],
    ['text/csv;q=0.5, application/json;q=0.4', types[2]],
    ['TEXT/CSV', types[2]],
    ['application/json;q=0, */*', types[1]],
    ['application/json;q=some, text/csv', types[2]],
    ['application/x-ndjson', types[1]],
    ['text/html', 406],
    ['text/csv;q=0', 406],
    ['', 406],
  ])('Accept: %s is %s', (accept, type) => {
    if (type === 406)
      expect(() => preferredType(accept, types)).toThrow(expect.objectContaining({ status: 406 }));
    else expect(preferredType(accept, types)).toBe(type);
  });

  test('what cannot be given is 406', async () => {
    expect((await filled(1).get('', { accept: 'application/xml' })).status).toBe(406);
  });
});

describe('compression', () => {
  test.each([
    [undefined, undefined],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['gzip;q=0', undefined],
    ['*', 'br'],
    ['identity', undefined],
    ['identity, gzip;q=0.5', undefined],
    ['identity, gzip', 'gzip'],
    ['br, gzip;q=some', 'br'],
    ['*;q=0', undefined],
    ['deflate', undefined],
  ])('Accept-Encoding: %s is %s', (accept, encoding) => expect(preferredEncoding(accept)).toBe(encoding));

  test.each<[string, Partial<HttpResponse>, boolean]>([
    ['1024 characters', { body: 'x'.repeat(1024) }, false],
    ['1025 characters', { body: 'x'.repeat(1025) }, true],
    [
      'a stream of events',
      { body: chunksOf(jsonArray, [], () => []), headers: { 'content-type': 'text/event-stream' } },
      false,
    ],
  ])('%s: %s', (_, response, isPacked) =>
    expect(isCompressible({ status: 200, headers: {}, ...response })).toBe(isPacked),
  );

  const decoders = { gzip: gunzipSync, br: brotliDecompressSync };

  /** A GET that decodes nothing, on a connection of its own: one that is kept may be closed while it is used again. */
  const raw = (url: string, headers: Record<string, string>) =>
    new Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }>((resolve, reject) => {
      httpGet(url, { headers, agent: false }, async (response) => {
        const parts: Buffer[] = [];
        for await (const part of response) parts.push(part as Buffer);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(parts) });
      }).on('error', reject);
    });

  test.each(['br', 'gzip'] as const)('%s of a short list and of a long one', async (encoding) => {
    const { url, store } = await freshServer();
    fill(store, (work) => store.change(work), 600);
    for (const target of [`${url}${logs}?_limit=50`, `${url}${logs}`, `${url}/openapi.json`]) {
      const plain = await raw(target, {});
      const packed = await raw(target, { 'accept-encoding': encoding });
      expect(packed.headers['content-encoding']).toBe(encoding);
      expect(packed.headers['vary']).toMatch(/Accept-Encoding/);
      expect(plain.headers['vary']).toMatch(/Accept-Encoding/);
      expect(String(decoders[encoding](packed.bytes))).toBe(String(plain.bytes));
      expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 4);
      const [etag, packedTag] = [plain.headers.etag, packed.headers.etag];
      expect(packedTag).toBe(etag?.replace(/"$/, `-${encoding}"`));
      if (packedTag === undefined) continue;
      for (const tag of [packedTag, `W/${packedTag}`]) {
        const again = await raw(target, { 'accept-encoding': encoding, 'if-none-match': tag });
        expect([again.status, again.headers.etag]).toEqual([304, packedTag]);
      }
    }
  });

  test('not of a small answer', async () => {
    const { url } = await freshServer();
    const { headers } = await raw(`${url}/users/1`, { 'accept-encoding': 'gzip, br' });
    expect([headers['content-encoding'], headers['vary']]).toEqual([undefined, undefined]);
  });

  test('If-Match takes the tag of any coding', async () => {
    const { call, store } = freshApp();
    store.logs.update(1, { notes: 'x'.repeat(2000) });
    const headers = { 'accept-encoding': 'br' };
    const etag = (await call('GET', `${logs}/1`, { headers })).headers['etag'] ?? '';
    expect(etag).toMatch(/-br"$/);
    const patch = (tag: string) => call('PATCH', `${logs}/1`, { headers: { 'if-match': tag }, body: {} });
    expect([(await patch(etag)).status, (await patch(etag.replace('-br', '-gzip'))).status]).toEqual([
      200, 200,
    ]);
    expect((await patch(etag.replace('-br', '-zip'))).status).toBe(412);
  });

  test('HEAD has the headers of GET, and no length of what it does not know', async () => {
    const { store, call } = freshApp();
    fill(store, (work) => store.change(work), 50);
    const headers = { 'accept-encoding': 'gzip' };
    const [head, get] = [await call('HEAD', logs, { headers }), await call('GET', logs, { headers })];
    expect(head.headers).toEqual(get.headers);
    expect(head.headers['content-length']).toBeUndefined();
  });

  test('a reader that leaves a long list ends it', async () => {
    const { url, store, server } = await freshServer();
    fill(store, (work) => store.change(work), 5_000);
    await new Promise<void>((resolve) => {
      httpGet(`${url}${logs}`, { headers: { 'accept-encoding': 'gzip' } }, (response) => {
        response.once('data', () => response.destroy());
        response.once('close', resolve);
      }).on('error', () => {});
    });
    await server.stop();
    // No snapshot is open any more: the log can be emptied.
    await expect.poll(() => store.checkpoint()).toBe(true);
  });
});
