import { type Kind, kinds, ownedKinds, userKind } from '../staging.ts';
import { AGREED, isAgreed, type Merge, ofOrigin } from './sql.ts';

/**
 * What is here and known from the origin, and is missing in a file that is complete: it was deleted there. Its outcomes, in
 * temp.import_gone: `missing`, `conflicting` when it was changed here, then `deleted` or `skipped`.
 */

/** Notes what was deleted there. */
export function findGone({ db, origin }: Merge): void {
  for (const kind of kinds) {
    const { noun, table, staged } = kind;
    db.run(
      `INSERT INTO temp.import_gone (record, theirId, ourId, outcome)
       SELECT '${noun}', c.theirId, c.ourId, iif(${isAgreed('m', kind)}, 'missing', 'conflicting')
       FROM main.counterparts AS c JOIN main.${table} AS m ON m.id = c.ourId
       WHERE ${ofOrigin(noun)} AND ${AGREED} <> 'null'
       AND NOT EXISTS (SELECT 1 FROM ${staged} AS i WHERE i.id = c.theirId)
       AND c.ourId NOT IN (SELECT newId FROM ${staged} WHERE newId IS NOT NULL)`,
      origin,
    );
  }
}

/** The records of a user that stay when those that are gone have been deleted, and those that move have moved. */
const staying = ({ noun, table, staged }: Kind) => `SELECT 1 FROM main.${table} AS m WHERE m.userId = g.ourId
  AND NOT EXISTS (SELECT 1 FROM temp.import_gone AS o WHERE o.record = '${noun}' AND o.ourId = m.id AND o.outcome IN ('missing', 'deleted'))
  AND m.id NOT IN (SELECT newId FROM ${staged} WHERE newId IS NOT NULL AND outcome IN ('updated', 'overwritten'))`;

/** A user who has records that stay is not deleted without a word: they would go too. */
export function keepUsersWithRecords({ db }: Merge): void {
  for (const kind of ownedKinds)
    db.run(
      `UPDATE temp.import_gone AS g SET outcome = 'conflicting'
       WHERE record = '${userKind.noun}' AND outcome = 'missing' AND EXISTS (${staying(kind)})`,
    );
}

/** Once the conflicts are settled: what was deleted there is to be deleted here, and what belongs to users who are. */
export function decideGone({ db }: Merge, mayTakeRecordsAlong: boolean): void {
  db.run("UPDATE temp.import_gone SET outcome = 'deleted' WHERE outcome = 'missing'");
  for (const kind of ownedKinds) {
    const { noun, table, staged } = kind;
    const ofDeleted = `record = '${userKind.noun}' AND outcome = 'deleted'`;
    if (!mayTakeRecordsAlong)
      db.run(
        `UPDATE temp.import_gone AS g SET outcome = 'skipped' WHERE ${ofDeleted} AND EXISTS (${staying(kind)})`,
      );
    db.run(
      `INSERT INTO temp.import_gone (record, ourId, outcome)
       SELECT '${noun}', id, 'deleted' FROM main.${table}
       WHERE userId IN (SELECT ourId FROM temp.import_gone WHERE ${ofDeleted})
       AND id NOT IN (SELECT newId FROM ${staged} WHERE newId IS NOT NULL AND outcome IN ('updated', 'overwritten'))
       ON CONFLICT DO UPDATE SET outcome = 'deleted'`,
    );
  }
}

/** Deletes what is to be deleted. */
export function deleteGone({ db }: Merge): void {
  for (const { noun, table } of [...ownedKinds, userKind])
    db.run(
      `DELETE FROM main.${table} WHERE id IN (
         SELECT ourId FROM temp.import_gone WHERE record = '${noun}' AND outcome = 'deleted')`,
    );
}
