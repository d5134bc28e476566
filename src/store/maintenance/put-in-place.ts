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

/** A command that is just finishing may take so long. */
const LOCK_TIMEOUT_MS = 1_000;

/** Between two looks at whether the lock is free, in milliseconds. */
const RETRY_MS = 20;

/** How often a lock must be missing from the kernel's list to be gone: on a busy machine, one look of 300 missed one. */
const LOOKS = 3;

/** What SQLite keeps beside a database. */
const COMPANIONS = ['-wal', '-journal'] as const;

/**
 * Puts the records of a prepared database in the place of those at a path. A kill at any moment leaves the ones or the
 * others there, whole.
 *
 * They are written into the file that is there, in one transaction: were the file replaced, a program that had just
 * opened the old one would take the new one's write-ahead log for its own, because SQLite finds logs by name
 * (https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
 * @param prepared a database of ours in rollback mode, of today's format
 * @param kept the name for what was there
 * @returns that name, made free, if there was a database
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
    // Damage that nothing had met before the whole of it was read.
    if (!isDamaged && error instanceof SciaticaError && error.code === 'damaged')
      return putInPlace(prepared, path, kept, true);
    throw domainError(error, path);
  }
}

/** @returns false if there is a database by now */
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
    // Two databases with rollback journals share a super-journal, which is found by its absolute path: after a crash in
    // the middle, a folder that was moved or mounted elsewhere would not be rolled back
    // (https://sqlite.org/tempfiles.html#super_journal_files).
    db.pragma('backup.journal_mode = MEMORY');
    // Tables are dropped and made in any order.
    db.pragma('foreign_keys = OFF');
    db.write(() => {
      const past = name === undefined ? undefined : pastOf(db);
      copyEverything(db);
      carryOver(past, db);
      if (!isCopied(db)) throw new SciaticaError('damaged', damaged(path));
    });
    return name;
  } catch (error) {
    // Where nothing was replaced, what was kept of it is one copy too many.
    const isUncertain = error instanceof SciaticaError && error.code === 'uncertain';
    if (name !== undefined && !isUncertain) rmSync(name, { force: true });
    throw error;
  } finally {
    db.close();
  }
}

/** Copies a database beside itself; an empty one has nothing to keep. */
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

/** As `linkNew`; of a copy that a power cut may take, nothing may be replaced yet. @throws what kept the folder from being synced */
function linkSynced(existing: string, copy: string): void {
  try {
    linkNew(existing, copy);
  } catch (error) {
    throw error instanceof NotSynced ? error.cause : error;
  }
}

/** Replaces schema and rows of `main` by those of `backup`, inside a transaction. */
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
  // After the rows: building an index at once is faster, and no trigger may see the copying as a change.
  for (const type of ['index', 'trigger', 'view'] as const)
    for (const { sql } of objectsOf('backup', type)) db.exec(sql);
  db.pragma(`user_version = ${db.pragma<number>('backup.user_version')}`);
  db.pragma(`application_id = ${APPLICATION_ID}`);
}

/**
 * Whether `main` has the schema of `backup` and is sound: in a damaged file, DROP can leave rows of the schema behind, and
 * free pages be in use.
 */
function isCopied(db: Database): boolean {
  const columns = 'SELECT type, name, tbl_name, sql FROM';
  const differences = db.value(`SELECT count(*) FROM (
    SELECT * FROM (${columns} main.sqlite_schema EXCEPT ${columns} backup.sqlite_schema)
    UNION ALL SELECT * FROM (${columns} backup.sqlite_schema EXCEPT ${columns} main.sqlite_schema))`);
  return differences === 0 && isSound(db);
}

/**
 * Opens a database for this process alone, in rollback mode. Every other connection holds a lock as long as it is open,
 * and leaving the write-ahead log needs the file without any
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
      // Somebody may have opened it between the two.
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

/** Puts the prepared file in the place of one that SQLite cannot read; its bytes are kept, and those of its log. */
function replaceDamaged(prepared: string, path: string, kept: string): string {
  // There may be a log alone.
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600));
  requireUnlocked(path);
  withDatabase(connect(prepared), (db) => {
    carryOver(undefined, db);
    // A program that has the replaced file open must not find a rollback journal of this one.
    if (db.pragma('journal_mode = WAL') !== 'wal') throw unusable(damaged(prepared));
  });
  // Closing moves the log into the file; what is left in it would be left behind.
  if (sizeOf(`${prepared}-wal`) > 0)
    throw new SciaticaError(
      'full',
      'The backup could not be prepared: is the disk full? Nothing was changed.',
    );
  syncFile(prepared);
  // Bytes first, then the log of a database that nobody could open: a copy that a kill leaves has both.
  const name = withFreeName(kept, (free) => linkSynced(path, free));
  chmodSync(name, 0o600);
  // A log that stays would be taken for the log of the file that comes.
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

/** @throws SciaticaError `conflict` if another program has a file open that SQLite cannot read */
function requireUnlocked(path: string): void {
  for (const deadline = performance.now() + LOCK_TIMEOUT_MS; isLocked(path); sleepSync(RETRY_MS))
    if (performance.now() > deadline) throw inUse();
}

/**
 * Whether anybody holds a lock on a file; known on Linux only. The kernel gives the list page by page, and a lock of
 * somebody else that ends between two pages moves another out of sight: what is missing once may be there the next time.
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
