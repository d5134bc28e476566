import { SciaticaError } from '../../domain/errors.ts';
import type { Noun } from '../../domain/records.ts';
import { LAST_ENTRY } from '../history/history.ts';
import type { Condition } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import type { Source } from '../sqlite/snapshot.ts';

/** The lowest and the highest of some ids, and how many there are. */
export interface IdRange {
  first: number;
  last: number;
  count: number;
}

/** A part of a list: each record as JSON. */
export interface Chunk {
  rows: string[];
  ids: IdRange;
}

/** A record as a list reads it. */
export interface Row {
  id: number;
  json: string;
}

/** The SQL of a kind of record. */
interface RecordSql {
  noun: Noun;
  table: string;
  /** The record as JSON. */
  json: string;
}

/**
 * Records in chunks, in an order other than by id. The ids are sorted once, into a temporary table that SQLite keeps on
 * disk when it is long.
 * @param ids the query of the ids
 * @param size rows of a chunk
 * @throws SciaticaError `conflict` when the snapshot was given up and a record still to come was changed; one that was
 *   deleted is left out
 */
export function* chunksInOrder(
  source: Source,
  { noun, table, json }: RecordSql,
  { sql, values }: Condition,
  size: number,
): Generator<Chunk> {
  let [renewals, seq, count] = source.read((db) => {
    db.exec('DROP TABLE IF EXISTS temp.chosen');
    db.exec('CREATE TEMP TABLE chosen (place INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT');
    const { changes } = db.run(`INSERT INTO temp.chosen (id) ${sql}`, ...values);
    return [source.renewals, db.value<number>(LAST_ENTRY) ?? 0, changes];
  });
  const chunk = `SELECT id, ${json} AS json FROM temp.chosen JOIN ${table} USING (id)
    WHERE place > ? AND place <= ? ORDER BY place`;
  for (let place = 0; place < count; place += size) {
    const rows = source.read((db) => {
      if (source.renewals !== renewals) seq = requireUnchanged(db, noun, seq, place);
      renewals = source.renewals;
      return db.all<Row>(chunk, place, place + size);
    });
    if (rows.length > 0) yield chunkOf(rows);
  }
}

/** Refuses to go on when a chosen record behind `place` was changed after the entry `seq`; returns the last entry. */
function requireUnchanged(db: Database, noun: Noun, seq: number, place: number): number {
  db.exec('CREATE INDEX IF NOT EXISTS temp.chosen_by_id ON chosen (id)');
  const isChanged = db.value(
    `SELECT 1 FROM history WHERE seq > ? AND record = ? AND action = 'update'
     AND EXISTS (SELECT 1 FROM temp.chosen WHERE id = recordId AND place > ?) LIMIT 1`,
    seq,
    noun,
    place,
  );
  if (isChanged)
    throw new SciaticaError('conflict', 'The list took too long and changed meanwhile: read it again.');
  return db.value<number>(LAST_ENTRY) ?? 0;
}

export const chunkOf = (rows: readonly Row[]): Chunk => ({
  rows: rows.map(({ json }) => json),
  ids: idsOf(rows),
});

export function idsOf(rows: readonly Row[]): IdRange {
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { id } of rows) {
    first = Math.min(first, id);
    last = Math.max(last, id);
  }
  return { first, last, count: rows.length };
}
