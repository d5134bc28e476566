import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { SecureContextOptions } from 'node:tls';

/** A certificate and its key, as PEM. */
export interface Tls {
  cert: Buffer;
  key: Buffer;
}

/** TLS 1.3, and of TLS 1.2 the suites with ECDHE and AEAD (RFC 9325, 4.2). */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
];

/** The settings of TLS with a certificate. */
export function secureContext({ cert, key }: Tls): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ciphers: CIPHERS.join(':') };
}

/** One year, in seconds. */
const HSTS = 'max-age=31536000';

/**
 * The Strict-Transport-Security header (RFC 6797) for a Host; none for localhost and for an IP address. With a self-signed
 * certificate it must not be sent: browsers would no longer let their users accept it.
 */
export function strictTransport(host: string | undefined): string | undefined {
  const name = (host ?? '').replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
  const isLocal = name === '' || name.startsWith('[') || isIP(name) > 0 || /(^|\.)localhost$/.test(name);
  return isLocal ? undefined : HSTS;
}

/** Whether a certificate (PEM; the first of a chain) was signed with its own key. */
export function isSelfSigned(cert: Buffer): boolean {
  const certificate = new X509Certificate(cert);
  return certificate.checkIssued(certificate) && certificate.verify(certificate.publicKey);
}
