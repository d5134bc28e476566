import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
  X509Certificate,
} from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { BlockList, isIPv6 } from 'node:net';
import { explained, SciaticaError, unusable } from '../../domain/errors.ts';
import { errnoOf, publish, temporaryBeside } from '../../lib/files.ts';
import { inUrl, type Machine, machineAt } from '../../lib/machine.ts';
import { ownAuthorityFile, ownCertificateFile } from '../../lib/pin.ts';
import { watchCertificate } from './certificate-files.ts';
import type { Tls } from './listener.ts';

/**
 * The certificate that the service makes and keeps for this machine: ECDSA with P-256, self-signed or signed by an
 * authority that it makes and keeps as well.
 */

const DAY_MS = 24 * 60 * 60 * 1000;
/** Validity of a self-signed certificate and of a signed one, and how long before their expiry they are renewed. */
export const VALID_DAYS = 180;
export const SIGNED_DAYS = 90;
const RENEW_DAYS = 30;
/** Validity of an authority: a new one has to be installed on every phone by hand. */
export const AUTHORITY_DAYS = 3650;
/** Validity begins earlier than now, for phones whose clock is slow. */
const BACKDATED_DAYS = 1;

const LOOPBACK = { names: ['localhost'], addresses: ['127.0.0.1', '::1'] };

/** A certificate authority for one machine. */
interface Authority {
  certificate: X509Certificate;
  key: KeyObject;
  /** The names and addresses that its certificate allows. */
  allowed: Machine;
}

/**
 * Reads the certificate and its key from a file, which is made (0600) if there is none. The certificate is made anew for the
 * same key, so that pins stay valid, if it expires soon, lacks a name or an address of the machine, or was signed by
 * another key.
 * @param now in milliseconds since 1970
 * @param authority signs the certificate, for the names and addresses that it allows; without it, its own key does
 * @throws SciaticaError `unusable` when the file holds something else, or cannot be read or written
 */
export async function ownCertificate(
  file: string,
  machine: Machine,
  now: number,
  authority?: Authority,
): Promise<Tls> {
  const named = authority ? within(authority.allowed, machine) : withLoopback(machine);
  const kept = read(file);
  if (kept === undefined) {
    save(file, await certified(newKey(), named, now, authority), false);
    return ownCertificate(file, machine, now, authority);
  }
  const { key, certificate } = partsOf(kept, file, 'every phone has to be paired again');
  if (isGood(certificate, named, now, authority)) return tlsOf(kept, authority);
  const renewed = await certified(key, named, now, authority);
  save(file, renewed, true);
  return tlsOf(renewed, authority);
}

/**
 * Reads the authority and its key from a file, which is made (0600) if there is none. A browser that trusts it trusts what it
 * signs for the names and addresses that the machine has when it is made, and nothing else: its name constraints are critical
 * (RFC 5280, 4.2.1.10).
 * @param now in milliseconds since 1970
 * @throws SciaticaError `unusable` when the file holds something else, cannot be read or written, or the authority expires
 *   before a certificate that it would sign
 */
export async function ownAuthority(file: string, machine: Machine, now: number): Promise<Authority> {
  const kept = read(file);
  if (kept === undefined) {
    const key = newKey();
    save(file, pemOf(key, await authorityOf(key, withLoopback(machine), now)), false);
    return ownAuthority(file, machine, now);
  }
  const again = 'the new certificate has to be installed on every phone';
  const { key, certificate } = partsOf(kept, file, again);
  if (now + SIGNED_DAYS * DAY_MS > Date.parse(certificate.validTo))
    throw unusable(
      `The authority in ${file} ends on ${new Date(certificate.validTo).toISOString().slice(0, 10)}. Remove the file: then another is made, and ${again}.`,
    );
  return { certificate, key, allowed: await allowedBy(certificate, file, again) };
}

/** The names and addresses of a machine that the authority does not allow: phones do not trust the certificate under them. */
export function notAllowed({ allowed }: Authority, machine: Machine): string[] {
  const { names, addresses } = within(allowed, machine);
  return [...certifiable(machine).names, ...machine.addresses].filter(
    (one) => !names.includes(one) && !addresses.includes(one),
  );
}

/** The names and addresses of a machine, with those of loopback, that are allowed. */
function within(allowed: Machine, machine: Machine): Machine {
  const { names, addresses } = certifiable(withLoopback(machine));
  const all = new BlockList();
  for (const address of allowed.addresses) all.addAddress(address, family(address));
  return {
    names: names.filter((name) => allowed.names.includes(name)),
    addresses: addresses.filter((address) => all.check(address, family(address))),
  };
}

