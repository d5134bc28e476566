import { type Kind, kinds, userKind } from '../staging.ts';
import { type Merge, ofOrigin, stateOf } from './sql.ts';

/** Brings staged records that are new, come back, or were changed there into the database. */
export function writeMerged({ db }: Merge, { table, staged, columns }: Kind): void {
  const names = columns.join(', ');
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i.newId = m.id AND i.outcome IN ('updated', 'overwritten')`,
  );
  db.run(
    `INSERT INTO main.${table} (id, ${names}) SELECT coalesce(newId, id), ${names} FROM ${staged} AS i
     WHERE outcome IS NULL OR outcome IN ('renumbered', 'returned')
     OR outcome = 'overwritten' AND NOT EXISTS (SELECT 1 FROM main.${table} WHERE id = coalesce(i.newId, i.id)) ORDER BY at`,
  );
}

const BEFORE = "json_insert(coalesce(earlier, '[]'), '$[#]', json_array(change, json(agreed)))";

/**
 * Notes what both sides agree on now: what the file has, also where what is here was kept.
 * @param seq the last entry of the history over there
 */
export function noteAgreed({ db, origin }: Merge, seq: number): void {
  const change = '(SELECT max(id) FROM main.changes)';
  for (const kind of kinds) {
    const { noun, staged, unique } = kind;
    const settled = `i.id IS NOT NULL AND (i.outcome IS NULL OR i.newId IS NOT NULL
      AND i.outcome IN ('renumbered', 'returned', 'linked', 'agreed', 'updated', 'overwritten', 'skipped'))`;
    // What one of ours was the counterpart of was deleted there, and another came in its place.
    if (unique)
      db.run(
        `UPDATE main.counterparts AS c SET theirId = i.id FROM ${staged} AS i
         WHERE ${ofOrigin(noun)} AND i.newId = c.ourId AND i.id <> c.theirId AND ${settled}`,
        origin,
      );
    db.run(
      `INSERT INTO main.counterparts (origin, record, theirId, ourId, agreed, change)
       SELECT ?, '${noun}', i.id, coalesce(i.newId, i.id), ${stateOf('i', kind)}, ${change}
       FROM ${staged} AS i WHERE ${settled} ORDER BY i.id
       ON CONFLICT (origin, record, theirId) DO UPDATE
       SET ourId = excluded.ourId, agreed = excluded.agreed, change = excluded.change, earlier = ${BEFORE}`,
      origin,
    );
    db.run(
      `UPDATE main.counterparts AS c SET agreed = 'null', change = ${change}, earlier = ${BEFORE}
       FROM temp.import_gone AS g WHERE ${ofOrigin(noun)} AND g.record = c.record AND g.ourId = c.ourId
       AND g.outcome IN ('deleted', 'skipped')`,
      origin,
    );
  }
  db.run(
    `UPDATE main.counterparts AS c SET position = ? FROM ${userKind.staged} AS i
     WHERE ${ofOrigin('user')} AND c.theirId = i.id AND coalesce(position, -1) < ?`,
    seq,
    origin,
    seq,
  );
}
