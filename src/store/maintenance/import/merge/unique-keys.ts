import type { KeyedKindName } from '../../../../domain/kinds.ts';
import type { Kind, OnConflict } from '../staging.ts';
import { storeKeys } from '../unique-keys.ts';
import type { Merge } from './sql.ts';

/**
 * Finds records that would be written beside a stored one with the same key of the same user. No choice of a side helps
 * against that but leaving the file's out.
 */
export function findSameKeys(
  { db }: Merge,
  kind: Kind & { unique: KeyedKindName },
  onConflict: OnConflict,
): void {
  const { table, staged } = kind;
  const written = "(i.outcome IS NULL OR i.outcome IN ('renumbered', 'returned', 'updated', 'overwritten'))";
  const users = db.column<number>(`SELECT DISTINCT userId FROM ${staged} AS i WHERE ${written}`);
  if (users.length === 0) return;
  storeKeys(db, kind, users);
  const isSkipped = onConflict === 'skip';
  db.run(
    `UPDATE ${staged} AS i SET outcome = ?, newId = iif(i.outcome IN ('updated', 'overwritten'), i.newId, NULL)
     FROM temp.import_keys AS k JOIN main.${table} AS m ON m.id = k.id
     WHERE k.userId = i.userId AND k.key = i.key AND m.id <> coalesce(i.newId, i.id) AND ${written}
     AND m.id NOT IN (SELECT newId FROM ${staged} WHERE newId IS NOT NULL AND outcome IN ('updated', 'overwritten'))
     AND m.id NOT IN (SELECT ourId FROM temp.import_gone WHERE record = '${kind.noun}' AND outcome = 'deleted')`,
    isSkipped ? 'skipped' : 'sameKey',
  );
}
