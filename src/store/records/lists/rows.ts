import type { Paging } from '../../../domain/lists/sort.ts';
import type { Condition } from '../../sqlite/condition.ts';

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
