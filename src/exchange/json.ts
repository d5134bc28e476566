import { SciaticaError } from '../domain/errors.ts';
import { type Fault, place, tryJson } from '../lib/strict-json.ts';

/**
 * Parses a JSON text, strictly (see `tryJson`).
 * @returns the value
 * @throws SciaticaError `invalid` whose message has line and column, and never a piece of the text
 */
export function parseJson(text: string): unknown {
  const result = tryJson(text);
  if (!('fault' in result)) return result.value;
  throw faultAt(result.fault, place(text, result.fault.at));
}

/** The error for a fault. @param where its place in words: `line 3, column 14` */
export function faultAt({ message }: Fault, where: string): SciaticaError {
  return new SciaticaError('invalid', `${message.charAt(0).toUpperCase()}${message.slice(1)} at ${where}.`);
}
