import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApp } from '../../src/http/app.ts';
import { companionFiles } from '../../src/http/companion.ts';
import { originsAt } from '../../src/http/guard/origins.ts';
import { Feed } from '../../src/http/protocol/feed.ts';
import type { HttpResponse } from '../../src/http/wire/message.ts';
import { freshFolder, freshStore } from '../store/helpers.ts';
import { freshGate, freshServer } from './helpers.ts';

/** A picture of 2048 bytes, of every value. */
const picture = Uint8Array.from({ length: 2048 }, (_, i) => i);

function built() {
  const folder = freshFolder();
  writeFileSync(join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(join(folder, 'icon.png'), picture);
  for (const script of ['worker.js', 'app-0123456789ab.js']) writeFileSync(join(folder, script), '');
  return companionFiles(folder);
}

function served() {
  const store = freshStore();
  const gate = freshGate(store, { rate: { burst: 4, perSecond: 1 }, now: () => 0 });
  const origins = originsAt(3000, [], []);
  const app = createApp({ store, gate, origins, feed: new Feed(store), companion: built() });
  return (method: string, target: string, headers: Record<string, string> = {}) =>
    app({
      method,
      target,
      headers,
      hosts: ['localhost:3000'],
      address: () => '192.0.2.7',
      readBody: async () => Buffer.alloc(0),
      onClose: () => {},
    }) as HttpResponse;
}

test('HEAD of a picture says how many bytes it has', () => {
  const call = served();
  expect(call('HEAD', '/app/icon.png')).toMatchObject({ status: 200, headers: { 'content-length': '2048' } });
});

test('a picture is sent byte for byte', async () => {
  const { url } = await freshServer({ companion: built() });
  const response = await fetch(`${url}/app/icon.png`);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(picture);
  expect(response.headers.get('content-encoding')).toBe(null);
});

// A browser that kept the worker would never learn of a new page.
test.each([
  ['/app/', 'no-cache'],
  ['/app/worker.js', 'no-cache'],
  ['/app/app-0123456789ab.js', 'public, max-age=31536000, immutable'],
])('%s is sent with %s, and for itself alone', (path, cached) => {
  expect(served()('GET', path).headers).toMatchObject({
    'cache-control': cached,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  });
});

test.each(['br', 'gzip'])('a file that is here already is not sent again, in %s neither', (encoding) => {
  const call = served();
  const { etag = '' } = call('GET', '/app/').headers;
  for (const tag of [etag, etag.replace(/"$/, `-${encoding}"`)])
    expect(call('GET', '/app/', { 'if-none-match': tag }).status).toBe(304);
  expect(call('GET', '/app/', { 'if-none-match': '"other"' }).status).toBe(200);
});

test('a file is found by its whole address, as a proxy may send it', () => {
  const call = served();
  expect(call('GET', 'http://localhost:3000/app/?x').status).toBe(200);
  expect(call('GET', '/app/icon.png?x').status).toBe(200);
});

test('the files are limited as what is open is', () => {
  const call = served();
  const statuses = Array.from({ length: 5 }, () => call('GET', '/app/').status);
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
});
