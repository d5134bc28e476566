import type { IncomingMessage, ServerResponse } from 'node:http';
import { SciaticaError } from '../../domain/errors.ts';

/** Lines are written together: under load, single writes are most of the cost of logging. */
const FLUSH_MS = 100;

const UNPRINTABLE = /[^\x21-\x7e]/;

/** The request log, one line each, without query, body and headers, which hold health data. */
export class RequestLog {
  #text = '';
  #now = '';

  constructor(private readonly write: (text: string) => void) {}

  /** Logs an answered request. @param took in milliseconds */
  request(incoming: IncomingMessage, outgoing: ServerResponse, took: number): void {
    const status = outgoing.destroyed ? 'aborted' : outgoing.statusCode;
    this.#add(`${incoming.method} ${pathOf(incoming.url ?? '')} ${status} ${Math.round(took * 10) / 10} ms`);
  }

  /** Logs an error: its message, or the stack of one that is no SciaticaError. */
  failure(error: unknown): void {
    const isKnown = error instanceof SciaticaError;
    const text = error instanceof Error ? (!isKnown && error.stack) || error.message : String(error);
    this.#add(`error: ${text}`);
  }

  /** Logs something that whoever runs the service should look into. */
  warning(text: string): void {
    this.#add(`warning: ${text}`);
  }

  /** Writes the waiting lines. */
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
  return UNPRINTABLE.test(path) ? path.replace(UNPRINTABLE, '?') : path;
}
