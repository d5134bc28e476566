import type { Fault, FaultCode } from './fault.ts';

/** The kinds of failure. Each front end maps a code once, to a status or an exit code. */
export type ErrorCode =
  /** The input breaks a rule; `issues` names every one. */
  | 'invalid'
  /** No record has that id. */
  | 'not-found'
  /** It would lose data or contradicts what is stored. */
  | 'conflict'
  /** The record is no longer what the caller last saw. */
  | 'stale'
  /** The caller wants to resume from a place that the history no longer has. */
  | 'outdated'
  /** Another process held the write lock for too long. */
  | 'busy'
  /** No room on the disk. */
  | 'full'
  /** The file or its folder cannot be used: missing, no permission, not ours. */
  | 'unusable'
  /** The file holds what SQLite cannot read. */
  | 'damaged'
  /** The file was removed or replaced while it was open. */
  | 'gone'
  /** The disk failed at the commit: the change may be stored or not. */
  | 'uncertain';

/** One fault of one field. `at` says where in a file: a line, an index. */
export interface Issue {
  field: string;
  message: string;
  at?: string;
  /** What is wrong, for programs. */
  fault?: Fault;
}

/** An issue whose fault is a code alone, without bounds. */
export const issue = (field: string, message: string, code: FaultCode): Issue => ({
  field,
  message,
  fault: { code },
});

/** Formats a command, such as `undo 12`, as the reader has to type it. */
export type CommandWriter = (words: string) => string;

export const plainCommand: CommandWriter = (words) => `sciatica ${words}`;

/** A message for a person, which may name commands. */
export type Wording = string | ((command: CommandWriter) => string);

/** The text of a message, with its commands formatted by `command`. */
export const worded = (wording: Wording, command: CommandWriter): string =>
  typeof wording === 'string' ? wording : wording(command);

/** The only error whose message is meant for a user. Any other error is a defect. */
export class SciaticaError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly wording: Wording,
    readonly issues: readonly Issue[] = [],
    options?: ErrorOptions,
  ) {
    super(worded(wording, plainCommand), options);
    this.name = 'SciaticaError';
  }
}

/** Why the changes since a history seq are incomplete: a backup was restored, a user was erased, or no entry has that seq. */
export const gapReasons = ['restored', 'erased', 'unknown'] as const;
type GapReason = (typeof gapReasons)[number];

/** The changes since a history seq are incomplete, so that the caller has to read everything again. @param since the seq */
export class Outdated extends SciaticaError {
  constructor(
    since: number,
    readonly reason: GapReason,
  ) {
    const why = {
      restored: 'a backup was restored',
      erased: 'somebody was erased',
      unknown: 'this history never had that number, or has lost it',
    }[reason];
    super('outdated', `The changes since ${since} are not all there: ${why}. Read everything anew.`);
  }
}

/** Most unknown names in one error: nobody reads more, and the search for the name that each may have meant takes time. */
export const MOST_NAMED = 10;

/** One `invalid` error with all faults of the input. */
export function invalid(issues: readonly Issue[]): SciaticaError {
  return new SciaticaError('invalid', issues.map(describeIssue).join('; '), issues);
}

/** Runs `work` and returns its result. The issues of an `invalid` error are added to `issues`, with undefined as the result. */
export function tried<T>(issues: Issue[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    issues.push(...error.issues);
    return undefined;
  }
}

/** An issue as one line: `line 3: painAfter must be …`. */
export function describeIssue({ at, field, message }: Issue): string {
  return [at && `${at}:`, field, message].filter(Boolean).join(' ');
}

/** An error `not-found`: what was asked for does not exist. @param message for a person */
export const absent = (message: Wording) => new SciaticaError('not-found', message);

/** An error `conflict`: data would be lost, or the stored records contradict the request. @param message for a person */
export const conflict = (message: Wording) => new SciaticaError('conflict', message);

/** An error `unusable`: a file, a folder or a service cannot be used. @param message for a person */
export const unusable = (message: Wording) => new SciaticaError('unusable', message);

/** An error of the system or a library, kept as the cause, with a message for a person. */
export const explained = (code: ErrorCode, message: Wording, cause: unknown) =>
  new SciaticaError(code, message, [], { cause });

/** @param kind singular noun of such a record, for people */
export function idsUsedUp(kind: string): SciaticaError {
  return new SciaticaError('full', `No further ${kind} can be stored: the ids are used up.`);
}

/** @param kind singular noun of such a record, for people */
export function notFound(kind: string, id: number): SciaticaError {
  return absent(`There is no ${kind} ${id}.`);
}
