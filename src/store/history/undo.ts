import { SciaticaError } from '../../domain/errors.ts';
import { type HistoryEntry, seenBy } from '../../domain/history.ts';
import { type KindName, kindOf, nounOf, type OwnedRecord, ownedKindNames } from '../../domain/kinds.ts';
import type { Records } from '../records/records.ts';
import type { Users } from '../records/users.ts';
import type { History } from './history.ts';

/** What undoing works on. */
export interface Undoable {
  of(kind: KindName): Records<KindName>;
  users: Users;
  /** Of all records, whoever sees them. */
  history: History;
}

/**
 * Takes a change back, inside another: what it created goes, what it deleted comes back with its id, what it updated
 * is as before.
 * @param users the ids of the users whose records the caller sees; all without it
 * @returns the entries that were taken back
 * @throws SciaticaError `not-found` for a change that is not in the history, `conflict` when something later
 *   depends on it, naming the changes that stand in the way
 */
export function takeBack(store: Undoable, change: number, users?: readonly number[]): HistoryEntry[] {
  const entries = store.history.ofChange(change, users);
  if (entries.length === 0)
    throw new SciaticaError('not-found', `There is no change ${change} in the history.`);
  if (entries.some(({ action }) => action === 'erase'))
    throw new SciaticaError('conflict', `Change ${change} erased a person for good: it cannot be undone.`);
  const inTheWay = new Set<string>();
  for (const entry of entries.toReversed()) {
    const reasons = obstacles(store, entry, users);
    for (const reason of reasons) inTheWay.add(reason);
    if (reasons.length === 0) revert(store, entry);
  }
  if (inTheWay.size > 0) throw new SciaticaError('conflict', refusal(change, [...inTheWay]));
  return entries;
}

function refusal(change: number, reasons: string[]): string {
  const shown = reasons.slice(0, 5);
  const more = reasons.length > shown.length ? ` And ${reasons.length - shown.length} more like these.` : '';
  return `Change ${change} cannot be undone: ${shown.join(' ')}${more}`;
}

/** What stands in the way of taking an entry back, as far as the caller may know. @param users as for `takeBack` */
export function obstacles(store: Undoable, entry: HistoryEntry, users?: readonly number[]): string[] {
  const { record, id, after, before, seq } = entry;
  if (!isCurrent(store, entry, users)) {
    const later = store.history.of(record, id).filter((other) => other.seq > seq && isSeen(other, users));
    const changes = [...new Set(later.map((other) => other.change))];
    return [`${nounOf(record)} ${id} was changed again${changes.length > 0 ? ` by ${named(changes)}` : ''}.`];
  }
  if (record === 'user') return after && !before ? belongings(store, id) : [];
  if (!before) return [];
  const { userId } = before as OwnedRecord;
  if (!store.users.has(userId)) return [`user ${userId} is not there any more.`];
  const other = store.of(record).withSameKey(before, id);
  return other ? [`${nounOf(record)} ${other.id} has taken its place.`] : [];
}

/** What belongs to a user, which would go with the user. */
function belongings(store: Undoable, userId: number): string[] {
  return ownedKindNames.flatMap((kind) => {
    const count = store.of(kind).count({ userId });
    return count > 0
      ? [`user ${userId} has ${kindOf(kind).words.many} that were recorded later (${count}).`]
      : [];
  });
}

function named(changes: number[]): string {
  const shown = changes.slice(0, 5).join(', ');
  return `${changes.length === 1 ? 'change' : 'changes'} ${shown}${changes.length > 5 ? ' …' : ''}`;
}

/** Whether the record is still as the entry left it. */
function isCurrent(
  store: Undoable,
  { record, id, after }: HistoryEntry,
  users: readonly number[] | undefined,
): boolean {
  const now = store.of(record).find(id);
  if (now || after || !users) return JSON.stringify(now ?? null) === JSON.stringify(after);
  // What the caller does not find may be another user's, or have been when it was deleted.
  const last = store.history.lastOf(record, id);
  return last?.after === null && isSeen(last, users);
}

/** Whether the caller sees what an entry did to a record, wholly or in part. @param users as for `takeBack` */
export const isSeen = (entry: HistoryEntry, users: readonly number[] | undefined): boolean =>
  users === undefined || seenBy(users, entry) !== undefined;

/** Makes a record as it was before an entry. */
export function revert(store: Undoable, { record, id, before, after }: HistoryEntry): void {
  const verbs = store.of(record);
  if (!before) verbs.delete(id);
  else if (after) verbs.replace(id, before);
  else verbs.restore(before);
}
