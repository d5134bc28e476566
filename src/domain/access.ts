/** Who may do what over the network. */

export const roles = ['patient', 'provider', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Permission for one kind of action on one kind of record. */
export type Right = `${'read' | 'create' | 'change' | 'delete'} ${'user' | 'log'}` | 'read changes';

const READS: readonly Right[] = ['read user', 'read log', 'read changes'];

/**
 * The rights of each role, on the records that its token covers: of one user for a patient, of the assigned users
 * for a provider, all for an admin. What is not listed is denied.
 */
export const rights: Readonly<Record<Role, ReadonlySet<Right>>> = {
  patient: new Set([...READS, 'change user', 'create log', 'change log', 'delete log']),
  provider: new Set(READS),
  admin: new Set([
    ...READS,
    'create user',
    'change user',
    'delete user',
    'create log',
    'change log',
    'delete log',
  ]),
};

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

/** The kind of record that a right is about; the changes of users and logs count as logs. */
export function recordOf(right: Right): 'user' | 'log' {
  return right.endsWith('user') ? 'user' : 'log';
}
