import { closeSync, createReadStream, createWriteStream, openSync, readSync, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import { explained, SciaticaError } from '../../domain/errors.ts';
import { errnoOf } from '../../lib/files.ts';
import { fileSystemError } from '../sqlite/errors.ts';

/** Files encrypted with age (https://age-encryption.org/v1), by its author's library; `age -d` reads them too. */

const MAGIC = 'age-encryption.org/v1';

/** A key pair: the identity decrypts what was encrypted for the recipient. */
interface KeyPair {
  identity: string;
  recipient: string;
}

export async function createKeyPair(): Promise<KeyPair> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Makes an encrypter for an age recipient. @throws SciaticaError `invalid` for a malformed one */
export function checkRecipient(recipient: string): Encrypter {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (error) {
    throw explained(
      'invalid',
      'The recipient must begin with age1, as sciatica backup key printed it.',
      error,
    );
  }
  return encrypter;
}

/** Whether a file was encrypted with age. False also for one that cannot be read, which the caller finds out by itself. */
export function isEncrypted(path: string): boolean {
  let file: number | undefined;
  try {
    // Opening a named pipe would block until somebody writes to it.
    if (!statSync(path).isFile()) return false;
    file = openSync(path, 'r');
    const bytes = Buffer.alloc(MAGIC.length);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes.toString('latin1') === MAGIC;
  } catch {
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Encrypts a file, streaming. @throws SciaticaError as `checkRecipient` */
export async function encryptFile(source: string, target: string, recipient: string): Promise<void> {
  const encrypter = checkRecipient(recipient);
  await write(await encrypter.encrypt(streamOf(source)), target);
}

/**
 * Decrypts a file, streaming. Unless it succeeds, the content of `target` must not be used.
 * @param identity the text of an identity file, as `age-keygen` writes it: a line with the identity, and comments
 * @param identityFile the name of that file, for messages
 * @throws SciaticaError `unusable` for the wrong key, `damaged` for a truncated or changed file, `invalid`
 */
export async function decryptFile(
  source: string,
  target: string,
  identity: string,
  identityFile: string,
): Promise<void> {
  const decrypter = decrypterOf(identity, identityFile);
  try {
    await write(await decrypter.decrypt(streamOf(source)), target);
  } catch (error) {
    // Errors of the file system have codes, those of the library do not.
    if (errnoOf(error) !== undefined) throw fileSystemError(error, source);
    const isOther = (error as Error).message.startsWith('no identity matched');
    throw explained(
      isOther ? 'unusable' : 'damaged',
      isOther
        ? `${source} was encrypted for another key than that of ${identityFile}. Nothing was changed.`
        : `${source} is damaged, cut or was changed: it cannot be decrypted. Nothing was changed.`,
      error,
    );
  }
}

function decrypterOf(text: string, file: string): Decrypter {
  const decrypter = new Decrypter();
  const lines = text.split(/\r?\n/);
  const identities = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  try {
    for (const identity of identities) decrypter.addIdentity(identity);
    if (identities.length > 0) return decrypter;
  } catch {
    // The message of the library could contain a part of the secret.
  }
  throw new SciaticaError(
    'invalid',
    `${file} holds no identity: a line that begins with AGE-SECRET-KEY-, as sciatica backup key wrote it.`,
  );
}

type Bytes = globalThis.ReadableStream<Uint8Array>;

const streamOf = (path: string): Bytes => Readable.toWeb(createReadStream(path)) as unknown as Bytes;

async function write(bytes: Bytes, target: string): Promise<void> {
  await pipeline(
    Readable.fromWeb(bytes as unknown as ReadableStream),
    createWriteStream(target, { mode: 0o600 }),
  );
}
