import type BetterSqlite from 'better-sqlite3';
import type { Condition } from './condition.ts';

/** Whom a connection in a worker thread reads for. */
export interface Reader {
  /** Whether nobody waits for the result any more: set from another thread, while SQLite runs. */
  isCancelled(): boolean;
  /** Whether the main thread holds a folder for temporary files (see temporary.ts). */
  readonly hasTemporaryFolder: boolean;
}

/** The reading was cancelled: nobody waits for what it throws. */
class Cancelled extends Error {}

/** @throws Cancelled */
export function requireWanted(reader: Reader): void {
  if (reader.isCancelled()) throw new Cancelled('cancelled');
}

/**
 * Ends a scan that was cancelled: better-sqlite3 does not expose sqlite3_interrupt(), but what a function throws ends the
 * statement that called it. Every 4096th id, because a call per row would take half of the time of a scan.
 */
export const PROCEED: Condition = { sql: '(id & 4095 OR proceed())', values: [] };

/** Adds the function of `PROCEED` to a connection. */
export function addProceed(sqlite: BetterSqlite.Database, reader: Reader): void {
  sqlite.function('proceed', { directOnly: true }, () => {
    requireWanted(reader);
    return 1;
  });
}
