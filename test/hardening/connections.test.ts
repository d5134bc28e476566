import { readdirSync, readlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { MOST_WAITING } from '../../src/http/wire/listener.ts';
import type { Store } from '../../src/store/store.ts';
import { freshServer, nora, stretch } from '../http/helpers.ts';
import { Wire, withBody } from './wire.ts';

/** Files that a request or two have open of the database. */
const FEW = 10;

/** How many files of a database this process has open; of others, the test before may be closing some. */
const openFiles = ({ path }: Store) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(path);
    } catch {
      return false;
    }
  }).length;

async function server(logs = 0, options: Parameters<typeof freshServer>[0] = {}) {
  const { server, store, log } = await freshServer(options);
  store.change(() => {
    for (let i = 0; i < logs; i += 1) store.logs.create(stretch);
  });
  const head = (line: string) => `${line} HTTP/1.1\r\nHost: localhost:${server.port}`;
  const get = (target: string, more = '') => `${head(`GET ${target}`)}\r\n${more}\r\n`;
  const post = (more = '') => withBody(head('POST /users'), JSON.stringify(nora), more);
  const wire = () => new Wire(server.port);
  return { store, log, get, post, wire };
}

const one = ({ length }: unknown[]) => length === 1;
const statuses = (replies: { status: number }[]) => replies.map(({ status }) => status);

describe('several requests in one packet', () => {
  test('are answered in order', async () => {
    const { get, wire } = await server();
    const ids = Array.from({ length: 20 }, (_, i) => (i % 3 ? 77 : 1));
    const packet = ids.map((id) => get(`/users/${id}`)).join('');
    const replies = await wire()
      .send(packet)
      .until(({ length }) => length === 20);
    expect(statuses(replies)).toEqual(ids.map((id) => (id === 1 ? 200 : 404)));
  });

  test('are answered however many came before them', async () => {
    const { get, wire } = await server();
    const half = MOST_WAITING / 2;
    const one = wire();
    for (const count of [half, 2 * half, 3 * half])
      await one.send(get('/users/77').repeat(half)).until(({ length }) => length === count);
    expect(one.isClosed).toBe(false);
  });

  test('see what was written by those before them (RFC 9112, 9.3.2)', async () => {
    const { get, post, wire } = await server();
    const packet = Buffer.concat([
      post(),
      Buffer.from(get('/users/2')),
      post(),
      Buffer.from(get('/users/3')),
    ]);
    const replies = await wire()
      .send(packet)
      .until(({ length }) => length === 4);
    expect(statuses(replies)).toEqual([201, 200, 201, 200]);
  });

  test('are answered up to the one that is none', async () => {
    const { get, post, store, wire } = await server();
    const replies = await wire()
      .send(Buffer.concat([post(), Buffer.from(`${get('/health')}nonsense\r\n\r\n`)]))
      .ended();
    expect(statuses(replies)).toEqual([201, 200, 400]);
    expect(store.users.count()).toBe(2);
  });

  test('are answered up to the body that is none, a long list as well', async () => {
    const { get, wire } = await server(1_000);
    const request = get('/userExerciseLogs', 'Transfer-Encoding: chunked\r\n');
    expect(statuses(await wire().send(`${request}nonsense`).ended())).toEqual([200, 400]);
  });

  test('are answered up to the one that closes', async () => {
    const { post, store, wire } = await server();
    const replies = await wire()
      .send(Buffer.concat([post('Connection: close\r\n'), post()]))
      .ended();
    expect(statuses(replies)).toEqual([201]);
    expect(store.users.count()).toBe(2);
  });
});

describe.skipIf(process.platform !== 'linux')('a caller who reads nothing', () => {
  test('of many long lists has one of them opened, which is closed when the caller goes', async () => {
    // A thread would open files of its own, at any moment.
    const { get, store, wire } = await server(20_000, { workerFile: undefined });
    const before = openFiles(store);
    const { socket } = wire().pause().send(get('/userExerciseLogs').repeat(MOST_WAITING));
    await expect.poll(() => openFiles(store)).toBeGreaterThan(before);
    expect(statuses(await wire().send(get('/health')).until(one))).toEqual([200]);
    const opened = openFiles(store);
    expect(opened).toBeLessThan(before + FEW);
    socket.resetAndDestroy();
    // SQLite keeps the descriptor of the database file as long as another connection has locks on that.
    await expect.poll(() => openFiles(store)).toBeLessThan(opened);
  });

  test('is cut off when too many requests wait', async () => {
    const { get, store, wire } = await server(20_000);
    const { socket, closed } = wire().send(get('/userExerciseLogs').repeat(MOST_WAITING + 2));
    await closed;
    expect(socket.bytesRead).toBeLessThan(JSON.stringify(store.logs.list()).length);
  });
});

describe('an upload', () => {
  const tenths = Array.from({ length: 10 }, (_, tenth) => tenth / 10);

  test.each(['ended', 'reset'])('that is %s at any tenth of its body is not stored', async (way) => {
    const { store, log, post, wire } = await server();
    const bytes = post();
    const body = bytes.indexOf('\r\n\r\n') + 4;
    await Promise.all(
      tenths.map(async (tenth) => {
        const { socket } = wire().send(bytes.subarray(0, body + Math.floor((bytes.length - body) * tenth)));
        await expect.poll(() => socket.bytesWritten).toBeGreaterThan(0);
        if (way === 'ended') socket.end();
        else socket.resetAndDestroy();
      }),
    );
    await expect.poll(() => log.join('').match(/POST \/users aborted/g)).toHaveLength(tenths.length);
    expect(store.users.count()).toBe(1);
  });

  test('that is ended after its last byte is stored once', async () => {
    const { store, post, wire } = await server();
    const { socket, closed } = wire().send(post());
    socket.end();
    await closed;
    await expect.poll(() => store.users.count()).toBe(2);
  });

  test('that is reset after its last byte is stored once or not at all', async () => {
    const { store, get, post, wire } = await server();
    for (let i = 0; i < 20; i += 1) wire().send(post()).socket.resetAndDestroy();
    await wire().send(get('/health')).until(one);
    expect(store.users.list().map(({ id, ...user }) => user)).toEqual(store.users.list().map(() => nora));
  });
});

test('a caller who asks for a tunnel and is gone does no harm', async () => {
  const { get, wire } = await server();
  for (let i = 0; i < 5; i += 1)
    wire().send('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example\r\n\r\n').socket.resetAndDestroy();
  expect(statuses(await wire().send(get('/health')).until(one))).toEqual([200]);
});

describe('a caller who sends no more still gets', () => {
  test.each([
    ['a record', 200],
    ['what it wrote', 201],
    ['a long list', 200],
  ])('%s', async (what, status) => {
    const { get, post, wire } = await server(1_000);
    const request =
      what === 'what it wrote' ? post() : get(what === 'a record' ? '/users/1' : '/userExerciseLogs');
    const half = wire().send(request);
    half.socket.end();
    expect(statuses(await half.ended())).toEqual([status]);
  });
});
