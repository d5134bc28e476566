import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { ServerOptions } from '../../src/http/server.ts';
import { SharedConnections } from '../../src/http/wire/connections.ts';
import { certificate } from './certificate.ts';
import { freshServer } from './helpers.ts';

const auth = { burst: 10_000, perSecond: 10_000 };
const EVIL = 'Authorization: Bearer wrong\r\n';

/** A connection that stays open. */
class Caller {
  readonly socket: Socket;
  isClosed = false;
  text = '';

  constructor(
    private readonly port: number,
    from: string,
    isTls: boolean,
  ) {
    const raw = connect({ port, host: '127.0.0.1', localAddress: from });
    this.socket = isTls ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw;
    raw.on('error', () => {});
    onTestFinished(() => void this.socket.destroy());
    this.socket.on('error', () => {});
    this.socket.on('data', (data) => {
      this.text += data;
    });
    this.socket.on('close', () => {
      this.isClosed = true;
    });
  }

  /** The status line of the response to a request on it; empty when it was closed. */
  async get(path: string, headers = ''): Promise<string> {
    this.text = '';
    this.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${this.port}\r\n${headers}\r\n`);
    await expect.poll(() => this.isClosed || this.text.includes('\r\n\r\n')).toBe(true);
    return this.text.split('\r\n')[0] ?? '';
  }
}

async function guarded(options: Partial<ServerOptions> = {}) {
  const { server, store, url } = await freshServer({ auth, ...options });
  const { token } = store.tokens.create({ name: 'a', role: 'patient', users: [1], lifetime: null });
  const { port } = server;
  const bearer = `Authorization: Bearer ${token}\r\n`;
  const open = async (from: string) => {
    const caller = new Caller(port, from, options.tls !== undefined);
    // Where there is no room, it is closed before its handshake.
    await once(caller.socket, options.tls ? 'secureConnect' : 'connect').catch(() => {});
    return caller;
  };
  const call = (from: string, path: string, headers = {}) =>
    new Promise<number | string>((resolve) => {
      request({ host: '127.0.0.1', port, path, headers, localAddress: from, agent: false })
        .on('response', (response) => resolve(response.resume().statusCode ?? 0))
        .on('error', (error) => resolve(error.message))
        .end();
    });
  return { open, call, bearer, token, port, store, url };
}

describe('512 connections of one address that ask every now and then', () => {
  test.each([
    ['/health', ''],
    ['/users', EVIL],
  ])('%s %j do not keep others out', async (path, headers) => {
    const { call, token, port } = await guarded({ auth: { burst: 500, perSecond: 50 } });
    const sockets = new Set<Socket>();
    let isOver = false;
    const attack = () => {
      if (isOver) return;
      const socket = connect({ port, host: '127.0.0.1' });
      const ask = () => socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost:${port}\r\n${headers}\r\n`);
      const timer = setInterval(ask, 1_000);
      sockets.add(
        socket
          .on('connect', ask)
          .on('error', () => {})
          .resume(),
      );
      socket.on('close', () => {
        clearInterval(timer);
        sockets.delete(socket);
        setTimeout(attack, 500);
      });
    };
    for (let i = 0; i < 512; i++) attack();
    onTestFinished(() => {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    });
    await expect.poll(() => [...sockets].filter(({ pending }) => !pending).length).toBeGreaterThan(200);
    const bearer = { authorization: `Bearer ${token}` };
    const statuses: Record<string, Set<number | string>> = {};
    const honest = [
      ['another address', '127.0.0.2', '/health', {}],
      ['a token from another address', '127.0.0.2', '/users/1', bearer],
      ['a token from the same address', '127.0.0.1', '/users/1', bearer],
    ] as const;
    for (let i = 0; i < 17; i++)
      await Promise.all(
        honest.map(async ([who, from, target, sent]) => {
          statuses[who] ??= new Set();
          statuses[who].add(await call(from, target, sent));
        }),
      );
    expect(statuses).toEqual({
      'another address': new Set([200]),
      'a token from another address': new Set([200]),
      'a token from the same address': new Set([200]),
    });
  });
});

