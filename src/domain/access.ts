import type { HistoryEntry } from './history.ts';
import { type KindName, kindNames, ownedKindNames } from './kinds.ts';

/** Authorization: what each role may do over the network. */

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

/** The rights to write the records of a user, and to change the user's profile. */
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

/** Whether a right needs no token: only `pair`, which the one-time code in the request authorizes. */
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

export function may(role: Role, right: Right): boolean {
  return rights[role].has(right);
}

/** The kind of record that a right is about; rights about several kinds (`read changes`, `undo`, `send batch`) count as logs. */
export function kindOfRight(right: Right): KindName {
  if (right === 'read self' || right === 'pair') return 'user';
  return kindNames.find((kind) => right.endsWith(` ${kind}`)) ?? 'log';
}

/** The right that is needed to undo an action on a record. */
function rightToUndo({ action, record }: Pick<HistoryEntry, 'action' | 'record'>): Right {
  if (action === 'delete') return `create ${record}`;
  return `${action === 'update' ? 'change' : 'delete'} ${record}`;
}

/** Whether the role may undo the action, and all the users are in the token's scope; an erasure needs the scope of all users. */
export function mayUndo(
  { role, users: scope }: Pick<Caller, 'role' | 'users'>,
  { record, action, users }: Pick<HistoryEntry, 'action' | 'record'> & { users: readonly number[] },
): boolean {
  if (!may(role, rightToUndo({ record, action }))) return false;
  return scope === null || (action !== 'erase' && users.every((id) => scope.includes(id)));
}
