import { type Noun, nouns } from './records.ts';

/** Who may do what over the network. */

export const roles = ['patient', 'provider', 'admin'] as const;
export type Role = (typeof roles)[number];

/** Permission for one kind of action on one kind of record. */
export type Right = `${'read' | 'create' | 'change' | 'delete'} ${Noun}` | 'read changes';

const READS: readonly Right[] = ['read user', 'read log', 'read routine', 'read goal', 'read changes'];

/** What belongs to a user, and the user's own profile. */
const KEEPS: readonly Right[] = [
  'change user',
  'create log',
  'change log',
  'delete log',
  'create routine',
  'change routine',
  'delete routine',
  'change goal',
  'delete goal',
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
export function recordOf(right: Right): Noun {
  return nouns.find((noun) => right.endsWith(` ${noun}`)) ?? 'log';
}
