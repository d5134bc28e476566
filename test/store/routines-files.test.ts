import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { rescue } from '../../src/store/maintenance/rescue/rescue.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { dbOf, failure, freshPath, freshStore, openStore, user } from './helpers.ts';

const exercises = [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }];

/** A user with two routines and a goal; the second routine is gone again. */
function filled(path: string) {
  const store = openStore(path);
  store.users.create(user());
  for (const name of ['morning', 'evening']) store.routines.create({ userId: 1, name, exercises });
  store.goals.create({ userId: 1, sessionsPerWeek: 4 });
  store.routines.delete(2);
  store.close();
}

const holdings = (path: string) => {
  const store = freshStore(path);
  return [store.routines.list(), store.goals.list()];
};

test('a restore brings routines and goals back, and gives no id again', () => {
  const path = freshPath();
  filled(path);
  const copy = `${path}.copy`;
  backup(path, copy);
  const present = openStore(path);
  const before = [present.routines.list(), present.goals.list()];
  present.routines.create({ userId: 1, name: 'noon', exercises });
  present.goals.delete(1);
  present.goals.create({ userId: 1, sessionsPerWeek: 7 });
  present.close();
  const restoration = prepareRestore(copy, path);
  restoration.apply('stamp');
  restoration.close();
  expect(holdings(path)).toEqual(before);
  const store = freshStore(path);
  expect(store.routines.create({ userId: 1, name: 'late', exercises }).id).toBe(4);
  store.goals.delete(1);
  expect(store.goals.create({ userId: 1, sessionsPerWeek: 1 }).id).toBe(3);
});

test('a rescue finds routines and goals, also where SQLite does not get', () => {
  const path = freshPath();
  filled(path);
  const whole = rescue(path);
  expect([whole.records.routine, whole.records.goal, whole.lostUsers]).toEqual([
    [JSON.stringify({ id: 1, userId: 1, name: 'morning', exercises })],
    ['{"id":1,"userId":1,"sessionsPerWeek":4}'],
    [],
  ]);
  const db = openSqlite(path);
  db.pragma('journal_mode = DELETE');
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(
    "DELETE FROM sqlite_schema WHERE name IN ('routines', 'goals') OR tbl_name IN ('routines', 'goals')",
  );
  db.close();
  const found = rescue(path);
  expect([found.records.routine, found.records.goal]).toEqual([whole.records.routine, whole.records.goal]);
});

test('a rescue of an older file whose header names no format finds its records', () => {
  const path = freshPath();
  copyFileSync(new URL('../fixtures/v4.db', import.meta.url), path);
  const before = rescue(path);
  const db = openSqlite(path);
  db.pragma('user_version = 999');
  db.close();
  expect(rescue(path)).toEqual(before);
});

test.each(['v2', 'v3', 'v4', 'v5', 'v6', 'v7'])(
  '%s, migrated, keeps its history, and goes on behind it',
  (fixture) => {
    const path = freshPath();
    copyFileSync(new URL(`../fixtures/${fixture}.db`, import.meta.url), path);
    const db = openSqlite(path);
    const columns = 'seq, change, record, recordId, userId, formerUserId, action, before';
    const entries = () => db.prepare(`SELECT ${columns} FROM history ORDER BY seq`).all();
    // The last number is that of an entry that is gone, as after an erasure.
    db.exec("UPDATE sqlite_sequence SET seq = 5000 WHERE name = 'history'");
    const before = entries();
    expect(before.length).toBeGreaterThan(0);
    openStore(path).close();
    expect(entries()).toEqual(before);
    db.close();
    const store = freshStore(path);
    const { id: userId } = store.users.create(user());
    store.routines.create({ userId, name: 'x', exercises });
    expect(store.history.list({ user: userId }).map(({ seq }) => seq)).toEqual([5002, 5001]);
    expect(dbOf(store).value("SELECT count(*) FROM sqlite_sequence WHERE name = 'newHistory'")).toBe(0);
    // Still append-only.
    for (const sql of [
      'DELETE FROM history',
      'UPDATE history SET userId = 1',
      'UPDATE history SET clock = 1',
    ])
      expect(() => dbOf(store).run(sql)).toThrow(/append-only/);
    expect(failure(() => store.undo(99999)).code).toBe('not-found');
  },
);
