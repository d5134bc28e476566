import { fromCells } from '../../domain/codec.ts';
import { type Session, sessionFields } from '../../domain/log.ts';
import { type Condition, joined } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { openSource } from '../sqlite/snapshot.ts';

/** How many rows are in memory at once. */
const BLOCK_ROWS = 1000;

/**
 * The sessions that match, without their notes, in blocks and in id order, all from one moment unless that takes too long
 * (`openSource`). Counting them as they pass is faster than to let SQLite group them, which sorts a million rows first.
 */
export function* sessionBlocks(db: Database, where: readonly Condition[]): Generator<Session[]> {
  const { sql, values } = joined([...where, { sql: 'id > ?', values: [] }]);
  const block = `SELECT ${Object.keys(sessionFields)} FROM logs${sql} ORDER BY id LIMIT ${BLOCK_ROWS}`;
  const source = openSource(db, false);
  try {
    for (let after = 0; ; ) {
      const rows = source.read((it) => it.all<Record<string, unknown>>(block, ...values, after));
      const sessions = rows.map((row) => fromCells(sessionFields, (name) => row[name]) as Session);
      yield sessions;
      if (rows.length < BLOCK_ROWS) return;
      after = sessions.at(-1)?.id ?? after;
    }
  } finally {
    source.close();
  }
}
