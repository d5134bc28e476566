import { insertMany } from '../../records/insert-many.ts';
import type { Database } from '../../sqlite/database.ts';
import { IS_NEW, type Kind } from './staging.ts';

/** Brings what is new, renumbered or to be overwritten into the database. */
export function write(db: Database, kind: Kind): void {
  const { table, staged, columns } = kind;
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i.id = m.id AND i.outcome = 'overwritten'`,
  );
  const names = columns.join(', ');
  const rows = `(SELECT at, coalesce(newId, id) AS id, ${names} FROM ${staged} WHERE ${IS_NEW})`;
  insertMany(db, { table, columns, rows });
}
