import { fromCells } from '../../domain/codec.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { stateOf } from '../sqlite/migrations/history-triggers.ts';

/**
 * SQL: whether a state equals a row. An older state is shorter, and equal if the columns added since are NULL.
 * @param state an expression
 */
export function isState(state: string, row: string, columns: readonly string[]): string {
  const fields = columns.map((column, i) => `${state} ->> '$[${i}]' IS ${row}.${column}`);
  return `(${state} = ${stateOf(row, columns)}
    OR json_array_length(${state}) BETWEEN 1 AND ${columns.length - 1} AND ${fields.join(' AND ')})`;
}

/**
 * SQL: the state of a record after an entry of `ENTRIES`. A creation usually stores none: it is the `before`
 * of the record's next entry or, without one, the row.
 * @param columnsOf the columns of a kind of record as `States.columns` gives them
 */
export function stateAfter(columnsOf: (kind: KindName) => readonly string[]): string {
  const now = kindNames.map((kind) => {
    const { table } = kindOf(kind);
    return `WHEN '${kind}' THEN (SELECT ${stateOf('now', columnsOf(kind))} FROM ${table} AS now WHERE now.id = entry.recordId)`;
  });
  return `iif(entry.action = 'create' AND entry.after IS NULL, coalesce(
    (SELECT later.before FROM history AS later
     WHERE later.recordId = entry.recordId AND later.record = entry.record AND later.seq > entry.seq ORDER BY later.seq LIMIT 1),
    CASE entry.record ${now.join(' ')} END), entry.after)`;
}

type State = NonNullable<HistoryEntry['before']>;

/**
 * Reads the states of records that the history triggers write: JSON arrays of the cells in the order of the
 * table's columns, without the id. States older than a column are shorter.
 */
export class States {
  readonly #columns = new Map<KindName, readonly string[]>();

  constructor(private readonly db: Database) {}

  /** Decodes a state. */
  read(kind: KindName, id: number, json: string): State {
    const cells = storedJson<unknown[]>(json);
    const places = this.columns(kind);
    const cellOf = (name: string) => (name === 'id' ? id : cells[places.indexOf(name)]);
    return fromCells(kindOf(kind).fields, cellOf) as unknown as State;
  }

  /** The columns of a kind's table without the id, in the order of its states. Cached. */
  columns(kind: KindName): readonly string[] {
    let columns = this.#columns.get(kind);
    if (!columns) {
      const all = this.db.column<string>(
        'SELECT name FROM pragma_table_info(?) ORDER BY cid',
        kindOf(kind).table,
      );
      columns = all.filter((name) => name !== 'id');
      this.#columns.set(kind, columns);
    }
    return columns;
  }
}
