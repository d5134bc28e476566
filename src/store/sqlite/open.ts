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

/** Most attempts to open a file that is being replaced by others at the same time. */
const ATTEMPTS = 5;

/**
 * Opens the database at an absolute path, and migrates it to the current schema.
 * @param create whether a missing database is created, with its folder (0700) and its schema; otherwise an
 *   empty one in memory takes its place, and nothing can be saved
 * @throws SciaticaError `unusable` for a file that is not ours, is newer than this program, or cannot be
 *   used; `damaged`, `busy`, `full`, `gone`
 */
export function openDatabase(path: string, create = true): Database {
  try {
    // better-sqlite3 trims paths, and would open another file.
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

/** @returns undefined if the file was replaced while it was being opened, as by a restore */
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

/** A connection on which all reads see the same snapshot. */
interface Snapshot {
  db: Database;
  close(): void;
}

/**
 * Opens a read-only connection to a database that is already open, and begins a snapshot on it. Where no
 * second connection is possible, it reuses the first one: nothing is written through that.
 * @param sorts whether it may have long lists to sort
 * @throws SciaticaError `gone` when the path now leads to another file
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

/** Shrinks the page cache to 2000 KiB, for a connection that reads each page only once. */
export function limitCache(db: Database): void {
  db.pragma('cache_size = -2000');
}

/** Creates an empty file if none exists: folders 0700, the file 0600, whatever the umask; -wal and -shm get the file's mode. */
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
 * The files that this process has opened and recognised as ours. They are not read again, because closing a
 * file drops the locks that SQLite holds on it
 * (https://sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_).
 */
const known = new Set<string>();

/**
 * Refuses another application's file by its header, before SQLite could modify it, its journal or its log. Our files get their
 * application id before they get a log; without one, a file is empty, or blank after a power cut.
 * @throws SciaticaError `unusable`
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

/** Migrates a copy of a database that cannot be written to. @throws SciaticaError `unusable` for a database that is not ours */
function prepareCopy(database: Database): void {
  const version = database.pragma<number>('user_version');
  if (database.pragma('application_id') !== APPLICATION_ID) throw notOurs(database.path);
  refuseNewer(database.path, version);
  if (version === migrations.length) return;
  database.pragma('foreign_keys = OFF');
  database.migrate(version);
  database.pragma('foreign_keys = ON');
}

/** Marks a new database as ours, and switches it to WAL. @throws SciaticaError `unusable` for one that is not ours */
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
  // SQLite's busy timeout does not apply to changing the journal mode.
  if (
    database.pragma('journal_mode') !== 'wal' &&
    retryWhileBusy(BUSY_TIMEOUT_MS, () => database.pragma('journal_mode = WAL')) !== 'wal'
  )
    throw unusable(
      `${database.path}: this place cannot hold the database (no write-ahead log). Choose a local disk with --db.`,
    );
}

/**
 * Migrates the schema in one transaction. Of a database that may hold records, a copy is kept beside it
 * first. Concurrent processes wait for the write lock, and then find nothing left to do.
 */
export function migrate(database: Database, { keep = keepVersion } = {}): void {
  const found = database.pragma<number>('user_version');
  if (found === migrations.length) return;
  // Rebuilding the indexes of a large database needs long sorts.
  if (found > 0) useTemporaryFolder(database);
  // Migrations may rebuild a table that others refer to (https://sqlite.org/lang_altertable.html#otheralter).
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

/** The last format whose programs marked an exercise ✔ or ✖ by its outcome alone, without comparing it with others. */
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
