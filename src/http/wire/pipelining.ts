import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Requests that may wait on one connection: far more than a program sends ahead, little to keep. */
export const MOST_WAITING = 100;

/** How many wait on each connection where some do. */
const waiting = new WeakMap<Socket, number>();

/**
 * Answers a request when those before it on its connection are answered (RFC 9112, 9.3.2): a read sees what was
 * written before it, and who sends many requests at once has one at a time. A connection on which too many wait
 * is cut; those on it are never run.
 */
export function inTurn(incoming: IncomingMessage, outgoing: ServerResponse, answer: () => void): void {
  // Node gives a response its socket when those before it have left.
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
