import { expect, test } from 'vitest';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { dbOf, failure, freshPath, freshStore, raw } from './helpers.ts';

test.each([
  ['journal_mode', 'wal'],
  ['synchronous', 2],
  ['foreign_keys', 1],
  ['trusted_schema', 0],
  ['secure_delete', 1],
  ['journal_size_limit', 67_108_864],
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
  expect(tables.map(({ name }) => name).sort()).toEqual([
    'audit',
    'erasing',
    'erasures',
    'goals',
    'history',
    'identities',
    'logs',
    'origins',
    'painEntries',
    'peers',
    'remotes',
    'replicas',
    'requests',
    'routines',
    'settings',
    'tokens',
    'trialDays',
    'trials',
    'users',
  ]);
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
