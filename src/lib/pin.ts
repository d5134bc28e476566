import { createHash, X509Certificate } from 'node:crypto';

/**
 * The pin of a certificate's public key: `sha256-` and the SHA-256 of its SubjectPublicKeyInfo (as in RFC 7469, 2.4) as
 * base64url (RFC 4648, 5). A certificate that is renewed with the same key has the same pin.
 * @param certificate as DER or PEM
 * @throws the error of OpenSSL for what is no certificate
 */
export function pinOf(certificate: Buffer | string): string {
  const { publicKey } = new X509Certificate(certificate);
  const hash = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
  return `sha256-${hash.digest('base64url')}`;
}

/** The file that holds key and certificate of the service on a database. */
export const ownCertificateFile = (database: string): string => `${database}.pairing.pem`;

/** The file that holds key and certificate of the authority that signs for the service on a database. */
export const ownAuthorityFile = (database: string): string => `${database}.authority.pem`;
