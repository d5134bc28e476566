import { createHash } from 'node:crypto';
import type { FileOrigin } from '../domain/origin.ts';

/**
 * The SHA-256 of the content of a file, whatever its white space: of the origin, the key of each list (JSON only), the entries
 * and the seal, each as `JSON.stringify` writes it, on a line of its own.
 */
export class ContentDigest {
  readonly #hash = createHash('sha256');

  constructor(origin: FileOrigin) {
    this.line(JSON.stringify(origin));
  }

  line(text: string): void {
    this.#hash.update(`${text},\n`);
  }

  /** @param seal the seal of the states, without `sha256` @returns the digest in hexadecimal */
  end(seal: object): string {
    this.line(JSON.stringify(seal));
    return this.#hash.digest('hex');
  }
}
