import type BetterSqlite from 'better-sqlite3';
import { explained, type SciaticaError } from '../../domain/errors.ts';

/** First major version of Node for better-sqlite3 13, which crashes on Node 20; version 12 crashes on 24.20 and later. */
const FIRST_WITH_13 = 22;

/** Uses `require`, because opening a database is synchronous and only one of the two packages may be loaded. */
function load(): { Driver: typeof BetterSqlite; options: BetterSqlite.Options } {
  if (Number.parseInt(process.versions.node, 10) >= FIRST_WITH_13)
    return { Driver: require('better-sqlite3'), options: {} };
  // Naming the native library avoids a search for it, which takes longer than loading it.
  const nativeBinding = require('better-sqlite3-12/build/Release/better_sqlite3.node');
  return { Driver: require('better-sqlite3-12'), options: { nativeBinding } };
}

/** Loads the engine. Called before a file is created, so that nothing is created without an engine. */
export const requireEngine = (): void => void translated(load);

/**
 * Opens a file, `:memory:`, or the bytes of a database, with the better-sqlite3 that fits this version of Node.
 * @throws SciaticaError `unusable` when it is not installed for this platform; the error of SQLite
 */
export function openSqlite(path: string | Buffer, options: BetterSqlite.Options = {}): BetterSqlite.Database {
  return translated(() => {
    const { Driver, options: own } = load();
    return new Driver(path, { ...own, ...options });
  });
}

function translated<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw isMissing(error) ? missing(error) : error;
  }
}

/** Whether the package, its native library or a library that this is linked with is missing. */
function isMissing(error: unknown): boolean {
  return ['MODULE_NOT_FOUND', 'ERR_DLOPEN_FAILED'].includes(String((error as NodeJS.ErrnoException).code));
}

function missing(cause: unknown): SciaticaError {
  return explained(
    'unusable',
    `The database engine is not installed for Node ${process.versions.node} on ${process.platform}-${process.arch}. Run npm install again with this Node (see "Try it" in the README).`,
    cause,
  );
}
