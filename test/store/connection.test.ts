import type BetterSqlite from 'better-sqlite3';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import { kindNames, kindOf } from '../../src/domain/kinds.ts';
import { Database } from '../../src/store/sqlite/database.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { Handle } from '../../src/store/sqlite/handle.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { dbOf, failure, freshPath, freshStore, raw, user } from './helpers.ts';

afterEach(() => vi.useRealTimers());

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['trusted_schema', 0],
  ['secure_delete', 1],
  ['journal_size_limit', 67_108_864],
  ['temp_store', 2],
  ['cache_size', -65_536],
  ['busy_timeout', 30_000],
  ['application_id', 0x53636961],
  ['user_version', migrations.length],
  ['encoding', 'UTF-8'],
])('PRAGMA %s is %s, when the file is new and when it is not', (pragma, value) => {
  const path = freshPath();
  expect(dbOf(freshStore(path)).pragma(pragma)).toBe(value);
  expect(dbOf(freshStore(path)).pragma(pragma)).toBe(value);
});

test('SQLite is one without the WAL-reset bug (3.51.3)', () => {
  const version = dbOf(freshStore()).value<string>('SELECT sqlite_version()') ?? '';
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);
  expect(major * 1e6 + minor * 1e3 + patch).toBeGreaterThanOrEqual(3_051_003);
});

test('every table is STRICT', () => {
  const tables = dbOf(freshStore()).all<{ name: string; strict: number }>(
    "SELECT name, strict FROM pragma_table_list WHERE schema = 'main' AND name NOT LIKE 'sqlite_%'",
  );
  const others = [
    'audit',
    'erasing',
    'erasures',
    'history',
    'identities',
    'origins',
    'peers',
    'remotes',
    'replicas',
    'requests',
    'settings',
    'tokens',
  ];
  const ofKinds = kindNames.map((kind) => kindOf(kind).table);
  expect(tables.map(({ name }) => name).sort()).toEqual([...others, ...ofKinds].sort());
  expect(tables.every(({ strict }) => strict === 1)).toBe(true);
});

test('a statement may be read as rows and as values in turn', () => {
  const db = dbOf(freshStore());
  const sql = 'SELECT 1 AS one, 2 AS two';
  expect(db.value(sql)).toBe(1);
  expect(db.all(sql)).toEqual([{ one: 1, two: 2 }]);
  expect(db.column(sql)).toEqual([1]);
  expect(db.get(sql)).toEqual({ one: 1, two: 2 });
});

test('more statements than are kept', () => {
  const db = dbOf(freshStore());
  for (let i = 0; i < 1000; i++) expect(db.value(`SELECT ${i}`)).toBe(i);
});

test('a connection that is opened again waits for locks as long as before, and its copy is removed', () => {
  const remove = vi.fn();
  const obstacle = { error: new SciaticaError('full', ''), notice: '', kind: 'copy', remove } as const;
  const handle = new Handle(() => ({ sqlite: openSqlite(':memory:'), obstacle }));
  handle.sqlite.pragma('busy_timeout = 7');
  handle.reopen();
  expect(handle.sqlite.pragma('busy_timeout', { simple: true })).toBe(7);
  handle.close();
  expect(remove).toHaveBeenCalledTimes(2);
});

test('a connection that locks others out is closed between reads, but not while somebody reads from it', () => {
  vi.useFakeTimers();
  const obstacle = { error: new SciaticaError('full', ''), notice: '', kind: 'alone' } as const;
  const opened: BetterSqlite.Database[] = [];
  const handle = new Handle(() => {
    const sqlite = openSqlite(':memory:');
    opened.push(sqlite);
    return { sqlite, obstacle };
  });
  const release = handle.lend();
  handle.prepare('SELECT 1').get();
  vi.advanceTimersByTime(1_000);
  expect(opened.map(({ open }) => open)).toEqual([true]);
  release();
  vi.advanceTimersByTime(1_000);
  expect(opened.map(({ open }) => open)).toEqual([false]);
  handle.prepare('SELECT 1').get();
  expect(opened.map(({ open }) => open)).toEqual([false, true]);
  handle.close();
});

/** A database that can be read only, which has a version of the format each time that it is opened. */
function unwritable(...versions: number[]) {
  const obstacle = { error: new SciaticaError('full', ''), notice: '', kind: 'copy' } as const;
  const open = vi.fn(() => {
    const sqlite = openSqlite(':memory:');
    sqlite.pragma(`user_version = ${versions.shift()}`);
    return { sqlite, obstacle };
  });
  return { open, db: new Database(freshPath(), open) };
}

describe('where nothing can be saved', () => {
  test('the log cannot be emptied', () => expect(unwritable(1).db.checkpoint()).toBe(false));

  test('it is opened again for a write, but not while somebody reads from it', () => {
    const { open, db } = unwritable(1, 1);
    const release = db.lend();
    expect(failure(() => db.requireWritable()).code).toBe('full');
    expect(open).toHaveBeenCalledTimes(1);
    release();
    expect(failure(() => db.requireWritable()).code).toBe('full');
    expect(open).toHaveBeenCalledTimes(2);
  });

  test('another format than that of the copy that was read is another database', () =>
    expect(failure(() => unwritable(1, 2).db.requireWritable()).code).toBe('gone'));
});

