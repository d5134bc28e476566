import type BetterSqlite from 'better-sqlite3';
import { type KindName, kindNames, kindOf } from '../../../domain/kinds.ts';

/** The triggers that write the history of a kind. States are JSON arrays of a row's columns without the id, in table order. */

/** The first version in which `remakeHistoryTriggers` makes the triggers; migrations before it bring their own. */
const FIRST_VERSION = 11;

/** SQL: the number of the current change, or of the last one. */
export const CHANGE = "(SELECT seq FROM sqlite_sequence WHERE name = 'changes')";

/**
 * SQL: the head of that change, taken from its last entry; before its first entry, the seq that this will get. SQLite updates
 * sqlite_sequence when a statement ends, so both are right for every entry of one statement.
 */
export const HEAD = `coalesce((SELECT head FROM history WHERE seq = (SELECT max(seq) FROM history) AND change = ${CHANGE}),
      1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0))`;

/** A trigger, with its INSERT in two parts: the target, and the values, in which `NEW` or `OLD` is the record. */
export interface HistoryTrigger {
  name: string;
  sql: string;
  into: string;
  values: string;
}

const ownerColumn = (kind: KindName) => ('userId' in kindOf(kind).fields ? 'userId' : 'id');

/** SQL: the state of a row. @param columns as for `historyTriggersOf` */
export const stateOf = (row: string, columns: readonly string[]): string =>
  `json_array(${columns.map((column) => `${row}.${column}`)})`;

/** The triggers of a kind of record. @param columns of its table, without the id, in table order */
export function historyTriggersOf(
  kind: KindName,
  columns: readonly string[],
): Record<'created' | 'updated' | 'deleted', HistoryTrigger> {
  const { table } = kindOf(kind);
  const owner = ownerColumn(kind);
  const [before, after] = [stateOf('OLD', columns), stateOf('NEW', columns)];
  const into = `INSERT INTO history (change, head, record, recordId, userId, formerUserId, action, before, after)`;
  const trigger = (verb: string, when: string, entry: string): HistoryTrigger => {
    const name = `${table}_${verb}`;
    const values = `${CHANGE}, ${HEAD}, '${kind}', ${entry}`;
    return {
      name,
      into,
      values,
      sql: `CREATE TRIGGER ${name} AFTER ${when} BEGIN\n    ${into}\n    VALUES (${values});\n  END`,
    };
  };
  const former = `iif(OLD.${owner} = NEW.${owner}, NULL, OLD.${owner})`;
  return {
    created: trigger('created', `INSERT ON ${table}`, `NEW.id, NEW.${owner}, NULL, 'create', NULL, NULL`),
    updated: trigger(
      'updated',
      `UPDATE ON ${table} WHEN ${before} <> ${after}`,
      `OLD.id, NEW.${owner}, ${former}, 'update', ${before}, ${after}`,
    ),
    deleted: trigger(
      'deleted',
      `DELETE ON ${table}`,
      `OLD.id, OLD.${owner}, NULL, 'delete', ${before}, NULL`,
    ),
  };
}

/**
 * Recreates the history triggers of all kinds for the present tables, so that migrations that add a kind or a field need not.
 * @param version the one to which the database was migrated
 */
export function remakeHistoryTriggers(sqlite: BetterSqlite.Database, version: number): void {
  if (version < FIRST_VERSION) return;
  const column = (sql: string, table: string) => sqlite.prepare(sql).pluck().all(table) as string[];
  for (const kind of kindNames) {
    const { table } = kindOf(kind);
    const columns = column('SELECT name FROM pragma_table_info(?) ORDER BY cid', table);
    // The kind has no table in this version.
    if (columns.length === 0) continue;
    for (const name of column(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
      table,
    ))
      sqlite.exec(`DROP TRIGGER "${name}"`);
    const others = columns.filter((name) => name !== 'id');
    for (const { sql } of Object.values(historyTriggersOf(kind, others))) sqlite.exec(sql);
  }
}
