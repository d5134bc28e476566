import type { Database } from '../../sqlite/database.ts';
import type { Kind } from './staging.ts';

/** Brings what is new, renumbered or to be overwritten into the database. */
export function write(db: Database, { table, staged, columns }: Kind): void {
  const names = columns.join(', ');
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i.id = m.id AND i.outcome = 'overwritten'`,
  );
  const insert = `INSERT INTO main.${table} (id, ${names}) SELECT coalesce(newId, id), ${names}
     FROM ${staged} WHERE ${IS_NEW} ORDER BY at`;
  if (growsByMost(db, table, staged)) withoutIndexes(db, table, () => db.run(insert));
  else db.run(insert);
}

const IS_NEW = "(outcome IS NULL OR outcome = 'renumbered')";

/** Below so many rows it makes no difference. */
const MANY_ROWS = 10_000;

/** Whether most rows of a large table will be those of the file. */
function growsByMost(db: Database, table: string, staged: string): boolean {
  const more = db.value<number>(`SELECT count(*) FROM ${staged} WHERE ${IS_NEW}`) ?? 0;
  return more > MANY_ROWS && more > (db.value<number>(`SELECT count(*) FROM main.${table}`) ?? 0);
}

/** How much SQLite may sort in memory for an index, in KiB: as much as its cache may have (sorterInit in vdbesort.c). */
const SORT_KIB = 8_000;

/** Runs `work` without the indexes of a table, within a transaction, and builds them anew: from sorted keys, not one by one. */
function withoutIndexes(db: Database, table: string, work: () => void): void {
  const indexes = db.all<{ name: string; sql: string }>(
    "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
    table,
  );
  for (const { name } of indexes) db.exec(`DROP INDEX main.${name}`);
  work();
  const cache = db.pragma<number>('cache_size');
  db.pragma(`cache_size = -${SORT_KIB}`);
  for (const { sql } of indexes) db.exec(sql);
  db.pragma(`cache_size = ${cache}`);
}
