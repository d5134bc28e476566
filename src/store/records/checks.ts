import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import { type Checks, checksOf } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';

/** The look-up of users that the checks need. */
interface UserLookup {
  /** The faults of a value as the id of a user; none for an existing user. */
  userFaults(userId: unknown): Issue[];
}

/**
 * Checks the body of a request that creates, replaces or changes a record. A valid body is checked on storing for its user and
 * for fields that contradict each other; here that is done only to report all faults of an invalid one.
 * @param before reads the record that the body changes
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

/** The faults of a record apart from those of single fields: a missing user, or fields that contradict each other. */
export function faultsBeyond(users: UserLookup, kind: KindName, sent: object, before?: object): Issue[] {
  const { userId } = sent as { userId?: unknown };
  return [
    ...(kind === 'user' ? [] : users.userFaults(userId)),
    ...(kindOf(kind).faults?.({ ...before, ...sent }, before) ?? []),
  ];
}
