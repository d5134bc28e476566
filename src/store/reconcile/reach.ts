import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import type { Position } from './collect.ts';

/**
 * Who else has a change by now, so that taking it back reaches them: the remote that it came from, and whoever was told of it.
 * @returns their names, sorted
 */
export function reachOf(db: Database, change: number): string[] {
  const [last, source, caller] = db.row<[number | null, string | null, string | null]>(
    `SELECT max(entry.seq), head.source, head.caller FROM history AS entry JOIN history AS head ON head.seq = entry.head
     WHERE entry.change = ?`,
    change,
  );
  if (last === null) return [];
  const peers = db.all<{ sent: string; name: string }>(
    `SELECT sent, coalesce(remotes.name, tokens.name, 'another machine') AS name FROM peers
     LEFT JOIN remotes ON remotes.database = peers.uuid AND peers.token = 0 LEFT JOIN tokens ON tokens.id = peers.token
     WHERE sent IS NOT NULL`,
  );
  const told = peers.filter(({ sent }) => storedJson<Position>(sent).seq >= last).map(({ name }) => name);
  return [...new Set([...told, ...(source === 'sync' && caller !== null ? [caller] : [])])].sort();
}
