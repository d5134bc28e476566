// The library needs this polyfill before it is loaded.
import 'reflect-metadata';
import { createPublicKey, type KeyObject, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { Machine } from '../../lib/machine.ts';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/**
 * A certificate of a server, signed with its own key (RFC 5280), as PEM.
 * @param key private key on the curve P-256
 * @param machine the host names and addresses that it is for
 */
export async function selfSigned(
  key: KeyObject,
  { names, addresses }: Machine,
  notBefore: Date,
  notAfter: Date,
): Promise<string> {
  const { subtle } = webcrypto;
  const pkcs8 = key.export({ type: 'pkcs8', format: 'der' });
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=sciatica',
    notBefore,
    notAfter,
    signingAlgorithm: ALGORITHM,
    keys: {
      privateKey: await subtle.importKey('pkcs8', pkcs8, ALGORITHM, false, ['sign']),
      publicKey: await subtle.importKey('spki', spki, ALGORITHM, true, ['verify']),
    },
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
    ],
  });
  return certificate.toString('pem');
}
