import { existsSync, statSync } from 'node:fs';
import { fromCells } from '../../../domain/codec.ts';
import { SciaticaError, unusable } from '../../../domain/errors.ts';
import type { Fields } from '../../../domain/fields.ts';
import { byKind, type KindName, kindOf, type OwnedRecord, ownedKindNames } from '../../../domain/kinds.ts';
import { checksOf } from '../../../domain/schema.ts';
import type { Database } from '../../sqlite/database.ts';
import { domainError } from '../../sqlite/errors.ts';
import { migrations } from '../../sqlite/migrations/index.ts';
import { columnsAt } from '../../sqlite/schema.ts';
import { integrityFaults, openToRead } from '../../sqlite/verify.ts';
import { type Row, rowsOf } from './cells.ts';
import { openPages, PAGE_BYTES, pageSizeOf } from './pages.ts';

/** The records read from a damaged database, and what is known to be missing. */
export interface Rescue {
  /** The records as JSON, in the order of their ids. */
  records: Readonly<Record<KindName, string[]>>;
  /** Ids of users who own records, but could not be read. */
  lostUsers: number[];
  /** Ids of logs that are in an index, but could not be read. */
  lostLogs: number[];
  /** Number of rows that were found but are incomplete. */
  broken: number;
}

/** The search for records of one kind. */
interface Sought {
  name: KindName;
  table: string;
  fields: Fields;
  /** The columns in the version of the file, in the order of its rows. */
  columns: readonly string[];
  /** Records found, as JSON by id. */
  found: Map<number, string>;
}

const BLOCK = 200;

/**
 * Reads all records that can be read, and changes nothing. First reads through SQLite; unless that finds the
 * whole file sound, then searches the pages of the file for rows that SQLite did not reach. Only valid
 * records count.
 * @throws SciaticaError `unusable` if there is no file, or it may not be read
 */
export function rescue(path: string): Rescue {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat ? !stat.isFile() : !existsSync(`${path}-wal`))
    throw unusable(`There is no database at ${path}: nothing to rescue.`);
  const columnsOf = columnsAt(formatOf(path));
  const sought = byKind((name): Sought => {
    const { table, fields } = kindOf(name);
    return { name, table, fields, columns: columnsOf.get(table) ?? [], found: new Map() };
  });
  // Older versions lack some kinds.
  const kinds = Object.values(sought).filter(({ columns }) => columns.length > 0);
  const { sound, ids } = readWithSqlite(path, kinds);
  const broken = sound ? 0 : scan(path, kinds);
  const owners = new Set<number>();
  for (const kind of ownedKindNames)
    for (const json of sought[kind].found.values()) owners.add((JSON.parse(json) as OwnedRecord).userId);
  return {
    records: byKind((name) => inOrder(sought[name])),
    lostUsers: [...owners].filter((id) => !sought.user.found.has(id)).sort((a, b) => a - b),
    lostLogs: ids.filter((id) => !sought.log.found.has(id)),
    broken,
  };
}

const inOrder = ({ found }: Sought) => [...found].sort(([a], [b]) => a - b).map(([, json]) => json);

/** The version in the header; the current one where the header has no valid version. */
function formatOf(path: string): number {
  const file = openPages(path);
  try {
    const version = file.pages(1)?.readUInt32BE(60) ?? 0;
    return version >= 1 && version <= migrations.length ? version : migrations.length;
  } finally {
    file.close();
  }
}

/** Reads the tables through SQLite. @returns whether the file is sound, and the ids of logs in the indexes */
function readWithSqlite(path: string, kinds: Sought[]): { sound: boolean; ids: number[] } {
  let db: Database | undefined;
  try {
    db = openToRead(path);
    const isWhole = kinds.map((kind) => readTable(db as Database, kind)).every(Boolean);
    return {
      sound: isWhole && (attempt(() => integrityFaults(db as Database).length === 0) ?? false),
      ids: idsInIndexes(db),
    };
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError)) throw failed;
    return { sound: false, ids: [] };
  } finally {
    db?.close();
  }
}

/**
 * Reads a table from the start as far as SQLite can: an unreadable block loses the rows behind it, which `scan` finds.
 * @returns whether it reached the end
 */
function readTable(db: Database, kind: Sought): boolean {
  // A file without a valid version may be of one that has no such table.
  const found = attempt(() => db.column('SELECT 1 FROM sqlite_schema WHERE name = ?', kind.table).length);
  if (found !== 1) return found === 0;
  const sql = `SELECT ${kind.columns.join(', ')} FROM ${kind.table} WHERE id > ? ORDER BY id LIMIT ${BLOCK}`;
  for (let last = 0; ; ) {
    const rows = attempt(() => db.all<Record<string, unknown>>(sql, last));
    for (const row of rows ?? []) {
      keep(kind, row);
      last = row['id'] as number;
    }
    if (!rows || rows.length < BLOCK) return rows !== undefined;
  }
}

function idsInIndexes(db: Database): number[] {
  const ids = new Set<number>();
  const indexes = attempt(() => db.column<string>("SELECT name FROM pragma_index_list('logs')")) ?? [];
  for (const index of indexes)
    for (const id of attempt(() => db.column<number>(`SELECT id FROM logs INDEXED BY "${index}"`)) ?? [])
      if (Number.isSafeInteger(id) && id > 0) ids.add(id);
  return [...ids].sort((a, b) => a - b);
}

/** The result of `work`; undefined where the file is damaged. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SciaticaError) return undefined;
    throw error;
  }
}

/**
 * Searches all pages, with the page size in the header and, if that is another, with ours: the header may be wrong.
 * @returns the number of incomplete rows
 */
function scan(path: string, kinds: Sought[]): number {
  const size = pageSizeOf(path);
  const broken = scanPages(path, size, kinds);
  return size === PAGE_BYTES ? broken : Math.min(broken, scanPages(path, PAGE_BYTES, kinds));
}

function scanPages(path: string, size: number, kinds: Sought[]): number {
  const file = openPages(path, size);
  let broken = 0;
  try {
    for (let number = 1; number <= file.count; number++) {
      const page = rowsOf(number, file.pages);
      broken += page.broken;
      for (const row of page.rows) {
        // The id is the rowid; the row itself stores NULL (https://sqlite.org/lang_createtable.html#rowid).
        if (row.values[0] !== null) continue;
        // A row older than a column ends before it (https://sqlite.org/lang_altertable.html#altertabaddcol).
        for (const kind of kinds)
          if (row.values.length <= kind.columns.length && !kind.found.has(row.id))
            keep(kind, named(kind, row));
      }
    }
  } finally {
    file.close();
  }
  return broken;
}

const named = ({ columns }: Sought, { id, values }: Row) =>
  Object.fromEntries(columns.map((column, i) => [column, i === 0 ? id : values[i]]));

/** Keeps a row if it is a valid record. */
function keep({ name, fields, found }: Sought, row: Record<string, unknown>): void {
  try {
    const record = checksOf(name).record(fromCells(fields, (column) => row[column]));
    found.set(record.id, JSON.stringify(record));
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
  }
}