const [ONE, OTHER, THIRD] = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

describe.each(['in the clear', 'with TLS'])('of 8 connections %s', (how) => {
  const never = 600_000;
  let few: Partial<ServerOptions> = {
    mostConnections: 8,
    timeouts: { headers: never, request: never, stall: never },
  };
  beforeEach(() => {
    if (how === 'in the clear') return;
    const { cert, key } = certificate('by itself');
    few = { ...few, tls: { cert: readFileSync(cert), key: readFileSync(key) } };
  });
  const several = async <T>(count: number, make: () => Promise<T>) => {
    const made: T[] = [];
    for (let i = 0; i < count; i++) made.push(await make());
    return made;
  };
  const alive = (all: { isClosed: boolean }[]) => all.map(({ isClosed }) => !isClosed);
  const settled = async (all: { isClosed: boolean }[], expected: boolean[]) =>
    expect.poll(() => alive(all)).toEqual(expected);

  test('one address has 4: its oldest gives way', async () => {
    const { open } = await guarded(few);
    const mine = await several(6, () => open(ONE));
    await settled(mine, [false, false, true, true, true, true]);
    const atOnce = await Promise.all(Array.from({ length: 4 }, () => open(ONE)));
    await settled([...mine, ...atOnce], [...Array<boolean>(6).fill(false), ...Array<boolean>(4).fill(true)]);
    // Those that gave way are counted no more, and no less.
    const others = await several(4, () => open(OTHER));
    await settled([...atOnce, ...others], Array(8).fill(true));
    await open(THIRD);
    await expect.poll(() => alive([...atOnce, ...others]).filter(Boolean).length).toBe(7);
  });

  test('those with a valid token stay', async () => {
    const { open, bearer } = await guarded(few);
    const mine = await several(4, () => open(ONE));
    for (const one of mine) expect(await one.get('/health')).toContain('200');
    const phone = await open(ONE);
    expect(await phone.get('/users/1', bearer)).toContain('200');
    const more = await several(5, () => open(ONE));
    await settled([phone, ...more], [true, false, false, true, true, true]);
    expect(await phone.get('/users/1', bearer)).toContain('200');
  });

  test('one that has gone takes no place, with a token neither', async () => {
    const { open, bearer } = await guarded(few);
    const gone = await several(3, () => open(ONE));
    for (const each of gone) {
      await each.get('/users/1', `${bearer}Connection: close\r\n`);
      await expect.poll(() => each.isClosed).toBe(true);
    }
    const mine = await several(4, () => open(ONE));
    await settled(mine, [true, true, true, true]);
  });

  test('when all have shown a token, an idle one gives way, and none that is in use', async () => {
    const { open, bearer } = await guarded(few);
    const stream = `${bearer}Accept: text/event-stream\r\n`;
    const mine = await several(4, () => open(ONE));
    for (const [i, one] of mine.entries())
      expect(await one.get(i < 3 ? '/changes' : '/users/1', i < 3 ? stream : bearer)).toContain('200');
    const next = await open(ONE);
    await settled([...mine, next], [true, true, true, false, true]);
    expect(await next.get('/changes', stream)).toContain('200');
    const last = await open(ONE);
    await settled([...mine.slice(0, 3), next, last], [true, true, true, true, false]);
  });

  test('one that never finishes its handshake is the first to go', async () => {
    const { open, port, bearer } = await guarded(few);
    if (how === 'in the clear') return;
    const silent = await several(3, async () => {
      const socket = connect({ port, host: '127.0.0.1' });
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => {});
      await once(socket, 'connect');
      return socket;
    });
    const phone = await open(ONE);
    expect(await phone.get('/users/1', bearer)).toContain('200');
    await several(3, () => open(ONE));
    await expect.poll(() => silent.map(({ closed }) => closed)).toEqual([true, true, true]);
    expect(await phone.get('/users/1', bearer)).toContain('200');
  });

  test('a third address takes a place of whoever has most without a token', async () => {
    const { open, bearer } = await guarded(few);
    const one = await several(4, () => open(ONE));
    for (const each of one.slice(0, 2)) await each.get('/users/1', bearer);
    const other = await several(4, () => open(OTHER));
    const third = await open(THIRD);
    await settled([...one, ...other, third], [true, true, true, true, false, true, true, true, true]);
  });

  test.each([
    ['without --auth', { auth: undefined }],
    ['behind a proxy', { behindProxy: true }],
  ])('%s they are not shared out', async (_, options) => {
    const { open } = await guarded({ ...few, ...options });
    const mine = await several(9, () => open(ONE));
    await settled(mine, [...Array<boolean>(8).fill(true), false]);
    expect(await mine[0]?.get('/users', EVIL)).toMatch(/200|401/);
    expect(mine[0]?.isClosed).toBe(false);
  });
});

