import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { Workers } from '../../../src/http/workers/pool.ts';
import { dbOf, freshFolder } from '../../store/helpers.ts';
import { freshServer, workerFile } from '../helpers.ts';

/** More logs than a read may visit while others wait. */
const LOGS = 10_100;

/** A server with worker threads and a large database, and how many reads went to the threads. */
async function largeServer(timeouts: { query?: number } = {}, file = workerFile) {
  const answer = vi.spyOn(Workers.prototype, 'answer').mockClear();
  const { store, url, server, log } = await freshServer({ workerFile: file, timeouts });
  const fields = 'userId, exerciseType, exerciseName, date, painBefore, painAfter, effective, notes';
  store.change(() =>
    dbOf(store).run(
      `INSERT INTO logs (${fields}) WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${LOGS})
       SELECT ${fields} FROM logs CROSS JOIN n`,
    ),
  );
  const away = () => answer.mock.calls.length;
  return { store, url, server, log, away, get: (path: string, init = {}) => fetch(`${url}${path}`, init) };
}

describe('a server with a large database', () => {
  test('reads in other threads what takes long, and only that', async () => {
    const { store, get, away } = await largeServer();
    const list = (await (await get('/userExerciseLogs')).json()) as unknown[];
    expect([list.length, list[0], away()]).toEqual([LOGS, store.logs.get(1), 1]);
    const short = [
      '/userExerciseLogs/1',
      '/users',
      '/userExerciseLogs?id=3&sort=date',
      '/userExerciseLogs?userId=2',
      '/users/1',
    ];
    for (const path of short) expect((await get(path)).status).toBe(200);
    expect(away()).toBe(1);
    const long = [
      '/userExerciseLogs?limit=5',
      '/userExerciseLogs?userId=1',
      '/users/1/userExerciseLogs',
      '/userExerciseLogs?userId=1&painAfter=3',
      '/userExerciseLogs?_page=2',
      '/overviews',
      '/users/1/summary',
      '/users/1/compare',
      '/users/1/report',
    ];
    for (const path of long) expect((await get(path)).status).toBe(200);
    expect(away()).toBe(1 + long.length);
  });

  test('answers HEAD, conditions, faults and codings as ever', async () => {
    const { get } = await largeServer();
    const page = await get('/userExerciseLogs?sort=-date&limit=5');
    const etag = page.headers.get('etag') ?? '';
    expect(page.headers.get('link')).toContain('rel="next"');
    const again = { headers: { 'if-none-match': etag } };
    expect((await get('/userExerciseLogs?sort=-date&limit=5', again)).status).toBe(304);
    const head = await get('/userExerciseLogs', { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'application/json',
      '',
    ]);
    expect((await get('/userExerciseLogs', { headers: { accept: 'image/png' } })).status).toBe(406);
    expect((await get('/userExerciseLogs?sort=x')).status).toBe(400);
    expect((await get('/users/9/summary')).status).toBe(404);
    const small = await get('/userExerciseLogs', { headers: { 'accept-encoding': 'gzip' } });
    expect(small.headers.get('content-encoding')).toBe('gzip');
    expect(((await small.json()) as unknown[]).length).toBe(LOGS);
  });

  test('lets go of the database when a caller leaves a list', async () => {
    const { store, url, log } = await largeServer();
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /userExerciseLogs HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    await expect.poll(() => log.join('')).toContain('/userExerciseLogs aborted');
    await expect.poll(() => store.checkpoint()).toBe(true);
  });

  test('gives up a read that nobody waits for any more', async () => {
    const silent = join(freshFolder(), 'worker.cjs');
    writeFileSync(silent, "require('node:worker_threads').parentPort.on('message', () => {});");
    const { url, away, log } = await largeServer({ query: 600_000 }, silent);
    const { host, hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    socket.write(`GET /userExerciseLogs HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await expect.poll(away).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => log.join('')).toContain('GET /userExerciseLogs aborted');
  });

  test('answers who closes its half of the connection after the request', async () => {
    const { url } = await largeServer();
    const { hostname, port } = new URL(url);
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
    socket.end(`GET /userExerciseLogs?sort=date&limit=5 HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`);
    const [first] = await once(socket, 'data');
    expect(String(first)).toMatch(/^HTTP\/1.1 200 /);
    socket.destroy();
  });

  test('ends its threads when it stops', async () => {
    const { store, get, server } = await largeServer();
    const folders = () => readdirSync(dirname(store.path)).filter((name) => !name.startsWith('test.db'));
    await (await get('/userExerciseLogs')).text();
    expect(folders()).toHaveLength(1);
    await server.stop();
    expect(folders()).toEqual([]);
  });

  test('ends a read that has no result in time, by name, and keeps the connection', async () => {
    const { get } = await largeServer({ query: 1 });
    const late = await get('/userExerciseLogs?sort=painAfter&limit=5');
    expect([late.status, late.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await late.json()).toMatchObject({ type: '/docs#problem-query-timeout' });
    expect((await get('/userExerciseLogs/1')).status).toBe(200);
  });
});
