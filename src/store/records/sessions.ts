import type { Session } from '../../domain/log.ts';
import type { Condition } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { openSnapshot } from '../sqlite/open.ts';

/** How many rows are in memory at once. */
const BLOCK_ROWS = 1000;

type Row = Omit<Session, 'effective'> & { effective: number };

/**
 * The sessions that match, without their notes, in blocks and in id order, all from one moment. Counting them
 * as they pass is faster than to let SQLite group them, which sorts a million rows first.
 */
export function* sessionBlocks(db: Database, where: readonly Condition[]): Generator<Session[]> {
  const conditions = [...where.map(({ sql }) => sql), 'id > ?'].join(' AND ');
  const sql = `SELECT id, userId, exerciseType, exerciseName, date, painBefore, painAfter, effective
    FROM logs WHERE ${conditions} ORDER BY id LIMIT ${BLOCK_ROWS}`;
  const values = where.flatMap((condition) => condition.values);
  const snapshot = db.isSnapshot ? db : openSnapshot(db.path);
  try {
    for (let after = 0; ; ) {
      const rows = snapshot.all<Row>(sql, ...values, after);
      yield rows.map((row) => ({ ...row, effective: row.effective === 1 }));
      if (rows.length < BLOCK_ROWS) return;
      after = rows.at(-1)?.id ?? after;
    }
  } finally {
    if (snapshot !== db) snapshot.close();
  }
}
