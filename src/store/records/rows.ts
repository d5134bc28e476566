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

/** A record of a list as it is read. */
export interface Row {
  id: number;
  json: string;
  /** The fields of the order as JSON, where `json` may lack them. */
  place?: string;
}

/** A part of a list. */
export const chunkOf = (rows: readonly Row[]): Chunk => ({
  rows: rows.map(({ json }) => json),
  ids: idsOf(rows),
});

/** The range of the ids of some rows; at least one. */
export function idsOf(rows: readonly Row[]): IdRange {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { id } of rows) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  return { first, last, count: rows.length };
}
