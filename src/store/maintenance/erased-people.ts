import type { KindName } from '../../domain/kinds.ts';
import { type Erased, Erasures, isKnown, isLeft } from '../reconcile/erasures.ts';
import { Names, nameOf } from '../reconcile/names.ts';
import type { RecordKey } from '../reconcile/received.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { erasedIn, identitiesOf } from './restore-ledger.ts';

/** Who and what was erased from a database, as its backups may know it: one of another database has other ids. */
interface ErasedPeople {
  /** Their names: the UUID of the database that made them, their id there, and the uid of the change. */
  names: { record: KindName; uuid: string; originId: number; uid: number }[];
  /** The ids that they had here. */
  ids: number[];
  /** Those of them of whom no name is known: erased from a database whose place this one has taken. */
  unnamed: number[];
  /** The UUIDs of this database. */
  identities: (string | undefined)[];
  /** Whether a backup was ever restored here, which may have been of another database. */
  wasRestored: boolean;
}

/** Who was erased here. Somebody whom a restored backup brought back is not among them. */
export function erasedFrom(db: Database): ErasedPeople {
  const names = new Names(db);
  const ids = [...new Set(erasedIn(db))].filter((id) => !isLeft(db, 'user', id));
  const erasures = db.all<ErasedPeople['names'][number] & { origin: number; id: number | null }>(
    'SELECT record, uuid, origin, originId, uid, erasures.id FROM erasures JOIN origins ON origins.id = origin',
  );
  return {
    // What was erased elsewhere only waits here for a yes.
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
 * Finds people, and records of others, in a backup, by name; by id those without one, and only in a backup of the same database. What
 * never showed there is forgotten at once.
 * @param hasNames whether its names are those of its database: a format without a UUID had none
 * @returns their ids there, whether any were forgotten, and whether others may be there of whom that cannot be told
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
  // Who showed only as another has an id from then on.
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
