import type BetterSqlite from 'better-sqlite3';
import { refuseStrangeCompanions } from './companions.ts';
import { Database } from './database.ts';
import { openSqlite } from './driver.ts';
import { domainError } from './errors.ts';

/** How long a command waits for another process to finish writing. */
export const PATIENCE_MS = 30_000;

/** Pages that were read stay in memory up to this much: one user's logs lie scattered among everybody's. */
const CACHE_KIB = 64 * 1024;

/**
 * Opens a connection to a file that exists, with the pragmas that every connection has.
 * @throws SciaticaError `damaged`, `unusable`, `busy`, `full`
 */
export function connect(path: string, options: BetterSqlite.Options = {}): Database {
  return new Database(path, () => {
    refuseStrangeCompanions(path);
    let sqlite: BetterSqlite.Database | undefined;
    try {
      sqlite = openSqlite(path, { timeout: PATIENCE_MS, fileMustExist: true, ...options });
      sqlite.pragma('trusted_schema = OFF');
      sqlite.pragma('foreign_keys = ON');
      sqlite.pragma('secure_delete = ON');
      sqlite.pragma('synchronous = FULL');
      sqlite.pragma(`cache_size = -${CACHE_KIB}`);
      sqlite.pragma(`journal_size_limit = ${64 * 1024 * 1024}`);
      return sqlite;
    } catch (error) {
      sqlite?.close();
      throw domainError(error, path);
    }
  });
}

/** Runs `work` on a connection, and closes it. */
export function withDatabase<T>(db: Database, work: (db: Database) => T): T {
  try {
    return work(db);
  } finally {
    db.close();
  }
}
