import type { User } from './user.ts';

/**
 * To which users the records of a file may be assigned. A file that does not state its database has ids that may be those of
 * another one. Equal ids alone do not assign a record to a user here, unless the person says so by a flag, or the file lacks
 * the record's user and only one user is here.
 */

/** Why a record of a file without an origin is not imported. */
export type OwnershipFault =
  /** Its user is not in the file, and several users are here. */
  | 'unnamed'
  /** Its user in the file is another person than the one here with that id. */
  | 'stranger'
  /** The record here with its id belongs to somebody else. */
  | 'moved';

/** What the person states about the file by flags. */
export interface Said {
  /** `--as`: id of the user here to whom its records belong. */
  readonly as?: number | undefined;
  /** `--same-ids`: its user ids are those of this database. */
  readonly sameIds?: boolean | undefined;
}

/** Whether records whose user is not in the file may be assigned to the user here with the same id. */
export const mayBelongById = ({ as, sameIds }: Said, usersHere: number): boolean =>
  as !== undefined || sameIds === true || usersHere <= 1;

/** Whether users of the file are taken for the users here with the same ids, without comparing their profiles. */
export const mayMeanById = ({ as, sameIds }: Said): boolean => as !== undefined || sameIds === true;

type Identity = Pick<User, 'firstName' | 'lastName' | 'email' | 'diagnosisDate'>;

/** Two of these must be equal, besides the first name: a marriage, a new e-mail provider or a corrected day changes one. */
const SIGNS = ['lastName', 'email', 'diagnosisDate'] as const;

/** Whether two profiles are certainly of one person, ignoring letter case. */
export function isSamePerson(a: Identity, b: Identity): boolean {
  const isEqual = (name: keyof Identity) => folded(a[name]) === folded(b[name]);
  return isEqual('firstName') && SIGNS.filter(isEqual).length >= 2;
}

const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase();

/** Advice on each fault of ownership, for the person. */
export const OWNERSHIP_REMEDY: Readonly<Record<OwnershipFault, string>> = {
  unnamed:
    'The file has no users and does not say which database it is from. If its records are all of one user: --as ID. If its userId column means the users of this database: --same-ids.',
  stranger:
    'To store them as new users: --on-conflict renumber. To put the records of the only one under a user here: --as ID. If they are the same persons: --same-ids.',
  moved:
    'A file that does not say which database it is from moves no record to another user. To store its records as new ones: --on-conflict renumber. To leave them out: --on-conflict skip.',
};