test('what an attempt wrote is taken back when it fails, and the transaction goes on', () => {
  const store = freshStore();
  dbOf(store).write(() => {
    store.settings.set('user', '1');
    const attempt = () =>
      dbOf(store).attempt(() => {
        store.settings.set('user', '2');
        throw new Error('no');
      });
    expect(attempt).toThrow('no');
  });
  expect(store.settings.get('user')).toBe('1');
});

test('after a commit that the disk failed, the database is opened again, once', () => {
  const store = freshStore();
  const { prepare } = Handle.prototype;
  const failing = vi.spyOn(Handle.prototype, 'prepare').mockImplementation(function (this: Handle, sql) {
    if (sql === 'COMMIT') throw Object.assign(new Error('i/o error'), { code: 'SQLITE_IOERR_FSYNC' });
    return prepare.call(this, sql);
  });
  const before = dbOf(store).version();
  expect(failure(() => store.users.create(user())).code).toBe('uncertain');
  failing.mockRestore();
  expect(store.users.count()).toBe(0);
  const after = dbOf(store).version();
  expect(after).not.toBe(before);
  expect([store.users.count(), dbOf(store).version()]).toEqual([0, after]);
});

const columns = {
  users: {
    firstName: "'N'",
    lastName: "'L'",
    email: "'a@b.c'",
    age: '44',
    painLocation: "'calf-left'",
    painLevel: '6',
    diagnosisDate: "'2026-01-15'",
  },
  logs: {
    userId: '1',
    exerciseType: "'stretch'",
    exerciseName: "'Cat'",
    date: "'2026-01-15'",
    painBefore: '6',
    painAfter: '4',
    effective: '1',
    notes: "''",
  },
};

function insert(table: 'users' | 'logs', change: Record<string, string> = {}): string {
  const values = { ...columns[table], ...change };
  return `INSERT INTO ${table} (${Object.keys(values).join(', ')}) VALUES (${Object.values(values).join(', ')})`;
}

test('raw SQL can store what is right', () => {
  const db = dbOf(freshStore());
  db.exec(insert('users'));
  db.exec(insert('logs'));
  expect(db.value('SELECT count(*) FROM logs')).toBe(1);
});

test.each([
  ...Object.keys(columns.users).map((column) => ['users', column, 'NULL'] as const),
  ...Object.keys(columns.logs).map((column) => ['logs', column, 'NULL'] as const),
  ['users', 'firstName', "''"],
  ['users', 'lastName', `'${'x'.repeat(101)}'`],
  ['users', 'email', `'${'x'.repeat(255)}'`],
  ['users', 'email', "x'616240632e64'"],
  ['users', 'age', '-1'],
  ['users', 'age', '131'],
  ['users', 'age', "'old'"],
  ['users', 'age', '44.5'],
  ['users', 'painLocation', "'back'"],
  ['users', 'painLevel', '0'],
  ['users', 'painLevel', '11'],
  ['users', 'diagnosisDate', "'2026-1-15'"],
  ['users', 'diagnosisDate', "'2026-01-15T00:00'"],
  ['logs', 'userId', '2'],
  ['logs', 'exerciseType', "'yoga'"],
  ['logs', 'exerciseName', "''"],
  ['logs', 'date', "'today'"],
  ['logs', 'painBefore', '99'],
  ['logs', 'painAfter', "'high'"],
  ['logs', 'effective', '2'],
  ['logs', 'effective', "'true'"],
  ['logs', 'notes', `'${'x'.repeat(10_001)}'`],
] as const)('raw SQL cannot store in %s a %s of %s', (table, column, value) => {
  const db = dbOf(freshStore());
  db.exec(insert('users'));
  expect(() => db.exec(insert(table, { [column]: value }))).toThrow(/constraint|cannot store/);
});

test('a user who has logs cannot go without them', () => {
  const db = dbOf(freshStore());
  db.exec(insert('users'));
  db.exec(insert('logs'));
  db.exec('DELETE FROM users');
  expect(db.value('SELECT count(*) FROM logs')).toBe(0);
});

test('a lock of another is told as busy, and nothing is half done', () => {
  const path = freshPath();
  const store = freshStore(path);
  dbOf(store).pragma('busy_timeout = 0');
  const other = raw(path);
  other.exec('BEGIN IMMEDIATE');
  const error = failure(() => store.change(() => expect.unreachable()));
  expect(error.code).toBe('busy');
  expect(error.message).not.toMatch(/SQLITE|database is locked/);
  expect(dbOf(store).inTransaction).toBe(false);
  expect(store.users.list()).toEqual([]);
  other.exec('ROLLBACK');
  expect(store.change(() => 1)).toBe(1);
});
