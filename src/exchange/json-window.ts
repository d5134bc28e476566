import {
  DUPLICATE_KEY,
  type Fault,
  findFault,
  type Place,
  place,
  placeAt,
  type Surroundings,
  tryJson,
  valueEnd,
} from '../lib/strict-json.ts';
import { faultAt } from './json.ts';

/** A value that is longer than a window takes. */
export class TooLong extends Error {}

/**
 * A long JSON text of which a part is in memory: what was taken is dropped as more comes in. Its errors are those of
 * `parseJson`, with line and column in the whole text.
 */
export class JsonWindow {
  readonly #pieces: AsyncIterator<string>;
  #text = '';
  #at = 0;
  /** Where the value began that was taken last. */
  #taken = 0;
  /** The place of the first character of `#text`. */
  #from: Place = { line: 1, column: 1 };

  /** @param mostCharacters the longest value that is taken as one */
  constructor(
    pieces: AsyncIterable<string>,
    private readonly mostCharacters: number,
  ) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** The next character that is no white space; nothing at the end of the text. */
  async peek(): Promise<string | undefined> {
    for (;;) {
      while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1;
      if (this.#at < this.#text.length) return this.#text[this.#at];
      if (!(await this.#more())) return undefined;
    }
  }

  /** Takes the character that `peek` returned. */
  take(): void {
    this.#at += 1;
  }

  /**
   * Takes the value that begins with the character that `peek` returned.
   * @param around where that is, for the error
   * @throws SciaticaError `invalid` when it is not JSON; TooLong
   */
  async value(around: Surroundings): Promise<unknown> {
    for (;;) {
      const end = valueEnd(this.#text, this.#at);
      if (end !== undefined) return this.#parsed(end, around);
      if (this.#text.length - this.#at > this.mostCharacters) throw new TooLong();
      if (!(await this.#more())) return this.#parsed(this.#text.length, around);
    }
  }

  /** The error for the value that was taken last, which is a key that its object has already. */
  duplicate(): Error {
    return this.#error({ at: this.#taken, message: DUPLICATE_KEY });
  }

  /** The error for the character that `peek` returned, which may not stand there. */
  fault(around: Surroundings): Error {
    const { at, message } = findFault(this.#text.slice(this.#at), around);
    return this.#error({ at: this.#at + at, message });
  }

  #parsed(end: number, around: Surroundings): unknown {
    const result = tryJson(this.#text.slice(this.#at, end));
    if ('fault' in result) {
      const { at, message } = result.fault;
      throw message === DUPLICATE_KEY ? this.#error({ at: this.#at + at, message }) : this.fault(around);
    }
    this.#taken = this.#at;
    this.#at = end;
    return result.value;
  }

  #error(fault: Fault): Error {
    return faultAt(fault, place(this.#text, fault.at, this.#from));
  }

  /** @returns false at the end of the text */
  async #more(): Promise<boolean> {
    const { value, done } = await this.#pieces.next();
    if (done) return false;
    this.#from = placeAt(this.#text, this.#at, this.#from);
    this.#text = this.#text.slice(this.#at) + value;
    this.#at = 0;
    return true;
  }
}

/** The white space of JSON (RFC 8259, 2). */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
