import { accessSync, constants, copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { SciaticaError, unusable } from '../../domain/errors.ts';
import { hasRoom, sizeOf, temporaryFolder } from '../../lib/files.ts';
import { full } from './errors.ts';

/** A better-sqlite3 connection, and why it cannot write, if it cannot. */
export interface Opened {
  sqlite: BetterSqlite.Database;
  obstacle?: Obstacle;
}

/** Why a database can be read but not written to. */
export interface Obstacle {
  /** Thrown to a caller that tries to write. */
  error: SciaticaError;
  /** Shown to a user who only reads. */
  notice: string;
  /**
   * `shared`: other connections may open it too. `alone`: this connection locks all others out. `copy`: a
   * copy of it is open, in memory or in a file.
   */
  kind: 'shared' | 'alone' | 'copy';
  /** Removes the copy. */
  remove?(): void;
}

/** Opens a file, or the bytes of one; with `isAlone`, under a lock that excludes all other connections. */
type Open = (
  file: string | Buffer,
  options?: BetterSqlite.Options & { isAlone?: boolean },
) => BetterSqlite.Database;

/** In bytes: larger databases are copied to a file instead of into memory. */
const MAX_IN_MEMORY = 256 * 1024 * 1024;

/**
 * Opens a database for writing or, where that is impossible, for reading. In WAL mode SQLite needs a
 * shared-memory file (-shm) even to read, which cannot be created on a full or a read-only disk.
 * @throws the error of SQLite or of the file system
 */
export function openReadable(path: string, open: Open): Opened {
  const refused = refusal(path, constants.W_OK);
  if (refused) return openUnwritable(path, open, refused);
  try {
    return { sqlite: firstRead(open(path)) };
  } catch (error) {
    const { code } = error as { code?: unknown };
    if (!/^SQLITE_(IOERR_SHM|CANTOPEN|READONLY|FULL)/.test(String(code))) throw error;
    const obstacle = obstacleAt(path);
    return (obstacle === FULL && openAlone(path, open)) || openCopy(path, open, obstacle);
  }
}

/** Opens an empty database in memory in place of one that does not exist and is not to be created. */
export function openAbsent(path: string, open: Open): Opened {
  const error = unusable(`Nothing was saved: there is no database at ${path} yet.`);
  return {
    sqlite: open(Buffer.alloc(0), { readonly: false }),
    obstacle: { error, notice: '', kind: 'copy' },
  };
}

/** Reads once, so that SQLite opens log and shared memory now, and returns the connection. Closes it on an error. */
function firstRead(sqlite: BetterSqlite.Database): BetterSqlite.Database {
  try {
    sqlite.pragma('user_version');
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

const FULL: Obstacle = { error: full(), notice: 'Nothing can be saved: the disk is full.', kind: 'copy' };

/** An exclusive lock keeps the WAL index in memory (https://sqlite.org/wal.html#use_of_wal_without_shared_memory). */
function openAlone(path: string, open: Open): Opened | undefined {
  try {
    const sqlite = firstRead(open(path, { readonly: false, isAlone: true }));
    return { sqlite, obstacle: { ...FULL, kind: 'alone' } };
  } catch (error) {
    if (/^SQLITE_(BUSY|CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))) throw error;
    return undefined;
  }
}

/** Reads the shared memory of other processes that have the database open; if there is none, opens a copy. */
function openUnwritable(path: string, open: Open, refused: string): Opened {
  const obstacle = unwritable(path, refused);
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) {
    try {
      return { sqlite: firstRead(open(path, { readonly: true })), obstacle: { ...obstacle, kind: 'shared' } };
    } catch {
      // The files were left by a crash, or we may not read them.
    }
  }
  return openCopy(path, open, obstacle);
}

/** Opens a copy: in memory if the file is small, and complete because the log is empty; else in a private folder. */
function openCopy(path: string, open: Open, obstacle: Obstacle): Opened {
  if (sizeOf(`${path}-wal`) === 0 && sizeOf(path) > 0 && sizeOf(path) <= MAX_IN_MEMORY) {
    const bytes = unchanged(path, () => readFileSync(path));
    // No WAL mode in memory: change the header
    // (https://sqlite.org/fileformat2.html#file_format_version_numbers).
    bytes.fill(1, 18, 20);
    return { sqlite: firstRead(open(bytes, { readonly: false })), obstacle };
  }
  const folder = temporaryFolder();
  try {
    const copy = join(folder.path, 'copy.db');
    unchanged(path, () => {
      for (const end of ['', '-wal']) if (existsSync(path + end)) copyFileSync(path + end, copy + end);
    });
    const sqlite = firstRead(open(copy, { readonly: false }));
    const notice = `${obstacle.notice} It is read from a copy in ${folder.path}, which is removed at the end.`;
    return { sqlite, obstacle: { ...obstacle, notice, remove: folder.remove } };
  } catch (error) {
    folder.remove();
    throw error;
  }
}

/** Repeats `work`, up to ten times, until no other process has changed the database meanwhile. @throws SciaticaError `busy` */
function unchanged<T>(path: string, work: () => T): T {
  const state = () =>
    ['', '-wal']
      .map((end) => statSync(path + end, { throwIfNoEntry: false }))
      .map((stat) => `${stat?.size} ${stat?.mtimeMs}`)
      .join();
  for (let attempt = 0; ; attempt++) {
    const before = state();
    const result = work();
    if (state() === before) return result;
    if (attempt === 9)
      throw new SciaticaError('busy', 'Another program is writing to the database. Try again in a moment.');
  }
}

/** The error code with which access(2) refuses a mode of `fs.constants`, such as EACCES or EROFS; undefined if it is allowed. */
export function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** The obstacle to creating files beside a database that may itself be writable. */
function obstacleAt(path: string): Obstacle {
  return hasRoom(path) ? unwritable(path, refusal(dirname(path), constants.W_OK)) : FULL;
}

function unwritable(path: string, refused: string | undefined): Obstacle {
  const whys: Readonly<Record<string, string>> = {
    EROFS: `the disk of ${path} is read-only`,
    EACCES: `no permission to write to ${path} and its folder`,
    EPERM: `no permission to write to ${path} and its folder`,
  };
  const why = whys[refused ?? ''] ?? `no file can be made beside ${path}`;
  const notice = `Nothing can be saved: ${why}.`;
  return { error: unusable(`Nothing was saved: ${why}.`), notice, kind: 'copy' };
}
