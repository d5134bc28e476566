import type { KindName } from './kinds.ts';

/** Records of one kind that a response holds. */
export interface Disclosure {
  readonly record: KindName;
  /** Lowest and highest id. */
  readonly first: number;
  readonly last: number;
  readonly count: number;
  /** Id of the user whose records they are, if it is exactly one and known. */
  readonly userId?: number | undefined;
  /** Id of the token that the response issues. */
  readonly token?: number;
}

/** One request for records, granted or refused. It holds ids but no names, so that it can be kept. */
export interface AuditRecord {
  /** Milliseconds since 1970. */
  at: number;
  /** Id of the caller's token, or of the token that pairing issued; null without a valid one. */
  token: number | null;
  method: string;
  /** Path pattern, such as /users/{id}; for a pruning of the audit the interval of the removed entries (ISO 8601). */
  route: string;
  /** `audit`: entries of the audit itself were removed, as many as `count` says. */
  record: KindName | 'audit';
  /** Id of the one user it is about. The owner of a single other record is looked up when the entry is stored. */
  userId: number | null;
  /** Lowest and highest id of the records it is about; null when there are none. */
  first: number | null;
  last: number | null;
  count: number;
  status: number;
  address: string;
}

export interface AuditEntry extends Omit<AuditRecord, 'at'> {
  /** ISO 8601, UTC. */
  at: string;
  /** Name of the token; null when the token was erased. */
  who: string | null;
}

/** Which entries of the audit, the latest first. */
export interface AuditFilter {
  /** About this user, or about a list that may have held the user. */
  user?: number;
  /** Earliest time, in milliseconds since 1970. */
  since?: number;
  limit: number;
}
