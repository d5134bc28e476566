import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { Feed } from '../../src/http/protocol/feed.ts';
import { changesRoute } from '../../src/http/routes/history.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { run } from '../helpers.ts';
import { freshStore } from '../store/helpers.ts';
import { freshServer, nora, stretch } from './helpers.ts';

interface Event {
  id: string;
  entry: { seq: number; record: string; id: number; action: string };
}

/** An open stream of events. */
class Stream {
  readonly events: Event[] = [];
  comments = 0;
  isOver = false;

  constructor(
    readonly response: Response,
    private readonly abort: AbortController,
  ) {
    void this.#read();
  }

  async #read(): Promise<void> {
    try {
      let text = '';
      const decoder = new TextDecoder();
      for await (const chunk of this.response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
    } catch {
      // Broken off.
    }
    this.isOver = true;
  }

  #take(block: string): void {
    const [, id, data] = /^id: (\d+)\ndata: (.*)$/.exec(block) ?? [];
    if (id && data) this.events.push({ id, entry: JSON.parse(data) });
    else if (block.startsWith(':')) this.comments++;
    else throw new Error(`not an event: ${block}`);
  }

  get seqs(): number[] {
    return this.events.map(({ entry }) => entry.seq);
  }

  close(): void {
    this.abort.abort();
  }
}

/** Opens a stream; it is closed after the test at the latest. */
async function open(url: string, headers: Record<string, string> = {}, search = ''): Promise<Stream> {
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  const answer = await fetch(`${url}/changes${search}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: abort.signal,
  });
  return new Stream(answer, abort);
}

const until = (check: () => boolean) => expect.poll(check).toBe(true);

describe('a stream of changes', () => {
  test('begins with what is there and goes on with what comes', async () => {
    const { url, store } = await freshServer();
    const stream = await open(url);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream');
    await until(() => stream.events.length === 2);
    await fetch(`${url}/userExerciseLogs/1`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"painAfter":1}',
    });
    await until(() => stream.events.length === 3);
    expect(stream.events.map(({ entry }) => entry)).toEqual(store.changesAfter(0, 10));
    expect(stream.events.map(({ id }) => id)).toEqual(['1', '2', '3']);
  });

  test.each([
    ['text/event-stream;q=0', 'application/json'],
    ['application/json, Text/Event-Stream; Q=0.0', 'application/json'],
    ['application/x-text/event-stream-not', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json, text/event-stream;q=0.5', 'text/event-stream'],
    ['TEXT/EVENT-STREAM; charset=utf-8', 'text/event-stream'],
  ])('is what Accept: %s gets, or JSON: %s', async (accept, type) => {
    const { url } = await freshServer();
    const stream = await open(url, { accept });
    expect(stream.response.headers.get('content-type')).toBe(type);
  });

  test('brings what the command line changes', async () => {
    const { url, store } = await freshServer();
    const stream = await open(url, {}, '?since=2');
    await until(() => stream.comments === 1);
    await run(['log', 'edit', '1', '--after', '3'], { db: store.path });
    await until(() => stream.events.length === 1);
    expect(stream.events[0]?.entry).toMatchObject({
      seq: 3,
      source: 'cli',
      record: 'log',
      id: 1,
      action: 'update',
    });
  });

  test('goes on after the last event that arrived', async () => {
    const { url } = await freshServer();
    for (const [headers, search] of [
      [{ 'last-event-id': '1' }, ''],
      [{}, '?since=1'],
      [{ 'last-event-id': '1' }, '?since=0'],
    ] as const) {
      const stream = await open(url, { ...headers }, search);
      await until(() => stream.events.length === 1);
      expect(stream.seqs).toEqual([2]);
    }
  });

  test.each([
    ['x', 400],
    ['-1', 400],
    ['1e2', 400],
    ['99', 410],
  ])('from the event %s is refused with %i', async (id, status) => {
    const { url } = await freshServer();
    expect((await open(url, { 'last-event-id': id })).response.status).toBe(status);
  });

  test('says now and then that it is still there', async () => {
    const { url } = await freshServer({ timeouts: { heartbeat: 20 } });
    const stream = await open(url, {}, '?since=2');
    await until(() => stream.comments > 3);
    expect(stream.events).toEqual([]);
  });

  test('ends at once when the service stops', async () => {
    const { url, server } = await freshServer();
    const streams = await Promise.all([open(url), open(url)]);
    await until(() => streams.every(({ events }) => events.length === 2));
    await server.stop();
    await until(() => streams.every(({ isOver }) => isOver));
  });

  test('ends when its reader closes its half of the connection', async () => {
    const { url } = await freshServer();
    const { host, port } = new URL(url);
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
    onTestFinished(() => void socket.destroy());
    socket.write(`GET /changes HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    await once(socket, 'data');
    const ended = once(socket, 'end');
    socket.end();
    await ended;
  });

  test('to HEAD has no body, and takes no place', async () => {
    const { url } = await freshServer();
    for (let i = 0; i < 40; i++) {
      const { status } = await fetch(`${url}/changes`, {
        method: 'HEAD',
        headers: { accept: 'text/event-stream' },
      });
      expect(status).toBe(200);
    }
    expect((await open(url)).response.status).toBe(200);
  });

  test('is one of 32 that a caller may have; one that ends makes room', async () => {
    const { url } = await freshServer();
    const streams = await Promise.all(Array.from({ length: 32 }, () => open(url)));
    expect(new Set(streams.map(({ response }) => response.status))).toEqual(new Set([200]));
    const refused = await open(url);
    expect([refused.response.status, refused.response.headers.get('retry-after')]).toEqual([429, '15']);
    streams[0]?.close();
    await expect.poll(async () => (await open(url)).response.status).toBe(200);
  });

  test('to who never reads is cut off, and holds little meanwhile', async () => {
    const { url, store, log } = await freshServer({ timeouts: { stall: 300 } });
    store.change(() => {
      for (let i = 0; i < 2000; i++) store.logs.create({ ...stretch, notes: 'x'.repeat(9000) });
    });
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {});
    socket.write(`GET /changes HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept: text/event-stream\r\n\r\n`);
    socket.pause();
    await expect.poll(() => log.join('')).toContain('GET /changes aborted');
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });
});

