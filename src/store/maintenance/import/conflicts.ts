import { fromCells } from '../../../domain/codec.ts';
import type { Fields } from '../../../domain/fields.ts';
import { changedFields } from '../../../domain/history.ts';
import type { AnyRecord, KindName } from '../../../domain/kinds.ts';
import { States } from '../../records/states.ts';
import { AGREED, type Merge, ofOrigin } from './merge-sql.ts';
import { type StagedKind, stagedKinds } from './staging.ts';

/** A record that was changed on both sides since they last agreed on it. */
export interface Conflict {
  record: KindName;
  /** Its id here; null if it would be new. */
  id: number | null;
  /** Its id in the file. */
  theirId: number | null;
  /** As both sides last had it, with the ids of here; null if they never had it in common. */
  agreed: AnyRecord | null;
  /** As it is here; null if it was deleted here. */
  here: AnyRecord | null;
  /** As the file has it, with the ids of here; null if it was deleted there. */
  there: AnyRecord | null;
  /** The fields in which the two differ. */
  fields: string[];
}

/** The conflicts that are left: how many, and the first `limit` of them. */
export function conflictsLeft(merge: Merge, limit: number): { count: number; conflicts: Conflict[] } {
  let count = 0;
  const conflicts: Conflict[] = [];
  for (const kind of stagedKinds) {
    const { staged, name } = kind;
    count += merge.db.value<number>(`SELECT count(*) FROM ${staged} WHERE ${UNSETTLED}`) ?? 0;
    count +=
      merge.db.value<number>(
        `SELECT count(*) FROM temp.import_gone WHERE ${UNSETTLED} AND record = '${name}'`,
      ) ?? 0;
    conflicts.push(...conflictsOf(merge, kind, limit - conflicts.length));
  }
  return { count, conflicts };
}

const UNSETTLED = "_outcome IN ('conflicting', 'sameKey')";

function conflictsOf(
  { db, origin }: Merge,
  { name, table, staged, columns, fields }: StagedKind,
  limit: number,
): Conflict[] {
  const states = new States(db);
  const names = (alias: string, prefix: string) =>
    columns.map((column) => `${alias}.${column} AS ${prefix}${column}`);
  const rows = db.all<Record<string, unknown>>(
    `SELECT x.theirId AS theirIdOfAll, m.id AS hereId, x.ourId AS ourIdOfAll, i._at AS thereAt, (
       SELECT ${AGREED} FROM main.counterparts AS c WHERE ${ofOrigin(name)} AND c.ourId = x.ourId) AS agreedOfAll,
       ${names('m', 'here_')}, ${names('i', 'there_')}
     FROM (SELECT _at, id AS theirId, _newId AS ourId FROM ${staged} WHERE ${UNSETTLED}
           UNION ALL SELECT NULL, theirId, ourId FROM temp.import_gone WHERE ${UNSETTLED} AND record = '${name}'
           LIMIT ?) AS x
     LEFT JOIN main.${table} AS m ON m.id = x.ourId LEFT JOIN ${staged} AS i ON i._at = x._at`,
    origin,
    limit,
  );
  return rows.map((row) => {
    const id = row['ourIdOfAll'] as number | null;
    const agreed = row['agreedOfAll'] as string | null;
    const recordOf = (prefix: string) => stateFrom(fields, id, (name) => row[prefix + name]);
    const here = row['hereId'] === null ? null : recordOf('here_');
    const there = row['thereAt'] === null ? null : recordOf('there_');
    return {
      record: name,
      id,
      theirId: row['theirIdOfAll'] as number | null,
      agreed: agreed === null || agreed === 'null' ? null : states.read(name, id ?? 0, agreed),
      here,
      there,
      fields: changedFields({ before: here, after: there }),
    };
  });
}

const stateFrom = (fields: Fields, id: number | null, cellOf: (name: string) => unknown) =>
  fromCells(fields, (name) => (name === 'id' ? id : cellOf(name))) as unknown as AnyRecord;
