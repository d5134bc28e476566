import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocketServer } from 'node:net';
import { expect, test } from 'vitest';
import { checkAddress } from '../../src/sync/address.ts';
import { connectionTo } from '../../src/sync/connection.ts';
import { emptyResult, type SyncResult } from '../../src/sync/result.ts';
import { type Carrier, overService, watch } from '../../src/sync/watch.ts';
import { user } from '../store/helpers.ts';
import { machine, ticking, transportTo } from './helpers.ts';

test('a signal that comes in the middle of a sync ends the watch with that sync', async () => {
  const now = ticking();
  const [store, there] = [machine(now), machine(now)];
  store.users.create(user());
  const [stop, results] = [new AbortController(), [] as SyncResult[]];
  const send = transportTo(there);
  let hasListened = false;
  const connection = {
    send,
    listen: async () => {
      hasListened = true;
    },
    close: () => {},
  };
  const means = {
    store,
    remote: 'home',
    transport: (request: Parameters<typeof send>[0]) => {
      stop.abort();
      return send(request);
    },
    wait: async () => {},
    now,
  };
  await watch(
    overService(means, connection),
    {},
    {
      store,
      signal: stop.signal,
      onResult: (result) => results.push(result),
      onFailure: (error) => {
        throw error;
      },
    },
  );
  expect([results.length, there.users.count(), hasListened]).toEqual([1, 1, false]);
});

test('a stream that ends at once is asked for again after a pause only', async () => {
  const store = machine(ticking());
  const stop = new AbortController();
  let syncs = 0;
  const carrier: Carrier = {
    sync: async () => {
      if (++syncs > 1) stop.abort();
      return { ...emptyResult(store.id), seq: store.history.last() };
    },
    changed: async () => {},
  };
  setTimeout(() => stop.abort(), 100);
  const failed = (error: unknown) => expect(error).toBeUndefined();
  await watch(carrier, {}, { store, signal: stop.signal, onResult: () => {}, onFailure: failed });
  expect(syncs).toBe(1);
});

test('an event that comes in two pieces is heard', async () => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: 1\nda');
    setTimeout(() => response.end('ta: {}\n\n'), 50);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const connection = connectionTo(
    checkAddress(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
  );
  let events = 0;
  const request = { method: 'GET', path: '/changes', headers: {} } as const;
  await connection.listen(request, () => events++, new AbortController().signal);
  connection.close();
  server.close();
  expect(events).toBe(1);
});

test.each([
  ['http', undefined],
  ['https', undefined],
  ['https', `sha256-${'a'.repeat(43)}`],
])('a service that takes a connection and says nothing is given up: %s, pin %s', async (scheme, pin) => {
  const server = createSocketServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = checkAddress(`${scheme}://127.0.0.1:${(server.address() as AddressInfo).port}/`, pin);
  const connection = connectionTo(address, 50);
  const request = { method: 'GET', path: '/me', headers: {} } as const;
  await expect(connection.send(request)).rejects.toThrow(/ does not answer\.$/);
  connection.close();
  server.close();
});
