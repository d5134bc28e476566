/** What somebody did, or tried to do, over the network: ids and no names, so that it can be kept. */
export interface Deed {
  /** In milliseconds since 1970. */
  at: number;
  /** The id of the caller's token; null without a valid one. */
  token: number | null;
  method: string;
  /** The pattern of the path, such as /users/{id}. */
  route: string;
  record: 'user' | 'log';
  /** The user it is about, where it is about one; the owner of a log is looked up when it is stored. */
  userId: number | null;
  /** The lowest and the highest id of the records it is about, and how many there are. */
  first: number | null;
  last: number | null;
  count: number;
  status: number;
  address: string;
}

export interface AuditEntry extends Omit<Deed, 'at'> {
  /** As an ISO 8601 moment in UTC. */
  at: string;
  /** The name of the token; null when it is gone. */
  who: string | null;
}

/** Which entries, the latest first. */
export interface AuditFilter {
  /** That are, or may be, about this user. */
  user?: number;
  /** From this moment on, in milliseconds since 1970. */
  since?: number;
  limit: number;
}
