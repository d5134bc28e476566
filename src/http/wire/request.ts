import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import type { SharedConnections } from './connections.ts';
import { type HttpRequest, MAX_BODY_BYTES } from './message.ts';
import { Problem } from './problem.ts';

/** How requests reach the service. */
export interface Reach {
  /** Whether a trusted proxy is in front. */
  isProxied: boolean;
  /** The limits of connections by network, where they apply. */
  connections?: SharedConnections | undefined;
}

/**
 * Converts a request of Node's server.
 * @param beforeBody called before the body is read: sends 100 Continue to a caller that waits for it
 */
export function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { isProxied, connections }: Reach,
  beforeBody?: () => void,
): HttpRequest {
  const { hosts, repeated } = singleHeaders(incoming.rawHeaders);
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headers,
    hosts,
    repeated,
    address: () => addressOf(incoming, isProxied),
    trust: connections && (() => connections.trust(incoming.socket)),
    onClose: (listener, atEnd = true) => {
      outgoing.once('close', listener);
      // A client that ends a stream closes only its half of the connection.
      if (atEnd) incoming.socket.once('end', listener);
    },
    readBody: (most = MAX_BODY_BYTES) => {
      if (Number(incoming.headers['content-length'] ?? 0) > most) return Promise.reject(tooLarge(most));
      beforeBody?.();
      return readBody(incoming, most);
    },
  };
}

/** The path and the query of a request target in origin form or absolute form (RFC 9112, 3.2); no path is / (RFC 9110, 4.2.3). */
export function partsOf(target: string): { path: string; search: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*\/?/i, '/');
  const question = origin.indexOf('?');
  if (question < 0) return { path: origin, search: '' };
  return { path: origin.slice(0, question), search: origin.slice(question + 1) };
}

/**
 * The address that a request comes from.
 * @param isProxied whether a trusted proxy is in front, which appends the address to X-Forwarded-For
 */
export function addressOf(incoming: IncomingMessage, isProxied: boolean): string {
  // A socket for both versions of IP gives IPv4 addresses as ::ffff:192.0.2.7.
  const direct = (incoming.socket.remoteAddress ?? '').replace(/^::ffff:(?=[\d.]+$)/i, '');
  if (!isProxied) return direct;
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',');
  return addressIn(forwarded.at(-1)?.trim() ?? '') ?? direct;
}

/** A warning unless X-Forwarded-For is one address, as from a proxy that replaces the header; undefined if it is. */
export function forwardingFault({ headers }: IncomingMessage): string | undefined {
  const forwarded = String(headers['x-forwarded-for'] ?? '');
  if (addressIn(forwarded.trim()) !== undefined) return undefined;
  return forwarded.includes(',')
    ? 'X-Forwarded-For came with several addresses; the last one counts. The proxy should replace the header.'
    : 'A request came without an address in X-Forwarded-For: it counts as the proxy itself.';
}

/** The IP address in `192.0.2.7`, `192.0.2.7:99`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:99`. */
function addressIn(text: string): string | undefined {
  if (isIP(text)) return text;
  const [, six, four] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(text) ?? [];
  return (six && isIP(six) === 6) || (four && isIP(four) === 4) ? (six ?? four) : undefined;
}

/** Checks headers that may be sent only once: every Host (Node keeps the first), and the name of another that was repeated. */
function singleHeaders(rawHeaders: string[]): { hosts: string[]; repeated: string | undefined } {
  const hosts: string[] = [];
  let [authorizations, keys] = [0, 0];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    // The lengths of host, authorization and idempotency-key: for most headers, this saves toLowerCase.
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++;
    else if (name.length === 15 && name.toLowerCase() === 'idempotency-key') keys++;
  }
  const repeated = authorizations > 1 ? 'Authorization' : keys > 1 ? 'Idempotency-Key' : undefined;
  return { hosts, repeated };
}

/** Reads a body. The rest of one over the limit is read and dropped, so that the caller receives the response. */
function readBody(incoming: IncomingMessage, most: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0);
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      const begin = size;
      size += chunk.length;
      if (size > most) {
        body = Buffer.alloc(0);
        reject(tooLarge(most));
        return;
      }
      if (begin === 0) body = chunk;
      // Further chunks are copied: a Buffer takes a hundred bytes, and a chunk may hold one.
      else if (size > body.length) body = Buffer.concat([body], Math.min(most, 2 * size));
      if (begin > 0) chunk.copy(body, begin);
    });
    incoming.on('end', () => resolve(body.subarray(0, size)));
    // `close` comes after complete requests too: an error for each would take 5 % of a small POST.
    incoming.on('close', () => {
      if (!incoming.complete) reject(new Problem(400, 'The request ended before its body did.'));
    });
  });
}

export function tooLarge(most: number): Problem {
  return new Problem(413, `A body may have at most ${most} bytes.`);
}
