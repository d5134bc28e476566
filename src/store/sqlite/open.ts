import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SciaticaError, unusable } from '../../domain/errors.ts';
import { makeFolder } from '../../lib/files.ts';
import { retryWhileBusy } from './busy.ts';
import { BUSY_TIMEOUT_MS, connect } from './connection.ts';
import { keepVersion } from './copy.ts';
import type { Database } from './database.ts';
import { requireEngine } from './driver.ts';
import { damaged, domainError, gone, notOurs } from './errors.ts';
import { APPLICATION_ID, headerOf } from './header.ts';
import { migrations } from './migrations/index.ts';
import { isDatabaseAt, mendPermissions, refuseForeignSidecars } from './sidecars.ts';
import { removeAbandoned, useTemporaryFolder } from './temporary.ts';
import { referenceFaults } from './verify.ts';

/** A file can be replaced while it is opened, but hardly again and again. */
const ATTEMPTS = 5;

/**
 * Opens the database at an absolute path.
 * @param create whether it is created where it is missing, with its folder (0700) and its schema; otherwise an empty one in
 *   memory stands for it, and nothing is saved
 * @throws SciaticaError `unusable` for a file that is not ours, is newer than this program, or cannot be used
 */
export function openDatabase(path: string, create = true): Database {
  try {
    // better-sqlite3 would trim it, and open another file.
    if (path !== path.trim())
      throw unusable(`The database cannot be at "${path}": its name ends in a space.`);
    if (!create && !isDatabaseAt(path)) return openNothing(path);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const database = openOnce(path);
      if (database) return database;
    }
    throw gone();
  } catch (error) {
    throw domainError(error, path);
  }
}

function openNothing(path: string): Database {
  requireEngine();
  const database = connect(path, { isAbsent: true });
  database.pragma(`application_id = ${APPLICATION_ID}`);
  prepareCopy(database);
  return database;
}

/** @returns nothing if the file was replaced while it was being opened, as a restore does */
function openOnce(path: string): Database | undefined {
  refuseForeignSidecars(path);
  mendPermissions(path);
  createPrivately(path);
  refuseForeignFile(path);
  const database = connect(path, { orReadable: true });
  try {
    if (database.obstacle?.kind === 'copy') prepareCopy(database);
    else {
      claim(database);
      migrate(database);
    }
    if (!database.hasMoved) {
      known.add(path);
      removeAbandoned(dirname(path));
      return database;
    }
  } catch (error) {
    if (!database.hasMoved) {
      database.close();
      throw error;
    }
  }
  database.close();
  return undefined;
}

/** A connection on which all reads see one moment. */
interface Snapshot {
  db: Database;
  close(): void;
}

/**
 * Opens one more connection, for reading only, to a database that is already open. Where there can be none, the one that
 * is there serves: nothing is saved through it.
 * @param sorts whether it may have long lists to sort
 * @throws SciaticaError `gone` when the path leads to another file by now
 */
export function openSnapshot(open: Database, sorts = true): Snapshot {
  if (open.isSnapshot) return { db: open, close() {} };
  if (open.obstacle && open.obstacle.kind !== 'shared') return { db: open, close: open.lend() };
  if (open.hasMoved) throw gone();
  const db = connect(open.path, { readonly: true, reader: open.reader });
  limitCache(db);
  if (sorts) useTemporaryFolder(db);
  db.run('BEGIN');
  return { db, close: () => db.close() };
}

/** For a connection that reads each page once: keeping them would only grow. */
export function limitCache(db: Database): void {
  db.pragma('cache_size = -2000');
}

/** Whatever the umask: new folders are 0700 and the file 0600; SQLite gives -wal and -shm the file's mode. */
function createPrivately(path: string): void {
  if (existsSync(path)) return;
  requireEngine();
  const umask = process.umask(0o077);
  try {
    makeFolder(dirname(path));
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    process.umask(umask);
  }
}

