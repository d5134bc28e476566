import type { Database } from '../sqlite/database.ts';

/**
 * SQL: joins the history as `entry` with `head`, the first entry of its change, which holds the change's metadata. Leaves out
 * heads whose content was erased. CROSS JOIN keeps the order of `entry` (https://sqlite.org/optoverview.html#crossjoin).
 */
export const ENTRIES =
  'history AS entry CROSS JOIN history AS head ON head.seq = entry.head AND entry.record IS NOT NULL';

/** SQL: the time of an entry of `ENTRIES`, in milliseconds since 1970; the current time for an unfinished change. */
export const AT = "coalesce(head.at, head.clock / 1000, CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/**
 * Finds the entries of a change by bisection: they are contiguous, and the numbers of changes ascend with seq.
 * @returns the exclusive bounds of their seqs
 */
export function entriesOf(db: Database, change: number): [after: number, before: number] {
  const at = 'SELECT change FROM history WHERE seq <= ? ORDER BY seq DESC LIMIT 1';
  const last = db.value<number | null>('SELECT max(seq) FROM history') ?? 0;
  let [low, high] = [0, last + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((db.value<number>(at, middle) ?? 0) < change) low = middle;
    else high = middle;
  }
  const next = 'SELECT seq FROM history WHERE seq > ? AND change > ? ORDER BY seq LIMIT 1';
  return [low, db.value<number>(next, low, change) ?? last + 1];
}
