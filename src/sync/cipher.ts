import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzipSync, gzip } from 'node:zlib';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { explained } from '../domain/errors.ts';

/** The longest unpacked file of a folder, in bytes: sciatica writes none that is longer. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Makes the key of a folder, an age identity. */
export const makeKey = (): Promise<string> => generateX25519Identity();

/**
 * Checks the key of a folder.
 * @returns the key, without white space around it
 * @throws SciaticaError `invalid` for a text that is no key
 */
export async function checkKey(text: string): Promise<string> {
  const key = text.trim();
  try {
    await identityToRecipient(key);
    return key;
  } catch (error) {
    throw explained(
      'invalid',
      'That is no key of a folder: it is one word that begins with AGE-SECRET-KEY-1, as sciatica remote key shows it on the machine that made it.',
      error,
    );
  }
}

/** Encrypts the files of a folder (age, https://age-encryption.org/v1), and authenticates the manifests that list them. */
export class FolderCipher {
  readonly #mac: Buffer | undefined;

  /** @param key of the folder (AGE-SECRET-KEY-1…); null to write plainly */
  constructor(private readonly key: string | null) {
    if (key !== null) this.#mac = Buffer.from(hkdfSync('sha256', key, '', 'sciatica folder manifest', 32));
  }

  /** A fingerprint of the key, which does not reveal it; `null` without a key. */
  get id(): string {
    return this.#mac ? createHmac('sha256', this.#mac).update('key').digest('hex').slice(0, 16) : 'null';
  }

  /** Authenticates a text of a machine: an HMAC (RFC 2104) or, without a key, a SHA-256, which shows only that it is whole. */
  mark(database: string, text: string): string {
    const mark = this.#mac ? createHmac('sha256', this.#mac) : createHash('sha256');
    return mark.update(`${database}\n${text}`).digest('hex');
  }

  isMark(mark: string, database: string, text: string): boolean {
    const [given, own] = [Buffer.from(mark), Buffer.from(this.mark(database, text))];
    return given.length === own.length && timingSafeEqual(given, own);
  }

  async close(text: string): Promise<Uint8Array> {
    const packed = await promisify(gzip)(text);
    if (this.key === null) return packed;
    const encrypter = new Encrypter();
    encrypter.addRecipient(await identityToRecipient(this.key));
    return encrypter.encrypt(packed);
  }

  /**
   * Decrypts what `close` made, for `unpack`.
   * @throws SciaticaError `unusable` for bytes that were not encrypted with this key
   */
  async open(bytes: Uint8Array): Promise<Uint8Array> {
    if (this.key === null) return bytes;
    try {
      const decrypter = new Decrypter();
      decrypter.addIdentity(this.key);
      return await decrypter.decrypt(bytes);
    } catch (error) {
      throw unopened(error);
    }
  }

  /** The text in what `open` returned. @throws SciaticaError `unusable` if it cannot be unpacked */
  unpack(packed: Uint8Array): string {
    try {
      return String(gunzipSync(packed, { maxOutputLength: MOST_BYTES }));
    } catch (error) {
      throw unopened(error);
    }
  }
}

const unopened = (cause: unknown) => explained('unusable', 'one of its files cannot be opened', cause);
