import type { Database } from './database.ts';
import { openSqlite } from './driver.ts';
import { runMigrations } from './migrations/index.ts';

const inMemory = (version: number) => {
  const db = openSqlite(':memory:');
  runMigrations(db, 0, version);
  return db;
};

/**
 * The columns of each table in a version of the schema, in the order in which its rows store them.
 * @param version from 1 to the number of migrations
 */
export function columnsAt(version: number): ReadonlyMap<string, readonly string[]> {
  const db = inMemory(version);
  try {
    const rows = db
      .prepare(
        `SELECT s.name, json_group_array(c.name ORDER BY c.cid)
         FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' GROUP BY s.name`,
      )
      .raw()
      .all() as [table: string, columns: string][];
    return new Map(rows.map(([table, columns]) => [table, JSON.parse(columns) as string[]]));
  } finally {
    db.close();
  }
}

/** The objects of a schema as text, without quotes and spaces, which SQLite adds when it renames a table. */
const SCHEMA = `SELECT type || ' ' || name || ' ' || replace(replace(replace(sql, '"', ''), ' ', ''), char(10), '')
  FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'`;

/**
 * Whether a database has the tables, indexes and triggers of its version unchanged; further ones are allowed.
 * SQLite itself does not notice changed bytes in a schema that can still be parsed.
 */
export function isSchemaSound(database: Database): boolean {
  const there = new Set(database.column<string>(SCHEMA));
  const db = inMemory(database.pragma<number>('user_version'));
  try {
    return (db.prepare(SCHEMA).pluck().all() as string[]).every((object) => there.has(object));
  } finally {
    db.close();
  }
}
