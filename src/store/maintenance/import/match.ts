import { AGREED, isAgreed, type Merge, ofOrigin } from './merge-sql.ts';
import { ownedStaged, type StagedKind, settleIds, stagedUsers } from './staging.ts';
import { storeKeys } from './unique-keys.ts';

/**
 * Finds of each staged record which one here is the same, and compares three states: what both sides last agreed on, what
 * is here, and what the file has. Nothing but temporary tables is written.
 */

/**
 * Compares the staged records that are known from their origin.
 * @param isDated whether the file says of each record that was changed there when it was
 * @param isAnotherNew whether a record that is another under a known id comes as a new one; it is in conflict otherwise
 */
export function compareKnown(
  { db, origin }: Merge,
  kind: StagedKind,
  isDated: boolean,
  isAnotherNew = false,
): void {
  const { name, table, staged, same } = kind;
  const isHereAgreed = isAgreed('m', kind);
  // What differs and was never changed there is another record with that id: of a second copy of that database, or of one that
  // was restored without knowing which ids it had given.
  const isChanged = isDated
    ? `EXISTS (SELECT 1 FROM temp.import_last_changes AS l WHERE l.record = '${name}' AND l.id = i.id)`
    : 'true';
  db.run(
    `UPDATE ${staged} AS i SET _newId = c.ourId, _outcome = CASE
       WHEN ${isAgreed('i', kind)} THEN iif(${isHereAgreed}, 'equal', 'kept')
       WHEN m.id IS NOT NULL AND ${same} THEN 'agreed'
       WHEN ${isHereAgreed} THEN iif(${isChanged}, 'updated', '${isAnotherNew ? 'renumbered' : 'conflicting'}')
       WHEN m.id IS NULL AND ${AGREED} = 'null' THEN 'returned'
       ELSE 'conflicting' END
     FROM main.counterparts AS c LEFT JOIN main.${table} AS m ON m.id = c.ourId
     WHERE ${ofOrigin(name)} AND c.theirId = i.id AND i._outcome IS NULL`,
    origin,
  );
  if (isAnotherNew) db.run(`UPDATE ${staged} SET _newId = NULL WHERE _outcome = 'renumbered'`);
}

/**
 * Links staged records that are not known with equal ones that are here without a counterpart: the records of a file
 * that was imported before its origin was noted, and of a copy of this database. Of several alike, each counts once.
 */
export function linkEqual({ db, origin }: Merge, kind: StagedKind): void {
  const { name, table, staged, columns, same } = kind;
  const unknown = `FROM ${staged} WHERE _outcome IS NULL AND _newId IS NULL`;
  const ofTheirUsers = kind === stagedUsers ? '' : `userId IN (SELECT userId ${unknown}) AND`;
  const candidates = `FROM main.${table} AS x WHERE ${ofTheirUsers} NOT EXISTS (
    SELECT 1 FROM main.counterparts AS c WHERE ${ofOrigin(name)} AND c.ourId = x.id)`;
  if (db.value(`SELECT 1 ${candidates} LIMIT 1`, origin) !== 1) return;
  const nth = (order: string) =>
    `row_number() OVER (PARTITION BY ${columns.join(', ')} ORDER BY ${order}) AS _nth`;
  db.run(
    `WITH m AS (SELECT *, ${nth('id')} ${candidates}), i AS (SELECT *, ${nth('_at')} ${unknown})
     UPDATE ${staged} AS target SET _outcome = 'linked', _newId = m.id
     FROM i JOIN m ON ${same} AND m._nth = i._nth WHERE target._at = i._at`,
    origin,
  );
}

/** Lets the records of users follow them to the ids that they have here. */
export function translateUsers({ db, origin }: Merge): void {
  db.run(
    `INSERT OR IGNORE INTO temp.import_user_ids
     SELECT id, coalesce(_newId, id) FROM ${stagedUsers.staged} WHERE id IS NOT NULL AND _outcome IS NOT 'repeated'`,
  );
  db.run(
    `INSERT OR IGNORE INTO temp.import_user_ids SELECT c.theirId, c.ourId
     FROM main.counterparts AS c JOIN main.users AS m ON m.id = c.ourId
     WHERE ${ofOrigin('user')} AND ${AGREED} <> 'null'`,
    origin,
  );
  for (const { staged } of ownedStaged) {
    db.run(
      `UPDATE ${staged} AS i SET _outcome = 'orphaned' WHERE _outcome IS NULL
       AND userId NOT IN (SELECT theirs FROM temp.import_user_ids)
       AND userId NOT IN (SELECT id FROM temp.import_known_users)`,
    );
    db.run(
      `UPDATE ${staged} AS i SET _givenUserId = userId, userId = u.ours
       FROM temp.import_user_ids AS u WHERE u.theirs = i.userId AND u.ours <> u.theirs`,
    );
  }
}

/**
 * Of routines of one name, and of goals, a user has one: a staged one that is not known is the one here that has its
 * key, unless that one is the counterpart of another in the file.
 */
export function linkByKey({ db, origin }: Merge, kind: StagedKind): void {
  const { name, table, staged, same } = kind;
  const users = db.column<number>(`SELECT DISTINCT userId FROM ${staged} WHERE _outcome IS NULL`);
  if (users.length === 0) return;
  storeKeys(db, kind, users);
  db.run(
    `UPDATE ${staged} AS i SET _newId = m.id,
       _outcome = CASE WHEN ${same} THEN 'linked' WHEN c.ourId IS NOT NULL AND ${isAgreed('m', kind)} THEN 'updated' ELSE 'conflicting' END
     FROM temp.import_keys AS k JOIN main.${table} AS m ON m.id = k.id
     LEFT JOIN main.counterparts AS c ON ${ofOrigin(name)} AND c.ourId = m.id
     WHERE k.userId = i.userId AND k._key = i._key AND i._outcome IS NULL AND i._newId IS NULL
     AND m.id NOT IN (SELECT _newId FROM ${staged} WHERE _newId IS NOT NULL)`,
    origin,
  );
}

/**
 * Gives the staged records that are new an id: their own where it was never used here, else one above all others. An id
 * that was used may be that of a deleted record, which its origin still knows.
 */
export function giveIds({ db }: Merge, kind: StagedKind): void {
  const { name, table, staged } = kind;
  const last = db.value<number>('SELECT seq FROM main.sqlite_sequence WHERE name = ?', table) ?? 0;
  db.run(
    `UPDATE ${staged} AS i SET _outcome = 'renumbered' WHERE _outcome IS NULL AND _newId IS NULL AND id <= ? AND (
       id IN (SELECT id FROM main.${table})
       OR EXISTS (SELECT 1 FROM main.history WHERE recordId = i.id AND record = '${name}')
       OR EXISTS (SELECT 1 FROM main.origins AS o JOIN main.counterparts AS c ON c.origin = o.id
                  WHERE c.record = '${name}' AND c.ourId = i.id))`,
    last,
  );
  settleIds(db, kind);
}
