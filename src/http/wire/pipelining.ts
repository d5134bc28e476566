import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Most requests that wait on one connection: more than clients pipeline, and little memory. */
export const MOST_WAITING = 100;

/** Number of waiting requests by connection. */
const waiting = new WeakMap<Socket, number>();

/**
 * Runs pipelined requests one after the other (RFC 9112, 9.3.2), so that a read sees the writes before it and one
 * connection cannot occupy the service. A connection with too many waiting requests is closed, and those never run.
 */
export function afterEarlier(incoming: IncomingMessage, outgoing: ServerResponse, answer: () => void): void {
  // Node assigns the socket to a response when those before it are sent.
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
