import type BetterSqlite from 'better-sqlite3';
import type { Condition } from './condition.ts';

/** The request for which a connection in a worker thread reads. */
export interface Reader {
  /** Whether the request was cancelled; set from another thread while SQLite runs. */
  isCancelled(): boolean;
  /** Whether the main thread keeps a folder for temporary files (see temporary.ts). */
  readonly hasTemporaryFolder: boolean;
}

/** Ends a cancelled read. Nobody handles it, because nobody waits for the result. */
class Cancelled extends Error {}

/** @throws Cancelled */
export function requireWanted(reader: Reader): void {
  if (reader.isCancelled()) throw new Cancelled('cancelled');
}

/**
 * Condition that ends a cancelled scan: better-sqlite3 does not expose sqlite3_interrupt(), but an exception in a function ends
 * the statement that called it. Called for every 4096th id only, because a call per row would take half of the time of a scan.
 */
export const PROCEED: Condition = { sql: '(id & 4095 OR proceed())', values: [] };

/** Adds the SQL function of `PROCEED` to a connection. */
export function addProceed(sqlite: BetterSqlite.Database, reader: Reader): void {
  sqlite.function('proceed', { directOnly: true }, () => {
    requireWanted(reader);
    return 1;
  });
}
