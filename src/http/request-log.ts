import type { IncomingMessage, ServerResponse } from 'node:http';

/** The request log, a line each: no query, body or header, for they hold what people recorded. */
export class RequestLog {
  #lines: string[] = [];

  constructor(private readonly write: (text: string) => void) {}

  /** Notes a request when its response has gone out or its caller has. */
  request(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const begun = performance.now();
    outgoing.once('close', () => {
      const status = outgoing.writableFinished ? outgoing.statusCode : 'aborted';
      const took = (performance.now() - begun).toFixed(1);
      this.#add(`${incoming.method} ${pathOf(incoming.url ?? '')} ${status} ${took} ms`);
    });
  }

  /** Notes a failure that was not foreseen. */
  failure(error: unknown): void {
    this.#add(`error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  }

  /** Writes what is waiting. */
  flush(): void {
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0) this.write(`${lines.join('\n')}\n`);
  }

  /** Lines that fall together leave in one write: under load that is much of what logging costs. */
  #add(line: string): void {
    if (this.#lines.length === 0) setImmediate(() => this.flush());
    this.#lines.push(`${new Date().toISOString()} ${line}`);
  }
}

function pathOf(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  return path.replace(/[^\x21-\x7e]/g, '?').slice(0, 200);
}
