import { existsSync } from 'node:fs';
import { SciaticaError, type Wording } from '../../domain/errors.ts';
import { byKind, type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { connect, withDatabase } from './connection.ts';
import type { Database } from './database.ts';
import { damaged } from './errors.ts';
import { isSchemaSound } from './schema.ts';

/** What a database holds. */
export interface Holding {
  version: number;
  counts: Readonly<Record<KindName, number>>;
  /** The day of the latest log. */
  latest: string | undefined;
}

/**
 * Opens a database to look at it, changing nothing. A connection for reading leaves an empty log beside a
 * database that nobody uses, so that one is opened as usual: SQLite then clears up after itself.
 */
export function openToRead(path: string): Database {
  return connect(path, { readonly: existsSync(`${path}-wal`), orReadable: true });
}

/** Whether a database has a table: those of older versions lack some. */
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

/** What SQLite finds wrong in the file (https://sqlite.org/pragma.html#pragma_integrity_check), a line each. */
export function integrityFaults(db: Database): string[] {
  try {
    return db.column<string>('PRAGMA integrity_check(20)').filter((line) => line !== 'ok');
  } catch (error) {
    if (error instanceof SciaticaError && error.code === 'damaged') return ['it cannot be read through'];
    throw error;
  }
}

/** How many records refer to one that is not there, and entries of the history to no head of their change. */
export function referenceFaults(db: Database): number {
  const records = db.value<number>('SELECT count(*) FROM pragma_foreign_key_check') ?? 0;
  // Databases of older versions have a table of changes instead.
  const hasHeads = db.value("SELECT 1 FROM pragma_table_info('history') WHERE name = 'head'") === 1;
  return hasHeads ? records + (db.value<number>(HEADLESS) ?? 0) : records;
}

const HEADLESS = `SELECT count(*) FROM history AS entry
  LEFT JOIN history AS head ON head.seq = entry.head AND head.change = entry.change WHERE head.seq IS NULL`;

/** Whether all is well inside. */
export function isSound(db: Database): boolean {
  return integrityFaults(db).length === 0 && referenceFaults(db) === 0;
}

/** Whether all days are days of the calendar: their CHECK looks at no more than the form. */
function areDaysSound(db: Database): boolean {
  const wrong = kindNames.flatMap((kind) => {
    const { table, fields } = kindOf(kind);
    const days = Object.keys(fields).filter((name) => fields[name]?.kind === 'date');
    return days.map((day) => `EXISTS (SELECT 1 FROM ${table} WHERE date(${day}) IS NOT ${day})`);
  });
  return db.value(`SELECT ${wrong.join(' OR ')}`) === 0;
}

/** What is wrong with a database, if that may be why something broke: SQLite does not see a value of the wrong kind when it reads. */
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
