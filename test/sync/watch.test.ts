import { expect, test } from 'vitest';
import type { SyncResult } from '../../src/sync/result.ts';
import { overService, watch } from '../../src/sync/watch.ts';
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
