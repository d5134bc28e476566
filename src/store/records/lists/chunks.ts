import { SciaticaError } from '../../../domain/errors.ts';
import type { KindName } from '../../../domain/kinds.ts';
import type { Condition } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Source } from '../../sqlite/snapshot.ts';
import { type Chunk, charactersOf, chunkOf, LAST_ENTRY, type Row } from './rows.ts';

/** The SQL of a kind of record. */
interface RecordSql {
  kind: KindName;
  table: string;
  /** The record as JSON. */
  json: string;
}

/**
 * Records in chunks, in an order other than by id. The ids are sorted once, into a temporary table that SQLite keeps on
 * disk when it is long.
 * @param ids the query of the ids
 * @param most of a chunk: records, and characters of JSON
 * @throws SciaticaError `conflict` when the snapshot was given up and a record still to come was changed; one that was
 *   deleted is left out
 */
export function* chunksInOrder(
  source: Source,
  { kind, table, json }: RecordSql,
  { sql, values }: Condition,
  most: { rows: number; characters: number },
): Generator<Chunk> {
  // Several lists may be read through one connection at once.
  const chosen = `chosen_${++lists}`;
  let [renewals, seq, count] = source.read((db) => {
    db.exec(`CREATE TEMP TABLE ${chosen} (_place INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT`);
    const { changes } = db.run(`INSERT INTO temp.${chosen} (id) ${sql}`, ...values);
    return [source.renewals, db.value<number>(LAST_ENTRY) ?? 0, changes];
  });
  const chunk = `SELECT id, ${json} AS _json, _place AS _ordinal FROM temp.${chosen} CROSS JOIN ${table} USING (id)
    WHERE _place > ? ORDER BY _place LIMIT ${most.rows}`;
  try {
    for (let place = 0; place < count; ) {
      const rows = source.read((db) => {
        if (source.renewals !== renewals) seq = requireUnchanged(db, { kind, chosen, seq, place });
        renewals = source.renewals;
        return db.take<Row & { _ordinal: number }>(chunk, most, charactersOf, place);
      });
      const last = rows.at(-1);
      if (!last) return;
      yield chunkOf(rows);
      place = last._ordinal;
    }
  } finally {
    source.read((db) => db.exec(`DROP TABLE temp.${chosen}`));
  }
}

/** How many lists were sorted, to name their tables. */
let lists = 0;

/** Refuses to go on when a chosen record behind `place` was changed after the entry `seq`; returns the last entry. */
function requireUnchanged(
  db: Database,
  { kind, chosen, seq, place }: { kind: KindName; chosen: string; seq: number; place: number },
): number {
  db.exec(`CREATE INDEX IF NOT EXISTS temp.${chosen}_by_id ON ${chosen} (id)`);
  const isChanged = db.value(
    `SELECT 1 FROM history WHERE seq > ? AND record = ? AND action = 'update'
     AND EXISTS (SELECT 1 FROM temp.${chosen} WHERE id = recordId AND _place > ?) LIMIT 1`,
    seq,
    kind,
    place,
  );
  if (isChanged)
    throw new SciaticaError('conflict', 'The list took too long and changed meanwhile: read it again.');
  return db.value<number>(LAST_ENTRY) ?? 0;
}
