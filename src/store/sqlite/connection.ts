import type BetterSqlite from 'better-sqlite3';
import { folded } from '../../domain/filter.ts';
import { csvCell, rawCsvCell } from '../../lib/csv-cell.ts';
import { Database } from './database.ts';
import { openSqlite } from './driver.ts';
import { domainError } from './errors.ts';
import { openAbsent, openReadable } from './readable.ts';
import { addProceed, type Reader } from './reader.ts';
import { refuseForeignSidecars } from './sidecars.ts';

/** How long a command waits for the write lock of another process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 30_000;

/** Size of the page cache, in KiB: large, because one user's logs are scattered among those of all users. */
const CACHE_KIB = 64 * 1024;

type Alone = BetterSqlite.Options & { isAlone?: boolean };

/** How a connection is opened. */
interface Options extends BetterSqlite.Options {
  /** Fall back to read-only access where the database cannot be written to; `obstacle` of the connection says why. */
  orReadable?: boolean;
  /** There is no file: open an empty database in memory instead. */
  isAbsent?: boolean;
  /** For a connection in a worker thread: the request that it serves. */
  reader?: Reader | undefined;
}

/**
 * Opens a connection to an existing file, with the pragmas and SQL functions that every connection has.
 * @throws SciaticaError `damaged`, `unusable`, `busy`, `full`
 */
export function connect(
  path: string,
  { orReadable = false, isAbsent = false, reader, ...options }: Options = {},
): Database {
  const connected = () => {
    refuseForeignSidecars(path);
    const open = (file: string | Buffer, { isAlone = false, ...more }: Alone = {}) =>
      openWithPragmas(file, { ...options, ...more }, isAlone);
    try {
      if (isAbsent) return openAbsent(path, open);
      const opened = orReadable ? openReadable(path, open) : { sqlite: open(path) };
      if (reader) addProceed(opened.sqlite, reader);
      return opened;
    } catch (error) {
      throw domainError(error, path);
    }
  };
  return new Database(path, connected, reader);
}

function openWithPragmas(
  file: string | Buffer,
  options: BetterSqlite.Options,
  isAlone: boolean,
): BetterSqlite.Database {
  const isFile = typeof file === 'string';
  const sqlite = openSqlite(file, { timeout: BUSY_TIMEOUT_MS, fileMustExist: isFile, ...options });
  try {
    // Must come first: the other pragmas read the schema, and reading without this lock needs shared memory.
    if (isAlone) sqlite.pragma('locking_mode = EXCLUSIVE');
    const functions = { contains: contains(), csv_cell: csvCell, raw_csv_cell: rawCsvCell };
    for (const [name, work] of Object.entries(functions))
      sqlite.function(name, { deterministic: true, directOnly: true }, work);
    sqlite.pragma('trusted_schema = OFF');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('secure_delete = ON');
    sqlite.pragma('synchronous = FULL');
    // Keeps records out of the system's temporary folder. Long sorts use `useTemporaryFolder`.
    sqlite.pragma('temp_store = MEMORY');
    sqlite.pragma(`cache_size = -${CACHE_KIB}`);
    sqlite.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
    return sqlite;
  } catch (error) {
    sqlite.close();
    throw error;
  }
}

/**
 * Makes the SQL function `contains(text, needles)`: whether a text contains one of the needles, a JSON array of texts that are
 * case-folded already. SQLite's LIKE and lower() fold only ASCII (https://sqlite.org/lang_expr.html#like).
 */
function contains(): (text: unknown, needles: unknown) => number {
  let last: unknown;
  let wanted: string[] = [];
  return (text, needles) => {
    if (typeof text !== 'string') return 0;
    // A query passes the same needles for every row: parsed once.
    if (needles !== last) {
      last = needles;
      wanted = JSON.parse(String(needles)) as string[];
    }
    const whole = folded(text);
    return wanted.some((needle) => whole.includes(needle)) ? 1 : 0;
  };
}

/** Runs `work` on a connection, then closes the connection. */
export function withDatabase<T>(db: Database, work: (db: Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}
