import { type KindName, kindNames } from '../../domain/kinds.ts';
import { States } from '../records/states.ts';
import type { Database } from '../sqlite/database.ts';

/**
 * The records here that have no counterpart in an origin, by what they hold: in a temporary table, for to look through the records
 * themselves for each one that arrives takes minutes where there are many.
 */
export class Twins {
  readonly table = 'temp.twins';
  readonly #states: States;

  /** Inside a transaction, whose records they are. */
  constructor(
    private readonly db: Database,
    origin: number,
  ) {
    this.#states = new States(db);
    db.exec(
      'CREATE TEMP TABLE twins (record TEXT, state TEXT, id INTEGER, PRIMARY KEY (record, state, id)) WITHOUT ROWID',
    );
    for (const record of kindNames)
      db.run(
        `INSERT INTO temp.twins SELECT '${record}', json_array(${this.#states.columns(record)}), id FROM ${record}s AS m
         WHERE NOT EXISTS (SELECT 1 FROM counterparts WHERE origin = ? AND record = '${record}' AND ourId = m.id)`,
        origin,
      );
  }

  /** Takes one that holds the same, which is not given again. @returns its id */
  take(record: KindName, one: object): number | undefined {
    const state = this.#states.write(record, one);
    const id = this.db.value<number>(
      'SELECT id FROM temp.twins WHERE record = ? AND state = ? ORDER BY id LIMIT 1',
      record,
      state,
    );
    if (id !== undefined)
      this.db.run('DELETE FROM temp.twins WHERE record = ? AND state = ? AND id = ?', record, state, id);
    return id;
  }

  drop(): void {
    this.db.exec('DROP TABLE temp.twins');
  }
}
