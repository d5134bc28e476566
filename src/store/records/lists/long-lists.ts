import { conflict } from '../../../domain/errors.ts';
import type { KindName } from '../../../domain/kinds.ts';
import type { Condition } from '../../sqlite/condition.ts';
import type { Database } from '../../sqlite/database.ts';
import type { Source } from '../../sqlite/snapshot.ts';
import { type Chunk, charactersOf, chunkOf, LAST_ENTRY, type Row } from './rows.ts';

/** A block of rendered records, joined into one text. */
export interface Lines {
  text: string;
  count: number;
}

/** Lines that SQLite joins into one text. */
const MOST_LINES = 250;

/**
 * Lines in the order of ids, joined by SQLite in blocks: returning each line on its own takes twice the time.
 * @param after makes the query of `limit` rows with the columns `id` and `_line` after an id, or from the start
 * @param options.separator stands between two lines
 */
export function* linesById(
  source: Source,
  after: (id: number | undefined, limit: number) => Condition,
  { separator, limit = Number.POSITIVE_INFINITY }: { separator: string; limit?: number | undefined },
): Generator<Lines> {
  let id: number | undefined;
  for (let left = limit; left > 0; left -= MOST_LINES) {
    const { sql, values } = after(id, Math.min(left, MOST_LINES));
    // SQLite keeps the order of a subquery with LIMIT for group_concat (SF_OrderByReqd in select.c).
    const joined = `SELECT max(id), count(*), group_concat(_line, ?) FROM (${sql})`;
    const [last, count, text] = source.read((db) =>
      db.row<[number | null, number, string]>(joined, separator, ...values),
    );
    if (last === null) return;
    yield { text, count };
    id = last;
  }
}

/** Joins the rows of each chunk, which are lines already. */
export function* linesOf(chunks: Iterable<Chunk>, separator: string): Generator<Lines> {
  for (const { rows } of chunks) yield { text: rows.join(separator), count: rows.length };
}

/** The names and SQL expressions of a kind of record. */
interface RecordSql {
  kind: KindName;
  table: string;
  /** The expression that renders a record, as JSON or as a line of CSV. */
  json: string;
}

/**
 * Records in chunks, in an order other than by id. The ids are sorted once, into a temporary table, which
 * SQLite spills to disk when it is long.
 * @param ids the query of the ids in order
 * @param most bounds of a chunk: records, and characters of JSON
 * @throws SciaticaError `conflict` when the snapshot was given up and a record still to come was changed
 *   since; deleted records are left out
 */
export function* chunksInOrder(
  source: Source,
  { kind, table, json }: RecordSql,
  { sql, values }: Condition,
  most: { rows: number; characters: number },
): Generator<Chunk> {
  // A name of its own: several lists may be read through one connection at once.
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

/** Numbers the temporary tables. */
let lists = 0;

/**
 * Checks that no record after `place` was changed after seq `seq`, or restored, perhaps under another user.
 * @returns the last history seq
 * @throws SciaticaError `conflict`
 */
function requireUnchanged(
  db: Database,
  { kind, chosen, seq, place }: { kind: KindName; chosen: string; seq: number; place: number },
): number {
  db.exec(`CREATE INDEX IF NOT EXISTS temp.${chosen}_by_id ON ${chosen} (id)`);
  const isChanged = db.value(
    `SELECT 1 FROM history WHERE seq > ? AND record = ? AND action IN ('create', 'update')
     AND EXISTS (SELECT 1 FROM temp.${chosen} WHERE id = recordId AND _place > ?) LIMIT 1`,
    seq,
    kind,
    place,
  );
  if (isChanged) throw conflict('The list took too long and was changed in the meantime: read it again.');
  return db.value<number>(LAST_ENTRY) ?? 0;
}
