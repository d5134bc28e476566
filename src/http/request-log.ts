import type { IncomingMessage, ServerResponse } from 'node:http';
import { SciaticaError } from '../domain/errors.ts';

/** Lines that fall together leave in one write: under load that is much of what logging costs. */
const FLUSH_MS = 100;

/** The request log, a line each: no query, body or header, for they hold what people recorded. */
export class RequestLog {
  #lines: string[] = [];

  constructor(private readonly write: (text: string) => void) {}

  /** Notes a request that was answered, and how long that took in milliseconds. */
  request(incoming: IncomingMessage, outgoing: ServerResponse, took: number): void {
    const status = outgoing.destroyed ? 'aborted' : outgoing.statusCode;
    this.#add(`${incoming.method} ${pathOf(incoming.url ?? '')} ${status} ${took.toFixed(1)} ms`);
  }

  /** Notes a failure: what a person can do about it, or where it came from if it was not foreseen. */
  failure(error: unknown): void {
    const foreseen = error instanceof SciaticaError;
    const text = error instanceof Error ? (!foreseen && error.stack) || error.message : String(error);
    this.#add(`error: ${text}`);
  }

  /** Writes what is waiting. */
  flush(): void {
    const now = new Date().toISOString();
    const lines = this.#lines.map((line) => `${now} ${line}\n`);
    this.#lines = [];
    if (lines.length > 0) this.write(lines.join(''));
  }

  #add(line: string): void {
    if (this.#lines.length === 0) setTimeout(() => this.flush(), FLUSH_MS).unref();
    this.#lines.push(line);
  }
}

function pathOf(target: string): string {
  const path = target.split('?', 1)[0] ?? '';
  return path.replace(/[^\x21-\x7e]/g, '?').slice(0, 200);
}
