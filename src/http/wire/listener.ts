import { X509Certificate } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type SecureContextOptions, Server as TlsServer } from 'node:tls';
import { typeUri, usualType } from './problem.ts';

const MAX_HEADER_BYTES = 16 * 1024;
/** Highest number of simultaneous connections. */
export const MAX_CONNECTIONS = 512;

/**
 * A server with limits on headers, connections and time, not yet listening.
 * @param timeouts in milliseconds
 * @throws the error of OpenSSL for an invalid certificate or key
 */
export function createListener(
  timeouts: { headers: number; request: number; stall: number },
  tls?: Tls,
): Server {
  const bounds = {
    headersTimeout: timeouts.headers,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(1_000, timeouts.headers),
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
  };
  const server = tls
    ? (createTlsServer({ ...bounds, ...secureContext(tls), handshakeTimeout: timeouts.headers })
        // No error response: nothing can be sent before the handshake is done.
        .on('tlsClientError', (_, socket) => socket.destroy()) as Server)
    : createServer(bounds);
  // No limit on their number (their bytes have one): Node would drop those after 2000, even a second Host.
  server.maxHeadersCount = 0;
  server.setTimeout(timeouts.stall);
  // Otherwise Node drops the response to a client that closes its half of the connection after the request.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/**
 * Starts to listen.
 * @returns the port
 * @throws the error of listen(2), such as EADDRINUSE
 */
export async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  return (server.address() as AddressInfo).port;
}

/** The connections that have carried no request yet, which close() leaves open. A connection is added when it arrives. */
export function unusedConnections(server: Server): Set<Socket> {
  const unused = new Set<Socket>();
  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    unused.add(socket);
    socket.on('close', () => unused.delete(socket));
  });
  return unused;
}

/** The Host values for a listening IP address, as DNS rebinding changes names only; none for a wildcard or a name. */
export function hostNames(host: string): string[] {
  const version = isIP(host);
  if (version === 0 || host === '0.0.0.0' || host === '::') return [];
  return [version === 6 ? `[${host.toLowerCase()}]` : host];
}

/** Highest number of pipelined requests that wait on one connection: more than clients send, and little memory. */
export const MOST_WAITING = 100;

/** Number of waiting requests by connection. */
const waiting = new WeakMap<Socket, number>();

/**
 * Runs pipelined requests one after the other (RFC 9112, 9.3.2), so that a read sees the writes before it and one
 * connection cannot occupy the service. A connection with too many waiting requests is closed, and those never run.
 */
export function afterEarlier(incoming: IncomingMessage, outgoing: ServerResponse, answer: () => void): void {
  // Node assigns the socket to a response once those before it are sent.
  if (outgoing.socket) {
    answer();
    return;
  }
  const { socket } = incoming;
  const ahead = waiting.get(socket) ?? 0;
  if (ahead >= MOST_WAITING) {
    socket.destroy();
    return;
  }
  waiting.set(socket, ahead + 1);
  outgoing.once('socket', () => {
    waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
    answer();
  });
}

/** The responses to error codes of Node's HTTP parser and timers; `malformed` for any other. */
const statuses: Record<string, { status: number; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: 'The headers are too large.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: 'The request took too long to arrive.' },
};

const malformed = { status: 400, detail: 'This is not a well-formed HTTP request.' };

/** `_httpMessage` is the response that a connection is sending; Node's own handler of bad requests reads it too. */
type Connection = Duplex & { _httpMessage?: ServerResponse | null };

/** Answers a request that is not well-formed HTTP, after the responses before it, and closes the connection. */
export function refuseBadRequest(error: NodeJS.ErrnoException, socket: Connection): void {
  const current = socket._httpMessage;
  if (!socket.writable) socket.destroy();
  else if (current?.req.complete || current?.headersSent) {
    socket.pause();
    current.once('close', () => refuseBadRequest(error, socket));
  } else refuse(socket, statuses[error.code ?? ''] ?? malformed);
}

/** Refuses CONNECT, which asks for a tunnel through a proxy. */
export function refuseConnect(socket: Duplex): void {
  socket.on('error', () => socket.destroy());
  refuse(socket, { status: 400, detail: 'This service is no proxy.' });
}

function refuse(socket: Duplex, { status, detail }: { status: number; detail: string }): void {
  const title = STATUS_CODES[status];
  const body = JSON.stringify({ type: typeUri(usualType(status)), title, status, detail });
  socket.end(
    `HTTP/1.1 ${status} ${title}\r\ncontent-type: application/problem+json\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** A certificate and its key, as PEM. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
  /** Whether the service made the certificate, so that no public authority has signed it. */
  isOwn?: boolean;
}

/** The suites of TLS 1.3, and those of TLS 1.2 with ECDHE and AEAD (RFC 9325, 4.2). */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
];

/** The TLS settings for a certificate. */
export function secureContext({ cert, key }: Tls): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS.join(':') };
}

/** One year, in seconds. */
const HSTS = 'max-age=31536000';

/**
 * The Strict-Transport-Security header (RFC 6797) for a Host; undefined for localhost and for an IP address. It must not be sent
 * with a privately signed certificate: browsers would no longer let their users accept that.
 */
export function strictTransport(host: string | undefined): string | undefined {
  const name = (host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const isLocal = name === '' || name.startsWith('[') || isIP(name) > 0 || /(^|\.)localhost$/.test(name);
  return isLocal ? undefined : HSTS;
}

/** Whether a certificate (the first of a chain) was signed with its own key, or by an authority that the service made. */
export function isPrivatelySigned({ cert, isOwn = false }: Tls): boolean {
  const certificate = new X509Certificate(cert);
  return isOwn || certificate.verify(certificate.publicKey);
}
