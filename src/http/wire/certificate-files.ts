import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { unusable } from '../../domain/errors.ts';
import { errnoOf } from '../../lib/files.ts';
import type { Tls } from './listener.ts';

/** The paths of a certificate and its key, as PEM, which another program renews, such as certbot. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Polling interval for a new certificate, in milliseconds. */
const EVERY_MS = 20_000;

/** @throws SciaticaError `unusable`, which names a file that cannot be read */
export function readCertificate({ cert, key }: CertificateFiles): Tls {
  return { cert: read(cert), key: read(key) };
}

/** A warning if other users of this computer can read the key; undefined otherwise, and on Windows. */
export function exposure({ key }: CertificateFiles): string | undefined {
  if (process.platform === 'win32' || (statSync(key).mode & 0o077) === 0) return undefined;
  return `Others on this computer may read the key ${key}: chmod 600 ${key}`;
}

/** A warning if clients refuse the certificate for its dates; undefined otherwise. @param now in milliseconds since 1970 */
export function untimely({ cert }: Tls, now: number): string | undefined {
  const { validFrom, validTo } = new X509Certificate(cert);
  if (now > Date.parse(validTo)) return `The certificate expired on ${validTo}: clients refuse it.`;
  if (now < Date.parse(validFrom))
    return `The certificate is valid only from ${validFrom}: clients refuse it.`;
  return undefined;
}

/**
 * Polls for a new certificate.
 * @param read returns the certificate that should be in use
 * @param used the certificate that is in use
 * @param renew puts a new one into use, and returns a message; when it throws, it is called again at the next poll
 * @param say receives the message of each renewal, and each fault once
 * @param every polling interval, in milliseconds
 * @returns `look`, which polls at once, and `stop`
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
      // While the files are being replaced, certificate and key may not match yet.
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
