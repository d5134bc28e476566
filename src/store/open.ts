import { closeSync, existsSync, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { SciaticaError } from '../domain/errors.ts';
import { Database } from './database.ts';
import { migrations } from './migrations.ts';
import { domainError } from './sqlite-error.ts';

/** "Scia", so that file(1) and we can tell our databases from others (https://sqlite.org/fileformat2.html#application_id). */
export const APPLICATION_ID = 0x53636961;

/** How long a command waits for another process to finish writing. */
const PATIENCE_MS = 30_000;

/**
 * Opens the database at an absolute path, creating it, its folder (0700) and its schema where they are missing.
 * @throws SciaticaError `unusable` for a file that is not ours, is newer than this program, or cannot be used
 */
export function openDatabase(path: string): Database {
  try {
    // better-sqlite3 would trim it, and open another file.
    if (path !== path.trim())
      throw new SciaticaError('unusable', `The database cannot be at "${path}": its name ends in a space.`);
    createPrivately(path);
    refuseStranger(path);
    const database = connect(path);
    try {
      claim(database);
      migrate(database);
      recognised.add(path);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw domainError(error, path);
  }
}

/** Opens one more connection, for reading only, to a database that is already open. */
export function openSnapshot(path: string): Database {
  const database = connect(path, { readonly: true });
  database.run('BEGIN');
  return database;
}

function connect(path: string, options: BetterSqlite.Options = {}): Database {
  const sqlite = new BetterSqlite(path, { timeout: PATIENCE_MS, ...options });
  const database = new Database(sqlite);
  try {
    database.pragma('trusted_schema = OFF');
    database.pragma('foreign_keys = ON');
    database.pragma('secure_delete = ON');
    database.pragma('synchronous = FULL');
    database.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Whatever the umask: new folders are 0700 and the file 0600; SQLite gives -wal and -shm the file's mode. */
function createPrivately(path: string): void {
  if (existsSync(path)) return;
  const umask = process.umask(0o077);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
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
const recognised = new Set<string>();

/**
 * Refuses another application's file by its first bytes, before SQLite could touch it, its journal or its
 * log. Ours has its mark before it has a log; while it has none, it is empty, or a blank page if the power went.
 */
function refuseStranger(path: string): void {
  const stat = statSync(path);
  if (!stat.isFile()) throw new SciaticaError('unusable', `${path} is not a file.`);
  if (stat.size === 0 || recognised.has(path)) return;
  const header = Buffer.alloc(100);
  const file = openSync(path, 'r');
  try {
    readSync(file, header, 0, header.length, 0);
  } finally {
    closeSync(file);
  }
  if (header.every((byte) => byte === 0) && existsSync(`${path}-journal`)) return;
  const isDatabase = header.toString('latin1', 0, 16) === 'SQLite format 3\0';
  if (!isDatabase || header.readUInt32BE(68) !== APPLICATION_ID) throw stranger(path);
  refuseNewer(path, header.readUInt32BE(60));
}

/** Marks a new database as ours, then switches it to WAL; refuses one that belongs to something else. */
function claim(database: Database): void {
  if (database.pragma('application_id') !== APPLICATION_ID) {
    database.write(() => {
      if (database.pragma('application_id') === APPLICATION_ID) return;
      const isNew = database.value('SELECT count(*) FROM sqlite_schema') === 0;
      if (!isNew || database.pragma('application_id') !== 0 || database.pragma('user_version') !== 0)
        throw stranger(database.path);
      database.pragma(`application_id = ${APPLICATION_ID}`);
    });
  }
  refuseNewer(database.path, database.pragma<number>('user_version'));
  if (
    database.pragma('journal_mode') !== 'wal' &&
    patiently(() => database.pragma('journal_mode = WAL')) !== 'wal'
  )
    throw new SciaticaError(
      'unusable',
      `${database.path}: this place cannot hold the database (no write-ahead log). Choose a local disk with --db.`,
    );
}

/** Tries again while others hold the lock: SQLite does not wait by itself where it changes the journal mode. */
function patiently<T>(work: () => T): T {
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SciaticaError && error.code === 'busy';
      if (!isBusy || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}

function migrate(database: Database): void {
  while (database.pragma<number>('user_version') < migrations.length) {
    database.write(() => {
      const version = database.pragma<number>('user_version');
      const next = migrations[version];
      if (next === undefined) return refuseNewer(database.path, version);
      database.exec(next);
      database.pragma(`user_version = ${version + 1}`);
    });
  }
}

function stranger(path: string): SciaticaError {
  return new SciaticaError(
    'unusable',
    `${path} is not a sciatica database; it was left as it is. Choose another file with --db.`,
  );
}

function refuseNewer(path: string, version: number): void {
  if (version > migrations.length)
    throw new SciaticaError(
      'unusable',
      `${path} was written by a newer sciatica (format ${version}; this one knows ${migrations.length}). Update sciatica; the file was left as it is.`,
    );
}