/**
 * The files that this process has opened as ours. They are not looked into again: closing a file drops the
 * locks that SQLite holds on it (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
const known = new Set<string>();

/**
 * Refuses another application's file by its first bytes, before SQLite could touch it, its journal or its
 * log. Ours has its mark before it has a log; while it has none, it is empty, or a blank page if the power went.
 */
export function refuseForeignFile(path: string, { mayBeNewer = false } = {}): void {
  const stat = statSync(path);
  if (!stat.isFile()) throw unusable(`${path} is not a file.`);
  if (stat.size === 0 || known.has(path)) return;
  const header = headerOf(path);
  if (header.isBlank && existsSync(`${path}-journal`)) return;
  if (!header.isDatabase || header.applicationId !== APPLICATION_ID) throw notOurs(path);
  if (!mayBeNewer) refuseNewer(path, header.version);
}

/** Brings a copy of what cannot be written to up to date; refuses it if it belongs to something else. */
function prepareCopy(database: Database): void {
  const version = database.pragma<number>('user_version');
  if (database.pragma('application_id') !== APPLICATION_ID) throw notOurs(database.path);
  refuseNewer(database.path, version);
  if (version === migrations.length) return;
  database.pragma('foreign_keys = OFF');
  database.migrate(version);
  database.pragma('foreign_keys = ON');
}

/** Marks a new database as ours, then switches it to WAL; refuses one that belongs to something else. */
function claim(database: Database): void {
  if (database.pragma('application_id') !== APPLICATION_ID) {
    database.write(() => {
      if (database.pragma('application_id') === APPLICATION_ID) return;
      const isNew = database.value('SELECT count(*) FROM sqlite_schema') === 0;
      if (!isNew || database.pragma('application_id') !== 0 || database.pragma('user_version') !== 0)
        throw notOurs(database.path);
      database.pragma(`application_id = ${APPLICATION_ID}`);
    });
  }
  refuseNewer(database.path, database.pragma<number>('user_version'));
  if (database.obstacle) return;
  // SQLite does not wait by itself where it changes the journal mode.
  if (
    database.pragma('journal_mode') !== 'wal' &&
    retryWhileBusy(BUSY_TIMEOUT_MS, () => database.pragma('journal_mode = WAL')) !== 'wal'
  )
    throw unusable(
      `${database.path}: this place cannot hold the database (no write-ahead log). Choose a local disk with --db.`,
    );
}

/**
 * Brings the schema up to date, all of it or not at all. A database that may hold records is kept beside itself
 * first: whoever has the write lock does both, the others find it done.
 */
export function migrate(database: Database, { keep = keepVersion } = {}): void {
  const found = database.pragma<number>('user_version');
  if (found === migrations.length) return;
  // A large database has much to sort.
  if (found > 0) useTemporaryFolder(database);
  // A migration may build a table anew that another refers to (https://sqlite.org/lang_altertable.html#otheralter).
  database.pragma('foreign_keys = OFF');
  try {
    database.write(() => {
      const version = database.pragma<number>('user_version');
      refuseNewer(database.path, version);
      if (version > 0 && version < migrations.length) keep(database.path, version);
      database.migrate(version);
      if (version > 0 && version <= LAST_OF_FORMER_MARKS) noteFormerMarks(database);
      if (referenceFaults(database) > 0) throw new SciaticaError('damaged', damaged(database.path));
      database.pragma(`user_version = ${migrations.length}`);
    });
  } finally {
    database.pragma('foreign_keys = ON');
  }
}

/** The last format whose versions gave a ✔ or ✖ for what followed an exercise, without holding it against others. */
const LAST_OF_FORMER_MARKS = 10;

function noteFormerMarks(database: Database): void {
  database.run(
    `INSERT INTO settings (name, value)
     SELECT 'formerMarks', json_group_array(CAST(id AS TEXT)) FROM users WHERE EXISTS (SELECT 1 FROM logs WHERE userId = users.id)
     HAVING count(*) > 0`,
  );
}

function refuseNewer(path: string, version: number): void {
  if (version > migrations.length)
    throw unusable(
      `${path} was written by a newer sciatica (format ${version}; this one knows ${migrations.length}). Update sciatica; the file was left as it is.`,
    );
}
