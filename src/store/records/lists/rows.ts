import type { Paging } from '../../../domain/sort.ts';
import type { Condition } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';

/** Highest history seq that was ever given. Unchanged means that no record changed. */
export const LAST_ENTRY = "SELECT seq FROM sqlite_sequence WHERE name = 'history'";

/** Conditions, order and page of a list. */
export interface Query extends Paging {
  where: readonly Condition[];
}

/** One page of a list. */
export interface Page {
  /** The records as one JSON array. */
  json: string;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
  /** The ids of its records; undefined for an empty page. */
  ids: IdRange | undefined;
}

/** The first chunk of a list, which is all of a short list. */
export interface ShortPage extends Page {
  /** The highest history seq: unchanged means that no record changed. */
  revision: number;
}

/** The lowest and the highest of some ids, and how many there are. */
export interface IdRange {
  first: number;
  last: number;
  count: number;
}

/** A part of a list, each record rendered as JSON (or as a line of CSV). */
export interface Chunk {
  rows: string[];
  ids: IdRange;
}

/** A row of a list. Columns that are not fields begin with `_`, as no field does. */
export interface Row {
  id: number;
  _json: string;
  /** The sort keys as JSON, where `_json` may lack them. */
  _place?: string;
}

export const charactersOf = ({ _json }: Row): number => _json.length;

export const chunkOf = (rows: readonly Row[]): Chunk => ({
  rows: rows.map(({ _json }) => _json),
  ids: idsOf(rows),
});

/** The range of the ids of some rows or records; at least one. */
export function idsOf(rows: readonly { id: number }[]): IdRange {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { id } of rows) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  return { first, last, count: rows.length };
}

/**
 * Cached totals of lists, valid while the history seq is the same. The total of a whole table is updated from the history instead
 * of counted again. Not for use within a change: after a rollback, another change gets the same seq.
 */

/** A count, and the highest history seq when it was made. */
interface Total {
  count: number;
  seq: number;
}

/** Most totals that this thread caches. */
const MOST_KEPT = 500;

/** By database path and query, not by connection: a worker thread opens a connection for each request. */
const totals = new Map<string, Total>();

/** @param query counts the records of a list */
export function totalOf(db: Database, { sql, values }: Condition): number {
  return total(db, JSON.stringify([db.path, sql, ...values]), () => db.value<number>(sql, ...values));
}

/**
 * The total of a whole table.
 * @param record its records as the history names them
 */
export function totalOfTable(db: Database, table: string, record: string): number {
  return total(
    db,
    JSON.stringify([db.path, table]),
    (kept) => (kept && sinceThen(db, kept, record)) ?? db.value<number>(`SELECT count(*) FROM ${table}`),
  );
}

function total(db: Database, key: string, count: (kept: Total | undefined) => number | undefined): number {
  const seq = db.value<number>(LAST_ENTRY) ?? 0;
  const kept = totals.get(key);
  if (kept?.seq === seq) return kept.count;
  const found = { count: count(kept) ?? 0, seq };
  if (totals.size >= MOST_KEPT) totals.clear();
  totals.set(key, found);
  return found.count;
}

/** SQL: the growth in the number of records since a history seq, and whether entries since then may be missing. */
const SINCE = `SELECT sum(iif(record = ?, (action = 'create') - (action = 'delete'), 0)),
    max(action = 'erase' OR coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'horizon'), 0) > ?)
  FROM history WHERE seq > ?`;

/** Updates a total from the history; undefined where entries were erased, or a restore replaced them. */
function sinceThen(db: Database, { count, seq }: Total, record: string): number | undefined {
  const [more, hasGaps] = db.row<[number | null, number | null]>(SINCE, record, seq, seq);
  return hasGaps === 0 ? count + (more ?? 0) : undefined;
}
