import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { type HistoryTrigger, historyTriggersOf } from '../sqlite/migrations/history-triggers.ts';
import { States } from './states.ts';

/** Bulk inserts and deletes inside a change: a fraction of the time of writing the records one by one. */

/** Rows to insert into the table of a kind. */
interface Rows {
  kind: KindName;
  /** All columns but the id. */
  columns: readonly string[];
  /** A subquery with the columns `_at`, by which the rows are ordered, `id`, NULL for a new record, and `columns`. */
  rows: string;
}

/** Fewer rows than this gain nothing from dropping triggers and indexes. */
const MANY_ROWS = 2_500;

/** Inserts rows and their history entries. */
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
 * Deletes existing records with all that belongs to them, and writes the history entries.
 * @param rows a subquery with the columns `place`, by which the deletions are ordered, and `id`
 */
export function deleteMany(db: Database, kind: KindName, rows: string): void {
  const { table } = kindOf(kind);
  // A single statement would write the history in the order of ids.
  const oneByOne = () => {
    for (const id of db.column<number>(`SELECT id FROM ${rows} ORDER BY place`))
      db.run(`DELETE FROM main.${table} WHERE id = ?`, id);
  };
  const fewer = countOf(db, rows);
  // The records of a user are deleted before the user, each with its own history entry.
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
 * Runs `atOnce` with the history trigger dropped, so that it writes all entries in one statement: half the time. The transaction
 * hides the missing trigger from others. If the stored trigger is not the expected one, runs `oneByOne`.
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

/** Memory in which SQLite may sort the keys of an index, in KiB: it is bounded by the cache size (sorterInit in vdbesort.c). */
const SORT_KIB = 8_000;

/** Runs `work` with the tables' indexes dropped, and rebuilds them from sorted keys, which is faster. Inside a transaction. */
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
