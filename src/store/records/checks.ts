import { invalid, SciaticaError } from '../../domain/errors.ts';
import type { Surroundings } from './records.ts';

/**
 * Checks a record of a kind that belongs to users, or a change of one. Whether its user is there is looked up when it is stored, or here
 * to name every fault.
 * @param check one of `checksOf` the kind
 * @throws SciaticaError `invalid` with every fault, a missing user included
 */
export function checkOwned<T>(
  users: Pick<Surroundings, 'userFaults'>,
  check: (value: unknown) => T,
  value: unknown,
): T {
  try {
    return check(value);
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    const isNamed = error.issues.some(({ field }) => field === 'userId');
    const faults = isNamed ? [] : users.userFaults((value as { userId?: unknown } | null)?.userId);
    throw invalid([...error.issues, ...faults]);
  }
}
