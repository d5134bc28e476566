import type { Condition } from '../../sqlite/condition.ts';
import type { Source } from '../../sqlite/snapshot.ts';
import type { Chunk } from './rows.ts';

/** Some records of a list, each rendered as a line, in one text. */
export interface Lines {
  text: string;
  count: number;
}

/** How many lines SQLite joins at once. */
const MOST_LINES = 250;

/**
 * Lines in the order of their ids, joined by SQLite: a text for each takes twice the time.
 * @param after the query of the first columns `id` and `_line` behind an id, or from the start
 * @param options.separator what stands between two lines
 */
export function* linesById(
  source: Source,
  after: (id: number | undefined, limit: number) => Condition,
  { separator, limit = Number.POSITIVE_INFINITY }: { separator: string; limit?: number | undefined },
): Generator<Lines> {
  let id: number | undefined;
  for (let left = limit; left > 0; left -= MOST_LINES) {
    const { sql, values } = after(id, Math.min(left, MOST_LINES));
    // The order of a subquery with LIMIT is kept for group_concat (SF_OrderByReqd in SQLite's select.c).
    const joined = `SELECT max(id), count(*), group_concat(_line, ?) FROM (${sql})`;
    const [last, count, text] = source.read((db) =>
      db.row<[number | null, number, string]>(joined, separator, ...values),
    );
    if (last === null) return;
    yield { text, count };
    id = last;
  }
}

/** Chunks whose rows are lines. */
export function* linesOf(chunks: Iterable<Chunk>, separator: string): Generator<Lines> {
  for (const { rows } of chunks) yield { text: rows.join(separator), count: rows.length };
}
