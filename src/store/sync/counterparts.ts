import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';

/**
 * Which records of other databases are which records here. An origin is another database, by the number that `origin`
 * gives it. To be called inside a change.
 */
export class Counterparts {
  constructor(private readonly db: Database) {}

  /** The number of the origin with this UUID; a new one if it is not known. */
  origin(uuid: string): number {
    return this.findOrigin(uuid) ?? this.db.run('INSERT INTO origins (uuid) VALUES (?)', uuid).id;
  }

  /** The number of the origin with this UUID. */
  findOrigin(uuid: string): number | undefined {
    return this.db.value<number>('SELECT id FROM origins WHERE uuid = ?', uuid);
  }
}

/** The first field of a state, of what belongs to users: the user. */
const OWNER = "'$[0]'";

/**
 * Forgets, for `erase`, all that the tables of other databases hold of a user. What is left says which users of others were
 * erased here, so that none comes back.
 * @param owned the user's records, deleted
 */
export function forgetOrigins(
  db: Database,
  userId: number,
  owned: readonly { record: KindName; recordId: number }[],
): void {
  db.run('DELETE FROM remotes WHERE ourUser = ?', userId);
  const records = JSON.stringify([
    ['user', userId],
    ...owned.map(({ record, recordId }) => [record, recordId]),
  ]);
  const isTheirs = 'EXISTS (SELECT 1 FROM temp.erased WHERE record = c.record AND id = c.ourId)';
  db.exec('CREATE TEMP TABLE erased (record TEXT, id INTEGER, PRIMARY KEY (record, id)) WITHOUT ROWID');
  db.run('INSERT OR IGNORE INTO temp.erased SELECT value ->> 0, value ->> 1 FROM json_each(?)', records);
  // What was agreed on names the user also where the record was moved or deleted since.
  const names = `record <> 'user' AND (agreed ->> ${OWNER} = ? OR EXISTS
    (SELECT 1 FROM json_each(c.earlier) WHERE value ->> '$[1][0]' = ?))`;
  db.run(`DELETE FROM counterparts AS c WHERE ${isTheirs} OR ${names}`, userId, userId);
  db.exec('DROP TABLE temp.erased');
}
