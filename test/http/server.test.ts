import { AsyncLocalStorage, createHook } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import type { CompanionFiles } from '../../src/http/companion.ts';
import { unusedConnections } from '../../src/http/wire/listener.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { logBytesOf } from '../../src/store/sqlite/snapshot.ts';
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

/** Looks at each request that begins, or each response that was sent, as Node has it. */
function watching(what: 'request.start' | 'response.finish', look: (message: Watched) => void): void {
  const channel = `http.server.${what}`;
  const heard = (message: unknown) => look(message as Watched);
  subscribe(channel, heard);
  onTestFinished(() => void unsubscribe(channel, heard));
}

interface Watched {
  response: ServerResponse;
  socket: Socket;
}

test('a response has to be taken in time, also one that was waited for', async () => {
  const bounds: unknown[] = [];
  watching('response.finish', ({ socket }) => bounds.push(socket.timeout));
  const { url } = await freshServer({ timeouts: { stall: 12_345 } });
  await fetch(`${url}/users/1`);
  await fetch(`${url}/users`, { method: 'POST', headers: json, body: JSON.stringify(nora) });
  expect(bounds).toEqual([12_345, 12_345]);
});

test('the service answers to the address that it listens on, and to names of the machine with the port', async () => {
  const { server } = await freshServer({ host: '127.0.0.2', ownNames: ['laptop.local'] });
  const { port } = server;
  const hosts = [`127.0.0.2:${port}`, `laptop.local:${port}`, 'laptop.local', `127.0.0.3:${port}`];
  const statuses = hosts.map(async (host) => {
    const asked = get({ host: '127.0.0.2', port, path: '/health', headers: { host }, agent: false });
    const [response] = await once(asked, 'response');
    return response.resume().statusCode;
  });
  expect(await Promise.all(statuses)).toEqual([200, 200, 403, 403]);
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
    const warn = vi.spyOn(process, 'emitWarning');
    const { store, url } = await freshServer();
    store.change(() => {
      for (let i = 0; i < 2_999; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(5_000) });
    });
    const response = await fetch(`${url}/userExerciseLogs?sort=-id`);
    await fetch(`${url}/users/1`, { method: 'DELETE' });
    expect(((await response.json()) as unknown[]).length).toBe(3_000);
    expect(await (await fetch(`${url}/userExerciseLogs`)).json()).toEqual([]);
    expect(warn.mock.calls.join()).not.toContain('MaxListeners');
    warn.mockRestore();
  });
});

test('a long list lets others come between its chunks, however fast it is read', async () => {
  const { server, store, log } = await freshServer();
  store.change(() => {
    for (let i = 0; i < 2_000; i += 1) store.logs.create(stretch);
  });
  const [long, short] = [connect(server.port, '127.0.0.1'), connect(server.port, '127.0.0.1')] as const;
  const request = (path: string, more = '') =>
    `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\n${more}\r\n`;
  for (const socket of [long, short]) {
    socket.write(request('/health'));
    await once(socket, 'data');
  }
  const last = 'Connection: close\r\n';
  long.write(request('/changes', last));
  short.write(request('/users', last));
  await Promise.all([ending(long), ending(short)]);
  await expect.poll(() => log.join('')).toMatch(/GET \/users .*GET \/changes /s);
});

test('a slow reader that does read is not cut off', async () => {
  const stall = 123_456;
  const { server, store } = await freshServer({ timeouts: { stall } });
  store.change(() => {
    for (let i = 0; i < 600; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(9_000) });
  });
  const listeners: number[] = [];
  watching('response.finish', ({ response }) => listeners.push(response.listenerCount('drain')));
  const [begun, ended] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  onTestFinished(() => void vi.restoreAllMocks());
  await raw(
    server.port,
    `GET /userExerciseLogs HTTP/1.1\r\nHost: localhost:${server.port}\r\nConnection: close\r\n\r\n`,
  );
  const cuts = begun.mock.results.filter((_, i) => begun.mock.calls[i]?.[1] === stall);
  expect(cuts.length).toBeGreaterThan(0);
  const cleared = new Set(ended.mock.calls.map(([timer]) => timer));
  expect(cuts.filter(({ value }) => !cleared.has(value))).toEqual([]);
  expect(listeners).toEqual([0]);
});

