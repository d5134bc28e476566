import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freshPath, freshStore, log, openStore, user } from './helpers.ts';

/** A store that reads in turns, with a user and a log, and another connection to the same file. */
function two() {
  const path = freshPath();
  const other = freshStore(path);
  other.users.create(user());
  other.logs.create(log());
  const store = freshStore(path);
  store.readInTurns();
  return { store, other };
}

test('all reads of a turn are of one moment', async () => {
  const { store, other } = two();
  expect(store.logs.count()).toBe(1);
  other.logs.create(log());
  expect([store.logs.count(), store.logs.find(2)]).toEqual([1, undefined]);
  await nextTurn();
  expect(store.logs.count()).toBe(2);
});

test('what is written through the connection itself is read in the same turn', () => {
  const { store } = two();
  expect(store.logs.count()).toBe(1);
  store.logs.create(log());
  expect(store.logs.count()).toBe(2);
});

test('a write sees what others wrote in the turn, and they can write as soon as it is done', () => {
  const { store, other } = two();
  expect(store.logs.count()).toBe(1);
  other.logs.delete(1);
  expect(() => store.logs.update(1, { painAfter: 5 })).toThrow('There is no');
  expect(store.logs.count()).toBe(0);
  other.logs.create(log());
});

test('a change that fails leaves nothing of its own to the reads after it', () => {
  const { store } = two();
  store.logs.count();
  const change = () =>
    store.change(() => {
      store.logs.create(log());
      throw new Error('no');
    });
  expect(change).toThrow('no');
  expect(store.logs.count()).toBe(1);
});

test('several reads asked for as one are of the turn', async () => {
  const { store, other } = two();
  const counts = () => store.read(() => [store.logs.count(), store.users.count()]);
  expect(counts()).toEqual([1, 1]);
  other.logs.create(log());
  expect(counts()).toEqual([1, 1]);
  await nextTurn();
  expect(counts()).toEqual([2, 1]);
});

test('a token revoked by another process in the turn is not found valid', () => {
  const { store, other } = two();
  const { token } = other.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  expect(store.tokens.find(token)).toMatchObject({ revokedAt: null });
  store.logs.count();
  other.tokens.revoke('phone');
  const until = performance.now() + 2;
  while (performance.now() < until);
  expect(store.tokens.find(token)).not.toMatchObject({ revokedAt: null });
});

test('whether others changed something is asked of the file and not of the turn', () => {
  const { store, other } = two();
  store.logs.count();
  const before = store.revision();
  other.logs.create(log());
  expect(store.revision()).not.toBe(before);
});

test('the log can be moved into the file as soon as the turn is over', async () => {
  const { store } = two();
  store.logs.count();
  expect(store.checkpoint()).toBe(true);
});

test('a store that is closed in the turn is closed', async () => {
  const { store } = two();
  const closed = openStore(store.path);
  closed.readInTurns();
  closed.logs.count();
  closed.close();
  await nextTurn();
  expect(() => closed.logs.count()).toThrow();
});
