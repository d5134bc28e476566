import { SciaticaError } from '../domain/errors.ts';

/** A request to a service, and what it answers: messages without a socket, so that a test needs no port. */

export interface SyncRequest {
  method: 'GET' | 'POST';
  /** With its query: `/changes?since=0`. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: string;
}

export interface SyncResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string | undefined>>;
  text: string;
}

/**
 * Sends a request once.
 * @throws Unanswered without a whole answer, so that the request may or may not have been carried out; SciaticaError for all that
 *   a repetition would not help
 */
export type Transport = (request: SyncRequest) => Promise<SyncResponse>;

/** The connection failed before the whole answer was there. */
export class Unanswered extends Error {}

/** There is no machine or no service at the address: nothing was sent, and sending it again at once would not help. */
export class Unreachable extends SciaticaError {
  constructor(message: string, options?: ErrorOptions) {
    super('unusable', message, [], options);
  }
}
