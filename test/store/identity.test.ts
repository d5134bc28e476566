import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { openStore } from '../../src/store/store.ts';
import { freshPath } from './helpers.ts';

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
