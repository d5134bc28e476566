import { kindNames, kindOf } from '../../../domain/kinds.ts';
import { insertMany } from '../../records/write-many.ts';
import type { Database } from '../../sqlite/database.ts';
import { CHANGE } from '../../sqlite/migrations/history-triggers.ts';
import { AGREED, type Merge, ofOrigin, stateOf } from './merge-sql.ts';
import { IS_NEW, type StagedKind, stagedKinds, stagedUsers } from './staging.ts';

/** Brings what is new, renumbered or to be overwritten into the database. */
export function write(db: Database, kind: StagedKind): void {
  const { name, table, staged, columns } = kind;
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i.id = m.id AND i._outcome = 'overwritten'`,
  );
  const names = columns.join(', ');
  const rows = `(SELECT _at, coalesce(_newId, id) AS id, ${names} FROM ${staged} WHERE ${IS_NEW})`;
  insertMany(db, { kind: name, columns, rows });
}

/** Brings staged records that are new, come back, or were changed there into the database. */
export function writeMerged({ db }: Merge, { table, staged, columns }: StagedKind): void {
  const names = columns.join(', ');
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i._newId = m.id AND i._outcome IN ('updated', 'overwritten')`,
  );
  db.run(
    `INSERT INTO main.${table} (id, ${names}) SELECT coalesce(_newId, id), ${names} FROM ${staged} AS i
     WHERE _outcome IS NULL OR _outcome IN ('renumbered', 'returned')
     OR _outcome = 'overwritten' AND NOT EXISTS (SELECT 1 FROM main.${table} WHERE id = coalesce(i._newId, i.id)) ORDER BY _at`,
  );
}

const BEFORE = "json_insert(coalesce(earlier, '[]'), '$[#]', json_array(change, json(agreed)))";

/**
 * Notes what both sides agree on now: what the file has, also where what is here was kept.
 * @param seq the last entry of the history over there
 */
export function noteAgreed({ db, origin }: Merge, seq: number): void {
  // What an import that is undone linked is free for another record.
  db.run(
    `DELETE FROM main.counterparts AS c WHERE origin = ? AND change IS NOT NULL AND ${AGREED} = 'null'
    AND change IN (SELECT change FROM temp.import_undone)
    AND EXISTS (SELECT 1 FROM temp.import_user_ids AS u WHERE c.record = 'user' AND u.ours = c.ourId AND u.theirs <> c.theirId)`,
    origin,
  );
  for (const kind of stagedKinds) {
    const { name, staged, hasKey } = kind;
    const settled = `i.id IS NOT NULL AND (i._outcome IS NULL OR i._newId IS NOT NULL
      AND i._outcome IN ('renumbered', 'returned', 'linked', 'agreed', 'updated', 'overwritten', 'skipped'))`;
    // What one of ours was the counterpart of was deleted there, and another came in its place.
    if (hasKey)
      db.run(
        `UPDATE main.counterparts AS c SET theirId = i.id FROM ${staged} AS i
         WHERE ${ofOrigin(name)} AND i._newId = c.ourId AND i.id <> c.theirId AND ${settled}`,
        origin,
      );
    db.run(
      `INSERT INTO main.counterparts (origin, record, theirId, ourId, agreed, change)
       SELECT ?, '${name}', i.id, coalesce(i._newId, i.id), ${stateOf({ db }, 'i', kind)}, ${CHANGE}
       FROM ${staged} AS i WHERE ${settled} ORDER BY i.id
       ON CONFLICT (origin, record, theirId) DO UPDATE
       SET ourId = excluded.ourId, agreed = excluded.agreed, change = excluded.change, earlier = ${BEFORE}`,
      origin,
    );
    db.run(
      `UPDATE main.counterparts AS c SET agreed = 'null', change = ${CHANGE}, earlier = ${BEFORE}
       FROM temp.import_gone AS g WHERE ${ofOrigin(name)} AND g.record = c.record AND g.ourId = c.ourId
       AND g._outcome IN ('deleted', 'skipped')`,
      origin,
    );
  }
  // A sync knows what was made by this import by the name that it has there.
  db.run(
    `INSERT OR IGNORE INTO main.replicas (record, id, origin, originId, uid, seq, state)
     SELECT record, ourId, origin, theirId, 0, 0, 'null' FROM main.counterparts AS c
     WHERE origin = ? AND record IN (SELECT value FROM json_each(?)) AND EXISTS (SELECT 1 FROM main.history
       WHERE recordId = ourId AND record = c.record AND action = 'create' AND change = ${CHANGE})`,
    origin,
    JSON.stringify(kindNames.filter((kind) => kindOf(kind).place !== 'one-per-user')),
  );
  db.run(
    `UPDATE main.counterparts AS c SET position = ? FROM ${stagedUsers.staged} AS i
     WHERE ${ofOrigin('user')} AND c.theirId = i.id AND coalesce(c.position, -1) < ?`,
    seq,
    origin,
    seq,
  );
}
