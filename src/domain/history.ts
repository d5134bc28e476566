import { type AnyRecord, type KindName, ownerOf } from './kinds.ts';

/** What made a change: the command line, the API, or one of the commands that change many records at once. */
export const sources = ['cli', 'api', 'import', 'sync', 'undo', 'erase'] as const;
export type Source = (typeof sources)[number];

export const actions = ['create', 'update', 'delete', 'erase'] as const;
export type Action = (typeof actions)[number];

/** Who or what makes a change. */
export interface Origin {
  source: Source;
  /** The name of the caller's token, of the remote that was synced with, or of the file that was imported. */
  caller?: string;
}

/** What happened to one record in one change. */
export interface HistoryEntry {
  /** Grows with each entry. */
  seq: number;
  /** The change it belongs to: an import is one change with many entries. */
  change: number;
  /** When, as an ISO 8601 moment in UTC. */
  at: string;
  source: Source;
  caller?: string;
  /** The change that this one undid. */
  undoes?: number;
  record: KindName;
  id: number;
  action: Action;
  /** The record before; null when it was created. */
  before: AnyRecord | null;
  /** The record after; null when it was deleted. */
  after: AnyRecord | null;
}

/** Which entries of the history, the latest first. */
export interface HistoryFilter {
  /** Entries of this user and of the user's records. */
  user?: number;
  /** Entries of this log. */
  log?: number;
  /** From this moment on, in milliseconds since 1970. */
  since?: number;
  limit?: number;
}

/** The fields in which two states of a record differ. */
export function changedFields({ before, after }: Record<'before' | 'after', object | null>): string[] {
  const [old, now] = [before as Record<string, unknown> | null, after as Record<string, unknown> | null];
  if (!old || !now) return [];
  return [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  );
}

/** The ids of the users whose record an entry is about: two for a record that moved to another user. */
export function usersOf({ record, id, before, after }: HistoryEntry): number[] {
  if (record === 'user') return [id];
  return [before, after].flatMap((state) => (state ? [ownerOf(record, state)] : []));
}

/**
 * An entry as shown to a caller who may see only these users: a record that moved to another user is a delete, one that came
 * from another user a create.
 * @returns undefined if the entry concerns none of the users
 */
export function seenBy(users: readonly number[], entry: HistoryEntry): HistoryEntry | undefined {
  // The name of an imported file may contain the name of another person.
  if (entry.source === 'import' && entry.caller !== undefined) {
    const { caller: _, ...unnamed } = entry;
    return seenBy(users, unnamed);
  }
  if (entry.record === 'user') return users.includes(entry.id) ? entry : undefined;
  const seen = (state: HistoryEntry['before']) =>
    state && users.includes(ownerOf(entry.record, state)) ? state : null;
  const [before, after] = [seen(entry.before), seen(entry.after)];
  if (!before && !after) return undefined;
  const action = before ? (after ? 'update' : 'delete') : 'create';
  return { ...entry, action, before, after };
}

/**
 * How far the history seq is advanced when a backup is restored and the replaced database cannot be read: beyond every seq that
 * may have been assigned since the backup. Record ids, which people read, are not advanced and may be assigned again then.
 */
export const UNKNOWN_PAST = 1_000_000_000;
