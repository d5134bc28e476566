import { fromCells } from '../../domain/codec.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { stateOf } from '../sqlite/migrations/history-triggers.ts';

/**
 * SQL: whether a state is that of a row. A column that came later is missing at the end of an older state: it was empty then.
 * @param state an expression
 */
export function isState(state: string, row: string, columns: readonly string[]): string {
  const fields = columns.map((column, i) => `${state} ->> '$[${i}]' IS ${row}.${column}`);
  return `(${state} = ${stateOf(row, columns)}
    OR json_array_length(${state}) BETWEEN 1 AND ${columns.length - 1} AND ${fields.join(' AND ')})`;
}

/**
 * SQL: the state that an entry of `ENTRIES` left its record in. That of a creation is not stored, but is what the next entry found,
 * or the record as it is.
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
 * The states of records, as the triggers write them: arrays of the columns in the order of the table, but for the
 * id. A column that came later is missing at the end of older arrays.
 */
export class States {
  readonly #columns = new Map<KindName, readonly string[]>();

  constructor(private readonly db: Database) {}

  /** The record that a state holds. */
  read(kind: KindName, id: number, json: string): State {
    const cells = storedJson<unknown[]>(json);
    const places = this.columns(kind);
    const cellOf = (name: string) => (name === 'id' ? id : cells[places.indexOf(name)]);
    return fromCells(kindOf(kind).fields, cellOf) as unknown as State;
  }

  /** The columns of a kind of record but for the id, in the order of its states. */
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