describe('behind the gate', () => {
  const behind = async (timeouts = {}) => {
    const { url, store } = await freshServer({ auth: { burst: 500, perSecond: 50 }, timeouts });
    store.users.create({ ...nora, firstName: 'Ole' });
    store.logs.create({ ...stretch, userId: 2 });
    const as = (name: string, role: 'patient' | 'admin', users: number[] | null) => {
      const { token } = store.tokens.create({ name, role, users, lifetime: null });
      return open(url, { authorization: `Bearer ${token}` });
    };
    return { url, store, as };
  };

  test('a stream shows each the own records', async () => {
    const { store, as } = await behind();
    const [nora, ole, boss] = await Promise.all([
      as('nora', 'patient', [1]),
      as('ole', 'patient', [2]),
      as('boss', 'admin', null),
    ]);
    store.logs.update(1, { userId: 2 });
    await until(() => boss.events.length === 5 && ole.events.length === 3 && nora.events.length === 3);
    expect([nora.seqs, ole.seqs]).toEqual([
      [1, 2, 5],
      [3, 4, 5],
    ]);
    expect(nora.events.at(-1)?.entry).toMatchObject({ action: 'delete', after: null });
    expect(ole.events.at(-1)?.entry).toMatchObject({ action: 'create', before: null });
  });

  test('the streams of one token leave room for those of another, from the same address', async () => {
    const { url, store, as } = await behind();
    const { token } = store.tokens.create({ name: 'boss', role: 'admin', users: null, lifetime: null });
    const headers = { authorization: `Bearer ${token}` };
    const streams = await Promise.all(Array.from({ length: 33 }, () => open(url, headers)));
    expect(streams.filter(({ response }) => response.status === 429)).toHaveLength(1);
    expect((await as('nora', 'patient', [1])).response.status).toBe(200);
  });

  test("others' changes do not put the heartbeat off", async () => {
    const { store, as } = await behind({ heartbeat: 300, stall: 1000 });
    const stream = await as('nora', 'patient', [1]);
    const timer = setInterval(() => store.users.update(2, { age: Math.floor(Math.random() * 100) }), 50);
    onTestFinished(() => clearInterval(timer));
    await until(() => stream.comments > 5);
    expect(stream.isOver).toBe(false);
  });

  test('a long list ends when its token is taken back', async () => {
    const { url, store } = await behind();
    store.change(() => {
      for (let i = 0; i < 5000; i++) store.logs.create({ ...stretch, notes: 'x'.repeat(5000) });
    });
    const { token } = store.tokens.create({ name: 'boss', role: 'admin', users: null, lifetime: null });
    const response = await fetch(`${url}/userExerciseLogs`, {
      headers: { authorization: `Bearer ${token}` },
    });
    store.tokens.revoke('boss');
    await expect(response.text()).rejects.toThrow();
  });

  test('a stream ends when its token is taken back from the command line', async () => {
    const { store, as } = await behind();
    const stream = await as('phone', 'patient', [1]);
    await until(() => stream.events.length === 2);
    const other = openStore(store.path);
    other.tokens.revoke('phone');
    other.close();
    await until(() => stream.isOver);
    store.logs.update(1, { painAfter: 1 });
    expect(stream.seqs).toEqual([1, 2]);
  });

  test('what a stream told is in the audit', async () => {
    const { url, store, as } = await behind();
    const stream = await as('phone', 'patient', [1]);
    await until(() => stream.events.length === 2);
    await open(url);
    await expect
      .poll(() => store.audit.list({ limit: 10 }))
      .toMatchObject([
        { route: '/changes', status: 401, count: 0, who: null },
        { route: '/changes', record: 'log', first: 1, last: 1, count: 1, who: 'phone', userId: 1 },
        { route: '/changes', record: 'user', first: 1, last: 1, count: 1, who: 'phone', userId: 1 },
      ]);
  });
});

