import { absent, conflict } from '../../domain/errors.ts';
import { type HistoryEntry, seenBy } from '../../domain/history.ts';
import { type KindName, kindOf, nounOf, type OwnedRecord, ownedKindNames } from '../../domain/kinds.ts';
import { applyExpected, differingIn } from '../records/apply.ts';
import type { Records } from '../records/records.ts';
import type { Users } from '../records/users.ts';
import type { Database } from '../sqlite/database.ts';
import type { ChangePart, History, Run } from './history.ts';

/** The part of the store that undo and restore need. */
export interface Undoable {
  of(kind: KindName): Records<KindName>;
  users: Users;
  /** Not limited to a view. */
  history: History;
}

/**
 * Undoes a change, inside another change: deletes what it created, restores what it deleted under the old
 * ids, and resets what it updated.
 * @param users ids of the users whose records the caller sees; undefined for all users
 * @returns what was undone
 * @throws SciaticaError `not-found` for a change that is not in the history, `conflict` when it is undone already or something
 *   later depends on it, naming the changes that prevent the undo
 */
export function takeBack(
  db: Database,
  store: Undoable,
  change: number,
  users?: readonly number[],
): ChangePart[] {
  const parts = store.history.partsOf(change, users);
  if (parts.length === 0) throw absent(`There is no change ${change} in the history.`);
  if (parts.some(({ action }) => action === 'erase'))
    throw conflict(`Change ${change} erased a person for good: it cannot be undone.`);
  refuseUndone(store.history, change);
  const inTheWay = new Set<string>();
  for (const run of store.history.runsOf(change)) {
    for (const reason of revertRun(db, store, run, users)) inTheWay.add(reason);
    if (inTheWay.size >= MOST_REASONS) break;
  }
  if (inTheWay.size > 0) throw conflict(refusal(change, [...inTheWay]));
  return parts;
}

/** Refuses the undo of a change that is undone already. @throws SciaticaError `conflict`, naming the undo */
export function refuseUndone(history: History, change: number): void {
  const undo = history.undoOf(change);
  if (undo === undefined) return;
  const undoes = history.lastOfChange(change, 1)[0]?.undoes;
  const what = undoes === undefined ? '' : `, the undo of change ${undoes},`;
  throw conflict(
    (command) =>
      `Change ${change}${what} was undone by change ${undo} already. To have it back: ${command(`undo ${undo}`)}`,
  );
}

/** Reasons after which the search for more ends, because each one costs a query of the history. */
const MOST_REASONS = 20;

/** Undoes the entries of a run that nothing prevents. @returns the reasons that prevent the others, the last entry's first */
function revertRun(db: Database, store: Undoable, run: Run, users: readonly number[] | undefined): string[] {
  const { history } = store;
  const rows = history.rowsToRevert(run);
  const inTheWay = new Map<number, string[]>();
  const doubt = doubtOf(run, users);
  const doubtful = doubt ? db.column<number>(`SELECT r.place FROM ${rows} AS r WHERE ${doubt}`) : [];
  const look = (place: number, otherwise: string[]) => {
    const entry = history.entry(-place) as HistoryEntry;
    const reasons = obstacles(store, entry, users);
    if (reasons.length + otherwise.length > 0) inTheWay.set(place, reasons.length > 0 ? reasons : otherwise);
  };
  for (const place of doubtful) if (inTheWay.size < MOST_REASONS) look(place, []);
  const differing = differingIn(db, run.record, rows).filter((place) => !inTheWay.has(place));
  for (const place of differing.slice(0, MOST_REASONS))
    look(place, [`${nounOf(run.record)} was changed again.`]);
  if (inTheWay.size < MOST_REASONS) applyExpected(db, run.record, rows, [...inTheWay.keys()]);
  return [...inTheWay].sort(([a], [b]) => a - b).flatMap(([, reasons]) => reasons);
}

/** SQL condition: whether anything but a later change of its record may prevent undoing a row of a run; undefined for nothing. */
function doubtOf({ record, action }: Run, users: readonly number[] | undefined): string | undefined {
  const { key, fields } = kindOf(record);
  if (action === 'create') {
    const belongings = ownedKindNames.map(
      (kind) => `EXISTS (SELECT 1 FROM ${kindOf(kind).table} WHERE userId = r.id)`,
    );
    return record === 'user' ? belongings.join(' OR ') : undefined;
  }
  if (key) return 'TRUE';
  const isOwnerGone = `r.wanted ->> '$[0]' NOT IN (SELECT id FROM users)`;
  // A record that the caller does not find may have moved to another user since.
  const isLater = `EXISTS (SELECT 1 FROM history WHERE record = '${record}' AND recordId = r.id AND seq > -r.place)`;
  const doubts = [
    ...('userId' in fields ? [isOwnerGone] : []),
    ...(action === 'delete' && users ? [isLater] : []),
  ];
  return doubts.length > 0 ? doubts.join(' OR ') : undefined;
}

function refusal(change: number, reasons: string[]): string {
  const shown = reasons.slice(0, 5);
  const left = reasons.length - shown.length;
  const atLeast = reasons.length >= MOST_REASONS ? 'at least ' : '';
  const more = left > 0 ? ` And ${atLeast}${left} more like these.` : '';
  return `Change ${change} cannot be undone: ${shown.join(' ')}${more}`;
}

/** The reasons that prevent undoing an entry, as far as the caller may know them. @param users as for `takeBack` */
export function obstacles(store: Undoable, entry: HistoryEntry, users?: readonly number[]): string[] {
  const { record, id, before, seq } = entry;
  if (!isCurrent(store, entry, users)) {
    const later = store.history.of(record, id).filter((other) => other.seq > seq && isSeen(other, users));
    const changes = [...new Set(later.map((other) => other.change))];
    return [`${nounOf(record)} ${id} was changed again${changes.length > 0 ? ` by ${named(changes)}` : ''}.`];
  }
  if (record === 'user') return before ? [] : belongings(store, id);
  if (!before) return [];
  const { userId } = before as OwnedRecord;
  if (!store.users.has(userId)) return [`user ${userId} is not there any more.`];
  const other = store.of(record).withSameKey(before, id);
  return other ? [`${nounOf(record)} ${other.id} has taken its place.`] : [];
}

/** The reasons not to delete a user: records that belong to the user, and would be deleted too. */
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

/** Whether the record still has the state that the entry left. */
function isCurrent(
  store: Undoable,
  { record, id, after }: HistoryEntry,
  users: readonly number[] | undefined,
): boolean {
  const now = store.of(record).find(id);
  if (now || after || !users) return JSON.stringify(now ?? null) === JSON.stringify(after);
  // A record that the caller does not find may belong to another user, or have done so when it was deleted.
  const last = store.history.lastOf(record, id);
  return last?.after === null && isSeen(last, users);
}

/** Whether the caller may see an entry, wholly or in part. @param users as for `takeBack` */
export const isSeen = (entry: HistoryEntry, users: readonly number[] | undefined): boolean =>
  users === undefined || seenBy(users, entry) !== undefined;
