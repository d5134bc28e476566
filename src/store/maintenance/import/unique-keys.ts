import type { KeyedKindName } from '../../../domain/kinds.ts';
import type { Database } from '../../sqlite/database.ts';
import { type Kind, keyOf, type OnConflict } from './staging.ts';

/** Routines of one name and goals of one user: what an import does where two would be left. */

type UniqueKind = Kind & { unique: KeyedKindName };

export const isUnique = (kind: Kind): kind is UniqueKind => kind.unique !== undefined;

/** Finds records of the file whose key another one of the same user has, further up in the file. */
export function markDoubled(db: Database, { staged, same }: UniqueKind): void {
  db.run(
    `UPDATE ${staged} AS i SET outcome = iif(${same}, 'repeated', 'doubled')
     FROM (SELECT userId, key, min(at) AS at FROM ${staged} WHERE outcome IS NULL
           GROUP BY userId, key HAVING count(*) > 1) AS first
     JOIN ${staged} AS m ON m.at = first.at
     WHERE i.userId = first.userId AND i.key = first.key AND i.at > first.at AND i.outcome IS NULL`,
  );
}

/**
 * Gives the records that would be written, and whose key a stored record of the user has, the outcome that was asked for:
 * `overwrite` puts them in the place of that one. With `renumber` both would stay, which cannot be.
 */
export function settleSameKeys(db: Database, kind: UniqueKind, onConflict: OnConflict): void {
  const { staged, table, same } = kind;
  const users = db.column<number>(`SELECT DISTINCT userId FROM ${staged}`);
  if (users.length === 0) return;
  storeKeys(db, kind, users);
  // The one that is stored, unless the file replaces it anyway.
  const sameKeys = `SELECT i.at, m.id, ${same} AS same FROM ${staged} AS i
    JOIN temp.import_keys AS k USING (userId, key) JOIN main.${table} AS m ON m.id = k.id
    WHERE m.id IS NOT coalesce(i.newId, i.id)
    AND m.id NOT IN (SELECT id FROM ${staged} WHERE outcome = 'overwritten')`;
  const mark = (outcome: string, which: string) =>
    db.run(
      `UPDATE ${staged} AS target SET ${outcome} FROM (${sameKeys} AND ${which}) AS other WHERE target.at = other.at`,
    );
  mark("outcome = 'equal', newId = other.id", "(i.outcome IS NULL OR i.outcome = 'renumbered') AND same");
  if (onConflict === 'skip') mark("outcome = 'skipped'", 'i.outcome IS NULL');
  if (onConflict === 'overwrite') mark("outcome = 'overwritten', id = other.id", 'i.outcome IS NULL');
  mark("outcome = 'sameKey'", "(i.outcome IS NULL OR i.outcome IN ('renumbered', 'overwritten'))");
}

/** The keys of what these users have: SQLite folds the case of ASCII letters only. */
export function storeKeys(
  db: Database,
  { unique, table }: Kind & { unique: KeyedKindName },
  users: readonly number[],
): void {
  db.exec(`DROP TABLE IF EXISTS temp.import_keys;
    CREATE TABLE temp.import_keys (userId INTEGER, key TEXT, id INTEGER, PRIMARY KEY (userId, key, id))`);
  for (const userId of users)
    for (const record of db.all<{ id: number }>(`SELECT * FROM main.${table} WHERE userId = ?`, userId))
      db.run('INSERT INTO temp.import_keys VALUES (?, ?, ?)', userId, keyOf(unique, record), record.id);
}
