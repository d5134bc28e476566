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
  /** A header that may be sent once and was sent again. */
  repeated?: string | undefined;
  /** Address of the caller: of the connection, or as a trusted proxy reports it. */
  address(): string;
  /**
   * Reads the body.
   * @param most bytes that it may have, `MAX_BODY_BYTES` unless given
   * @throws Problem 413 when it is larger
   */
  readBody(most?: number): Promise<Uint8Array>;
  /** Notes that the connection's caller has a valid token. */
  trust?: (() => void) | undefined;
  /**
   * Calls back when the caller disconnects or has the whole response; perhaps twice.
   * @param atEnd also when the caller closes its half of the connection, which may mean that it wants no more of a stream
   */
  onClose(listener: () => void, atEnd?: boolean): void;
}

export type HttpHeaders = Record<string, string>;

/** A part of a streamed body, and the records that it holds. */
export interface Chunk {
  readonly text: string;
  readonly disclosed?: readonly Disclosure[] | undefined;
}

export type Chunks = Generator<Chunk> | AsyncGenerator<Chunk>;

/** A content coding of response bodies. */
export type Encoding = 'br' | 'gzip';

/** A response; a long list and an event stream leave in chunks. */
export interface HttpResponse {
  status: number;
  headers: HttpHeaders;
  body?: string | Chunks;
  /** The records in a body that is a text; chunks bear their own. */
  disclosed?: readonly Disclosure[] | undefined;
  /** Whether the audit records it although others of its status are not recorded. */
  isAudited?: true;
  /** Of a body that is no text, such as a picture: each of its characters is a byte. */
  charset?: 'latin1' | undefined;
  encoding?: Encoding | undefined;
}

/** The largest request body with one record, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** The largest request body with several: 500 short logs have 100 KiB. */
export const MAX_BATCH_BYTES = 1024 * 1024;

/** A response with a JSON text. @param disclosed the records in it */
export function json(
  status: number,
  body: string,
  headers?: HttpHeaders,
  disclosed?: HttpResponse['disclosed'],
): HttpResponse {
  // `disclosed` also where it is undefined: V8 is slower with responses of several shapes.
  return { status, headers: { 'content-type': 'application/json', ...headers }, body, disclosed };
}
