import { invalid, SciaticaError } from '../../domain/errors.ts';
import type { LogInput, LogPatch } from '../../domain/log.ts';
import { checkLogInput, checkLogPatch } from '../../domain/schema.ts';
import type { Store } from '../store.ts';

/** Checks what is to become a log. @throws SciaticaError `invalid` with every fault, a missing user included */
export function checkNewLog(store: Store, value: unknown): LogInput {
  return withUser(store, value, checkLogInput);
}

/** Checks what is to change in a log. @throws SciaticaError `invalid` with every fault, a missing user included */
export function checkLogChange(store: Store, value: unknown): LogPatch {
  return withUser(store, value, checkLogPatch);
}

function withUser<T>({ logs }: Store, value: unknown, check: (value: unknown) => T): T {
  const issues = logs.userFaults((value as { userId?: unknown } | null)?.userId);
  try {
    const input = check(value);
    if (issues.length === 0) return input;
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
    const told = error.issues.some(({ field }) => field === 'userId');
    throw invalid([...error.issues, ...(told ? [] : issues)]);
  }
  throw invalid(issues);
}
