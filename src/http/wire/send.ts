import type { ServerResponse } from 'node:http';
import type { HttpHeaders } from './message.ts';

/** Sends a short body, or none. */
export function sendWhole(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  body: string | undefined,
): void {
  if (body !== undefined) headers['content-length'] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers).end(body);
}

/**
 * Sends a long body as its reader takes it: no further chunk is made before the last one has left.
 * A reader that takes nothing for `stall` milliseconds is cut off.
 */
export async function sendChunks(
  outgoing: ServerResponse,
  status: number,
  headers: HttpHeaders,
  chunks: Generator<string> | AsyncGenerator<string>,
  stall: number,
): Promise<void> {
  outgoing.on('error', () => outgoing.destroy());
  try {
    outgoing.writeHead(status, headers);
    for await (const chunk of chunks) {
      if (outgoing.destroyed) return;
      if (!outgoing.write(chunk)) await drained(outgoing, stall);
      // Other requests get their turn between two chunks, however fast this reader is.
      else await new Promise(setImmediate);
    }
    outgoing.end();
  } catch {
    // The status line is gone: the only way left to say that the list is not whole is to break it off.
    outgoing.destroy();
  } finally {
    await chunks.return(undefined);
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
