import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { unusable } from '../../domain/errors.ts';
import { errnoOf } from '../../lib/files.ts';
import type { Tls } from './listener.ts';

/** The files of a certificate and its key, as PEM, which somebody else renews, such as certbot. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Between two looks at a certificate, in milliseconds. */
const EVERY_MS = 20_000;

/** @throws SciaticaError `unusable` with the file that cannot be read */
export function readCertificate({ cert, key }: CertificateFiles): Tls {
  return { cert: read(cert), key: read(key) };
}

/** What is to be said of a key that others on this computer may read. */
export function exposure({ key }: CertificateFiles): string | undefined {
  if (process.platform === 'win32' || (statSync(key).mode & 0o077) === 0) return undefined;
  return `Others on this computer may read the key ${key}: chmod 600 ${key}`;
}

/** What is to be said of a certificate that clients refuse for its dates. @param now in milliseconds since 1970 */
export function untimely({ cert }: Tls, now: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(cert);
  if (now > Date.parse(validTo)) return `The certificate expired on ${validTo}: clients refuse it.`;
  if (now < Date.parse(validFrom))
    return `The certificate is valid only from ${validFrom}: clients refuse it.`;
  return undefined;
}

/**
 * Watches a certificate that may become another one.
 * @param read gives what is to be used now
 * @param used what is in use
 * @param renew takes what is to be used from then on, and returns what is to be said of it; when it throws, it is called again
 *   at the next look
 * @param say is told of what was taken, and once of each fault
 * @returns `look`, which looks at once, and `stop`
 */
export function watchCertificate<T>(
  read: () => T | Promise<T>,
  used: T,
  renew: (changed: T) => string,
  say: (line: string) => void,
  every = EVERY_MS,
): { look: () => Promise<void>; stop: () => void } {
  let [current, fault] = [used, ''];
  const look = async () => {
    try {
      const found = await read();
      if (!isDeepStrictEqual(found, current)) say(renew(found));
      [current, fault] = [found, ''];
    } catch (error) {
      // While files are being renewed, the two may not belong together yet.
      const { message } = error as Error;
      if (message !== fault)
        say(`The old certificate stays in use, because the new one cannot be used: ${message}`);
      fault = message;
    }
  };
  const timer = setInterval(() => void look(), every).unref();
  return { look, stop: () => clearInterval(timer) };
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unusable(`${file} cannot be read: ${errnoOf(error)}.`);
  }
}
