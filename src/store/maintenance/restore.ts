import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { SciaticaError } from '../../domain/errors.ts';
import { stateOf } from '../../domain/token.ts';
import {
  linkNew,
  replace,
  syncFile,
  type Temporary,
  temporaryBeside,
  withFreeName,
} from '../../lib/files.ts';
import { sleepSync } from '../../lib/sleep.ts';
import { Tokens } from '../records/tokens.ts';
import { connect } from '../sqlite/connection.ts';
import type { Database } from '../sqlite/database.ts';
import { domainError } from '../sqlite/errors.ts';
import { APPLICATION_ID, headerOf } from '../sqlite/header.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import { migrate, refuseStranger } from '../sqlite/open.ts';
import { type Holding, holdingOf, isSound, openToRead } from '../sqlite/verify.ts';
import { carryOver, type Past, pastOf } from './restore-ledger.ts';

/** A command that is just finishing may take so long. */
const PATIENCE_MS = 1_000;

/** What SQLite keeps beside a database. */
const COMPANIONS = ['-wal', '-journal'] as const;

/** A backup that has been looked through and is ready to become the database. */
export interface Restoration {
  /** What the backup holds. */
  copy: Holding;
  /** What the database holds now. */
  present: Holding | 'absent' | 'damaged';
  /** The users that it brings back although they were erased since. */
  erased: readonly number[];
  /** How many tokens of it are valid. */
  tokens: number;
  /**
   * Puts the backup in the place of the database. A kill at any moment leaves the one or the other there, whole.
   * @param stamp names the file that keeps the replaced database
   * @returns that file, if there was a database
   * @throws SciaticaError `conflict` while another program has the database open
   */
  apply(stamp: string): string | undefined;
  /** Forgets the prepared copy, unless it was applied. */
  close(): void;
}

/**
 * Prepares to put the backup `file` in the place of the database at `path`: copies it beside the database, checks the
 * copy and brings it up to date. The backup itself is never written to.
 * @throws SciaticaError `damaged` or `unusable` if it is no sound backup of ours, `conflict` if it is the database itself
 */
export function prepareRestore(file: string, path: string): Restoration {
  refuseFile(file, path);
  let temporary: Temporary | undefined;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    temporary = temporaryBeside(path);
    const { path: prepared, remove } = temporary;
    const copy = copied(file, prepared);
    const { present, past } = presentAt(path);
    const apply = (stamp: string) => swap(prepared, path, { stamp, isDamaged: present === 'damaged' });
    return { copy, present, ...broughtBack(prepared, past), apply, close: remove };
  } catch (error) {
    temporary?.remove();
    throw domainError(error, path);
  }
}

function refuseFile(file: string, path: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) throw new SciaticaError('unusable', `There is no file ${file}.`);
  if (!stat.isFile()) throw new SciaticaError('unusable', `${file} is not a file.`);
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.dev === stat.dev && present.ino === stat.ino)
    throw new SciaticaError('conflict', `${file} is the database itself: there is nothing to restore.`);
}

/** With a log beside it, the file may be in use: SQLite reads both from one moment. Otherwise its bytes are all of it. */
function copyBytes(file: string, temporary: string): void {
  if (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size) {
    using(openToRead(file), (db) => db.run('VACUUM INTO ?', temporary));
  } else {
    copyFileSync(file, temporary);
    if (existsSync(`${file}-journal`)) copyFileSync(`${file}-journal`, `${temporary}-journal`);
    chmodSync(temporary, 0o600);
  }
}

function copied(file: string, prepared: string): Holding {
  try {
    copyBytes(file, prepared);
    return checked(file, prepared);
  } catch (error) {
    const failed = domainError(error, file);
    throw failed instanceof SciaticaError && failed.code === 'damaged' ? damagedBackup(file) : failed;
  }
}

function checked(file: string, prepared: string): Holding {
  const { isDatabase, applicationId, version } = headerOf(prepared);
  if (!isDatabase || applicationId !== APPLICATION_ID || version === 0)
    throw new SciaticaError('unusable', `${file} is not a backup of sciatica. Nothing was changed.`);
  if (version > migrations.length)
    throw new SciaticaError(
      'unusable',
      `${file} was written by a newer sciatica (format ${version}; this one knows ${migrations.length}). Update sciatica first; nothing was changed.`,
    );
  return using(connect(prepared), (db) => {
    if (db.pragma('journal_mode = DELETE') !== 'delete' || !isSound(db)) throw damagedBackup(file);
    migrate(db, { keep: () => {} });
    // In its place it must never need a rollback journal: a program that still has the replaced file open would take
    // that journal for its own (https://sqlite.org/howtocorrupt.html#_unlinking_or_renaming_a_database_file_while_in_use).
    db.pragma('journal_mode = WAL');
    return holdingOf(db);
  });
}

