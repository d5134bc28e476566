/** What a file says of the database that its records are from. */
export interface FileOrigin {
  /** The UUID of the database. */
  id: string;
  /** The last entry of its history as the file was written: grows with each change over there. */
  seq: number;
  /** Whether all records of the database are in the file: what is missing was deleted. */
  complete: boolean;
}

/** The UUID of a database. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The origin that a value describes; undefined for any other value. Members that are not known here are ignored. */
export function originOf(value: unknown): FileOrigin | undefined {
  const { id, seq, complete } = (value ?? {}) as Record<string, unknown>;
  if (typeof id !== 'string' || !UUID.test(id)) return undefined;
  if (!Number.isSafeInteger(seq) || (seq as number) < 0 || typeof complete !== 'boolean') return undefined;
  return { id, seq: seq as number, complete };
}

export const ORIGIN_EXPECTED =
  'must be an object with id (a UUID), seq (a whole number) and complete (true or false)';
