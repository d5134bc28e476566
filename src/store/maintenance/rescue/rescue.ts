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

/** What could be read of a damaged database, and what is known to be missing. */
export interface Rescue {
  /** The records as JSON, in id order. */
  records: Readonly<Record<KindName, string[]>>;
  /** Ids of users whom records belong to, and who could not be read. */
  lostUsers: number[];
  /** Ids of logs that an index still names. */
  lostLogs: number[];
  /** Rows that were found, and are not whole. */
  broken: number;
}

/** A kind of record as it is searched for. */
interface Sought {
  name: KindName;
  table: string;
  fields: Fields;
  /** In the format of the file, as its rows hold them. */
  columns: readonly string[];
  /** By id, as JSON. */
  found: Map<number, string>;
}

const BLOCK = 200;

/**
 * Reads every record that can be read, and changes nothing. What SQLite reads comes first; unless it finds the whole
 * file sound, the pages of the file are then searched for the rows that it did not reach. Only what keeps the rules
 * of a record counts as one.
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
  // Older formats lack some.
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

/** The format that the header names; today's where it names none that there is. */
function formatOf(path: string): number {
  const file = openPages(path);
  try {
    const version = file.pages(1)?.readUInt32BE(60) ?? 0;
    return version >= 1 && version <= migrations.length ? version : migrations.length;
  } finally {
    file.close();
  }
}

/** @returns whether all is sound, and the ids of logs that the indexes name */
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
 * As far as SQLite gets from the start: a block that it cannot read costs the rows behind it, which `scan` finds.
 * @returns whether it got to the end
 */
function readTable(db: Database, kind: Sought): boolean {
  // A file whose header names no format may be of one that has no such table.
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

/** What `work` returns, or nothing where the file is damaged. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof SciaticaError) return undefined;
    throw error;
  }
}

/**
 * Searches the pages of the size that the header names, and of ours if that is another: the header may be wrong.
 * @returns how many rows were not whole
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
        // The id is the key of the table; in the row stands null (https://sqlite.org/lang_createtable.html#rowid).
        if (row.values[0] !== null) continue;
        // A row that is older than a column ends before it (https://sqlite.org/lang_altertable.html#altertabaddcol).
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

/** Takes a row for a record if it keeps every rule of one. */
function keep({ name, fields, found }: Sought, row: Record<string, unknown>): void {
  try {
    const record = checksOf(name).record(fromCells(fields, (column) => row[column]));
    found.set(record.id, JSON.stringify(record));
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
  }
}
