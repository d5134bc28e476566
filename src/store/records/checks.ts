import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import type { KindName } from '../../domain/kinds.ts';
import { type Checks, checksOf } from '../../domain/schema.ts';

/** What the checks ask of users. */
interface UserLookup {
  /** What is wrong with a user's id. */
  userFaults(userId: unknown): Issue[];
}

/**
 * Checks what was sent to become a record, to take the place of one, or to change one. Whether its user is there is looked up
 * when it is stored, or here to name every fault.
 * @throws SciaticaError `invalid` with every fault, a missing user included
 */
export function checkSent<K extends KindName, How extends keyof Checks<K>>(
  users: UserLookup,
  kind: K,
  how: How,
  value: unknown,
): ReturnType<Checks<K>[How]> {
  try {
    return checksOf(kind)[how](value) as ReturnType<Checks<K>[How]>;
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    const isNamed = kind === 'user' || error.issues.some(({ field }) => field === 'userId');
    const faults = isNamed ? [] : users.userFaults((value as { userId?: unknown } | null)?.userId);
    throw invalid([...error.issues, ...faults]);
  }
}
