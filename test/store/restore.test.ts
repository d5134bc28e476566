import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type * as Sleep from '../../src/lib/sleep.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { prepareRestore, type Restoration } from '../../src/store/maintenance/restore.ts';
import { Handle } from '../../src/store/sqlite/handle.ts';
import { APPLICATION_ID } from '../../src/store/sqlite/header.ts';
import type { Store } from '../../src/store/store.ts';
import {
  bundle,
  dbOf,
  failure,
  filledStore,
  freshFolder,
  freshPath,
  freshStore,
  log,
  raw,
  start,
} from './helpers.ts';

/** What happens while somebody waits for a lock. */
const waiting = vi.hoisted(() => ({ whenAsleep: () => {} }));
beforeEach(() => {
  waiting.whenAsleep = () => {};
});
vi.mock('../../src/lib/sleep.ts', async (original) => {
  const { sleepSync } = await original<typeof Sleep>();
  return {
    sleepSync: (milliseconds: number) => {
      waiting.whenAsleep();
      sleepSync(milliseconds);
    },
  };
});

/** How many looks at the kernel's list of locks see none. */
const unseen = vi.hoisted(() => ({ looks: 0 }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const readFileSync = (...args: Parameters<typeof fs.readFileSync>) =>
    args[0] === '/proc/locks' && unseen.looks-- > 0 ? '' : fs.readFileSync(...args);
  return { ...fs, readFileSync };
});

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const fixture = (version: number) => new URL(`../fixtures/v${version}.db`, import.meta.url);

/** A backup of a database with `count` logs. @returns its path */
function backupOf(count: number, prepare: (store: Store) => void = () => {}): string {
  const store = filledStore(count);
  prepare(store);
  return backup(store.path, join(freshFolder(), 'b.db')).path;
}

/** Restores a backup, with what `check` sees before. @returns where the replaced database was kept */
function restore(file: string, path: string, check: (restoration: Restoration) => void = () => {}) {
  const restoration = prepareRestore(file, path);
  check(restoration);
  const kept = restoration.apply('now');
  restoration.close();
  return kept;
}

/** A database whose beginning is gone. */
function damagedDb(): string {
  const path = freshPath();
  filledStore(5, path).close();
  writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
  return path;
}

test('a backup that others may read becomes a database that they may not', () => {
  const file = backupOf(1);
  chmodSync(file, 0o644);
  const path = freshPath();
  restore(file, path);
  expect(modeOf(path)).toBe('600');
});

test('an empty file is no database that is kept', () => {
  const path = freshPath();
  writeFileSync(path, '');
  expect(restore(backupOf(3), path, ({ present }) => expect(present).toBe('absent'))).toBe(undefined);
  expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
  expect(freshStore(path).logs.count()).toBe(3);
});

test('what is kept of a damaged database is private, and no index of a log stays', () => {
  const path = damagedDb();
  chmodSync(path, 0o644);
  writeFileSync(`${path}-shm`, 'of another');
  writeFileSync(`${path}-journal`, 'of the damaged one');
  const kept = restore(backupOf(3), path) ?? '';
  expect(modeOf(kept)).toBe('600');
  // In WAL mode: who has the damaged one open must not find a rollback journal of this one.
  expect([...readFileSync(path).subarray(18, 20)]).toEqual([2, 2]);
  expect(readdirSync(join(path, '..')).sort()).toEqual([
    'test.db',
    'test.db.replaced-now',
    'test.db.replaced-now-journal',
  ]);
});

test('a log that lies there without its database is kept, and is not the log of the one that comes', () => {
  const path = freshPath();
  writeFileSync(`${path}-wal`, 'of another');
  const kept = restore(backupOf(3), path, ({ present }) => expect(present).toBe('damaged'));
  expect(kept).toBe(`${path}.replaced-now`);
  expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('of another');
  expect(freshStore(path).logs.count()).toBe(3);
});

test('a file that was only begun is no backup', () => {
  const file = freshPath();
  const db = raw(file);
  db.pragma(`application_id = ${APPLICATION_ID}`);
  db.close();
  expect(failure(() => prepareRestore(file, freshPath())).code).toBe('unusable');
});

test.each([
  ['a table under another name', "UPDATE sqlite_schema SET tbl_name = 'Tokens' WHERE name = 'tokens'", -1],
  ['another text encoding', 'SELECT 1', 59],
])('a database is replaced as a whole where its records cannot be put into its file: %s', (_, sql, at) => {
  const path = freshPath();
  filledStore(5, path).close();
  const db = raw(path);
  // It lets nobody write to its schema.
  db.unsafeMode();
  db.pragma('writable_schema = ON');
  db.exec(sql);
  db.close();
  const before = readFileSync(path);
  if (at >= 0) before[at] = (before[at] ?? 0) ^ 3;
  writeFileSync(path, before);
  const kept = restore(backupOf(3), path) ?? '';
  expect(freshStore(path).logs.count()).toBe(3);
  expect(readFileSync(kept).subarray(4096).equals(before.subarray(4096))).toBe(true);
});

