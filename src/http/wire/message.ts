import type { IncomingHttpHeaders } from 'node:http';

/** A request as the app sees it: no socket, so that a test needs no port. */
export interface HttpRequest {
  method: string;
  /** The request target, as it was sent: `/users?limit=2`. */
  target: string;
  headers: IncomingHttpHeaders;
  /** Every Host header that was sent. */
  hosts: readonly string[];
  /** Where it comes from, as far as that can be believed. */
  address(): string;
  /**
   * Reads the body.
   * @throws Problem 413 when it is larger than `MAX_BODY_BYTES`
   */
  readBody(): Promise<Uint8Array>;
  /** Calls back when the caller has gone, or has the whole answer; perhaps twice. */
  onClose(listener: () => void): void;
}

export type HttpHeaders = Record<string, string>;

/** A response: a text, or in chunks a long list or a stream that stays open. */
export interface HttpResponse {
  status: number;
  headers: HttpHeaders;
  body?: string | Generator<string> | AsyncGenerator<string>;
}

/** The largest body, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** A response with a JSON text. */
export function json(status: number, body: string, headers: HttpHeaders = {}): HttpResponse {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}
