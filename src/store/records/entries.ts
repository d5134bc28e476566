import type { Database } from '../sqlite/database.ts';

/**
 * SQL: the entries of the history as `entry`, each with the head of its change as `head`, which says what is known of the change. A
 * head whose content was erased is no entry. CROSS JOIN: in their order (https://sqlite.org/optoverview.html#crossjoin).
 */
export const ENTRIES =
  'history AS entry CROSS JOIN history AS head ON head.seq = entry.head AND entry.record IS NOT NULL';

/** SQL: when an entry of `ENTRIES` was made, in milliseconds since 1970. That of a change that is under way is made now. */
export const AT = "coalesce(head.at, head.clock / 1000, CAST(unixepoch('subsec') * 1000 AS INTEGER))";

/**
 * The entries of a change lie together, and changes follow each other in the history: they are found by bisection.
 * @returns the seqs of which the first is before the entries of the change, the second after them
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
