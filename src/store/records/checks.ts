import { type Issue, invalid, SciaticaError } from '../../domain/errors.ts';
import type { LogInput, LogPatch } from '../../domain/log.ts';
import type { RoutineInput } from '../../domain/plans/routine.ts';
import { checksOf } from '../../domain/schema.ts';

/** What the checks ask of the records. */
interface UserLookup {
  /** What is wrong with a user's id. */
  userFaults(userId: unknown): Issue[];
}

/**
 * Checks what is to become a log. Whether its user is there is looked up when it is stored, or here to name every fault.
 * @throws SciaticaError `invalid` with every fault, a missing user included
 */
export function checkNewLog(logs: UserLookup, value: unknown): LogInput {
  return withUserFaults(logs, value, checksOf('log').input);
}

/** As `checkNewLog`, of what is to change in a log. */
export function checkLogChange(logs: UserLookup, value: unknown): LogPatch {
  return withUserFaults(logs, value, checksOf('log').patch);
}

/** As `checkNewLog`, of a routine. */
export function checkNewRoutine(logs: UserLookup, value: unknown): RoutineInput {
  return withUserFaults(logs, value, checksOf('routine').input);
}

function withUserFaults<T>(logs: UserLookup, value: unknown, check: (value: unknown) => T): T {
  try {
    return check(value);
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    const isNamed = error.issues.some(({ field }) => field === 'userId');
    const faults = isNamed ? [] : logs.userFaults((value as { userId?: unknown } | null)?.userId);
    throw invalid([...error.issues, ...faults]);
  }
}