test.each([
  [new Error('boom'), /error: Error: boom\n +at /],
  [new SciaticaError('damaged', 'boom'), /error: boom\n$/],
])('the request log tells of an unforeseen error: %s', async (error, told) => {
  const companion = {
    get: () => {
      throw error;
    },
  } as unknown as CompanionFiles;
  const { url, log, server } = await freshServer({ companion });
  expect((await fetch(`${url}/app/x`)).status).toBe(500);
  await server.stop();
  expect(log.join('').replace(/^.*GET .*\n/m, '')).toMatch(told);
});

test('nothing bounds a connection while its answer is waited for', async () => {
  const sockets: Socket[] = [];
  watching('request.start', ({ socket }) => sockets.push(socket));
  const { server } = await freshServer({ timeouts: { stall: 12_345 } });
  const caller = connect(server.port, '127.0.0.1');
  onTestFinished(() => void caller.destroy());
  const head = `Host: localhost:${server.port}\r\nContent-Type: application/json\r\nContent-Length: 2`;
  caller.write(`POST /users HTTP/1.1\r\n${head}\r\n\r\n{`);
  await expect.poll(() => sockets.map(({ timeout }) => timeout)).toEqual([0]);
});

test('an error of a streamed response ends its connection, and not the service', async () => {
  const responses: ServerResponse[] = [];
  watching('request.start', ({ response }) => responses.push(response));
  const { server, store, url } = await freshServer();
  store.change(() => {
    for (let i = 0; i < 600; i += 1) store.logs.create({ ...stretch, notes: 'x'.repeat(9_000) });
  });
  const socket = connect(server.port, '127.0.0.1').pause();
  socket.on('error', () => {});
  socket.write(`GET /userExerciseLogs HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
  await expect.poll(() => responses[0]?.headersSent).toBe(true);
  responses[0]?.emit('error', new Error('of the connection'));
  expect((await ending(socket.resume())).length).toBeLessThan(5_400_000);
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

test('over plain HTTP no browser is told to come by TLS from now on', async () => {
  const { server } = await freshServer({ origins: { allowHosts: ['diary.example'], allowOrigins: [] } });
  const answer = await raw(
    server.port,
    'GET /health HTTP/1.1\r\nHost: diary.example\r\nConnection: close\r\n\r\n',
  );
  expect(answer).toMatch(/^HTTP\/1.1 200 /);
  expect(answer).not.toMatch(/strict-transport-security/i);
});

describe('stopping', () => {
  test.each([
    ['nothing', ''],
    ['nonsense in the end', 'GET /health HTTP/1.1\r\nHost: localhost:§\r\n\r\nnonsense\r\n\r\n'],
  ])('does not wait for a connection on which %s was asked', async (_, asked) => {
    const never = 600_000;
    const timeouts = { stop: never, headers: never, request: never, stall: never };
    const { server } = await freshServer({ timeouts });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    const ended = once(socket.resume(), 'end');
    socket.write(asked.replace('§', String(server.port)));
    if (asked !== '') await ended;
    await server.stop();
    await ended;
  });

  test('has nothing to do with connections that are gone', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    const unused = unusedConnections(server);
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(server, 'connection');
    expect(unused.size).toBe(1);
    socket.destroy();
    await expect.poll(() => unused.size).toBe(0);
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
    expect(await answer).toMatch(/^HTTP\/1\.1 201 .*^connection: close\r$/ims);
    await stopped;
    await expect(fetch(`${url}/health`)).rejects.toThrow();
    expect(logBytesOf(store.path)).toBe(0);
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

test('a service that has stopped leaves no timer behind', async () => {
  const [own, left] = [new AsyncLocalStorage<true>(), new Set<number>()];
  const hook = createHook({
    init: (id, type) => void (type === 'Timeout' && own.getStore() && left.add(id)),
    destroy: (id) => void left.delete(id),
  }).enable();
  onTestFinished(() => void hook.disable());
  const begun = await own.run(true, async () => {
    const { server } = await freshServer();
    const begun = left.size;
    await server.stop();
    return begun;
  });
  expect(begun).toBeGreaterThan(0);
  await vi.waitFor(() => expect([...left]).toEqual([]));
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
