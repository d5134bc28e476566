import {
  chmodSync,
  closeSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { conflict, SciaticaError, unusable } from '../../domain/errors.ts';
import {
  linkNew,
  NotSynced,
  sizeOf,
  syncFile,
  syncFolder,
  temporaryBeside,
  withFreeName,
} from '../../lib/files.ts';
import { sleepSync } from '../../lib/sleep.ts';
import { connect, withDatabase } from '../sqlite/connection.ts';
import type { Database } from '../sqlite/database.ts';
import { damaged, domainError, uncertain } from '../sqlite/errors.ts';
import { APPLICATION_ID } from '../sqlite/header.ts';
import { isSound } from '../sqlite/verify.ts';
import { carryOver, pastOf } from './restore-ledger.ts';

/** How long to wait for a command that is just finishing, in milliseconds. */
const LOCK_TIMEOUT_MS = 1_000;

/** Interval between two checks of the lock, in milliseconds. */
const RETRY_MS = 20;

/** Reads of /proc/locks that must all lack a lock before it counts as free: on a busy machine, one read of 300 missed one. */
const LOOKS = 3;

/** Suffixes of the files that SQLite keeps beside a database. */
const COMPANIONS = ['-wal', '-journal'] as const;

/**
 * Replaces the records of the database at `path` by those of a prepared database. A kill at any moment leaves
 * one or the other there, complete.
 *
 * The records are written into the existing file, in one transaction. If the file itself were replaced, a
 * program that had just opened the old one would use the write-ahead log of the new one, because SQLite finds
 * logs by name (https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
 * @param prepared a database of ours in rollback mode, of the current format
 * @param kept the path at which to keep the replaced database; numbered if taken
 * @returns the path that was used, if there was a database
 * @throws SciaticaError `conflict` while another program has the database open, `full`, `unusable`
 */
export function putInPlace(
  prepared: string,
  path: string,
  kept: string,
  isDamaged: boolean,
): string | undefined {
  try {
    if (isDamaged) return replaceDamaged(prepared, path, kept);
    if (!existsSync(path) && putWhereNoneIs(prepared, path)) return undefined;
    return overwrite(prepared, path, kept);
  } catch (error) {
    // Damage may surface only when the whole file is read.
    if (!isDamaged && error instanceof SciaticaError && error.code === 'damaged')
      return putInPlace(prepared, path, kept, true);
    throw domainError(error, path);
  }
}

/** Puts the prepared file at a free path. @returns false if there is a database by now */
function putWhereNoneIs(prepared: string, path: string): boolean {
  withDatabase(connect(prepared), (db) => carryOver(undefined, db));
  syncFile(prepared);
  try {
    linkNew(prepared, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function overwrite(prepared: string, path: string, kept: string): string | undefined {
  const db = lockedForOne(path);
  let name: string | undefined;
  try {
    name = keep(db, kept);
    db.run('ATTACH ? AS backup', prepared);
    // Two databases with rollback journals share a super-journal, found by its absolute path: if the folder
    // were moved or mounted elsewhere after a crash, the transaction would not be rolled back
    // (https://sqlite.org/tempfiles.html#super_journal_files).
    db.pragma('backup.journal_mode = MEMORY');
    // Tables are dropped and created in any order.
    db.pragma('foreign_keys = OFF');
    db.write(() => {
      const past = name === undefined ? undefined : pastOf(db);
      copyEverything(db);
      carryOver(past, db);
      if (!isCopied(db)) throw new SciaticaError('damaged', damaged(path));
    });
    return name;
  } catch (error) {
    // Nothing was replaced: the kept copy is not needed.
    const isUncertain = error instanceof SciaticaError && error.code === 'uncertain';
    if (name !== undefined && !isUncertain) rmSync(name, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

/** Keeps a copy of a database, unless it is empty. @returns the path of the copy */
function keep(db: Database, kept: string): string | undefined {
  if (db.pragma<number>('user_version') === 0) return undefined;
  const temporary = temporaryBeside(kept);
  try {
    db.run('VACUUM INTO ?', temporary.path);
    syncFile(temporary.path);
    return withFreeName(kept, (free) => linkSynced(temporary.path, free));
  } finally {
    temporary.remove();
  }
}

/** As `linkNew`, but fails if the folder cannot be synced: a power cut could remove the copy. @throws the error of the sync */
function linkSynced(existing: string, copy: string): void {
  try {
    linkNew(existing, copy);
  } catch (error) {
    throw error instanceof NotSynced ? error.cause : error;
  }
}

/** Replaces the schema and rows of `main` by those of `backup`, inside a transaction. */
function copyEverything(db: Database): void {
  const objectsOf = (schema: 'main' | 'backup', type: 'table' | 'index' | 'trigger' | 'view') =>
    db.all<{ name: string; sql: string }>(
      `SELECT name, sql FROM ${schema}.sqlite_schema
       WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`,
      type,
    );
  const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
  for (const type of ['trigger', 'view', 'index', 'table'] as const)
    for (const { name } of objectsOf('main', type)) db.exec(`DROP ${type} main.${quoted(name)}`);
  for (const { name, sql } of objectsOf('backup', 'table')) {
    db.exec(sql);
    db.exec(`INSERT INTO main.${quoted(name)} SELECT * FROM backup.${quoted(name)}`);
  }
  db.exec(`DELETE FROM main.sqlite_sequence;
    INSERT INTO main.sqlite_sequence SELECT * FROM backup.sqlite_sequence`);
  // After the rows: this builds each index in one go, and no trigger records the copying as changes.
  for (const type of ['index', 'trigger', 'view'] as const)
    for (const { sql } of objectsOf('backup', type)) db.exec(sql);
  db.pragma(`user_version = ${db.pragma<number>('backup.user_version')}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
}

/**
 * Whether `main` has the schema of `backup` and is sound: in a damaged file, DROP can leave rows of the
 * schema behind, and free pages can be in use.
 */
function isCopied(db: Database): boolean {
  const columns = 'SELECT type, name, tbl_name, sql FROM';
  const differences = db.value(`SELECT count(*) FROM (
    SELECT * FROM (${columns} main.sqlite_schema EXCEPT ${columns} backup.sqlite_schema)
    UNION ALL SELECT * FROM (${columns} backup.sqlite_schema EXCEPT ${columns} main.sqlite_schema))`);
  return differences === 0 && isSound(db);
}

/**
 * Opens a database exclusively, in rollback mode. Every other connection holds a lock while it is open, and
 * leaving WAL mode requires that there is no other
 * (https://sqlite.org/wal.html#use_of_wal_without_shared_memory).
 * @throws SciaticaError `conflict` if another program has it open
 */
function lockedForOne(path: string): Database {
  let db: Database | undefined;
  for (const deadline = performance.now() + LOCK_TIMEOUT_MS; ; ) {
    try {
      db ??= connect(path, { timeout: 0 });
      db.pragma('journal_mode = DELETE');
      // The lock outlives the transaction (https://sqlite.org/pragma.html#pragma_locking_mode).
      db.pragma('locking_mode = EXCLUSIVE');
      db.run('BEGIN EXCLUSIVE');
      db.run('COMMIT');
      // Another process may have opened it, and set WAL mode again, before the lock.
      if (db.pragma('journal_mode') === 'delete') return db;
    } catch (error) {
      const failed = domainError(error, path);
      if (!(failed instanceof SciaticaError) || failed.code !== 'busy') {
        db?.close();
        throw failed;
      }
    }
    db?.close();
    db = undefined;
    if (performance.now() > deadline) throw inUse();
    sleepSync(RETRY_MS);
  }
}

/** Replaces a file that SQLite cannot read by the prepared one. Keeps the bytes of the old file and of its log. */
function replaceDamaged(prepared: string, path: string, kept: string): string {
  // There may be a log without a database.
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  requireUnlocked(path);
  withDatabase(connect(prepared), (db) => {
    carryOver(undefined, db);
    // A program that has the old file open must not find a rollback journal of the new one.
    if (db.pragma('journal_mode = WAL') !== 'wal') throw unusable(damaged(prepared));
  });
  // Closing the connection moves the log into the file. If some of it is left, it would be lost.
  if (sizeOf(`${prepared}-wal`) > 0)
    throw new SciaticaError(
      'full',
      'The backup could not be prepared: is the disk full? Nothing was changed.',
    );
  syncFile(prepared);
  // First the file, then the log: after a kill in between, the kept copy or the old path still has both.
  const name = withFreeName(kept, (free) => linkSynced(path, free));
  chmodSync(name, 0o600);
  // A log left behind would be taken for the log of the new file.
  for (const end of COMPANIONS) if (existsSync(path + end)) renameSync(path + end, name + end);
  rmSync(`${path}-shm`, { force: true });
  renameSync(prepared, path);
  try {
    syncFolder(dirname(path));
  } catch (error) {
    throw uncertain(error);
  }
  return name;
}

/** Waits until no program has the file open. @throws SciaticaError `conflict` after `LOCK_TIMEOUT_MS` */
function requireUnlocked(path: string): void {
  for (const deadline = performance.now() + LOCK_TIMEOUT_MS; isLocked(path); sleepSync(RETRY_MS))
    if (performance.now() > deadline) throw inUse();
}

/**
 * Whether any process holds a lock on a file; known on Linux only. The kernel returns the list page by page,
 * and another lock that is released between two pages can hide this one, so it is read `LOOKS` times.
 */
function isLocked(path: string): boolean {
  if (!existsSync('/proc/locks')) return false;
  const inode = `:${statSync(path).ino} `;
  for (let look = 0; look < LOOKS; look++)
    if (readFileSync('/proc/locks', 'utf8').includes(inode)) return true;
  return false;
}

function inUse(): SciaticaError {
  return conflict(
    'Another program has the database open. Stop sciatica serve, and what else uses it, and try again. Nothing was changed.',
  );
}