describe('a connection without a valid token is closed', () => {
  test.each([
    [401, '/users', EVIL],
    [401, '/users', ''],
    [401, '/users', 'Content-Length: 2\r\nExpect: 100-continue\r\n'],
    [403, '/health', 'Origin: https://elsewhere.example\r\n'],
  ])('after %i for %s %j', async (status, path, headers) => {
    const { open } = await guarded();
    const one = await open(ONE);
    expect(await one.get(path, headers)).toContain(String(status));
    expect(one.text).toMatch(/^connection: close\r$/im);
    await expect.poll(() => one.isClosed).toBe(true);
  });

  test('after 429, and one with a valid token is not', async () => {
    const { open, bearer } = await guarded({ auth: { burst: 1, perSecond: 0.001 } });
    const [one, phone] = [await open(ONE), await open(ONE)];
    expect(await one.get('/health')).toContain('200');
    expect(await one.get('/health')).toContain('429');
    await expect.poll(() => one.isClosed).toBe(true);
    expect(await phone.get('/users/1', bearer)).toContain('200');
    expect(await phone.get('/users/1', bearer)).toContain('429');
    expect(phone.text).not.toMatch(/^connection: close\r$/im);
    const another = await open(ONE);
    expect(await another.get('/users/1', bearer)).toContain('429');
    expect(another.text).not.toMatch(/^connection: close\r$/im);
  });

  test('one with a valid token stays after 403, and goes when it is taken back', async () => {
    const { open, bearer, store } = await guarded();
    const phone = await open(ONE);
    expect(await phone.get('/users/1', bearer)).toContain('200');
    expect(await phone.get('/health', 'Origin: https://elsewhere.example\r\n')).toContain('403');
    expect(phone.isClosed).toBe(false);
    store.tokens.revoke('a');
    expect(await phone.get('/users/1', bearer)).toContain('401');
    await expect.poll(() => phone.isClosed).toBe(true);
  });

  test('when its body is on the way, once that has arrived', async () => {
    const { open, call, port } = await guarded();
    const one = await open(ONE);
    one.socket.write(`POST /users HTTP/1.1\r\nHost: localhost:${port}\r\n${EVIL}Content-Length: 2\r\n\r\n{`);
    for (let i = 0; i < 3; i++) expect(await call(OTHER, '/health')).toBe(200);
    expect(one.text).toBe('');
    one.socket.write('}');
    await expect.poll(() => one.text).toMatch(/^HTTP\/1.1 401 /);
  });
});

test('of connections that come all at once, each closes another one', () => {
  const server = new EventEmitter();
  new SharedConnections(server as Server, 4, () => 'one network');
  const closed: number[] = [];
  for (const i of [1, 2, 3, 4, 5])
    server.emit('connection', Object.assign(new EventEmitter(), { destroy: () => closed.push(i) }));
  expect(closed).toEqual([1, 2, 3]);
});

test('a network that has its half makes room among its own, whoever else has shown no token', () => {
  const server = new EventEmitter();
  const connections = new SharedConnections(server as Server, 4, (address) => address);
  const closed: string[] = [];
  const come = (name: string, remoteAddress: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => closed.push(name) });
    server.emit('connection', socket);
    return socket as unknown as Socket;
  };
  for (const name of ['first', 'second']) connections.trust(come(name, 'half'));
  come('stranger', 'elsewhere');
  come('third', 'half');
  expect(closed).toEqual(['first']);
});
