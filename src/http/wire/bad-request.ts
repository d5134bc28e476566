import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { typeUri, usualType } from './problem.ts';

/** Error codes of Node's HTTP parser and timers, as a status. */
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
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
  else if (current?.req.complete || current?.headersSent) {
    socket.pause();
    current.once('close', () => socket.writable && refuseBadRequest(error, socket));
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
