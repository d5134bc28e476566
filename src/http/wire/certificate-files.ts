import { readFileSync, statSync } from 'node:fs';
import { unusable } from '../../domain/errors.ts';
import { errnoOf } from '../../lib/files.ts';
import type { Tls } from './listener.ts';

/** A certificate that somebody else renews, such as certbot. */

/** The files of a certificate and its key, as PEM. */
export interface CertificateFiles {
  cert: string;
  key: string;
}

/** Between two looks at the files, in milliseconds. */
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

/**
 * Watches for a renewed certificate.
 * @param renew takes it; when it throws, it is called again at the next look
 * @param say is told of a certificate that was taken, and once of each fault
 * @returns `look`, which looks at once, and `stop`
 */
export function watchCertificate(
  files: CertificateFiles,
  renew: (renewed: Tls) => void,
  say: (line: string) => void,
  every = EVERY_MS,
): { look: () => void; stop: () => void } {
  let [taken, fault] = [signature(files), ''];
  const look = () => {
    const current = signature(files);
    if (current === taken) return;
    try {
      renew(readCertificate(files));
      [taken, fault] = [current, ''];
      say('The renewed certificate is in use.');
    } catch (error) {
      // While it is being renewed, the two files may not belong together yet.
      const { message } = error as Error;
      if (message !== fault)
        say(`The old certificate stays in use, because the renewed one cannot be used: ${message}`);
      fault = message;
    }
  };
  const timer = setInterval(look, every).unref();
  return { look, stop: () => clearInterval(timer) };
}

/** Another text when one of the files was replaced or written. */
function signature({ cert, key }: CertificateFiles): string {
  return [cert, key]
    .map((file) => {
      const stat = statSync(file, { throwIfNoEntry: false });
      return `${stat?.ino} ${stat?.size} ${stat?.mtimeMs}`;
    })
    .join();
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw unusable(`${file} cannot be read: ${errnoOf(error)}.`);
  }
}
