import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';

/** The order in which records were recorded: the order of their ids, unless some are replicas from another database. */

/** Whether there are replicas of a kind: records that came from another database, or were changed there. */
export const haveCome = (db: Database, kind: KindName): boolean =>
  db.value('SELECT 1 FROM replicas WHERE record = ? AND id IS NOT NULL LIMIT 1', kind) === 1;

/**
 * SQL: the hybrid clock of the change that created a record, the same on every machine; 0 if unknown. Replicas have it in their
 * state (`Packed`), because their history here begins when they arrived. @param id SQL of the id
 */
export const recordedAt = (kind: KindName, id: string): string =>
  `coalesce((SELECT state ->> '$.c[0]' FROM replicas WHERE replicas.id = ${id} AND replicas.record = '${kind}'),
    (SELECT head.clock FROM history AS made JOIN history AS head ON head.seq = made.head
     WHERE made.recordId = ${id} AND made.record = '${kind}' AND made.action = 'create' ORDER BY made.seq LIMIT 1), 0)`;
