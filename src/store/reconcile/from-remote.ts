import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import type { RecordKey } from './received.ts';

/** SQL: the last history seq when a setting was noted for a remote; null without one. Its parameter is the name of the remote. */
export const notedAt = (setting: 'remotesSince' | 'usersSince'): string =>
  `(SELECT since.value FROM settings JOIN json_each(settings.value) AS since WHERE settings.name = '${setting}' AND since.key = ?)`;

/** SQL: whether a remote made a change, and not an earlier remote of the same name. Its two parameters are that name. */
const BY_REMOTE = `head.source = 'sync' AND head.caller = ? AND head.seq > coalesce(${notedAt('remotesSince')}, 0)`;

/**
 * The records that first came here from a remote; those that it only brought back after a deletion are not among them.
 * @param ids a query for their ids, as the column `id`, with `values` as its parameters
 */
export function firstFrom(
  db: Database,
  remote: string,
  record: KindName,
  ids: string,
  ...values: number[]
): RecordKey[] {
  const sql = `SELECT one.id FROM (${ids}) AS one JOIN history AS entry ON entry.seq =
      (SELECT min(seq) FROM history WHERE recordId = one.id AND record = ?)
    JOIN history AS head ON head.seq = entry.head WHERE entry.action = 'create' AND ${BY_REMOTE} ORDER BY 1`;
  return db.column<number>(sql, ...values, record, remote, remote).map((id) => ({ record, id }));
}

/** The ids of the users who first came here from a remote, deleted ones included. */
export function usersFrom(db: Database, remote: string): number[] {
  const ids = "SELECT DISTINCT recordId AS id FROM history WHERE record = 'user' AND recordId <= ?";
  return firstFrom(db, remote, 'user', ids, db.lastId('users')).map(({ id }) => id);
}
