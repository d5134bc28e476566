import type { IncomingMessage, ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { Problem } from '../problem.ts';
import { type HttpRequest, MAX_BODY_BYTES } from './message.ts';

/**
 * A request of Node's server as the app takes it.
 * @param isProxied whether a trusted proxy is in front
 * @param beforeBody runs before the body is read: it tells a caller who waits for 100 Continue to send it
 */
export function requestOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isProxied: boolean,
  beforeBody?: () => void,
): HttpRequest {
  return {
    method: incoming.method ?? '',
    target: incoming.url ?? '',
    headers: incoming.headers,
    hosts: hostsOf(incoming.rawHeaders),
    address: () => addressOf(incoming, isProxied),
    onClose: (listener) => {
      outgoing.once('close', listener);
      // A client that ends a stream closes only its half of the connection.
      incoming.socket.once('end', listener);
    },
    readBody: (most = MAX_BODY_BYTES) => {
      if (Number(incoming.headers['content-length'] ?? 0) > most) return Promise.reject(tooLarge(most));
      beforeBody?.();
      return readBody(incoming, most);
    },
  };
}

/**
 * The address that a request comes from.
 * @param isProxied whether a trusted proxy is in front, which appends the address to X-Forwarded-For
 */
export function addressOf(incoming: IncomingMessage, isProxied: boolean): string {
  const direct = incoming.socket.remoteAddress ?? '';
  if (!isProxied) return direct;
  const forwarded = String(incoming.headers['x-forwarded-for'] ?? '').split(',');
  const last = forwarded.at(-1)?.trim() ?? '';
  return isIP(last) ? last : direct;
}

/** Every Host header; Node keeps only the first. */
function hostsOf(rawHeaders: string[]): string[] {
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  return hosts;
}

/** Reads a body; what exceeds the limit is read and dropped, so that the caller receives the response. */
function readBody(incoming: IncomingMessage, most: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > most) {
        chunks.length = 0;
        reject(tooLarge(most));
      } else chunks.push(chunk);
    });
    incoming.on('end', () => resolve(Buffer.concat(chunks)));
    incoming.on('close', () => reject(new Problem(400, 'The request ended before its body did.')));
  });
}

export function tooLarge(most: number): Problem {
  return new Problem(413, `A body may have at most ${most} bytes.`);
}