test('a caller who goes away leaves nothing waiting', async () => {
  const { url, log } = await freshServer();
  const stream = await open(url);
  await until(() => stream.events.length === 2);
  stream.close();
  await expect.poll(() => log.join('')).toMatch(/GET \/changes (?:200|aborted)/);
});

test('there are 256 streams in all, and none once the service stops', () => {
  const feed = new Feed(freshStore());
  const streams = Array.from({ length: 256 }, (_, caller) => feed.subscribe(caller));
  const refused = expect.objectContaining({ status: 503, headers: { 'retry-after': '15' } });
  expect(() => feed.subscribe('another')).toThrow(refused);
  streams[0]?.close();
  feed.subscribe('another').close();
  feed.stop();
  expect(streams.some(({ isOpen }) => isOpen)).toBe(false);
  expect(() => feed.subscribe('another')).toThrow(refused);
});

test('a stream that is opened after the last one ended is told of changes', async () => {
  const store = freshStore();
  const feed = new Feed(store);
  feed.subscribe(1).close();
  const stream = feed.subscribe(1);
  onTestFinished(() => stream.close());
  store.users.create(nora);
  expect(await stream.next()).toBe('changed');
});

test('a stream is told of changes after another one has ended', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const feed = new Feed(freshStore());
  const stream = feed.subscribe(1);
  feed.subscribe(2).close();
  const next = stream.next();
  vi.advanceTimersToNextTimer();
  expect(await Promise.race([next, 'waits'])).toBe('changed');
  stream.close();
});

test('a stream looks for itself where nobody can say whether anything has changed', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const revision = () => {
    throw new Error('no database any more');
  };
  const stream = new Feed({ revision } as unknown as Store).subscribe(1);
  const next = stream.next();
  vi.advanceTimersToNextTimer();
  expect(await Promise.race([next, 'waits'])).toBe('changed');
  stream.close();
});

test('a stream that is closed waits for nothing any more', async () => {
  const stream = new Feed(freshStore()).subscribe(1);
  stream.close();
  expect(await Promise.race([stream.next(), 'waits'])).toBe('idle');
});

test('a heartbeat comes no sooner after the one before it than after the beginning', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stream = new Feed(freshStore(), 100).subscribe(1);
  onTestFinished(() => stream.close());
  let isDue = false;
  const wait = () => void stream.next().then(() => (isDue = true));
  const isDueAfter = async (milliseconds: number) => {
    isDue = false;
    await vi.advanceTimersByTimeAsync(milliseconds);
    return isDue;
  };
  wait();
  expect(await isDueAfter(100)).toBe(true);
  wait();
  expect([await isDueAfter(99), await isDueAfter(1)]).toEqual([false, true]);
});

/** The stream of a store, without a service. */
async function streamOf(store: Store, feed = new Feed(store)) {
  const headers = { accept: 'text/event-stream' };
  const request = { method: 'GET', target: '/changes', headers, hosts: [] };
  const { body } = await changesRoute.handle({
    request: { ...request, address: () => '::1', readBody: async () => Buffer.of(), onClose: () => {} },
    route: changesRoute,
    store,
    feed,
    id: 0,
    search: '',
    base: () => '',
    isPairing: false,
  });
  if (typeof body !== 'object') throw new Error('no stream');
  return body;
}

test('a stream that is given up before its caller is known to be gone takes no place', async () => {
  const store = freshStore();
  const feed = new Feed(store);
  for (let i = 0; i < 40; i++) {
    const body = await streamOf(store, feed);
    await body.next();
    await body.return(undefined);
  }
});

test('what is sent puts the heartbeat off', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const store = freshStore();
  store.users.create(nora);
  const body = await streamOf(store);
  await body.next();
  vi.advanceTimersByTime(10_000);
  expect((await body.next()).value?.text).toContain('"record":"user"');
  const next = Promise.resolve(body.next()).then(({ value }) => value?.text);
  await vi.advanceTimersByTimeAsync(14_999);
  expect(await Promise.race([next, 'nothing'])).toBe('nothing');
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.race([next, 'nothing'])).toBe(':\n\n');
  await body.return(undefined);
});
