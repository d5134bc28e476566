import { type Issue, SciaticaError } from '../domain/errors.ts';
import type { Noun } from '../domain/records.ts';

/** How records are laid out in a file. */
export const formats = ['json', 'ndjson', 'csv'] as const;
export type Format = (typeof formats)[number];

/** What stands at one place of a file: a record, not yet checked, or what keeps it from being one. */
export type Item =
  | { at: number; noun: Noun; value: unknown; fault?: never }
  | { at: number; noun?: Noun; fault: Omit<Issue, 'at'> };

/** The records of a file, a batch at a time, and how one of its places is called. */
export interface Reading {
  batches: AsyncIterable<Item[]>;
  where(at: number, noun?: Noun): string;
}

/** The key of each noun in a JSON document: what the interface calls the lists. */
export const documentKeys = { users: 'user', userExerciseLogs: 'log' } as const satisfies Record<
  string,
  Noun
>;

/**
 * Tells a log from a user by the fields that only one of them has: `userId` or `exerciseName` make a log,
 * else `firstName` or `email` make a user.
 */
export function nounOf(value: unknown): Noun | undefined {
  if (!isObject(value)) return undefined;
  if (Object.hasOwn(value, 'userId') || Object.hasOwn(value, 'exerciseName')) return 'log';
  if (Object.hasOwn(value, 'firstName') || Object.hasOwn(value, 'email')) return 'user';
  return undefined;
}

/** A value that is a record by its own fields. */
export function itemOf(at: number, value: unknown): Item {
  const noun = nounOf(value);
  if (noun) return { at, noun, value };
  const message = isObject(value)
    ? 'is neither a user (firstName, email) nor a log (userId, exerciseName)'
    : 'must be a JSON object';
  return { at, fault: { field: '', message } };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A file that cannot be read as what it should be. */
export function unreadable(message: string): SciaticaError {
  return new SciaticaError('invalid', message);
}
