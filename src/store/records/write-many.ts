import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { type HistoryTrigger, historyTriggersOf } from '../sqlite/migrations/history-triggers.ts';
import { States } from './states.ts';

/** Many records of a kind at once, inside a change: they take a fraction of the time that they take one by one. */

/** Rows to insert into the table of a kind. */
interface Rows {
  kind: KindName;
  /** All but the id. */
  columns: readonly string[];
  /** A subquery that gives `_at`, which orders them, `id`, null for a new one, and the columns. */
  rows: string;
}

/** Below so many rows it makes no difference. */
const MANY_ROWS = 2_500;

/** Inserts rows, with their entries in the history. */
export function insertMany(db: Database, { kind, columns, rows }: Rows): void {
  const { table } = kindOf(kind);
  const names = columns.join(', ');
  const insert = () =>
    db.run(`INSERT INTO main.${table} (id, ${names}) SELECT id, ${names} FROM ${rows} ORDER BY _at`);
  const more = countOf(db, rows);
  if (more < MANY_ROWS) {
    insert();
    return;
  }
  const multiplied = [table, 'history'].filter((name) => more > countOf(db, `main.${name}`));
  withoutIndexes(db, multiplied, () =>
    withoutTrigger(db, kind, 'created', insert, ({ into, values }) => {
      insert();
      db.run(`${into} SELECT ${values} FROM ${rows} AS NEW ORDER BY _at`);
    }),
  );
}

/**
 * Deletes records that exist, with their entries in the history, and what belongs to them.
 * @param rows a subquery that gives `place`, which orders them, and `id`
 */
export function deleteMany(db: Database, kind: KindName, rows: string): void {
  const { table } = kindOf(kind);
  // A single statement would delete, and write the history, in the order of ids.
  const oneByOne = () => {
    for (const id of db.column<number>(`SELECT id FROM ${rows} ORDER BY place`))
      db.run(`DELETE FROM main.${table} WHERE id = ?`, id);
  };
  const fewer = countOf(db, rows);
  // What belongs to a user goes before the user, each with its own entry.
  if (fewer < MANY_ROWS || kind === 'user') {
    oneByOne();
    return;
  }
  const divided = 2 * fewer > countOf(db, `main.${table}`) ? [table] : [];
  withoutTrigger(db, kind, 'deleted', oneByOne, ({ into, values }) => {
    db.run(
      `${into} SELECT ${values} FROM ${rows} AS r JOIN main.${table} AS OLD ON OLD.id = r.id ORDER BY r.place`,
    );
    withoutIndexes(db, divided, () =>
      db.run(`DELETE FROM main.${table} WHERE id IN (SELECT id FROM ${rows})`),
    );
  });
}

const countOf = (db: Database, rows: string) => db.value<number>(`SELECT count(*) FROM ${rows}`) ?? 0;

/**
 * Runs `atOnce` without the trigger that writes an entry to the history for each row, so that it writes all entries in one statement: half
 * the time. Within the transaction: nobody ever sees the table without its trigger. With a trigger that is not known, `oneByOne`.
 */
function withoutTrigger(
  db: Database,
  kind: KindName,
  verb: 'created' | 'deleted',
  oneByOne: () => void,
  atOnce: (trigger: HistoryTrigger) => void,
): void {
  const trigger = historyTriggersOf(kind, new States(db).columns(kind))[verb];
  if (db.value('SELECT sql FROM main.sqlite_schema WHERE name = ?', trigger.name) !== trigger.sql) {
    oneByOne();
    return;
  }
  db.exec(`DROP TRIGGER main.${trigger.name}`);
  atOnce(trigger);
  db.exec(trigger.sql);
}

/** How much SQLite may sort in memory for an index, in KiB: as much as its cache may have (sorterInit in vdbesort.c). */
const SORT_KIB = 8_000;

/** Runs `work` without the indexes of tables, within a transaction, and builds them anew: from sorted keys, not one by one. */
function withoutIndexes(db: Database, tables: readonly string[], work: () => void): void {
  const indexes = tables.flatMap((table) =>
    db.all<{ name: string; sql: string }>(
      "SELECT name, sql FROM main.sqlite_schema WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL",
      table,
    ),
  );
  for (const { name } of indexes) db.exec(`DROP INDEX main.${name}`);
  work();
  const cache = db.pragma<number>('cache_size');
  db.pragma(`cache_size = -${SORT_KIB}`);
  for (const { sql } of indexes) db.exec(sql);
  db.pragma(`cache_size = ${cache}`);
}
