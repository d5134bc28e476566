import { type Kind, kinds, type OnConflict, ownedKinds, userKind } from '../staging.ts';
import { isAgreed, type Merge, ofOrigin } from './sql.ts';

/** What becomes of records that were changed on both sides. */

const LIVE = "(i.outcome IS NULL OR i.outcome IN ('returned', 'updated', 'conflicting'))";

/** What would come to a user who was deleted here is in conflict with that, and so is the user. */
export function findOrphans({ db }: Merge): void {
  const users = userKind.staged;
  for (const { staged } of ownedKinds) {
    db.run(
      `UPDATE ${staged} AS i SET outcome = 'conflicting' FROM ${users} AS u
       WHERE u.newId = i.userId AND u.outcome IN ('kept', 'conflicting') AND ${LIVE}
       AND u.newId NOT IN (SELECT id FROM main.users)`,
    );
    db.run(
      `UPDATE ${users} AS u SET outcome = 'conflicting' WHERE outcome = 'kept' AND newId NOT IN (SELECT id FROM main.users)
       AND newId IN (SELECT userId FROM ${staged} WHERE outcome = 'conflicting')`,
    );
  }
}

/** In a file older than one that was imported, what differs may be what was there before: nothing is taken unasked. */
export function doubtAll({ db }: Merge): void {
  for (const { staged } of kinds)
    db.run(`UPDATE ${staged} SET outcome = 'conflicting' WHERE outcome = 'updated'`);
  db.run(`UPDATE temp.import_gone SET outcome = 'conflicting' WHERE outcome = 'missing'`);
}

/** When a record was last changed here, and over there as the file says; NULL where that is not known. */
const timesOf = (noun: string, ourId: string, theirId: string) => ({
  here: `(SELECT at FROM main.changes WHERE id = (
    SELECT max(change) FROM main.history WHERE record = '${noun}' AND recordId = ${ourId}))`,
  there: `(SELECT at FROM temp.import_last_changes AS l WHERE l.record = '${noun}' AND l.id = ${theirId})`,
});

/** Whether the user with an id in `newId` of the staged users is not here. */
const IS_DELETED_HERE = 'u.newId NOT IN (SELECT id FROM main.users)';

/** Gives the records in conflict the outcome that was asked for; with `newest`, those of which both times are known. */
export function settleConflicts(merge: Merge, onConflict: OnConflict): void {
  // Whether a user who was deleted here comes back depends on the records that would come.
  for (const kind of [...ownedKinds, userKind])
    if (onConflict === 'overwrite') settleAll(merge, kind, 'overwritten', 'deleted');
    else if (onConflict === 'skip') settleAll(merge, kind, 'skipped', 'skipped');
    else if (onConflict === 'newest') settleByTime(merge, kind);
  bringBackRecords(merge);
}

function settleAll({ db }: Merge, { noun, staged }: Kind, outcome: string, ofGone: string): void {
  // What has no id here yet is new.
  const settled = outcome === 'overwritten' ? 'iif(newId IS NULL, NULL, ?)' : '?';
  db.run(`UPDATE ${staged} SET outcome = ${settled} WHERE outcome = 'conflicting'`, outcome);
  const gone = `outcome = 'conflicting' AND record = '${noun}'`;
  db.run(`UPDATE temp.import_gone SET outcome = ? WHERE ${gone}`, ofGone);
}

function settleByTime(merge: Merge, kind: Kind): void {
  const { db } = merge;
  const { noun, staged } = kind;
  if (kind === userKind) settleDeletedUsers(merge);
  const { here: own, there } = timesOf(noun, 'i.newId', 'i.id');
  // The deletion of its user is a change of a record too, the latest one.
  const ofUser = `(SELECT ${timesOf('user', 'u.newId', 'u.id').here} FROM ${userKind.staged} AS u
    WHERE u.newId = i.userId AND u.outcome IN ('kept', 'conflicting') AND ${IS_DELETED_HERE})`;
  const here = kind === userKind ? own : `max(coalesce(${ofUser}, ${own}), coalesce(${own}, ${ofUser}))`;
  db.run(
    `UPDATE ${staged} AS i SET outcome = CASE WHEN ${there} <= ${here} THEN 'skipped' WHEN newId IS NULL THEN NULL ELSE 'overwritten' END
     WHERE outcome = 'conflicting' AND ${here} IS NOT NULL AND ${there} IS NOT NULL`,
  );
  const gone = timesOf(noun, 'ourId', 'theirId');
  db.run(
    `UPDATE temp.import_gone SET outcome = iif(${gone.there} > ${gone.here}, 'deleted', 'skipped')
     WHERE outcome = 'conflicting' AND record = '${noun}' AND ${gone.here} IS NOT NULL AND ${gone.there} IS NOT NULL`,
  );
}

/**
 * Users who were deleted here come back for a record that was changed there after that. One who was not changed there stays
 * deleted when no record is.
 */
function settleDeletedUsers({ db, origin }: Merge): void {
  const has = (condition: string) =>
    ownedKinds
      .map(({ staged }) => `EXISTS (SELECT 1 FROM ${staged} AS i WHERE i.userId = u.newId AND ${condition})`)
      .join(' OR ');
  const isUnchangedThere = `EXISTS (SELECT 1 FROM main.counterparts AS c
    WHERE ${ofOrigin('user')} AND c.theirId = u.id AND ${isAgreed('u', userKind)})`;
  db.run(
    `UPDATE ${userKind.staged} AS u SET outcome = CASE
       WHEN ${has("(i.outcome IS NULL OR i.outcome IN ('returned', 'updated', 'overwritten'))")} THEN 'overwritten'
       WHEN ${isUnchangedThere} AND NOT (${has("i.outcome = 'conflicting'")}) THEN 'skipped'
       ELSE outcome END
     WHERE outcome = 'conflicting' AND ${IS_DELETED_HERE}`,
    origin,
  );
}

/** A user who comes back comes back with all that went with the user, and all that the file has of the user. */
function bringBackRecords({ db }: Merge): void {
  for (const { table, staged } of ownedKinds)
    db.run(
      `UPDATE ${staged} AS i SET outcome = iif(i.newId IS NULL, NULL, 'overwritten') FROM ${userKind.staged} AS u
       WHERE u.newId = i.userId AND u.outcome = 'overwritten' AND ${IS_DELETED_HERE}
       AND i.outcome IN ('kept', 'skipped', 'conflicting') AND (i.newId IS NULL OR i.newId NOT IN (SELECT id FROM main.${table}))`,
    );
}