/** Leaves out single words: a name constraint of `dev` would allow every host under that top-level domain. */
const certifiable = ({ names, addresses }: Machine): Machine => ({
  names: names.filter((name) => name.includes('.') || LOOPBACK.names.includes(name)),
  addresses,
});

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4');

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

/** `pem` holds key and certificate: OpenSSL takes from it the part that it looks for. */
const tlsOf = (pem: string, authority?: Authority): Tls => ({
  cert: Buffer.from(`${pem}${authority?.certificate ?? ''}`),
  key: Buffer.from(pem),
  isOwn: true,
});

function read(file: string): string | undefined {
  try {
    // In a folder such as /tmp, another user could have planted a key that they know.
    const { uid } = statSync(file);
    if (![0, process.geteuid?.() ?? uid].includes(uid))
      throw unusable(`${file} belongs to somebody else: remove it, or use another folder.`);
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    if (error instanceof SciaticaError) throw error;
    throw unusable(`${file} cannot be read: ${code}.`);
  }
}

/** @param otherwise the consequence of removing the file, for the message */
function partsOf(
  pem: string,
  file: string,
  otherwise: string,
): { key: KeyObject; certificate: X509Certificate } {
  try {
    const [key, certificate] = [createPrivateKey(pem), new X509Certificate(pem)];
    if (certificate.checkPrivateKey(key)) return { key, certificate };
  } catch {
    // Reported below.
  }
  throw foreign(file, otherwise);
}

const foreign = (file: string, otherwise: string) =>
  unusable(
    `${file} does not hold the certificate of this service and its key. Bring it back, or remove it: then a new key is made, and ${otherwise}.`,
  );

function isGood(
  certificate: X509Certificate,
  { names, addresses }: Machine,
  now: number,
  authority: Authority | undefined,
): boolean {
  const issuer = authority?.certificate ?? certificate;
  return (
    Date.parse(certificate.validFrom) <= now &&
    now < Date.parse(certificate.validTo) - RENEW_DAYS * DAY_MS &&
    certificate.verify(issuer.publicKey) &&
    names.every((name) => certificate.checkHost(name) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}

const withLoopback = ({ names, addresses }: Machine): Machine => ({
  names: [...LOOPBACK.names, ...names],
  addresses: [...LOOPBACK.addresses, ...addresses],
});

const pemOf = (key: KeyObject, certificate: string) =>
  `${key.export({ type: 'pkcs8', format: 'pem' })}${certificate}\n`;

/** Writes the file. Unless it `isThere`, one that another process has made meanwhile is left as it is. */
function save(file: string, pem: string, isThere: boolean): void {
  try {
    const temporary = temporaryBeside(file);
    try {
      writeFileSync(temporary.path, pem, { flush: true });
      publish(temporary.path, file, isThere);
    } finally {
      temporary.remove();
    }
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') return;
    throw explained('unusable', `${file} cannot be written: ${code}.`, error);
  }
}

/** A certificate, and the names and addresses that it was made for. */
interface Certified {
  tls: Tls;
  machine: Machine;
}

const hostsOf = ({ names, addresses }: Machine) => [...names, ...addresses.map(inUrl)];

/** A server that can replace its certificate. */
interface Renewable {
  renew(tls: Tls, ownNames: readonly string[]): void;
}

/**
 * The certificate of the service, the names and addresses that it is for, and `watch`, which keeps it up to date.
 * @param database path of the database, beside which the files are
 * @param host the address or name that the service listens on
 * @param isSigned whether an authority for this machine signs the certificate
 * @param now the clock, in milliseconds since 1970
 * @throws SciaticaError `unusable`
 */
export async function ownTls(database: string, host: string, isSigned: boolean, now: () => number) {
  const [file, authorityFile] = [ownCertificateFile(database), ownAuthorityFile(database)];
  const authority = isSigned ? await ownAuthority(authorityFile, machineAt(host), now()) : undefined;
  const make = async () => {
    const here = machineAt(host);
    return { tls: await ownCertificate(file, here, now(), authority), machine: here };
  };
  const sayNotAllowed = ({ machine }: Certified, tell: (line: string) => void) => {
    const others = authority ? notAllowed(authority, machine) : [];
    if (others.length > 0)
      tell(
        `The authority was made when this machine was not called ${others.join(', ')}: phones are warned there. Let them call it by name (sciatica pair --address), or remove ${authorityFile}, start again, and install the new one.`,
      );
  };
  const first = await make();
  const watch = (server: Renewable, tell: (line: string) => void) => {
    sayNotAllowed(first, tell);
    const renew = (found: Certified) => {
      server.renew(found.tls, hostsOf(found.machine));
      sayNotAllowed(found, tell);
      return `The certificate is for ${[...found.machine.addresses, ...found.machine.names].join(', ')} now.`;
    };
    return watchCertificate(make, first, renew, tell);
  };
  const names = hostsOf(first.machine);
  return { first, names, authority, watch, files: { cert: file, key: file } };
}

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** Loaded on use: a certificate is made a few times a year. The library needs its polyfill to be loaded first. */
async function library() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

const privateKeyOf = (key: KeyObject) =>
  webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), ALGORITHM, false, [
    'sign',
  ]);