test('a backup of which a record belongs to no user is damaged', () => {
  const file = backupOf(4);
  const db = raw(file);
  db.pragma('foreign_keys = OFF');
  db.exec('DELETE FROM users WHERE id = 2');
  db.close();
  const path = freshPath();
  filledStore(1, path).close();
  expect(failure(() => prepareRestore(file, path)).code).toBe('damaged');
  expect(failure(() => backup(file, join(freshFolder(), 'copy.db'))).code).toBe('damaged');
  expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
});

test('a backup beside its rollback journal is restored as it was before the crash', () => {
  const file = backupOf(300);
  const db = raw(file);
  db.pragma('journal_mode = DELETE');
  // With so little memory, pages are written before the commit.
  db.pragma('cache_size = 1');
  db.exec("BEGIN; UPDATE logs SET notes = 'half done'");
  const crashed = join(freshFolder(), 'crashed.db');
  for (const end of ['', '-journal']) copyFileSync(file + end, crashed + end);
  db.exec('ROLLBACK');
  db.close();
  expect(readFileSync(crashed).includes('half done')).toBe(true);
  const path = freshPath();
  restore(crashed, path);
  const store = freshStore(path);
  expect(store.logs.list().filter(({ notes }) => notes === 'half done')).toEqual([]);
  expect(store.logs.count()).toBe(300);
});

test("another program's database is left as it is", () => {
  const path = freshPath();
  const db = raw(path);
  db.exec('CREATE TABLE t (x)');
  db.close();
  const before = readFileSync(path);
  expect(failure(() => prepareRestore(backupOf(1), path)).code).toBe('unusable');
  expect(readFileSync(path).equals(before)).toBe(true);
});

test('a database of a newer sciatica is counted, and kept', () => {
  const store = filledStore(5);
  store.close();
  const bytes = readFileSync(store.path);
  bytes.writeUInt32BE(999, 60);
  const path = freshPath();
  writeFileSync(path, bytes);
  const kept = restore(backupOf(3), path, ({ present }) =>
    expect(present).toMatchObject({ version: 999, counts: { log: 5 } }),
  );
  expect(freshStore(path).logs.count()).toBe(3);
  expect(readFileSync(kept ?? '').readUInt32BE(60)).toBe(999);
});

test('a database from before there were tokens is counted, and kept', () => {
  const path = freshPath();
  copyFileSync(fixture(1), path);
  restore(backupOf(3), path, ({ present }) =>
    expect(present).toMatchObject({ version: 1, counts: { log: 39 } }),
  );
  expect(freshStore(path).logs.count()).toBe(3);
});

test('a database from before there was a history is backed up as it is', () => {
  const path = freshPath();
  copyFileSync(fixture(1), path);
  expect(backup(path, join(freshFolder(), 'b.db'))).toMatchObject({ version: 1, counts: { log: 39 } });
});

test('a failure in the middle leaves no copy of what was not replaced', () => {
  const path = freshPath();
  filledStore(5, path).close();
  const restoration = prepareRestore(backupOf(3), path);
  const [prepared = ''] = readdirSync(join(path, '..')).filter((name) => name.endsWith('.tmp'));
  rmSync(join(path, '..', prepared));
  expect(() => restoration.apply('now')).toThrow();
  restoration.close();
  expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
  expect(freshStore(path).logs.count()).toBe(5);
});

test('a database that the disk does not give is not taken for a damaged one', () => {
  const path = freshPath();
  filledStore(5, path).close();
  const file = backupOf(3);
  const { prepare } = Handle.prototype;
  let reads = 0;
  const failing = vi.spyOn(Handle.prototype, 'prepare').mockImplementation(function (this: Handle, sql) {
    // First the backup is read, then the database.
    if (sql === 'SELECT max(date) FROM logs' && ++reads === 2)
      throw Object.assign(new Error('i/o error'), { code: 'SQLITE_IOERR_READ' });
    return prepare.call(this, sql);
  });
  expect(() => prepareRestore(file, path)).toThrow();
  failing.mockRestore();
  expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
});

