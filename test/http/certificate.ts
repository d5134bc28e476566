import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import type { CertificateFiles } from '../../src/http/wire/certificate-files.ts';
import { freshFolder } from '../helpers.ts';

const EC = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
export const RSA = ['-nodes', '-newkey', 'rsa:2048'];
const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });

/** A certificate for localhost: self-signed, or signed by another key. */
export function certificate(signed: 'by itself' | 'by an authority', kind = EC): CertificateFiles {
  const folder = freshFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2'];
  if (signed === 'by itself') openssl('req', '-x509', ...subject, ...kind, '-keyout', key, '-out', cert);
  else {
    const [caCert, caKey] = [join(folder, 'ca.pem'), join(folder, 'ca-key.pem')];
    openssl('req', '-x509', '-subj', '/CN=CA', '-days', '2', ...kind, '-keyout', caKey, '-out', caCert);
    const authority = ['-CA', caCert, '-CAkey', caKey];
    openssl('req', '-x509', ...subject, ...kind, ...authority, '-keyout', key, '-out', cert);
  }
  chmodSync(key, 0o600);
  return { cert, key };
}
