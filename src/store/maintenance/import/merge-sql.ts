import type { KindName } from '../../../domain/kinds.ts';
import { undoneChanges } from '../../history/steps.ts';
import type { Database } from '../../sqlite/database.ts';
import type { StagedKind } from './staging.ts';

/** What a merge works on. In its SQL, `i` is a staged record, `m` a stored one, `c` a counterpart. */
export interface Merge {
  db: Database;
  /** The number of the origin; 0 if nothing is known of it yet. */
  origin: number;
}

/** The columns of a record as the history keeps them. */
const state = (alias: string, columns: readonly string[]) =>
  `json_array(${columns.map((column) => `${alias}.${column}`)})`;

/**
 * What both sides last agreed on, as JSON: what the last import set that is not undone; 'null' for a record that both
 * had deleted, or that no import in effect brought.
 */
export const AGREED = `iif(c.change IS NULL OR c.change NOT IN (SELECT change FROM temp.import_undone), c.agreed,
  coalesce((SELECT value -> '$[1]' FROM json_each(c.earlier)
    WHERE value ->> '$[0]' IS NULL OR value ->> '$[0]' NOT IN (SELECT change FROM temp.import_undone)
    ORDER BY key DESC LIMIT 1), 'null'))`;

/** Whether a record is as was agreed: a column that came later is missing at the end of what was agreed before. */
export function isAgreed(alias: string, { columns }: StagedKind): string {
  const fields = columns.map((column, i) => `${AGREED} ->> '$[${i}]' IS ${alias}.${column}`);
  return `(${AGREED} = ${state(alias, columns)}
    OR json_array_length(${AGREED}) BETWEEN 1 AND ${columns.length - 1} AND ${fields.join(' AND ')})`;
}

export const stateOf = (alias: string, { columns }: StagedKind): string => state(alias, columns);

/** The condition of the counterparts of a kind. */
export const ofOrigin = (name: KindName): string => `c.origin = ? AND c.record = '${name}'`;

/** Makes the temporary tables of a merge, empty. */
export function prepareMerge(db: Database): void {
  db.exec(`DROP TABLE IF EXISTS temp.import_undone;
    CREATE TABLE temp.import_undone (change INTEGER PRIMARY KEY);
    DROP TABLE IF EXISTS temp.import_user_ids;
    CREATE TABLE temp.import_user_ids (theirs INTEGER PRIMARY KEY, ours INTEGER NOT NULL);
    DROP TABLE IF EXISTS temp.import_gone;
    CREATE TABLE temp.import_gone (
      record TEXT, theirId INTEGER, ourId INTEGER, _outcome TEXT, PRIMARY KEY (record, ourId)) WITHOUT ROWID`);
  db.run(
    'INSERT INTO temp.import_undone SELECT value FROM json_each(?)',
    JSON.stringify([...undoneChanges(db)]),
  );
}
