import { fromCells, toCell } from '../../domain/codec.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

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

  /** The state of a record: the same text for the same fields. */
  write(kind: KindName, record: object): string {
    const { fields } = kindOf(kind);
    const values = record as Record<string, unknown>;
    // JSON.stringify escapes as SQLite does.
    return JSON.stringify(this.columns(kind).map((name) => toCell(fields[name], values[name])));
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
