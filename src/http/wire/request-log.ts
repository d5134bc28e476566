import type { IncomingMessage, ServerResponse } from 'node:http';
import { SciaticaError } from '../../domain/errors.ts';

/** Lines that fall together leave in one write: under load that is much of what logging costs. */
const FLUSH_MS = 100;

const STRANGE = /[^\x21-\x7e]/;

/** The request log, a line each: no query, body or header, for they hold what people recorded. */
export class RequestLog {
  #text = '';
  #now = '';

  constructor(private readonly write: (text: string) => void) {}

  /** Notes a request that was answered, and how long that took in milliseconds. */
  request(incoming: IncomingMessage, outgoing: ServerResponse, took: number): void {
    const status = outgoing.destroyed ? 'aborted' : outgoing.statusCode;
    this.#add(`${incoming.method} ${pathOf(incoming.url ?? '')} ${status} ${Math.round(took * 10) / 10} ms`);
  }

  /** Notes a failure: what a person can do about it, or where it came from if it was not foreseen. */
  failure(error: unknown): void {
    const foreseen = error instanceof SciaticaError;
    const text = error instanceof Error ? (!foreseen && error.stack) || error.message : String(error);
    this.#add(`error: ${text}`);
  }

  /** Writes what is waiting. */
  flush(): void {
    const text = this.#text;
    this.#text = '';
    if (text !== '') this.write(text);
  }

  #add(line: string): void {
    if (this.#text === '') {
      this.#now = new Date().toISOString();
      setTimeout(() => this.flush(), FLUSH_MS).unref();
    }
    this.#text += `${this.#now} ${line}\n`;
  }
}

function pathOf(target: string): string {
  const question = target.indexOf('?');
  const path = target.slice(0, Math.min(question < 0 ? target.length : question, 200));
  return STRANGE.test(path) ? path.replace(STRANGE, '?') : path;
}
