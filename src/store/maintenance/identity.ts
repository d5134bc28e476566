import { statSync } from 'node:fs';
import { Names } from '../reconcile/names.ts';
import { AT, ENTRIES } from '../records/entries.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { Counterparts } from '../sync/counterparts.ts';
import { stateOf } from './import/merge-sql.ts';
import { stagedKinds } from './import/staging.ts';

/**
 * Makes a copy of a database one of its own: it gets a new UUID, and notes which of its records are those of the database with the
 * former one, as they were when the file was copied. What was recorded, changed or deleted here since then is its own.
 * @returns the new UUID
 */
export function renewIdentity(db: Database): string {
  const [settings, counterparts] = [new Settings(db), new Counterparts(db)];
  // The file was created when it was copied.
  const createdAt = Math.floor(statSync(db.path).birthtimeMs);
  return db.write(() => {
    const former = settings.get('id');
    const id = new Names(db).takeIdentity();
    if (former !== undefined) noteCommon(db, counterparts.origin(former), firstOwn(db, createdAt));
    return id;
  });
}

/**
 * The first entry of the history since the file was copied. There is none where the file is as old as its history: then it is no copy, or
 * the copying kept the time of the original.
 */
function firstOwn(db: Database, createdAt: number): number {
  const isCopy = db.value(`SELECT 1 FROM ${ENTRIES} WHERE ${AT} < ? LIMIT 1`, createdAt) === 1;
  const first = `SELECT min(entry.seq) FROM ${ENTRIES} WHERE ${AT} >= ?`;
  return (isCopy && db.value<number | null>(first, createdAt)) || Number.MAX_SAFE_INTEGER;
}

/** Notes what both databases have in common: the records as they were before the entry `first` of the history. */
function noteCommon(db: Database, origin: number, first: number): void {
  const insert = 'INSERT INTO counterparts (origin, record, theirId, ourId, agreed)';
  for (const kind of stagedKinds)
    db.run(
      `${insert} SELECT ?, '${kind.name}', id, id, ${stateOf({ db }, 'm', kind)} FROM ${kind.table} AS m
       WHERE NOT EXISTS (SELECT 1 FROM history WHERE record = '${kind.name}' AND recordId = m.id AND seq >= ?)
       ON CONFLICT DO NOTHING`,
      origin,
      first,
    );
  db.run(
    `${insert} SELECT ?, record, recordId, recordId, before FROM history
     WHERE seq IN (SELECT min(seq) FROM history WHERE seq >= ? GROUP BY recordId, record) AND before IS NOT NULL
     ON CONFLICT DO NOTHING`,
    origin,
    first,
  );
  db.run(
    `INSERT OR IGNORE INTO erasures (record, origin, originId, uid)
     SELECT 'user', ?, recordId, 0 FROM history WHERE seq >= ? AND action = 'erase'`,
    origin,
    first,
  );
}
