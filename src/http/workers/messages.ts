import type { Caller } from '../../domain/access.ts';
import type { Chunk, HttpRequest, HttpResponse } from '../wire/message.ts';

/** What the main thread and a worker send each other. */

/** What a worker is started with. */
export interface WorkerData {
  /** Of the database. */
  path: string;
  hasTemporaryFolder: boolean;
}

/** A request, as far as the handler of a read looks into it. */
export interface Question {
  request: Pick<HttpRequest, 'method' | 'target' | 'headers'>;
  /** Of a write: what was sent, and how many bytes its change may store. */
  write?: { body: string; room: number };
  /** The address of the service as the caller wrote it. */
  base: string;
  caller: Caller | undefined;
  /** 1 in its one cell once nobody waits for the response any more. */
  cancelled: Int32Array;
}

/** `next` asks for the next chunk of a streamed body, `cancel` for none any more. */
export type ToWorker = { id: number } & ({ ask: Question } | { next: true } | { cancel: true });

/** The response to a request; chunks of a streamed body follow as they are asked for. */
export interface Answered {
  response: HttpResponse & { body?: string };
  isStreamed: boolean;
  /** Of a write: how many bytes its change stores. */
  stored?: number;
}

/** Each message of the main thread gets exactly one of these. */
export type FromWorker = { id: number } & (
  | Answered
  | { chunk: Chunk }
  | { ended: true }
  | { error: Failure }
);

/** An error as far as it crosses threads: with the response to it, and its stack where it was unforeseen. */
export interface Failure {
  response: HttpResponse;
  stack?: string | undefined;
}
