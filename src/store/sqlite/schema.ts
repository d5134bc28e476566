import { openSqlite } from './driver.ts';
import { migrations } from './migrations/index.ts';

/**
 * The columns of a table in a version of the format, in the order in which its rows hold them; none where that version
 * has no such table.
 * @param version 1 to the number of migrations
 */
export function columnsAt(version: number, table: string): string[] {
  const db = openSqlite(':memory:');
  try {
    for (const sql of migrations.slice(0, version)) db.exec(sql);
    return db.prepare('SELECT name FROM pragma_table_info(?) ORDER BY cid').pluck().all(table) as string[];
  } finally {
    db.close();
  }
}
