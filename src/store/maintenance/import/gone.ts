import { AGREED, isAgreed, type Merge, ofOrigin } from './merge-sql.ts';
import { ownedStaged, type StagedKind, stagedKinds, stagedUsers } from './staging.ts';

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
       SELECT '${name}', c.theirId, c.ourId, iif(${isAgreed('m', kind)}, 'missing', 'conflicting')
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
