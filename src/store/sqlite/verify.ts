import { existsSync } from 'node:fs';
import { SciaticaError, type Wording } from '../../domain/errors.ts';
import { byKind, type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { connect, withDatabase } from './connection.ts';
import type { Database } from './database.ts';
import { damaged } from './errors.ts';
import { isSchemaSound } from './schema.ts';

/** A summary of a database. */
export interface Holding {
  version: number;
  counts: Readonly<Record<KindName, number>>;
  /** The date of the latest log, YYYY-MM-DD. */
  latest: string | undefined;
}

/**
 * Opens a database for inspection. A read-only connection would leave an empty log behind, so if there is no
 * log, the database is opened as usual: SQLite then removes its files.
 */
export function openToRead(path: string): Database {
  return connect(path, { readonly: existsSync(`${path}-wal`), orReadable: true });
}

/** Whether a database has a table; older versions lack some. */
export const hasTable = (db: Database, table: string): boolean =>
  db.value('SELECT 1 FROM sqlite_schema WHERE name = ?', table) === 1;

/** Counts what a database holds. */
export function holdingOf(db: Database): Holding {
  const count = (kind: KindName) => {
    const { table } = kindOf(kind);
    const mayLack = kind !== 'user' && kind !== 'log';
    return mayLack && !hasTable(db, table) ? 0 : (db.value<number>(`SELECT count(*) FROM ${table}`) ?? 0);
  };
  return db.read(() => ({
    version: db.pragma<number>('user_version'),
    counts: byKind(count),
    latest: db.value<string | null>('SELECT max(date) FROM logs') ?? undefined,
  }));
}

/** The faults that SQLite finds (https://sqlite.org/pragma.html#pragma_integrity_check), a line each, at most 20. */
export function integrityFaults(db: Database): string[] {
  try {
    return db.column<string>('PRAGMA integrity_check(20)').filter((line) => line !== 'ok');
  } catch (error) {
    if (error instanceof SciaticaError && error.code === 'damaged') return ['it cannot be read through'];
    throw error;
  }
}

/** The number of records that refer to a missing record, and of history entries that refer to a missing head. */
export function referenceFaults(db: Database): number {
  const records = db.value<number>('SELECT count(*) FROM pragma_foreign_key_check') ?? 0;
  // Older versions have a table of changes instead of heads.
  const hasHeads = db.value("SELECT 1 FROM pragma_table_info('history') WHERE name = 'head'") === 1;
  return hasHeads ? records + (db.value<number>(HEADLESS) ?? 0) : records;
}

const HEADLESS = `SELECT count(*) FROM history AS entry
  LEFT JOIN history AS head ON head.seq = entry.head AND head.change = entry.change WHERE head.seq IS NULL`;

/** Whether the file and all its references are intact. */
export function isSound(db: Database): boolean {
  return integrityFaults(db).length === 0 && referenceFaults(db) === 0;
}

/** Whether all dates are days of the calendar: the CHECK of a date tests its format only. */
function areDaysSound(db: Database): boolean {
  const wrong = kindNames.flatMap((kind) => {
    const { table, fields } = kindOf(kind);
    const days = Object.keys(fields).filter((name) => fields[name]?.kind === 'date');
    return days.map((day) => `EXISTS (SELECT 1 FROM ${table} WHERE date(${day}) IS NOT ${day})`);
  });
  return db.value(`SELECT ${wrong.join(' OR ')}`) === 0;
}

/** The message for damage that may explain an error; undefined if none is found. SQLite reads wrong values without an error. */
export function damageIn(path: string): Wording | undefined {
  try {
    const isWell = withDatabase(
      openToRead(path),
      (db) => isSound(db) && areDaysSound(db) && isSchemaSound(db),
    );
    return isWell ? undefined : damaged(path);
  } catch {
    return undefined;
  }
}
