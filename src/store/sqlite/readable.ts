import { accessSync, constants, copyFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { SciaticaError, unusable } from '../../domain/errors.ts';
import { hasRoom, sizeOf, temporaryFolder } from '../../lib/files.ts';
import { full } from './errors.ts';

/** A connection of better-sqlite3, and what keeps it from writing. */
export interface Opened {
  sqlite: BetterSqlite.Database;
  obstacle?: Obstacle;
}

/** Why nothing can be saved in a database that can be read. */
export interface Obstacle {
  /** For whoever tries to save something. */
  error: SciaticaError;
  /** For whoever reads. */
  notice: string;
  /**
   * `shared`: others may open it too. `alone`: no other connection can be open. `copy`: what is open is a copy of it, in
   * memory or in a file.
   */
  kind: 'shared' | 'alone' | 'copy';
  /** Removes the copy. */
  remove?(): void;
}

/** Opens a file, or bytes; `isAlone` with a lock that no other connection gets past. */
type Open = (
  file: string | Buffer,
  options?: BetterSqlite.Options & { isAlone?: boolean },
) => BetterSqlite.Database;

/** Larger files are copied to a file. */
const MAX_IN_MEMORY = 256 * 1024 * 1024;

/**
 * Opens a database to write to it, or, where that cannot be, to read it. In WAL mode SQLite needs a file of shared memory
 * (-shm) to read, which cannot be made on a full disk or a read-only one.
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

/** An empty database in memory, in place of one that does not exist and that nothing is to be saved in. */
export function openAbsent(path: string, open: Open): Opened {
  const error = unusable(`Nothing was saved: there is no database at ${path} yet.`);
  return {
    sqlite: open(Buffer.alloc(0), { readonly: false }),
    obstacle: { error, notice: '', kind: 'copy' },
  };
}

/** The connection, once it has read; without a read, SQLite opens neither log nor shared memory. */
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

/** With an exclusive lock the index of the log is in memory (https://sqlite.org/wal.html#use_of_wal_without_shared_memory). */
function openAlone(path: string, open: Open): Opened | undefined {
  try {
    const sqlite = firstRead(open(path, { readonly: false, isAlone: true }));
    return { sqlite, obstacle: { ...FULL, kind: 'alone' } };
  } catch (error) {
    if (/^SQLITE_(BUSY|CORRUPT|NOTADB)/.test(String((error as { code?: unknown }).code))) throw error;
    return undefined;
  }
}

/** While others have it open, its shared memory is there to be read. */
function openUnwritable(path: string, open: Open, refused: string): Opened {
  const obstacle = unwritable(path, refused);
  if (existsSync(`${path}-wal`) && existsSync(`${path}-shm`)) {
    try {
      return { sqlite: firstRead(open(path, { readonly: true })), obstacle: { ...obstacle, kind: 'shared' } };
    } catch {
      // Left by a crash, or not to be read by us.
    }
  }
  return openCopy(path, open, obstacle);
}

/** A database whose log is empty is all in its file, and fits into memory; else both go to a private folder. */
function openCopy(path: string, open: Open, obstacle: Obstacle): Opened {
  if (sizeOf(`${path}-wal`) === 0 && sizeOf(path) > 0 && sizeOf(path) <= MAX_IN_MEMORY) {
    const bytes = unchanged(path, () => readFileSync(path));
    // In memory there is no log: the file says that it has one (https://sqlite.org/fileformat2.html#file_format_version_numbers).
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

/** What `work` gives while a database stays as it is; who may not write to it may meet somebody who does. */
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

/** What access(2) says against a use of a path, in a mode of `fs.constants`: EACCES, EROFS; undefined if it is allowed. */
export function refusal(path: string, mode: number): string | undefined {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code;
  }
}

/** What keeps files from being made beside a database that may itself be written to. */
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
