import { fromCells } from '../../domain/codec.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { type Noun, recordFields } from '../../domain/records.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

type State = NonNullable<HistoryEntry['before']>;

/**
 * Reads the states of records that the triggers wrote: arrays of the columns in the order of the table, but for the
 * id. A column that came later is missing at the end of older arrays.
 */
export class States {
  readonly #columns = new Map<Noun, readonly string[]>();

  constructor(private readonly db: Database) {}

  /** The record that a state holds. */
  read(noun: Noun, id: number, json: string): State {
    const cells = storedJson<unknown[]>(json);
    const places = this.#placesOf(noun);
    const cellOf = (name: string) => (name === 'id' ? id : cells[places.indexOf(name)]);
    return fromCells(recordFields[noun], cellOf) as unknown as State;
  }

  #placesOf(noun: Noun): readonly string[] {
    let columns = this.#columns.get(noun);
    if (!columns) {
      const all = this.db.column<string>('SELECT name FROM pragma_table_info(?) ORDER BY cid', `${noun}s`);
      columns = all.filter((name) => name !== 'id');
      this.#columns.set(noun, columns);
    }
    return columns;
  }
}
