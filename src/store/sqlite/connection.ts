import type BetterSqlite from 'better-sqlite3';
import { folded } from '../../domain/filter.ts';
import { csvCell, rawCsvCell } from '../../lib/csv-cell.ts';
import { Database } from './database.ts';
import { openSqlite } from './driver.ts';
import { domainError } from './errors.ts';
import { openAbsent, openReadable } from './readable.ts';
import { addProceed, type Reader } from './reader.ts';
import { refuseForeignSidecars } from './sidecars.ts';

/** How long a command waits for another process to finish writing. */
export const BUSY_TIMEOUT_MS = 30_000;

/** Pages that were read stay in memory up to this much: one user's logs lie scattered among everybody's. */
const CACHE_KIB = 64 * 1024;

type Alone = BetterSqlite.Options & { isAlone?: boolean };

/** How a connection is opened. */
interface Options extends BetterSqlite.Options {
  /** Open it to read at least, where it cannot be written to: `obstacle` of the connection then says why. */
  orReadable?: boolean;
  /** There is no file: what is read is an empty database. */
  isAbsent?: boolean;
  /** Who reads through it, in a thread of its own. */
  reader?: Reader | undefined;
}

/**
 * Opens a connection to a file that exists, with the pragmas that every connection has.
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
    // First: the others read the schema, and what was read without this lock needs shared memory.
    if (isAlone) sqlite.pragma('locking_mode = EXCLUSIVE');
    const functions = { contains: contains(), csv_cell: csvCell, raw_csv_cell: rawCsvCell };
    for (const [name, work] of Object.entries(functions))
      sqlite.function(name, { deterministic: true, directOnly: true }, work);
    sqlite.pragma('trusted_schema = OFF');
    sqlite.pragma('foreign_keys = ON');
    sqlite.pragma('secure_delete = ON');
    sqlite.pragma('synchronous = FULL');
    // No record goes to the system's temporary folder; what may grow long has `useTemporaryFolder`.
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
 * The SQL function `contains(text, needles)`: whether a text contains one of the needles, a JSON array of texts that are
 * folded already. SQLite's LIKE and lower() fold ASCII only (https://sqlite.org/lang_expr.html#like).
 */
function contains(): (text: unknown, needles: unknown) => number {
  let last: unknown;
  let wanted: string[] = [];
  return (text, needles) => {
    if (typeof text !== 'string') return 0;
    // One query asks for the same needles row after row.
    if (needles !== last) {
      last = needles;
      wanted = JSON.parse(String(needles)) as string[];
    }
    const whole = folded(text);
    return wanted.some((needle) => whole.includes(needle)) ? 1 : 0;
  };
}

/** Runs `work` on a connection, and closes it. */
export function withDatabase<T>(db: Database, work: (db: Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}
