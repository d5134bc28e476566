import type { User } from './user.ts';

/**
 * Whose records may be in a file. A file that does not say which database it is from has ids that may be those of another
 * database: without a word from the person, none of its records comes to somebody here because two ids happen to be equal.
 */

/** Why a record of a file without an origin stays out. */
export type OwnershipFault =
  /** Its user is not in the file, and several users are here. */
  | 'unnamed'
  /** Its user in the file is another person than the one here with that id. */
  | 'stranger'
  /** The record here with its id belongs to somebody else. */
  | 'moved';

/** What the person has said of the file. */
export interface Said {
  /** `--as`: whose its records are. */
  readonly as?: number | undefined;
  /** `--same-ids`: its user ids are those of this database. */
  readonly sameIds?: boolean | undefined;
}

/** Whether records whose user is not in the file may come to the user here with that id. */
export const mayBelongById = ({ as, sameIds }: Said, usersHere: number): boolean =>
  as !== undefined || sameIds === true || usersHere <= 1;

/** Whether the users of the file may stand for the users here with their ids, whoever they are. */
export const mayMeanById = ({ as, sameIds }: Said): boolean => as !== undefined || sameIds === true;

type Identity = Pick<User, 'firstName' | 'lastName' | 'email' | 'diagnosisDate'>;

/** Of these, two have to agree beside the first name: a person marries, or changes provider, or corrects a day. */
const SIGNS = ['lastName', 'email', 'diagnosisDate'] as const;

/** Whether two profiles are surely of one person; letter case aside. */
export function isSamePerson(a: Identity, b: Identity): boolean {
  const isEqual = (name: keyof Identity) => folded(a[name]) === folded(b[name]);
  return isEqual('firstName') && SIGNS.filter(isEqual).length >= 2;
}

const folded = (text: string) => text.normalize('NFKC').trim().toLowerCase();

/** What helps against a fault of ownership. */
export const OWNERSHIP_REMEDY: Readonly<Record<OwnershipFault, string>> = {
  unnamed:
    'The file has no users and does not say which database it is from. If its records are all of one user: --as ID. If its userId column means the users of this database: --same-ids.',
  stranger:
    'To store them as new users: --on-conflict renumber. To put the records of the only one under a user here: --as ID. If they are the same persons: --same-ids.',
  moved:
    'A file that does not say which database it is from moves no record to another user. To store its records as new ones: --on-conflict renumber. To leave them out: --on-conflict skip.',
};
