import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';

/** The order in which records were recorded: that of their ids, unless some came from another machine. */

/** Whether records of a kind came from elsewhere. */
export const haveCome = (db: Database, kind: KindName): boolean =>
  db.value('SELECT 1 FROM replicas WHERE record = ? AND id IS NOT NULL LIMIT 1', kind) === 1;

/**
 * SQL: when a record was made, by the clock of the change, which is the same on every machine; 0 where that is not known. What came
 * from elsewhere was made here later: its state has the clock (`Packed`). @param id SQL of the id
 */
export const recordedAt = (kind: KindName, id: string): string =>
  `coalesce((SELECT state ->> '$.c[0]' FROM replicas WHERE replicas.id = ${id} AND replicas.record = '${kind}'),
    (SELECT head.clock FROM history AS made JOIN history AS head ON head.seq = made.head
     WHERE made.recordId = ${id} AND made.record = '${kind}' AND made.action = 'create' ORDER BY made.seq LIMIT 1), 0)`;
