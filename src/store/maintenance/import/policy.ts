import { AT, ENTRIES } from '../../records/entries.ts';
import { AGREED, isAgreed, type Merge, ofOrigin } from './merge-sql.ts';
import { type OnConflict, ownedStaged, type StagedKind, stagedKinds, stagedUsers } from './staging.ts';

/** What becomes of records that were changed on both sides, and of those that were deleted at the other. */

const LIVE = "(i._outcome IS NULL OR i._outcome IN ('returned', 'updated', 'conflicting'))";

/** What would come to a user who was deleted here is in conflict with that, and so is the user. */
export function findOrphans({ db }: Merge): void {
  const users = stagedUsers.staged;
  for (const { staged } of ownedStaged) {
    db.run(
      `UPDATE ${staged} AS i SET _outcome = 'conflicting' FROM ${users} AS u
       WHERE u._newId = i.userId AND u._outcome IN ('kept', 'conflicting') AND ${LIVE}
       AND u._newId NOT IN (SELECT id FROM main.users)`,
    );
    db.run(
      `UPDATE ${users} AS u SET _outcome = 'conflicting' WHERE _outcome = 'kept' AND _newId NOT IN (SELECT id FROM main.users)
       AND _newId IN (SELECT userId FROM ${staged} WHERE _outcome = 'conflicting')`,
    );
  }
}

/** In a file older than one that was imported, what differs may be what was there before: nothing is taken unasked. */
export function doubtAll({ db }: Merge): void {
  for (const { staged } of stagedKinds)
    db.run(`UPDATE ${staged} SET _outcome = 'conflicting' WHERE _outcome = 'updated'`);
  db.run(`UPDATE temp.import_gone SET _outcome = 'conflicting' WHERE _outcome = 'missing'`);
}

/** When a record was last changed here, and over there as the file says; NULL where that is not known. */
const timesOf = (name: string, ourId: string, theirId: string) => ({
  here: `(SELECT ${AT} FROM ${ENTRIES} WHERE entry.record = '${name}' AND entry.recordId = ${ourId} ORDER BY entry.seq DESC LIMIT 1)`,
  there: `(SELECT at FROM temp.import_last_changes AS l WHERE l.record = '${name}' AND l.id = ${theirId})`,
});

/** Whether the user with an id in `newId` of the staged users is not here. */
const IS_DELETED_HERE = 'u._newId NOT IN (SELECT id FROM main.users)';

/** Gives the records in conflict the outcome that was asked for; with `newest`, those of which both times are known. */
export function settleConflicts(merge: Merge, onConflict: OnConflict): void {
  // Whether a user who was deleted here comes back depends on the records that would come.
  for (const kind of [...ownedStaged, stagedUsers])
    if (onConflict === 'overwrite') settleAll(merge, kind, 'overwritten', 'deleted');
    else if (onConflict === 'skip') settleAll(merge, kind, 'skipped', 'skipped');
    else if (onConflict === 'newest') settleByTime(merge, kind);
  bringBackRecords(merge);
}

function settleAll({ db }: Merge, { name, staged }: StagedKind, outcome: string, ofGone: string): void {
  // What has no id here yet is new.
  const settled = outcome === 'overwritten' ? 'iif(_newId IS NULL, NULL, ?)' : '?';
  db.run(`UPDATE ${staged} SET _outcome = ${settled} WHERE _outcome = 'conflicting'`, outcome);
  const gone = `_outcome = 'conflicting' AND record = '${name}'`;
  db.run(`UPDATE temp.import_gone SET _outcome = ? WHERE ${gone}`, ofGone);
}

function settleByTime(merge: Merge, kind: StagedKind): void {
  const { db } = merge;
  const { name, staged } = kind;
  if (kind === stagedUsers) settleDeletedUsers(merge);
  const { here: own, there } = timesOf(name, 'i._newId', 'i.id');
  // The deletion of its user is a change of a record too, the latest one.
  const ofUser = `(SELECT ${timesOf('user', 'u._newId', 'u.id').here} FROM ${stagedUsers.staged} AS u
    WHERE u._newId = i.userId AND u._outcome IN ('kept', 'conflicting') AND ${IS_DELETED_HERE})`;
  const here = kind === stagedUsers ? own : `max(coalesce(${ofUser}, ${own}), coalesce(${own}, ${ofUser}))`;
  db.run(
    `UPDATE ${staged} AS i SET _outcome = CASE WHEN ${there} <= ${here} THEN 'skipped' WHEN _newId IS NULL THEN NULL ELSE 'overwritten' END
     WHERE _outcome = 'conflicting' AND ${here} IS NOT NULL AND ${there} IS NOT NULL`,
  );
  const gone = timesOf(name, 'ourId', 'theirId');
  db.run(
    `UPDATE temp.import_gone SET _outcome = iif(${gone.there} > ${gone.here}, 'deleted', 'skipped')
     WHERE _outcome = 'conflicting' AND record = '${name}' AND ${gone.here} IS NOT NULL AND ${gone.there} IS NOT NULL`,
  );
}

/**
 * Users who were deleted here come back for a record that was changed there after that. One who was not changed there stays
 * deleted when no record is.
 */
