import { type Kind, kinds, type OnConflict, ownedKinds, userKind } from '../staging.ts';
import type { Merge } from './sql.ts';

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

/** When a record was last changed here, and over there as the file says. */
const timesOf = (noun: string, ourId: string, theirId: string) => ({
  here: `(SELECT at FROM main.changes WHERE id = (
    SELECT max(change) FROM main.history WHERE record = '${noun}' AND recordId = ${ourId}))`,
  there: `(SELECT at FROM temp.import_last_changes WHERE record = '${noun}' AND id = ${theirId})`,
});

/** Gives the records in conflict the outcome that was asked for; with `newest`, those of which both times are known. */
export function settleConflicts({ db }: Merge, onConflict: OnConflict): void {
  for (const kind of kinds) {
    settleKind({ db }, kind, onConflict);
    if (kind === userKind) bringBackRecords({ db });
  }
}

const settlements: Partial<Record<OnConflict, readonly [string, string]>> = {
  overwrite: ['overwritten', 'deleted'],
  skip: ['skipped', 'skipped'],
};

function settleKind({ db }: Pick<Merge, 'db'>, { noun, staged }: Kind, onConflict: OnConflict): void {
  const [outcome, ofGone] = settlements[onConflict] ?? [];
  if (outcome !== undefined && ofGone !== undefined) {
    // What has no id here yet is new.
    const settled = onConflict === 'overwrite' ? 'iif(newId IS NULL, NULL, ?)' : '?';
    db.run(`UPDATE ${staged} SET outcome = ${settled} WHERE outcome = 'conflicting'`, outcome);
    const gone = `outcome = 'conflicting' AND record = '${noun}'`;
    db.run(`UPDATE temp.import_gone SET outcome = ? WHERE ${gone}`, ofGone);
  }
  if (onConflict !== 'newest') return;
  const { here, there } = timesOf(noun, 'newId', 'id');
  db.run(
    `UPDATE ${staged} SET outcome = iif(${there} > ${here}, 'overwritten', 'skipped')
     WHERE outcome = 'conflicting' AND ${here} IS NOT NULL AND ${there} IS NOT NULL`,
  );
  const gone = timesOf(noun, 'ourId', 'theirId');
  db.run(
    `UPDATE temp.import_gone SET outcome = iif(${gone.there} > ${gone.here}, 'deleted', 'skipped')
     WHERE outcome = 'conflicting' AND record = '${noun}' AND ${gone.here} IS NOT NULL AND ${gone.there} IS NOT NULL`,
  );
}

/** A user who comes back comes back with all that went with the user. */
function bringBackRecords({ db }: Pick<Merge, 'db'>): void {
  for (const { table, staged } of ownedKinds)
    db.run(
      `UPDATE ${staged} AS i SET outcome = 'overwritten' FROM ${userKind.staged} AS u
       WHERE u.newId = i.userId AND u.outcome = 'overwritten' AND u.newId NOT IN (SELECT id FROM main.users)
       AND i.outcome = 'kept' AND i.newId NOT IN (SELECT id FROM main.${table})`,
    );
}
