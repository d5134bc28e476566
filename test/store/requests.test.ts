import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { freshStore, log, user } from './helpers.ts';

const bytes = (n: number) => Buffer.alloc(32, n);
const request = { key: bytes(1), body: bytes(2) };

/** A store of two users where one request has created logs of these users. */
function afterRequest(...owners: number[]): Store {
  const store = freshStore();
  store.users.create(user());
  store.users.create(user({ firstName: 'Ole' }));
  store.change(() => {
    for (const userId of owners) store.logs.create(log({ userId }));
    store.requests.add(request);
  });
  return store;
}

test('a request is known by its key, with what it created', () => {
  const store = afterRequest(1, 2);
  expect(store.requests.find(request.key)).toEqual({
    body: request.body,
    created: [store.logs.get(1), store.logs.get(2)],
    entries: store.changesAfter(2, 9),
    seq: 4,
  });
  expect(store.requests.find(bytes(3))).toBeUndefined();
});

test('what it created is shown as it was then', () => {
  const store = afterRequest(1);
  const created = [store.logs.get(1)];
  store.logs.update(1, { painAfter: 1 });
  expect(store.requests.find(request.key)?.created).toEqual(created);
  store.logs.delete(1);
  expect(store.requests.find(request.key)?.created).toEqual(created);
});

test('a request that fails is not known', () => {
  const store = afterRequest(1);
  const failing = { ...request, key: bytes(4) };
  expect(() =>
    store.change(() => {
      store.logs.create(log());
      store.requests.add(failing);
      throw new Error('no');
    }),
  ).toThrow('no');
  expect(store.requests.find(failing.key)).toBeUndefined();
});

describe('erasing a user', () => {
  const bytesOf = (store: Store) => {
    store.checkpoint();
    return readFileSync(store.path);
  };

  test('forgets a request that created theirs only', () => {
    const store = afterRequest(1, 1);
    store.erase(1);
    expect(store.requests.find(request.key)).toBeUndefined();
    expect(bytesOf(store).includes(request.body)).toBe(false);
    expect(bytesOf(store).includes(request.key)).toBe(false);
  });

  test("leaves of a request with others' records the key and those: they are not created again", () => {
    const store = afterRequest(1, 2);
    store.erase(1);
    expect(store.requests.find(request.key)).toEqual({
      body: null,
      created: [store.logs.get(2)],
      entries: [expect.objectContaining({ record: 'log', id: 2, after: store.logs.get(2) })],
      seq: 4,
    });
    expect(bytesOf(store).includes(request.body)).toBe(false);
  });

  test('leaves a request of another user', () => {
    const store = afterRequest(2);
    store.erase(1);
    expect(store.requests.find(request.key)?.body).toEqual(request.body);
  });

  test('forgets a request that noted a log under the wrong name', () => {
    const store = afterRequest(2);
    store.logs.update(1, { userId: 1 });
    store.erase(1);
    expect(store.requests.find(request.key)).toBeUndefined();
  });
});