test('what was replaced is kept where the disk may not have taken what came', () => {
  const path = freshPath();
  filledStore(5, path).close();
  const restoration = prepareRestore(backupOf(3), path);
  const { prepare } = Handle.prototype;
  let isAttached = false;
  const failing = vi.spyOn(Handle.prototype, 'prepare').mockImplementation(function (this: Handle, sql) {
    isAttached ||= sql.startsWith('ATTACH');
    if (isAttached && sql === 'COMMIT')
      throw Object.assign(new Error('i/o error'), { code: 'SQLITE_IOERR_FSYNC' });
    return prepare.call(this, sql);
  });
  expect(failure(() => restoration.apply('now')).code).toBe('uncertain');
  failing.mockRestore();
  restoration.close();
  expect(freshStore(`${path}.replaced-now`).logs.count()).toBe(5);
});

describe('what must not go back in time', () => {
  test('ids that the backup had given, and deleted', () => {
    const file = backupOf(5, (store) => store.logs.delete(5));
    const path = freshPath();
    filledStore(1, path).close();
    restore(file, path);
    expect(freshStore(path).logs.create(log()).id).toBe(6);
  });

  test('ids that the database had given, also of a kind that the backup never had', () => {
    const file = backupOf(0);
    const path = freshPath();
    filledStore(5, path).close();
    restore(file, path);
    expect(freshStore(path).logs.create(log()).id).toBe(6);
  });

  test.each([
    ['that cannot be read', damagedDb],
    ['that is not there any more', freshPath],
  ])('the history of a database %s', (_, make) => {
    const file = backupOf(1);
    const path = make();
    restore(file, path);
    const store = freshStore(path);
    // Beyond all that the lost one may have had, so that no number of its is ever valid again.
    expect(store.history.last()).toBeGreaterThan(1_000_000_000);
    for (const since of [1, 20, 1_000_000])
      expect(failure(() => store.requireSince(since)).code).toBe('outdated');
  });

  test('who was erased, through several restores', () => {
    const path = freshPath();
    const store = filledStore(2, path);
    const first = backup(path, join(freshFolder(), 'first.db')).path;
    store.erase(2);
    store.close();
    restore(first, path, ({ erased }) => expect(erased).toEqual([2]));
    const second = backup(path, join(freshFolder(), 'second.db')).path;
    const elsewhere = freshPath();
    restore(second, elsewhere);
    prepareRestore(first, elsewhere).close();
    restore(first, elsewhere, ({ erased }) => expect(erased).toEqual([2]));
    const again = freshStore(elsewhere);
    again.erase(2);
    again.close();
    restore(first, elsewhere, ({ erased }) => expect(erased).toEqual([2]));
  });

  test('tokens: those of the backup that are valid are counted', () => {
    const phone = { role: 'admin', users: null, lifetime: null } as const;
    const file = backupOf(1, (store) => {
      for (const name of ['old', 'new', 'ended']) store.tokens.create({ ...phone, name });
      store.tokens.revoke('old');
      dbOf(store).run("UPDATE tokens SET expiresAt = 1 WHERE name = 'ended'");
    });
    const path = freshPath();
    restore(file, path, ({ tokens }) => expect(tokens).toBe(1));
    expect(
      freshStore(path)
        .tokens.list()
        .map(({ name }) => name),
    ).toEqual(['old', 'new', 'ended']);
  });
});

describe('a damaged database that another program has open', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundle(`
      import { openStore } from './src/store/store.ts';
      const store = openStore(process.argv[2]);
      console.log(store.users.count());
      process.stdin.on('data', () => store.close());
    `);
  });

  async function damagedInUse() {
    const path = freshPath();
    filledStore(5, path).close();
    const child = start(script, [path]);
    await new Promise((resolve) => child.stdout.once('data', resolve));
    writeFileSync(path, Buffer.alloc(4096, 7), { flag: 'r+' });
    const restoration = prepareRestore(backupOf(3), path);
    expect(restoration.present).toBe('damaged');
    return { path, child, restoration };
  }

  const testHere = test.skipIf(process.platform !== 'linux');

  testHere('is not replaced, also where the kernel left its lock out of the list once', async () => {
    const { path, restoration } = await damagedInUse();
    unseen.looks = 1;
    expect(failure(() => restoration.apply('now')).code).toBe('conflict');
    restoration.close();
    expect(readFileSync(path).subarray(0, 4096)).toEqual(Buffer.alloc(4096, 7));
  });

  testHere('is replaced once that one has ended, as a command soon does', async () => {
    const { path, child, restoration } = await damagedInUse();
    waiting.whenAsleep = () => {
      child.kill('SIGKILL');
      while (!/^State:\tZ/m.test(readFileSync(`/proc/${child.pid}/status`, 'utf8')));
    };
    restoration.apply('now');
    restoration.close();
    expect(freshStore(path).logs.count()).toBe(3);
  });
});
