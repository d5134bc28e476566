import type { KindName } from '../../domain/kinds.ts';
import { type Erased, Erasures, isKnown, isLeft } from '../reconcile/erasures.ts';
import { Names, nameOf } from '../reconcile/names.ts';
import type { RecordKey } from '../reconcile/received.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { erasedIn, identitiesOf } from './restore-ledger.ts';

/** Who and what was erased from a database, as its backups may know it; ids mean the same only in its own backups. */
interface ErasedPeople {
  /** Global names: the UUID of the database that created a record, its id there, and the uid of the creating change. */
  names: { record: KindName; uuid: string; originId: number; uid: number }[];
  /** The ids that erased users had here. */
  ids: number[];
  /** Those ids for which no global name is known: erased from a database that a restored backup has replaced. */
  unnamed: number[];
  /** All UUIDs that this database ever had. */
  identities: (string | undefined)[];
  /** Whether a backup was ever restored here, which may have been of another database. */
  wasRestored: boolean;
}

/** Who and what was erased here, without users whom a restored backup brought back. */
export function erasedFrom(db: Database): ErasedPeople {
  const names = new Names(db);
  const ids = [...new Set(erasedIn(db))].filter((id) => !isLeft(db, 'user', id));
  const erasures = db.all<ErasedPeople['names'][number] & { origin: number; id: number | null }>(
    'SELECT record, uuid, origin, originId, uid, erasures.id FROM erasures JOIN origins ON origins.id = origin',
  );
  return {
    // Without what was erased only elsewhere, and awaits consent here.
    names: erasures.filter(({ record, origin, originId, uid }) => {
      const id = names.idOf(record, nameOf(origin, originId, uid));
      return id === undefined || !isLeft(db, record, id);
    }),
    ids,
    unnamed: ids.filter((id) => !erasures.some((erasure) => erasure.id === id)),
    identities: identitiesOf(db),
    wasRestored: new Settings(db).gaps.restored !== undefined,
  };
}

/**
 * Finds erased users and records in a backup: by global name or, for those without one, by id if the backup is of the same
 * database. Deletes at once what the backup holds of them only as hidden replicas.
 * @param hasNames whether the backup had a UUID before it was migrated; otherwise its records have no global names
 * @returns their ids in the backup; whether hidden replicas were deleted; whether it may hold others who cannot be identified
 */
export function findErased(
  backup: Database,
  people: ErasedPeople,
  hasNames: boolean,
): { found: RecordKey[]; hasForgotten: boolean; isUnsure: boolean } {
  const names = new Names(backup);
  const origins = new Map([...names.uuids()].map(([origin, uuid]) => [uuid, origin]));
  const isThere = ({ record, id }: RecordKey) =>
    isLeft(backup, record, id) || (record === 'user' && isKnown(backup, id));
  const erased = people.names.flatMap(({ record, uuid, originId, uid }): Erased[] => {
    const origin = origins.get(uuid);
    return origin === undefined ? [] : [[record, nameOf(origin, originId, uid)]];
  });
  const unseen = erased.filter(([record, name]) => names.idsOf(record, [name]).get(name) === null);
  // This gives an id to hidden users whose records are listed under another user.
  new Erasures(backup, names).add(unseen);
  const named = erased.flatMap(([record, name]) => {
    const id = names.idOf(record, name);
    return id === undefined ? [] : { record, id };
  });
  const byId = (hasNames ? people.unnamed : people.ids)
    .map((id): RecordKey => ({ record: 'user', id }))
    .filter(isThere);
  const isSame = hasNames
    ? identitiesOf(backup).some((id) => people.identities.includes(id))
    : !people.wasRestored;
  return {
    found: [...named.filter(isThere), ...(isSame ? byId : [])],
    hasForgotten: unseen.length > 0,
    isUnsure: !isSame && byId.length > 0,
  };
}
