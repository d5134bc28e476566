import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import type { InputOf, OwnedKindName, PatchOfKind } from '../../domain/kinds.ts';
import { checksOf } from '../../domain/schema.ts';

/** What the checks ask of users. */
interface UserLookup {
  /** What is wrong with a user's id. */
  userFaults(userId: unknown): Issue[];
}

/**
 * Checks what is to become a record of a kind that belongs to users. Whether its user is there is looked up when it is stored,
 * or here to name every fault.
 * @throws SciaticaError `invalid` with every fault, a missing user included
 */
export function checkNew<K extends OwnedKindName>(users: UserLookup, kind: K, value: unknown): InputOf<K> {
  return withUserFaults(users, value, checksOf(kind).input);
}

/** As `checkNew`, of what is to take the place of a record. */
export function checkReplacement<K extends OwnedKindName>(
  users: UserLookup,
  kind: K,
  value: unknown,
): PatchOfKind<K> {
  return withUserFaults(users, value, checksOf(kind).replacement);
}

/** As `checkNew`, of what is to change in a record. */
export function checkChange<K extends OwnedKindName>(
  users: UserLookup,
  kind: K,
  value: unknown,
): PatchOfKind<K> {
  return withUserFaults(users, value, checksOf(kind).patch);
}

function withUserFaults<T>(users: UserLookup, value: unknown, check: (value: unknown) => T): T {
  try {
    return check(value);
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    const isNamed = error.issues.some(({ field }) => field === 'userId');
    const faults = isNamed ? [] : users.userFaults((value as { userId?: unknown } | null)?.userId);
    throw invalid([...error.issues, ...faults]);
  }
}
