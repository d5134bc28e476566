/** The database that the records of a file come from, as the file states it. */
export interface FileOrigin {
  /** The UUID of the database. */
  id: string;
  /** Highest history seq of that database when the file was written: grows with each change there. */
  seq: number;
  /** Whether the file has all records of the database, so that a missing one was deleted. */
  complete: boolean;
}

/** The UUID of a database. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Reads an origin; undefined for any other value. Unknown members are ignored. */
export function originOf(value: unknown): FileOrigin | undefined {
  const { id, seq, complete } = (value ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || !UUID.test(id)) return undefined;
  if (!Number.isSafeInteger(seq) || (seq as number) < 0 || typeof complete !== 'boolean') return undefined;
  return { id, seq: seq as number, complete };
}

export const ORIGIN_EXPECTED =
  'must be an object with id (a UUID), seq (a whole number) and complete (true or false)';
