import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import { type Checks, checksOf } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';

/** What the checks ask of users. */
interface UserLookup {
  /** What is wrong with a user's id. */
  userFaults(userId: unknown): Issue[];
}

/**
 * Checks what was sent to become a record, to take the place of one, or to change one. Whether its user is there, and its fields go
 * together, is looked up when it is stored, or here to name every fault.
 * @param before the record that it changes
 * @throws SciaticaError `invalid` with every fault, a missing user included
 */
export function checkSent<K extends KindName, How extends keyof Checks<K>>(
  users: UserLookup,
  kind: K,
  how: How,
  value: unknown,
  before?: () => object,
): ReturnType<Checks<K>[How]> {
  try {
    return checksOf(kind)[how](value) as ReturnType<Checks<K>[How]>;
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    const named = new Set(error.issues.map(({ field }) => field));
    const further = isObject(value) ? faultsBeyond(users, kind, value, before?.()) : [];
    throw invalid([...error.issues, ...further.filter(({ field }) => !named.has(field))]);
  }
}

/** What is wrong with a record beyond its fields each: its user is missing, or they do not go together. */
export function faultsBeyond(users: UserLookup, kind: KindName, sent: object, before?: object): Issue[] {
  const { userId } = sent as { userId?: unknown };
  return [
    ...(kind === 'user' ? [] : users.userFaults(userId)),
    ...(kindOf(kind).faults?.({ ...before, ...sent }, before) ?? []),
  ];
}