function damagedBackup(file: string): SciaticaError {
  return new SciaticaError(
    'damaged',
    `${file} is damaged: nothing was changed. To save what can still be read of it: sciatica doctor --db ${file} --rescue FILE`,
  );
}

function presentAt(path: string): { present: Restoration['present']; past?: Past } {
  if (isAbsent(path)) return { present: 'absent' };
  if (!headerOf(path).isDatabase) return { present: 'damaged' };
  refuseStranger(path, { mayBeNewer: true });
  try {
    return using(openToRead(path), (db) => ({ present: holdingOf(db), past: pastOf(db) }));
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError) || failed.code !== 'damaged') throw failed;
    return { present: 'damaged' };
  }
}

function broughtBack(prepared: string, past: Past | undefined): Pick<Restoration, 'erased' | 'tokens'> {
  return using(connect(prepared), (db) => ({
    erased: [...new Set(past?.erased)].filter((id) => db.value('SELECT 1 FROM users WHERE id = ?', id) === 1),
    tokens: new Tokens(db).list().filter((token) => stateOf(token, Date.now()) === 'valid').length,
  }));
}

function using<T>(db: Database, work: (db: Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}

const isAbsent = (path: string) => !statSync(path, { throwIfNoEntry: false })?.size;

/**
 * The database gets its further name first and is replaced by one rename. Meanwhile this process has it to itself, as
 * a file without a log: a program that opened it and waits finds that it has moved (`Database.hasMoved`), and SQLite
 * itself refuses to write to it.
 */
function swap(
  prepared: string,
  path: string,
  { stamp, isDamaged }: { stamp: string; isDamaged: boolean },
): string | undefined {
  const kept = `${path}.replaced-${stamp}`;
  // Closing a database that it cannot read, SQLite may throw its log away.
  if (isDamaged && isLocked(path)) throw inUse();
  let lock: Database | undefined;
  try {
    // Before the database is locked: who waits for a file that is about to be replaced should not wait long.
    const past = isDamaged || isAbsent(path) ? undefined : using(openToRead(path), pastOf);
    using(connect(prepared), (backup) => carryOver(past, backup));
    syncFile(prepared);
    lock = isDamaged ? undefined : lockPresent(path);
    // Bytes first, then the log of a database that nobody could open: a copy that a kill leaves has both.
    const name = isAbsent(path) ? undefined : withFreeName(kept, (free) => linkNew(path, free));
    if (name) chmodSync(name, 0o600);
    // A log that stays would be taken for the log of the file that comes.
    for (const end of COMPANIONS) if (existsSync(path + end)) renameSync(path + end, (name ?? kept) + end);
    rmSync(`${path}-shm`, { force: true });
    replace(prepared, path);
    return name;
  } catch (error) {
    throw domainError(error, path);
  } finally {
    lock?.close();
  }
}

/**
 * Takes the database for this process alone. Every other connection holds a lock as long as it is open, and leaving the
 * write-ahead log needs the file without any (https://sqlite.org/wal.html#use_of_wal_without_shared_memory).
 * @returns nothing if there is no database
 * @throws SciaticaError `conflict` if another program has it open
 */
function lockPresent(path: string): Database | undefined {
  if (isAbsent(path)) return undefined;
  let db: Database | undefined;
  for (const deadline = performance.now() + PATIENCE_MS; ; ) {
    try {
      db ??= connect(path, { timeout: 0 });
      db.pragma('journal_mode = DELETE');
      db.run('BEGIN EXCLUSIVE');
      // Somebody may have opened it between the two.
      if (db.pragma('journal_mode') === 'delete') return db;
      db.run('ROLLBACK');
    } catch (error) {
      const failed = domainError(error, path);
      if (!(failed instanceof SciaticaError) || failed.code !== 'busy') {
        db?.close();
        throw failed;
      }
    }
    if (performance.now() > deadline) {
      db?.close();
      throw inUse();
    }
    sleepSync(20);
  }
}

/** Whether anybody holds a lock on a file that SQLite cannot read; known on Linux only. */
function isLocked(path: string): boolean {
  if (!existsSync('/proc/locks')) return false;
  const inode = `:${statSync(path).ino} `;
  return readFileSync('/proc/locks', 'utf8')
    .split('\n')
    .some((line) => line.includes(inode));
}

function inUse(): SciaticaError {
  return new SciaticaError(
    'conflict',
    'Another program has the database open. Stop sciatica serve, and what else uses it, and try again. Nothing was changed.',
  );
}
