import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test, vi } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshServer, nora, stretch } from './helpers.ts';

/** Sends bytes as they are and collects the answer until the server closes the connection. */
async function raw(port: number, bytes: string | Buffer): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  socket.write(bytes);
  return ending(socket);
}

async function ending(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (data) => {
    text += data.toString('latin1');
  });
  await new Promise((resolve) => socket.on('close', resolve));
  return text;
}

const json = { 'content-type': 'application/json' };

describe('what a socket may send', () => {
  const head = (port: number) => `Host: localhost:${port}\r\nConnection: close\r\n`;

  test.each<[string, (port: number) => string | Buffer, RegExp]>([
    ['a request', (port) => `GET /health HTTP/1.1\r\n${head(port)}\r\n`, /^HTTP\/1.1 200 /],
    ['no Host', () => 'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'two Hosts',
      (port) => `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\n${head(port)}\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    ['HTTP/1.0', (port) => `GET /health HTTP/1.0\r\n${head(port)}\r\n`, /^HTTP\/1.1 200 /],
    ['no HTTP at all', () => 'hello\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*problem\+json/],
    ['TLS', () => Buffer.from('16030100a5010000a10303', 'hex'), /^HTTP\/1.1 400 /],
    [
      'huge headers',
      (port) => `GET / HTTP/1.1\r\n${head(port)}X: ${'x'.repeat(40_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 /,
    ],
    [
      'a gzip transfer',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'both lengths',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'an upgrade',
      (port) =>
        `GET /health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n`,
      /^HTTP\/1.1 200 /,
    ],
    [
      'an unknown Expect',
      (port) => `GET /health HTTP/1.1\r\n${head(port)}Expect: miracles\r\n\r\n`,
      /^HTTP\/1.1 417 [\s\S]*problem\+json/,
    ],
    ['OPTIONS *', (port) => `OPTIONS * HTTP/1.1\r\n${head(port)}\r\n`, /^HTTP\/1.1 (204|404) /],
    ['a bare path', (port) => `GET users HTTP/1.1\r\n${head(port)}\r\n`, /^HTTP\/1.1 (400|404) /],
    [
      'a body over 64 KiB',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Type: application/json\r\nContent-Length: 70000\r\n\r\n${' '.repeat(70_000)}`,
      /^HTTP\/1.1 413 /,
    ],
    [
      'chunks over 64 KiB',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n11170\r\n${' '.repeat(70_000)}\r\n0\r\n\r\n`,
      /^HTTP\/1.1 413 /,
    ],
    [
      'an expected large body',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Type: application/json\r\nContent-Length: 70000\r\nExpect: 100-continue\r\n\r\n`,
      /^HTTP\/1.1 413 /,
    ],
    [
      'an expected body',
      (port) =>
        `POST /users HTTP/1.1\r\n${head(port)}Content-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n{}`,
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 400 /,
    ],
  ])('%s', async (_, bytes, answer) => {
    const { server, url } = await freshServer();
    expect(await raw(server.port, bytes(server.port))).toMatch(answer);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  test('several requests at once are answered in order', async () => {
    const { server } = await freshServer();
    const request = (path: string, end = '') =>
      `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\n${end}\r\n`;
    const text = await raw(
      server.port,
      request('/users/1') + request('/users/7') + request('/health', 'Connection: close\r\n'),
    );
    expect(text.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 404', 'HTTP/1.1 200']);
  });

  test('an upload that breaks off leaves nothing behind', async () => {
    const { server, url, store } = await freshServer();
    const socket = connect(server.port, '127.0.0.1');
    socket.write(
      `POST /users HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n{"first`,
    );
    await once(socket, 'connect');
    socket.destroy();
    expect((await fetch(`${url}/users`)).status).toBe(200);
    expect(store.users.count()).toBe(1);
  });
});

describe('patience', () => {
  const patience = { headers: 200, request: 400, stall: 1_500 };

  test.each([
    ['headers that never end', (port: number) => `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n`],
    [
      'a body that never ends',
      (port: number) =>
        `POST /users HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
    ],
  ])('%s', async (_, bytes) => {
    const { server } = await freshServer({ patience });
    expect(await raw(server.port, bytes(server.port))).toMatch(/^HTTP\/1.1 408 /);
  });

  test('silence', async () => {
    const { server } = await freshServer({ patience });
    expect(await raw(server.port, '')).toMatch(/^($|HTTP\/1.1 408 )/);
  });

  test('a caller that never reads', async () => {
    const { server, store, log } = await freshServer({ patience: { stall: 300 } });
    store.write(() => {
      for (let i = 0; i < 3000; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(9_000) });
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /userExerciseLogs HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    await vi.waitFor(() => expect(log.join('')).toContain('aborted'), { timeout: 5_000 });
    expect((await ending(socket.resume())).length).toBeLessThan(27_000_000);
  });
});

describe('beside other programs', () => {
  test('reads are answered and writes wait while another process holds the write lock', async () => {
    const { store, url } = await freshServer();
    const other = openStore(store.db.path);
    other.db.run('BEGIN IMMEDIATE');
    const writing = fetch(`${url}/users`, { method: 'POST', headers: json, body: JSON.stringify(nora) });
    for (let i = 0; i < 20; i += 1) expect((await fetch(`${url}/users/1`)).status).toBe(200);
    other.db.run('COMMIT');
    expect((await writing).status).toBe(201);
    other.close();
  });

  test('a long list is of one moment, whatever is written meanwhile', async () => {
    const { store, url } = await freshServer();
    store.write(() => {
      for (let i = 0; i < 2_999; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(5_000) });
    });
    const response = await fetch(`${url}/userExerciseLogs?sort=-id`);
    await fetch(`${url}/users/1`, { method: 'DELETE' });
    expect(((await response.json()) as unknown[]).length).toBe(3_000);
    expect(await (await fetch(`${url}/userExerciseLogs`)).json()).toEqual([]);
  });
});

describe('stopping', () => {
  test('does not wait for connections on which nothing was asked', async () => {
    const { server } = await freshServer({ patience: { stop: 60_000 } });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket.resume(), 'close');
    await server.stop();
    await closed;
  });

  test('finishes what is in flight', async () => {
    const { store, url, server } = await freshServer();
    const other = openStore(store.db.path);
    other.db.run('BEGIN IMMEDIATE');
    const writing = fetch(`${url}/users`, { method: 'POST', headers: json, body: JSON.stringify(nora) });
    await fetch(`${url}/health`);
    const stopped = server.stop();
    other.db.run('COMMIT');
    other.close();
    expect((await writing).status).toBe(201);
    await stopped;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  test('cuts off what does not finish', async () => {
    const { server } = await freshServer({ patience: { stop: 50 } });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.write(
      `POST /users HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
    );
    const text = ending(socket);
    await once(socket, 'connect');
    await server.stop();
    expect(await text).not.toContain('200');
  });
});

test('the request log has no query, for a query says what a person does', async () => {
  const { url, log, server } = await freshServer();
  await (await fetch(`${url}/userExerciseLogs?exerciseName=Cobra`)).text();
  await server.stop();
  expect(log.join('')).toMatch(/^\S+Z GET \/userExerciseLogs 200 [\d.]+ ms\n$/);
});
