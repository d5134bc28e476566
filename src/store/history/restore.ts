import { conflict, invalid, notFound } from '../../domain/errors.ts';
import { type AnyRecord, type KindName, nounOf } from '../../domain/kinds.ts';
import { apply } from '../records/apply.ts';
import type { Database } from '../sqlite/database.ts';
import { isSeen, obstacles, type Undoable } from './undo.ts';

/** What to restore, and on whose behalf. */
export interface Restoration {
  record: KindName;
  id: number;
  /** Id of the user who is to own the record; its former owner if undefined. Not for users. */
  owner?: number | undefined;
  /**
   * Validates a body that the caller sent and returns the record, without its id, to insert where an erasure has left nothing of
   * it. Works only for a caller who sees all users: others would learn which ids belonged to an erased user.
   */
  as?: (() => { userId: number }) | undefined;
  /** Ids of the users whose records the caller sees; undefined for all users. */
  users?: readonly number[] | undefined;
}

/**
 * Restores a deleted record under its id, inside a change. Restoring a user also restores the records that
 * were deleted with the user and have not been restored since.
 * @returns the record
 * @throws SciaticaError `not-found` for a record that never existed, was erased, or belonged to a user that
 *   the caller does not see; `conflict` if it exists, its user does not, or its key is taken; `invalid` if
 *   the owner does not exist, or the body has faults or names another user
 */
export function restore(
  db: Database,
  store: Undoable,
  { record, id, owner, as, users }: Restoration,
): AnyRecord {
  if (store.of(record).has(id)) throw conflict(`There is ${nounOf(record)} ${id}: it is not deleted.`);
  if (as && users === undefined && store.history.isForgotten(record, id)) {
    store.of(record).restore({ ...ownedBy(as(), owner), id } as AnyRecord);
    return store.of(record).find(id) as AnyRecord;
  }
  const deletion = store.history.lastOf(record, id);
  if (deletion?.action !== 'delete' || !deletion.before || !isSeen(deletion, users))
    throw notFound(nounOf(record), id);
  const faults = owner === undefined ? [] : store.users.userFaults(owner);
  if (faults.length > 0) throw invalid(faults);
  const before = ownedBy(deletion.before, owner) as AnyRecord;
  const sent = as?.();
  if (sent && owner === undefined && 'userId' in before && sent.userId !== before.userId)
    throw invalid([
      {
        field: 'userId',
        message: `must be ${before.userId}, whose it was: the query says who else is to have it`,
        fault: { code: 'in-conflict' },
      },
    ]);
  const reasons = obstacles(store, { ...deletion, before });
  if (reasons.length > 0) throw conflict(`${nounOf(record)} ${id} cannot be restored: ${reasons.join(' ')}`);
  store.of(record).restore(before);
  if (record === 'user')
    for (const part of store.history.partsOf(deletion.change))
      if (part.users.includes(id))
        apply(db, part.record, store.history.rowsToRestore(deletion.change, part.record, id));
  return store.of(record).find(id) as AnyRecord;
}

const ownedBy = (state: object, owner: number | undefined): object =>
  owner === undefined ? state : { ...state, userId: owner };
