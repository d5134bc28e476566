import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/open.ts';
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

describe('timeouts', () => {
  const timeouts = { headers: 200, request: 400, stall: 1_500 };

  test.each([
    ['headers that never end', (port: number) => `GET / HTTP/1.1\r\nHost: localhost:${port}\r\n`],
    [
      'a body that never ends',
      (port: number) =>
        `POST /users HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nContent-Length: 90\r\n\r\n{`,
    ],
    [
      // Node's parser keeps to itself what is wrong in a body that comes with Upgrade.
      'a bad chunk behind an upgrade',
      (port: number) =>
        `POST /users HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n`,
    ],
  ])('%s', async (_, bytes) => {
    const { server } = await freshServer({ timeouts });
    expect(await raw(server.port, bytes(server.port))).toMatch(/^HTTP\/1.1 408 /);
  });

  test('silence', async () => {
    const { server } = await freshServer({ timeouts });
    expect(await raw(server.port, '')).toMatch(/^($|HTTP\/1.1 408 )/);
  });

  test('a caller that never reads', async () => {
    const { server, store, log } = await freshServer({ timeouts: { stall: 300 } });
    store.change(() => {
      for (let i = 0; i < 3000; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(9_000) });
    });
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET /userExerciseLogs HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    await expect.poll(() => log.join('')).toContain('aborted');
    expect((await ending(socket.resume())).length).toBeLessThan(27_000_000);
  });
});

describe('beside other programs', () => {
  test('reads are answered and writes wait while another process holds the write lock', async () => {
    const { store, url } = await freshServer();
    const other = openDatabase(store.path);
    other.begin();
    const writing = fetch(`${url}/users`, { method: 'POST', headers: json, body: JSON.stringify(nora) });
    for (let i = 0; i < 20; i += 1) expect((await fetch(`${url}/users/1`)).status).toBe(200);
    other.commit();
    expect((await writing).status).toBe(201);
    other.close();
  });

  test('a long list is of one moment, whatever is written meanwhile', async () => {
    const { store, url } = await freshServer();
    store.change(() => {
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
    const { server } = await freshServer({ timeouts: { stop: 60_000 } });
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket.resume(), 'close');
    await server.stop();
    await closed;
  });

  test('finishes what is in flight', async () => {
    const { store, url, server } = await freshServer();
    const other = openDatabase(store.path);
    other.begin();
    // Not with fetch, which may connect long before it sends.
    const socket = connect(server.port, '127.0.0.1');
    const answer = ending(socket);
    const body = JSON.stringify(nora);
    const head = `POST /users HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Type: application/json`;
    await new Promise<void>((sent) =>
      socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`, () => sent()),
    );
    await fetch(`${url}/health`);
    const stopped = server.stop();
    other.commit();
    other.close();
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /);
    await stopped;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
  });

  test('cuts off what does not finish', async () => {
    const { server } = await freshServer({ timeouts: { stop: 50 } });
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

test('the request log has no query, for a query says what a person does, and no more of a path than one reads', async () => {
  const { url, log, server } = await freshServer();
  await (await fetch(`${url}/userExerciseLogs?exerciseName=Cobra`)).text();
  await (await fetch(`${url}/${'x'.repeat(300)}`)).text();
  await server.stop();
  const [first, second] = log.join('').split('\n');
  expect(first).toMatch(/^\S+Z GET \/userExerciseLogs 200 [\d.]+ ms$/);
  expect(second).toMatch(/^\S+Z GET \/x{199} 404 [\d.]+ ms$/);
});
