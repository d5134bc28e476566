import { type Kind, kinds, type OnConflict, ownedKinds, userKind } from '../staging.ts';
import type { Merge } from './sql.ts';

/** What becomes of records that were changed on both sides. */

const LIVE = "(i.fate IS NULL OR i.fate IN ('returned', 'updated', 'conflicting'))";

/** What would come to a user who was deleted here is in conflict with that, and so is the user. */
export function findOrphans({ db }: Merge): void {
  const users = userKind.staged;
  for (const { staged } of ownedKinds) {
    db.run(
      `UPDATE ${staged} AS i SET fate = 'conflicting' FROM ${users} AS u
       WHERE u.newId = i.userId AND u.fate IN ('kept', 'conflicting') AND ${LIVE}
       AND u.newId NOT IN (SELECT id FROM main.users)`,
    );
    db.run(
      `UPDATE ${users} AS u SET fate = 'conflicting' WHERE fate = 'kept' AND newId NOT IN (SELECT id FROM main.users)
       AND newId IN (SELECT userId FROM ${staged} WHERE fate = 'conflicting')`,
    );
  }
}

/** In a file older than one that was imported, what differs may be what was there before: nothing is taken unasked. */
export function doubtAll({ db }: Merge): void {
  for (const { staged } of kinds) db.run(`UPDATE ${staged} SET fate = 'conflicting' WHERE fate = 'updated'`);
  db.run(`UPDATE temp.import_gone SET fate = 'conflicting' WHERE fate = 'missing'`);
}

/** When a record was last changed here, and over there as the file says. */
const timesOf = (noun: string, ourId: string, theirId: string) => ({
  here: `(SELECT at FROM main.changes WHERE id = (
    SELECT max(change) FROM main.history WHERE record = '${noun}' AND recordId = ${ourId}))`,
  there: `(SELECT at FROM temp.import_last_changes WHERE record = '${noun}' AND id = ${theirId})`,
});

/** Gives the records in conflict the fate that was asked for; with `newest`, those of which both times are known. */
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
  const [fate, ofGone] = settlements[onConflict] ?? [];
  if (fate !== undefined && ofGone !== undefined) {
    // What has no id here yet is new.
    const settled = onConflict === 'overwrite' ? 'iif(newId IS NULL, NULL, ?)' : '?';
    db.run(`UPDATE ${staged} SET fate = ${settled} WHERE fate = 'conflicting'`, fate);
    const gone = `fate = 'conflicting' AND record = '${noun}'`;
    db.run(`UPDATE temp.import_gone SET fate = ? WHERE ${gone}`, ofGone);
  }
  if (onConflict !== 'newest') return;
  const { here, there } = timesOf(noun, 'newId', 'id');
  db.run(
    `UPDATE ${staged} SET fate = iif(${there} > ${here}, 'overwritten', 'skipped')
     WHERE fate = 'conflicting' AND ${here} IS NOT NULL AND ${there} IS NOT NULL`,
  );
  const gone = timesOf(noun, 'ourId', 'theirId');
  db.run(
    `UPDATE temp.import_gone SET fate = iif(${gone.there} > ${gone.here}, 'deleted', 'skipped')
     WHERE fate = 'conflicting' AND record = '${noun}' AND ${gone.here} IS NOT NULL AND ${gone.there} IS NOT NULL`,
  );
}

/** A user who comes back comes back with all that went with the user. */
function bringBackRecords({ db }: Pick<Merge, 'db'>): void {
  for (const { table, staged } of ownedKinds)
    db.run(
      `UPDATE ${staged} AS i SET fate = 'overwritten' FROM ${userKind.staged} AS u
       WHERE u.newId = i.userId AND u.fate = 'overwritten' AND u.newId NOT IN (SELECT id FROM main.users)
       AND i.fate = 'kept' AND i.newId NOT IN (SELECT id FROM main.${table})`,
    );
}
