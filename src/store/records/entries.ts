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
 * The seq up to which the entries belong to changes up to a number; 0 if there are none. Changes follow each other in the history, so it
 * is found by bisection.
 */
export function lastSeqUpTo(db: Database, change: number): number {
  const before = 'SELECT change FROM history WHERE seq <= ? ORDER BY seq DESC LIMIT 1';
  let [low, high] = [0, (db.value<number | null>('SELECT max(seq) FROM history') ?? 0) + 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((db.value<number>(before, middle) ?? 0) <= change) low = middle;
    else high = middle;
  }
  return low;
}