const publicKeyOf = (key: KeyObject) => {
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  return webcrypto.subtle.importKey('spki', spki, ALGORITHM, true, ['verify']);
};

/** The validity of a certificate that is made now. */
const validity = (now: number, days: number) => ({
  notBefore: new Date(now - BACKDATED_DAYS * DAY_MS),
  notAfter: new Date(now + days * DAY_MS),
});

/**
 * The key and the certificate of a server (RFC 5280), as PEM.
 * @param key private key on the curve P-256
 * @param machine the host names and addresses that it is for
 * @param authority signs it; without it, its own key does
 */
async function certified(
  key: KeyObject,
  { names, addresses }: Machine,
  now: number,
  authority: Authority | undefined,
): Promise<string> {
  const x509 = await library();
  const issuer = authority && new x509.X509Certificate(authority.certificate.raw);
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=sciatica',
    issuer: issuer?.subject ?? 'CN=sciatica',
    ...validity(now, authority ? SIGNED_DAYS : VALID_DAYS),
    signingAlgorithm: ALGORITHM,
    publicKey: await publicKeyOf(key),
    signingKey: await privateKeyOf(authority?.key ?? key),
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.map((value) => ({ type: 'dns' as const, value })),
        ...addresses.map((value) => ({ type: 'ip' as const, value })),
      ]),
      ...(issuer ? [await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey)] : []),
    ],
  });
  return pemOf(key, certificate.toString('pem'));
}

/** The extension that narrows an authority to names and addresses (RFC 5280, 4.2.1.10). */
const NAME_CONSTRAINTS = '2.5.29.30';

/** The certificate of an authority for these names and addresses only, as PEM. Its subject has a part of its key identifier. */
async function authorityOf(key: KeyObject, machine: Machine, now: number): Promise<string> {
  const x509 = await library();
  const publicKey = await publicKeyOf(key);
  const identifier = await x509.SubjectKeyIdentifierExtension.create(publicKey);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=sciatica authority ${identifier.keyId.slice(0, 8)}`,
    ...validity(now, AUTHORITY_DAYS),
    signingAlgorithm: ALGORITHM,
    keys: { privateKey: await privateKeyOf(key), publicKey },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.Extension(NAME_CONSTRAINTS, true, await constraintsTo(certifiable(machine))),
      identifier,
    ],
  });
  return certificate.toString('pem');
}

async function constraintsTo({ names, addresses }: Machine): Promise<ArrayBuffer> {
  const { GeneralName, GeneralSubtree, GeneralSubtrees, NameConstraints } = await import(
    '@peculiar/asn1-x509'
  );
  const { AsnConvert } = await import('@peculiar/asn1-schema');
  const permitted = [
    ...names.map((dNSName) => new GeneralName({ dNSName })),
    ...addresses.map((address) => new GeneralName({ iPAddress: `${address}/${isIPv6(address) ? 128 : 32}` })),
  ].map((base) => new GeneralSubtree({ base }));
  return AsnConvert.serialize(new NameConstraints({ permittedSubtrees: new GeneralSubtrees(permitted) }));
}

/** What an authority allows. @throws SciaticaError `unusable` unless it is one, with critical name constraints */
async function allowedBy({ raw, ca }: X509Certificate, file: string, otherwise: string): Promise<Machine> {
  const x509 = await library();
  const { NameConstraints } = await import('@peculiar/asn1-x509');
  const { AsnConvert } = await import('@peculiar/asn1-schema');
  const extension = new x509.X509Certificate(raw).getExtension(NAME_CONSTRAINTS);
  if (!ca || !extension?.critical) throw foreign(file, otherwise);
  const bases = AsnConvert.parse(extension.value, NameConstraints).permittedSubtrees ?? [];
  return {
    names: bases.flatMap(({ base }) => base.dNSName ?? []),
    addresses: bases.flatMap(({ base }) => base.iPAddress?.split('/').slice(0, 1) ?? []),
  };
}
