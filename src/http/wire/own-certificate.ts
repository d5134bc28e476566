import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { SciaticaError } from '../../domain/errors.ts';
import { errnoOf, linkNew, replace, syncFile, temporaryBeside } from '../../lib/files.ts';
import type { Machine } from '../../lib/machine.ts';
import type { Tls } from './listener.ts';

/** The certificate that the service makes and keeps for this machine: self-signed, ECDSA with P-256. */

const DAY_MS = 24 * 60 * 60 * 1000;
/** How long a certificate is valid, and how long before its end it is renewed. */
export const VALID_DAYS = 180;
const RENEW_DAYS = 30;
/** Phones whose clock is slow are let in, too. */
const BACKDATED_DAYS = 1;

const LOOPBACK = { names: ['localhost'], addresses: ['127.0.0.1', '::1'] };

/**
 * The certificate in a file, with its key: made where there is none; made anew for the same key, so that pins stay
 * valid, when its end is near or it lacks a name or an address of the machine. The file is 0600.
 * @param now in milliseconds since 1970
 * @throws SciaticaError `unusable` when the file holds something else, or cannot be read or written
 */
export async function ownCertificate(file: string, machine: Machine, now: number): Promise<Tls> {
  const kept = read(file);
  if (kept === undefined) {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const made = await certified(privateKey, machine, now);
    return save(file, made, false) ? tlsOf(made) : ownCertificate(file, machine, now);
  }
  const { key, certificate } = partsOf(kept, file);
  if (isGood(certificate, machine, now)) return tlsOf(kept);
  const renewed = await certified(key, machine, now);
  save(file, renewed, true);
  return tlsOf(renewed);
}

/** One text for both: OpenSSL takes from it the part that it looks for. */
const tlsOf = (pem: string): Tls => ({ cert: Buffer.from(pem), key: Buffer.from(pem) });

function read(file: string): string | undefined {
  try {
    // In a folder such as /tmp, somebody could have put a key there that they know.
    const { uid } = statSync(file);
    if (![0, process.geteuid?.() ?? uid].includes(uid))
      throw new SciaticaError(
        'unusable',
        `${file} belongs to somebody else: remove it, or use another folder.`,
      );
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'ENOENT') return undefined;
    if (error instanceof SciaticaError) throw error;
    throw new SciaticaError('unusable', `${file} cannot be read: ${code}.`);
  }
}

function partsOf(pem: string, file: string): { key: KeyObject; certificate: X509Certificate } {
  try {
    const [key, certificate] = [createPrivateKey(pem), new X509Certificate(pem)];
    if (certificate.checkPrivateKey(key)) return { key, certificate };
  } catch {
    // Said below.
  }
  throw new SciaticaError(
    'unusable',
    `${file} does not hold the certificate of this service and its key. Bring it back, or remove it: then a new key is made, and every phone has to be paired again.`,
  );
}

function isGood(certificate: X509Certificate, machine: Machine, now: number): boolean {
  const { names, addresses } = withLoopback(machine);
  return (
    Date.parse(certificate.validFrom) <= now &&
    now < Date.parse(certificate.validTo) - RENEW_DAYS * DAY_MS &&
    names.every((name) => certificate.checkHost(name) !== undefined) &&
    addresses.every((address) => certificate.checkIP(address) !== undefined)
  );
}

const withLoopback = ({ names, addresses }: Machine): Machine => ({
  names: [...LOOPBACK.names, ...names],
  addresses: [...LOOPBACK.addresses, ...addresses],
});

/** Key and certificate as PEM. */
async function certified(key: KeyObject, machine: Machine, now: number): Promise<string> {
  // Loaded on use: a certificate is made a few times a year.
  const { selfSigned } = await import('./self-signed.ts');
  const [from, to] = [now - BACKDATED_DAYS * DAY_MS, now + VALID_DAYS * DAY_MS];
  const certificate = await selfSigned(key, withLoopback(machine), new Date(from), new Date(to));
  return `${key.export({ type: 'pkcs8', format: 'pem' })}${certificate}\n`;
}

/** @returns false when another process has made the file first */
function save(file: string, pem: string, isThere: boolean): boolean {
  try {
    const temporary = temporaryBeside(file);
    try {
      writeFileSync(temporary.path, pem);
      syncFile(temporary.path);
      if (isThere) replace(temporary.path, file);
      else linkNew(temporary.path, file);
    } finally {
      temporary.remove();
    }
    return true;
  } catch (error) {
    const code = errnoOf(error);
    if (code === 'EEXIST') return false;
    throw new SciaticaError('unusable', `${file} cannot be written: ${code}.`, [], { cause: error });
  }
}

/** Between two looks at the machine's addresses and at the end of the certificate, in milliseconds. */
const EVERY_MS = 20_000;

/** A certificate, and the names and addresses that it was made for. */
export interface Certified {
  tls: Tls;
  machine: Machine;
}

/**
 * Watches whether the machine has other names or addresses, or the certificate has to be renewed.
 * @param make gives the certificate for the machine as it is now
 * @param first what is in use
 * @param renew takes what is to be used from then on
 * @param say is told when something has changed, and once of each fault
 * @returns `look`, which looks at once, and `stop`
 */
export function watchOwnCertificate(
  make: () => Promise<Certified>,
  first: Certified,
  renew: (changed: Certified) => void,
  say: (line: string) => void,
  every = EVERY_MS,
): { look: () => Promise<void>; stop: () => void } {
  let [used, fault] = [JSON.stringify(first), ''];
  const look = async () => {
    try {
      const found = await make();
      const current = JSON.stringify(found);
      if (current !== used) {
        renew(found);
        say(`The certificate is for ${[...found.machine.addresses, ...found.machine.names].join(', ')} now.`);
      }
      [used, fault] = [current, ''];
    } catch (error) {
      const { message } = error as Error;
      if (message !== fault) say(`The certificate in use stays: ${message}`);
      fault = message;
    }
  };
  const timer = setInterval(() => void look(), every).unref();
  return { look, stop: () => clearInterval(timer) };
}
