import { conflict, invalid, notFound } from '../../domain/errors.ts';
import { type AnyRecord, type KindName, nounOf } from '../../domain/kinds.ts';
import { apply } from '../records/apply.ts';
import type { Database } from '../sqlite/database.ts';
import { isSeen, obstacles, type Undoable } from './undo.ts';

/** What is to be restored, and by whom. */
export interface Restoration {
  record: KindName;
  id: number;
  /** Whose it becomes, of what belongs to users; whose it was without it. */
  owner?: number | undefined;
  /**
   * Checks what was sent, and gives the record, without its id, as it comes back where erasing a user has left nothing of it. Only
   * who sees all users may say so: others would learn which ids were an erased user's.
   */
  as?: (() => { userId: number }) | undefined;
  /** The ids of the users whose records the caller sees; all without it. */
  users?: readonly number[] | undefined;
}

/**
 * Brings a deleted record back with its id, as it was deleted, inside a change. With a user comes back what was deleted with the
 * user, unless that has come back since.
 * @returns the record
 * @throws SciaticaError `not-found` where it never was, was erased, or belonged to a user that the caller does not see; `conflict`
 *   where it is there, or where its user is not, or another one has its place; `invalid` if the owner is no user, or what was sent
 *   has faults or is of another user
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
