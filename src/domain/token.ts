import type { Caller, Role } from './access.ts';
import { type Issue, invalid } from './errors.ts';

/** A token without its secret, as it is shown. Moments are in milliseconds since 1970. */
export interface Token extends Caller {
  createdAt: number;
  expiresAt: number | null;
  lastUsedAt: number | null;
  revokedAt: number | null;
}

export interface TokenInput {
  name: string;
  role: Role;
  users: readonly number[] | null;
  /** Lifetime in milliseconds; null for no expiry. */
  lifetime: number | null;
}

export type TokenState = 'valid' | 'expired' | 'revoked';

/** Whether a token is valid at a moment, in milliseconds since 1970. */
export function stateOf(
  { revokedAt, expiresAt }: Pick<Token, 'revokedAt' | 'expiresAt'>,
  now: number,
): TokenState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}

/** Most characters of a token's name. */
export const NAME_LENGTH = 100;

/** The rule for names of tokens, in words that follow "must be". */
export const TOKEN_NAME = `1 to ${NAME_LENGTH} letters, digits, spaces or . _ - @, and begin with a letter`;

/** Whether a text can be the name of a token: it appears in header values, logs and terminals. */
export const isTokenName = (name: string): boolean => /^[A-Za-z][\w.@ -]{0,99}$/.test(name);

/** Checks the input for a new token. @throws SciaticaError `invalid` with every fault */
export function checkToken({ name, role, users }: TokenInput): void {
  const issues: Issue[] = [];
  if (!isTokenName(name)) issues.push({ field: 'NAME', message: `must be ${TOKEN_NAME}` });
  if (role === 'patient' && users?.length !== 1)
    issues.push({ field: '--user', message: 'must be the id of the one user whose token it is' });
  if (role === 'admin' && users !== null)
    issues.push({ field: '--user', message: 'cannot be given to an admin, who sees all users' });
  if (issues.length > 0) throw invalid(issues);
}
