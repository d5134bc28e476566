import type { HistoryEntry } from './history.ts';
import { type KindName, kindNames, ownedKindNames } from './kinds.ts';

/** Who may do what over the network. */

export const roles = ['patient', 'provider', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Permission for one kind of action on one kind of record. */
export type Right =
  | `${'read' | 'create' | 'change' | 'delete'} ${KindName}`
  | 'read changes'
  | 'read self'
  | 'undo'
  | 'send batch'
  | 'pair';

/** A batch is allowed to every role: each request in it needs its own right. */
const READS: readonly Right[] = [
  ...kindNames.map((kind) => `read ${kind}` as const),
  'read changes',
  'read self',
  'send batch',
];

/** What belongs to a user, and the user's own profile. */
const KEEPS: readonly Right[] = [
  'change user',
  ...ownedKindNames.flatMap((kind) => [`create ${kind}`, `change ${kind}`, `delete ${kind}`] as const),
  'undo',
];

/**
 * The rights of each role, on the records that its token covers: of one user for a patient, of the assigned users
 * for a provider, all for an admin. What is not listed is denied.
 */
export const rights: Readonly<Record<Role, ReadonlySet<Right>>> = {
  patient: new Set([...READS, ...KEEPS]),
  provider: new Set(READS),
  admin: new Set([...READS, ...KEEPS, 'create user', 'delete user']),
};

/** Whether a right needs no token: to pair, for which the one-time code in the request stands. */
export const isOpenToAll = (right: Right): boolean => right === 'pair';

/** An authenticated caller. */
export interface Caller {
  /** Id of the token. */
  id: number;
  name: string;
  role: Role;
  /** Ids of the users whose records the caller sees; null for all. */
  users: readonly number[] | null;
}

/** Whether the role has the right. */
export function may(role: Role, right: Right): boolean {
  return rights[role].has(right);
}

/** The kind of record that a right is about; the changes of all kinds count as logs. */
export function kindOfRight(right: Right): KindName {
  if (right === 'read self' || right === 'pair') return 'user';
  return kindNames.find((kind) => right.endsWith(` ${kind}`)) ?? 'log';
}

/** The right that it takes to take back what happened to a record. */
function rightToUndo({ action, record }: Pick<HistoryEntry, 'action' | 'record'>): Right {
  if (action === 'delete') return `create ${record}`;
  return `${action === 'update' ? 'change' : 'delete'} ${record}`;
}

/** Whether the caller could write back entries that did the same to records of these users: all are in scope. */
export function mayUndo(
  { role, users: scope }: Pick<Caller, 'role' | 'users'>,
  { record, action, users }: Pick<HistoryEntry, 'action' | 'record'> & { users: readonly number[] },
): boolean {
  if (!may(role, rightToUndo({ record, action }))) return false;
  return scope === null || (action !== 'erase' && users.every((id) => scope.includes(id)));
}
