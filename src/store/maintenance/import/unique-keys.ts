import { keyOf } from '../../../domain/kinds.ts';
import type { Database } from '../../sqlite/database.ts';
import type { OnConflict, StagedKind } from './staging.ts';

/** Records of one key, such as routines of one name: what an import does where a user would be left with two. */

/** Finds records of the file whose key another one of the same user has, further up in the file. */
export function markDoubled(db: Database, { staged, same }: StagedKind): void {
  db.run(
    `UPDATE ${staged} AS i SET _outcome = iif(${same}, 'repeated', 'doubled')
     FROM (SELECT userId, _key, min(_at) AS _at FROM ${staged} WHERE _outcome IS NULL
           GROUP BY userId, _key HAVING count(*) > 1) AS first
     JOIN ${staged} AS m ON m._at = first._at
     WHERE i.userId = first.userId AND i._key = first._key AND i._at > first._at AND i._outcome IS NULL`,
  );
}

/**
 * Gives the records that would be written, and whose key a stored record of the user has, the outcome that was asked for:
 * `overwrite` puts them in the place of that one. With `renumber` both would stay, which cannot be.
 */
export function settleSameKeys(db: Database, kind: StagedKind, onConflict: OnConflict): void {
  const { staged, table, same } = kind;
  const users = db.column<number>(`SELECT DISTINCT userId FROM ${staged}`);
  if (users.length === 0) return;
  storeKeys(db, kind, users);
  // The one that is stored, unless the file replaces it anyway.
  const sameKeys = `SELECT i._at, m.id, ${same} AS _same FROM ${staged} AS i
    JOIN temp.import_keys AS k USING (userId, _key) JOIN main.${table} AS m ON m.id = k.id
    WHERE m.id IS NOT coalesce(i._newId, i.id)
    AND m.id NOT IN (SELECT id FROM ${staged} WHERE _outcome = 'overwritten')`;
  const mark = (outcome: string, which: string) =>
    db.run(
      `UPDATE ${staged} AS target SET ${outcome} FROM (${sameKeys} AND ${which}) AS other WHERE target._at = other._at`,
    );
  mark(
    "_outcome = 'equal', _newId = other.id",
    "(i._outcome IS NULL OR i._outcome = 'renumbered') AND _same",
  );
  if (onConflict === 'skip') mark("_outcome = 'skipped'", 'i._outcome IS NULL');
  if (onConflict === 'overwrite') mark("_outcome = 'overwritten', id = other.id", 'i._outcome IS NULL');
  mark("_outcome = 'sameKey'", "(i._outcome IS NULL OR i._outcome IN ('renumbered', 'overwritten'))");
}

/** The keys of what these users have: SQLite folds the case of ASCII letters only. */
function storeKeys(db: Database, { name, table }: StagedKind, users: readonly number[]): void {
  db.exec(`DROP TABLE IF EXISTS temp.import_keys;
    CREATE TABLE temp.import_keys (userId INTEGER, _key TEXT, id INTEGER, PRIMARY KEY (userId, _key, id))`);
  for (const userId of users)
    for (const record of db.all<{ id: number }>(`SELECT * FROM main.${table} WHERE userId = ?`, userId))
      db.run('INSERT INTO temp.import_keys VALUES (?, ?, ?)', userId, keyOf(name, record) ?? '', record.id);
}
