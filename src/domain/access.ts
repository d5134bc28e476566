/** Who may do what over the network. */

export const roles = ['patient', 'provider', 'admin'] as const;
export type Role = (typeof roles)[number];

type Deed = 'list' | 'read' | 'create' | 'replace' | 'patch' | 'remove' | 'history' | 'summary' | 'report';

/** Something that a route does, as `<kind of route> <kind of record>`; the changes are of both. */
export type Right = `${Deed} ${'user' | 'log'}` | 'changes';

const READS: readonly Right[] = [
  'list user',
  'read user',
  'history user',
  'summary user',
  'report user',
  'list log',
  'read log',
  'history log',
  'changes',
];

/**
 * What each role may do, to the records that it sees: a patient to the own ones, a provider to those of the
 * users assigned, an admin to all. What is not named here is closed.
 */
export const rights: Readonly<Record<Role, ReadonlySet<string>>> = {
  patient: new Set<Right>([
    ...READS,
    'replace user',
    'patch user',
    'create log',
    'replace log',
    'patch log',
    'remove log',
  ]),
  provider: new Set<Right>(READS),
  admin: new Set<Right>([
    ...READS,
    'create user',
    'replace user',
    'patch user',
    'remove user',
    'create log',
    'replace log',
    'patch log',
    'remove log',
  ]),
};

/** What needs no token: it tells of no record. */
export const openToAll: ReadonlySet<string> = new Set(['health', 'document', 'docs']);

/** Who calls. */
export interface Caller {
  /** Of the token. */
  id: number;
  name: string;
  role: Role;
  /** The ids of the users whose records the caller sees; null for all. */
  users: readonly number[] | null;
}

/** Whether the role may do that, to records that it sees. */
export function may(role: Role, right: string): boolean {
  return rights[role].has(right);
}
