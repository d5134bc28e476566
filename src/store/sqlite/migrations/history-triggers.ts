import type BetterSqlite from 'better-sqlite3';
import { type KindName, kindNames, kindOf } from '../../../domain/kinds.ts';

/** The triggers that write the history of a kind of record. Its states are arrays of the columns but for the id, in their order. */

/** The version from which they are made from the kinds; before, each migration brought its own. */
const FIRST_VERSION = 10;

/** SQL: the number of the change that is under way, or of the last one. */
export const CHANGE = "(SELECT seq FROM sqlite_sequence WHERE name = 'changes')";

/**
 * SQL: the head of that change: of its last entry, or the first entry that it will have. SQLite writes the number of the last entry
 * when a statement ends, so both are right for each entry of one statement.
 */
export const HEAD = `coalesce((SELECT head FROM history WHERE seq = (SELECT max(seq) FROM history) AND change = ${CHANGE}),
      1 + coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0))`;

/** How an entry is written: the columns of its change, its own columns, and its state after a creation. */
interface Form {
  columns: string;
  change: string;
  /** Whether a creation has its state, which is the row's. */
  hasCreated: boolean;
}

const FORM: Form = { columns: 'change, head', change: `${CHANGE}, ${HEAD}`, hasCreated: false };
/** Until version 10. */
const FORMER: Form = { columns: 'change', change: '(SELECT max(id) FROM changes)', hasCreated: true };

const into = ({ columns }: Form) =>
  `INSERT INTO history (${columns}, record, recordId, userId, formerUserId, action, before, after)`;

/** The trigger of a new record, and its statement in two parts: where it inserts, and the values, of which `NEW` is the record. */
export interface CreationTrigger {
  name: string;
  sql: string;
  into: string;
  values: string;
}

/** @param columns those of its table but for the id, in their order */
export function creationTriggerOf(
  kind: KindName,
  columns: readonly string[],
  form: Form = FORM,
): CreationTrigger {
  const { table } = kindOf(kind);
  const name = `${table}_created`;
  const owner = `NEW.${ownerColumn(kind)}`;
  const after = form.hasCreated ? stateOf('NEW', columns) : 'NULL';
  const values = `${form.change}, '${kind}', NEW.id, ${owner}, NULL, 'create', NULL, ${after}`;
  const sql = `CREATE TRIGGER ${name} AFTER INSERT ON ${table} BEGIN
    ${into(form)}
    VALUES (${values});
  END`;
  return { name, sql, into: into(form), values };
}

const ownerColumn = (kind: KindName) => ('userId' in kindOf(kind).fields ? 'userId' : 'id');

const stateOf = (row: 'OLD' | 'NEW', columns: readonly string[]) =>
  `json_array(${columns.map((column) => `${row}.${column}`)})`;

function triggersOf(kind: KindName, columns: readonly string[], form: Form): string {
  const { table } = kindOf(kind);
  const owner = ownerColumn(kind);
  const [before, after] = [stateOf('OLD', columns), stateOf('NEW', columns)];
  const former = `iif(OLD.${owner} = NEW.${owner}, NULL, OLD.${owner})`;
  return `
  ${creationTriggerOf(kind, columns, form).sql};
  CREATE TRIGGER ${table}_updated AFTER UPDATE ON ${table} WHEN ${before} <> ${after} BEGIN
    ${into(form)}
    VALUES (${form.change}, '${kind}', OLD.id, NEW.${owner}, ${former}, 'update', ${before}, ${after});
  END;
  CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
    ${into(form)}
    VALUES (${form.change}, '${kind}', OLD.id, OLD.${owner}, NULL, 'delete', ${before}, NULL);
  END;`;
}

/**
 * Makes the triggers of all kinds anew, as the tables are in a version, so that no migration of a kind or a field need do it.
 * @param version the one that the database has come to
 */
export function remakeHistoryTriggers(sqlite: BetterSqlite.Database, version: number): void {
  if (version < FIRST_VERSION) return;
  const column = (sql: string, table: string) => sqlite.prepare(sql).pluck().all(table) as string[];
  for (const kind of kindNames) {
    const { table } = kindOf(kind);
    const columns = column('SELECT name FROM pragma_table_info(?) ORDER BY cid', table);
    // A version from before the kind has no table of it.
    if (columns.length === 0) continue;
    for (const name of column(
      "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?",
      table,
    ))
      sqlite.exec(`DROP TRIGGER "${name}"`);
    const others = columns.filter((name) => name !== 'id');
    sqlite.exec(triggersOf(kind, others, version === FIRST_VERSION ? FORMER : FORM));
  }
}
