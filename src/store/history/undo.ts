import { SciaticaError } from '../../domain/errors.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import type { Log } from '../../domain/log.ts';
import type { User } from '../../domain/user.ts';
import type { Logs } from '../records/logs.ts';
import type { Users } from '../records/users.ts';
import type { History } from './history.ts';

/** What undoing works on. */
interface Records {
  users: Users;
  logs: Logs;
  history: History;
}

/**
 * Takes a change back, inside another: what it created goes, what it deleted comes back with its id, what it updated
 * is as before.
 * @returns the entries that were taken back
 * @throws SciaticaError `not-found` for a change that is not in the history, `conflict` when something later
 *   depends on it, naming the changes that stand in the way
 */
export function takeBack(store: Records, change: number): HistoryEntry[] {
  const entries = store.history.ofChange(change);
  if (entries.length === 0)
    throw new SciaticaError('not-found', `There is no change ${change} in the history.`);
  if (entries.some(({ action }) => action === 'erase'))
    throw new SciaticaError('conflict', `Change ${change} erased a person for good: it cannot be undone.`);
  const inTheWay = new Set<string>();
  for (const entry of entries.toReversed()) {
    const reasons = obstacles(store, entry);
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

/** What stands in the way of taking an entry back. */
function obstacles(store: Records, entry: HistoryEntry): string[] {
  const { record, id, after, before, seq } = entry;
  if (!isCurrent(store, entry)) {
    const later = store.history.of(record, id).filter((other) => other.seq > seq);
    const changes = [...new Set(later.map((other) => other.change))];
    return [`${record} ${id} was changed again by ${named(changes)}.`];
  }
  if (record === 'user') {
    const logs = after && !before ? store.logs.count({ userId: id }) : 0;
    return logs > 0 ? [`user ${id} has logs that were recorded later (${logs}).`] : [];
  }
  const userId = (before as Log | null)?.userId;
  return userId !== undefined && !store.users.has(userId) ? [`user ${userId} is not there any more.`] : [];
}

function named(changes: number[]): string {
  const shown = changes.slice(0, 5).join(', ');
  return `${changes.length === 1 ? 'change' : 'changes'} ${shown}${changes.length > 5 ? ' …' : ''}`;
}

/** Whether the record is still as the entry left it. */
function isCurrent(store: Records, { record, id, after }: HistoryEntry): boolean {
  const now = record === 'user' ? store.users.find(id) : store.logs.find(id);
  return JSON.stringify(now ?? null) === JSON.stringify(after);
}

function revert(store: Records, { record, id, before, after }: HistoryEntry): void {
  if (record === 'user') {
    if (!before) store.users.delete(id);
    else if (after) store.users.replace(id, before as User);
    else store.users.restore(before as User);
  } else {
    if (!before) store.logs.delete(id);
    else if (after) store.logs.replace(id, before as Log);
    else store.logs.restore(before as Log);
  }
}
