import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { openStore, type Store } from '../../src/store/store.ts';
import { freshPath, freshStore, log, user } from './helpers.ts';
import { exported, imported, outcomesOf } from './origins.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/;
const idOf = (path: string) => {
  const store = openStore(path);
  try {
    return store.id;
  } finally {
    store.close();
  }
};

test('a database has a UUID of its own, the same each time', () => {
  const [one, other] = [freshPath(), freshPath()];
  expect(idOf(one)).toMatch(UUID);
  expect(idOf(one)).toBe(idOf(one));
  expect(idOf(other)).not.toBe(idOf(one));
});

test.each(['v1.db', 'v4.db'])('%s is given one when it is brought up to date', (fixture) => {
  const path = freshPath();
  copyFileSync(new URL(`../fixtures/${fixture}`, import.meta.url), path);
  expect(idOf(path)).toMatch(UUID);
  expect(idOf(path)).toBe(idOf(path));
});

test('a backup has the UUID of its database', () => {
  const [path, copy] = [freshPath(), freshPath()];
  const id = idOf(path);
  backup(path, copy);
  expect(idOf(copy)).toBe(id);
});

/** A database, and a copy of it that has been used before it got an identity of its own. */
async function usedCopy(change: (here: Store) => void): Promise<{ there: Store; here: Store }> {
  const path = freshPath();
  const there = freshStore(path, () => Date.now() - 60_000);
  there.users.create(user());
  there.users.create(user({ lastName: 'Berg' }));
  for (const notes of ['first', 'second', 'third']) there.logs.create(log({ notes }));
  const copy = freshPath();
  backup(path, copy);
  const here = freshStore(copy, () => Date.now() + 60_000);
  change(here);
  (await here.replication()).renewIdentity();
  return { there, here };
}

const notesOf = (store: Store) => store.logs.list().map(({ notes }) => notes);

test('what was recorded in a copy before it got its own identity is its own', async () => {
  const { there, here } = await usedCopy(({ logs }) => logs.create(log({ notes: 'in the copy' })));
  there.logs.create(log({ notes: 'in the original' }));
  there.logs.update(1, { notes: 'changed there' });
  const file = exported(there);
  expect(outcomesOf(imported(here, file))).toEqual({
    users: { equal: 2 },
    logs: { updated: 1, equal: 2, new: 1 },
  });
  expect(notesOf(here)).toEqual(['changed there', 'second', 'third', 'in the copy', 'in the original']);
  expect(outcomesOf(imported(here, file))).toEqual({ users: { equal: 2 }, logs: { equal: 4 } });
  // And the other way round.
  imported(there, exported(here));
  expect(notesOf(there).sort()).toEqual(notesOf(here).sort());
});

test('what was changed or deleted in a copy before that was changed here', async () => {
  const { there, here } = await usedCopy(({ logs }) => {
    logs.update(1, { notes: 'in the copy' });
    logs.delete(2);
  });
  expect(imported(here, exported(there)).disputes).toEqual([]);
  expect(notesOf(here)).toEqual(['in the copy', 'third']);
  // The clock of the copy is ahead.
  there.logs.update(1, { notes: 'in the original' });
  imported(here, exported(there));
  expect(notesOf(here)).toEqual(['in the copy', 'third']);
});

test('who was erased in a copy before that does not come back from the original', async () => {
  const { there, here } = await usedCopy((store) => store.erase(1));
  expect(imported(here, exported(there))).toMatchObject({ erased: 1 });
  expect([here.users.list().map(({ id }) => id), here.logs.count()]).toEqual([[2], 0]);
});

test('an original that is given another identity knows all of its records', async () => {
  const path = freshPath();
  // Not older than the file.
  const store = freshStore(path, () => Date.now() + 60_000);
  store.users.create(user());
  store.logs.create(log());
  const file = exported(store);
  (await store.replication()).renewIdentity();
  store.logs.update(1, { notes: 'here' });
  expect(outcomesOf(imported(store, file))).toEqual({ users: { equal: 1 }, logs: { equal: 1 } });
  expect(notesOf(store)).toEqual(['here']);
});
