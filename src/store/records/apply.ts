import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { isState, States } from './states.ts';
import { deleteMany, insertMany } from './write-many.ts';

/**
 * Writes many records of a kind inside a change, in a few statements. Checks nothing but `expected`: that the user of a record
 * exists and that its key is free is up to the caller.
 * @param rows a table, or a subquery in brackets, with the columns `place`, a number that orders the rows; `id`, unique; and
 *   `expected` and `wanted`, states in the format of `States`, NULL for no record
 * @returns the places of the records whose state is not the expected one, in order; these records are not written
 */
export function apply(db: Database, kind: KindName, rows: string): number[] {
  const differing = differingIn(db, kind, rows);
  applyExpected(db, kind, rows, differing);
  return differing;
}

/** As `apply`, without comparing states: writes all rows except those at the places `except`. */
export function applyExpected(db: Database, kind: KindName, rows: string, except: readonly number[]): void {
  const { table } = kindOf(kind);
  const columns = new States(db).columns(kind);
  const places = JSON.stringify(except);
  const isLeft = except.length === 0 ? 'TRUE' : `r.place NOT IN (SELECT value FROM json_each('${places}'))`;
  deleteMany(db, kind, `(SELECT r.place, r.id FROM ${rows} AS r WHERE r.wanted IS NULL AND ${isLeft})`);
  const cell = (i: number) => `r.wanted ->> '$[${i}]'`;
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column, i) => `${column} = ${cell(i)}`).join(', ')}
     FROM ${rows} AS r WHERE r.id = m.id AND r.wanted IS NOT NULL AND r.expected IS NOT NULL AND ${isLeft}`,
  );
  const cells = columns.map((column, i) => `${cell(i)} AS ${column}`).join(', ');
  const created = `(SELECT r.place AS _at, r.id, ${cells} FROM ${rows} AS r
    WHERE r.wanted IS NOT NULL AND r.expected IS NULL AND ${isLeft})`;
  insertMany(db, { kind, columns, rows: created });
}

/** The places of the records whose state is not the expected one, in order. @param rows as of `apply` */
export function differingIn(db: Database, kind: KindName, rows: string): number[] {
  const columns = new States(db).columns(kind);
  // In the condition of a CASE, SQLite skips the second half of an OR whose first half is true.
  const isOther = `CASE WHEN m.id IS NULL THEN r.expected IS NOT NULL WHEN ${isState('r.expected', 'm', columns)} THEN 0 ELSE 1 END`;
  return db.column<number>(
    `SELECT r.place FROM ${rows} AS r LEFT JOIN main.${kindOf(kind).table} AS m ON m.id = r.id
     WHERE ${isOther} ORDER BY r.place`,
  );
}
