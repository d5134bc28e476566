import type { Paging } from '../../../domain/sort.ts';
import type { Condition } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';

/** Highest history seq that was ever given. Unchanged means that no record changed. */
export const LAST_ENTRY = "SELECT seq FROM sqlite_sequence WHERE name = 'history'";

/** Which rows, in what order, how many, from where. */
export interface Query extends Paging {
  where: readonly Condition[];
}

/** One page of a list. */
export interface Page {
  /** The records as one JSON array. */
  json: string;
  /** The cursor of the next page, if there is one. */
  next: string | undefined;
  /** Nothing for an empty page. */
  ids: IdRange | undefined;
}

/** The first chunk of a list: the whole of a short one. */
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

/** A part of a list: each record as JSON. */
export interface Chunk {
  rows: string[];
  ids: IdRange;
}

/** A record of a list as it is read; what is no field has a name that none has. */
export interface Row {
  id: number;
  _json: string;
  /** The fields of the order as JSON, where `_json` may lack them. */
  _place?: string;
}

export const charactersOf = ({ _json }: Row): number => _json.length;

/** A part of a list. */
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
 * Totals of lists, kept while nothing changes; that of a whole table goes on from the history, so that it is counted once.
 * Not for use within a change: one that is rolled back gives its seq to the next.
 */

/** A count, and the highest history seq when it was true. */
interface Total {
  count: number;
  seq: number;
}

/** How many totals this thread keeps. */
const MOST_KEPT = 500;

/** By database and query: the connections of a worker thread are open for one request each. */
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

/** How many more records there are since an entry of the history, and whether it lacks entries since then. */
const SINCE = `SELECT sum(iif(record = ?, (action = 'create') - (action = 'delete'), 0)),
    max(action = 'erase' OR coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'horizon'), 0) > ?)
  FROM history WHERE seq > ?`;

/** Nothing where the history cannot tell: entries were erased, or a restore put others in their place. */
function sinceThen(db: Database, { count, seq }: Total, record: string): number | undefined {
  const [more, hasGaps] = db.row<[number | null, number | null]>(SINCE, record, seq, seq);
  return hasGaps === 0 ? count + (more ?? 0) : undefined;
}
