import type { ServerResponse } from 'node:http';
import type { HttpHeaders } from './message.ts';

/** Sends a body that is a text, or none. */
export function sendWhole(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  body: string | Uint8Array | undefined,
): void {
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers).end(body);
}

/**
 * Sends a streamed body at the speed of its reader: a chunk is made when the one before has left.
 * @param stall milliseconds after which a reader that takes nothing is disconnected
 */
export async function sendChunks(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  chunks: AsyncIterable<{ text: string | Uint8Array }> | Iterable<{ text: string | Uint8Array }>,
  stall: number,
): Promise<void> {
  outgoing.on('error', () => outgoing.destroy());
  try {
    outgoing.writeHead(status, headers);
    for await (const { text } of chunks) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(text)) await drained(outgoing, stall);
      // Lets other requests run between two chunks, however fast this reader is.
      else await new Promise(setImmediate);
    }
    outgoing.end();
  } catch {
    // The status line is sent: only a broken connection can say that the body is incomplete.
    outgoing.destroy();
  }
}

function drained(outgoing: ServerResponse, stall: number): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      outgoing.off('drain', done).off('close', done);
      resolve();
    };
    const timer = setTimeout(() => outgoing.destroy(), stall);
    outgoing.on('drain', done).on('close', done);
  });
}
