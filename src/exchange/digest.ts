import { createHash } from 'node:crypto';
import type { FileOrigin } from '../domain/origin.ts';

/**
 * The SHA-256 of what a document says, however its JSON is laid out: of its origin, of each list its key and its entries, and of what is
 * true of all states, as `JSON.stringify` writes them, a line each.
 */
export class ContentDigest {
  readonly #hash = createHash('sha256');

  constructor(origin: FileOrigin) {
    this.line(JSON.stringify(origin));
  }

  line(text: string): void {
    this.#hash.update(`${text},\n`);
  }

  /** @param seal what is true of all states */
  end(seal: object): string {
    this.line(JSON.stringify(seal));
    return this.#hash.digest('hex');
  }
}
