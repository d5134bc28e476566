import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import type { RecordKey } from './received.ts';

/** SQL: where the history ended when something was noted of a remote. */
export const notedAt = (setting: 'remotesSince' | 'usersSince'): string =>
  `(SELECT since.value FROM settings JOIN json_each(settings.value) AS since WHERE settings.name = '${setting}' AND since.key = ?)`;

/** SQL: whether a change came from a remote, and not from another one that had its name before. */
const BY_REMOTE = `head.source = 'sync' AND head.caller = ? AND head.seq > coalesce(${notedAt('remotesSince')}, 0)`;

/** Records that a remote made here, by their first entry: what was brought back there came again. @param ids SQL of their `id` */
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

/** The ids of the users who came from a remote, and were not here before, also of those who are not there any more. */
export function usersFrom(db: Database, remote: string): number[] {
  const ids = "SELECT DISTINCT recordId AS id FROM history WHERE record = 'user' AND recordId <= ?";
  return firstFrom(db, remote, 'user', ids, db.lastId('users')).map(({ id }) => id);
}
