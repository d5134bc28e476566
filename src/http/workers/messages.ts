import type { Caller } from '../../domain/access.ts';
import type { Chunk, HttpRequest, HttpResponse } from '../wire/message.ts';

/** The messages between the main thread and a worker. */

/** The data that a worker is started with. */
export interface WorkerData {
  /** Path of the database. */
  path: string;
  hasTemporaryFolder: boolean;
}

/** A request for a worker, with the parts that handlers look into. */
export interface Question {
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>;
  /** For a write: the text of the body, and how many bytes its change may store. */
  write?: { body: string; room: number };
  /** The base URL of the service, as the caller addressed it. */
  base: string;
  caller: Caller | undefined;
  /** Shared memory with one cell: 1 once the query is cancelled. */
  cancelled: Int32Array;
}

/** `ask` begins a query, `next` asks for the next chunk of its streamed body, `cancel` ends it. */
export type ToWorker = { id: number } & ({ ask: Question } | { next: true } | { cancel: true });

/** The response to a request; chunks of a streamed body follow as they are asked for. */
export interface Answered {
  response: HttpResponse & { body?: string };
  isStreamed: boolean;
  /** For a write: how many bytes its change stored. */
  stored?: number;
}

/** A worker replies to each message with exactly one of these. */
export type FromWorker = { id: number } & (
  | Answered
  | { chunk: Chunk }
  | { ended: true }
  | { error: Failure }
);

/** What crosses threads of an error: the response to it and, if it was unforeseen, its stack. */
export interface Failure {
  response: HttpResponse;
  stack?: string | undefined;
}
