import type { IncomingHttpHeaders } from 'node:http';
import type { Disclosure } from '../../domain/audit.ts';

/** A request without its socket, so that a test needs no port. */
export interface HttpRequest {
  method: string;
  /** The request target as it was sent: `/users?limit=2`. */
  target: string;
  headers: IncomingHttpHeaders;
  /** The value of every Host header. */
  hosts: readonly string[];
  /** The name of a header that was sent twice and must not be. */
  repeated?: string | undefined;
  /** IP address of the caller: that of the connection, or the one that a trusted proxy reports. */
  address(): string;
  /**
   * Reads the body.
   * @param most largest accepted body, in bytes; `MAX_BODY_BYTES` by default
   * @throws Problem 413 when it is larger
   */
  readBody(most?: number): Promise<Uint8Array>;
  /** Marks the connection as used by a caller with a valid token. */
  trust?: (() => void) | undefined;
  /**
   * Calls back when the caller disconnects or the whole response is sent; perhaps twice.
   * @param atEnd whether also when the caller closes its half of the connection, which may mean that it wants no more of a stream
   */
  onClose(listener: () => void, atEnd?: boolean): void;
}

export type HttpHeaders = Record<string, string>;

/** A part of a streamed body, and the records that it discloses. */
export interface Chunk {
  readonly text: string;
  readonly disclosed?: readonly Disclosure[] | undefined;
}

export type Chunks = Generator<Chunk> | AsyncGenerator<Chunk>;

/** A content coding of response bodies. */
export type Encoding = 'br' | 'gzip';

/** A response. The body of a long list or an event stream is sent in chunks. */
export interface HttpResponse {
  status: number;
  headers: HttpHeaders;
  body?: string | Chunks;
  /** The records in a body that is a string; chunks have their own. */
  disclosed?: readonly Disclosure[] | undefined;
  /** The audit records this response, although it does not record others with the same status. */
  isAudited?: true;
  /** For a binary body, such as an image: each character of the string is one byte. */
  charset?: 'latin1' | undefined;
  encoding?: Encoding | undefined;
}

/** The largest request body with one record, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The largest request body with several records, in bytes: 500 short logs have 100 KiB. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** A response with a JSON text. @param disclosed the records in it */
export function json(
  status: number,
  body: string,
  headers?: HttpHeaders,
  disclosed?: HttpResponse['disclosed'],
): HttpResponse {
  // `disclosed` is set even if undefined: V8 is slower with responses of several shapes.
  return { status, headers: { 'content-type': 'application/json', ...headers }, body, disclosed };
}