function settleDeletedUsers({ db, origin }: Merge): void {
  const has = (condition: string) =>
    ownedStaged
      .map(({ staged }) => `EXISTS (SELECT 1 FROM ${staged} AS i WHERE i.userId = u._newId AND ${condition})`)
      .join(' OR ');
  const isUnchangedThere = `EXISTS (SELECT 1 FROM main.counterparts AS c
    WHERE ${ofOrigin('user')} AND c.theirId = u.id AND ${isAgreed({ db }, 'u', stagedUsers)})`;
  db.run(
    `UPDATE ${stagedUsers.staged} AS u SET _outcome = CASE
       WHEN ${has("(i._outcome IS NULL OR i._outcome IN ('returned', 'updated', 'overwritten'))")} THEN 'overwritten'
       WHEN ${isUnchangedThere} AND NOT (${has("i._outcome = 'conflicting'")}) THEN 'skipped'
       ELSE _outcome END
     WHERE _outcome = 'conflicting' AND ${IS_DELETED_HERE}`,
    origin,
  );
}

/** A user who comes back comes back with all that went with the user, and all that the file has of the user. */
function bringBackRecords({ db }: Merge): void {
  for (const { table, staged } of ownedStaged)
    db.run(
      `UPDATE ${staged} AS i SET _outcome = iif(i._newId IS NULL, NULL, 'overwritten') FROM ${stagedUsers.staged} AS u
       WHERE u._newId = i.userId AND u._outcome = 'overwritten' AND ${IS_DELETED_HERE}
       AND i._outcome IN ('kept', 'skipped', 'conflicting') AND (i._newId IS NULL OR i._newId NOT IN (SELECT id FROM main.${table}))`,
    );
}

/**
 * What is here and known from the origin, and is missing in a file that is complete: it was deleted there. Its outcomes, in
 * temp.import_gone: `missing`, `conflicting` when it was changed here, then `deleted` or `skipped`.
 */

/** Notes what was deleted there. */
export function findGone({ db, origin }: Merge): void {
  for (const kind of stagedKinds) {
    const { name, table, staged } = kind;
    db.run(
      `INSERT INTO temp.import_gone (record, theirId, ourId, _outcome)
       SELECT '${name}', c.theirId, c.ourId, iif(${isAgreed({ db }, 'm', kind)}, 'missing', 'conflicting')
       FROM main.counterparts AS c JOIN main.${table} AS m ON m.id = c.ourId
       WHERE ${ofOrigin(name)} AND ${AGREED} <> 'null'
       AND NOT EXISTS (SELECT 1 FROM ${staged} AS i WHERE i.id = c.theirId)
       AND c.ourId NOT IN (SELECT _newId FROM ${staged} WHERE _newId IS NOT NULL)`,
      origin,
    );
  }
}

/** The records of a user that stay when those that are gone have been deleted, and those that move have moved. */
const staying = ({
  name,
  table,
  staged,
}: StagedKind) => `SELECT 1 FROM main.${table} AS m WHERE m.userId = g.ourId
  AND NOT EXISTS (SELECT 1 FROM temp.import_gone AS o WHERE o.record = '${name}' AND o.ourId = m.id AND o._outcome IN ('missing', 'deleted'))
  AND m.id NOT IN (SELECT _newId FROM ${staged} WHERE _newId IS NOT NULL AND _outcome IN ('updated', 'overwritten'))`;

/** A user who has records that stay is not deleted without a word: they would go too. */
export function keepUsersWithRecords({ db }: Merge): void {
  for (const kind of ownedStaged)
    db.run(
      `UPDATE temp.import_gone AS g SET _outcome = 'conflicting'
       WHERE record = '${stagedUsers.name}' AND _outcome = 'missing' AND EXISTS (${staying(kind)})`,
    );
}

/** Once the conflicts are settled: what was deleted there is to be deleted here, and what belongs to users who are. */
export function decideGone({ db }: Merge, mayTakeRecordsAlong: boolean): void {
  db.run("UPDATE temp.import_gone SET _outcome = 'deleted' WHERE _outcome = 'missing'");
  for (const kind of ownedStaged) {
    const { name, table, staged } = kind;
    const ofDeleted = `record = '${stagedUsers.name}' AND _outcome = 'deleted'`;
    if (!mayTakeRecordsAlong)
      db.run(
        `UPDATE temp.import_gone AS g SET _outcome = 'skipped' WHERE ${ofDeleted} AND EXISTS (${staying(kind)})`,
      );
    db.run(
      `INSERT INTO temp.import_gone (record, ourId, _outcome)
       SELECT '${name}', id, 'deleted' FROM main.${table}
       WHERE userId IN (SELECT ourId FROM temp.import_gone WHERE ${ofDeleted})
       AND id NOT IN (SELECT _newId FROM ${staged} WHERE _newId IS NOT NULL AND _outcome IN ('updated', 'overwritten'))
       ON CONFLICT DO UPDATE SET _outcome = 'deleted'`,
    );
  }
}

/** Deletes what is to be deleted. */
export function deleteGone({ db }: Merge): void {
  for (const { name, table } of [...ownedStaged, stagedUsers])
    db.run(
      `DELETE FROM main.${table} WHERE id IN (
         SELECT ourId FROM temp.import_gone WHERE record = '${name}' AND _outcome = 'deleted')`,
    );
}
