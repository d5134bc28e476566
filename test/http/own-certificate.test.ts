import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { watchCertificate } from '../../src/http/wire/certificate-files.ts';
import { isPrivatelySigned } from '../../src/http/wire/listener.ts';
import { ownCertificate, VALID_DAYS } from '../../src/http/wire/own-certificate.ts';
import { ownCertificateFile, pinOf } from '../../src/lib/pin.ts';
import { freshFolder } from '../helpers.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 2);
const laptop = { names: ['laptop', 'laptop.local'], addresses: ['192.168.1.23', 'fd00::7'] };

const freshFile = () => ownCertificateFile(join(freshFolder(), 'a.db'));
const make = async (file: string, machine = laptop, now = NOW) => {
  const { cert, key } = await ownCertificate(file, machine, now);
  expect(key).toEqual(cert);
  return new X509Certificate(cert);
};
const names = ({ subjectAltName = '' }: X509Certificate) =>
  subjectAltName.split(', ').map((name) => name.replace(/^(DNS|IP Address):/, ''));

test('it is for the names and addresses of the machine, and for a bounded time', async () => {
  const certificate = await make(freshFile());
  const own = [
    'localhost',
    ...laptop.names,
    '127.0.0.1',
    '0:0:0:0:0:0:0:1',
    '192.168.1.23',
    'FD00:0:0:0:0:0:0:7',
  ];
  expect(names(certificate).sort()).toEqual(own.sort());
  expect(certificate.checkHost('evil.example')).toBeUndefined();
  expect((Date.parse(certificate.validTo) - NOW) / DAY_MS).toBe(VALID_DAYS);
  expect(VALID_DAYS).toBe(180);
  expect((NOW - Date.parse(certificate.validFrom)) / DAY_MS).toBe(1);
  expect([certificate.ca, certificate.publicKey.asymmetricKeyDetails?.namedCurve]).toEqual([
    false,
    'prime256v1',
  ]);
  // Otherwise browsers would be told never to accept it: Strict-Transport-Security.
  const pem = Buffer.from(certificate.toString());
  expect(isPrivatelySigned({ cert: pem, key: pem })).toBe(true);
});

test.skipIf(process.platform === 'win32')('its file is for its owner only, whatever the umask', async () => {
  const file = freshFile();
  const before = process.umask(0);
  try {
    await make(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    chmodSync(file, 0o644);
    await make(file, laptop, NOW + VALID_DAYS * DAY_MS);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  } finally {
    process.umask(before);
  }
  expect(readdirSync(dirname(file))).toEqual([basename(file)]);
});

describe('the one that is kept', () => {
  test.each([
    ['stays', laptop, 0, false],
    ['stays until 30 days before its end', laptop, VALID_DAYS - 31, false],
    ['is renewed 30 days before its end', laptop, VALID_DAYS - 30, true],
    ['is renewed after its end', laptop, VALID_DAYS + 9, true],
    ['is renewed where the clock was wrong', laptop, -2, true],
    ['is renewed for another address', { ...laptop, addresses: ['10.0.0.4'] }, 0, true],
    ['is renewed for another name', { ...laptop, names: ['desk'] }, 0, true],
    ['stays where an address is gone', { ...laptop, addresses: ['192.168.1.23'] }, 0, false],
  ])('%s', async (_, machine, days, isRenewed) => {
    const file = freshFile();
    const first = await make(file);
    const second = await make(file, machine, NOW + days * DAY_MS);
    expect(second.serialNumber !== first.serialNumber).toBe(isRenewed);
    // What phones pinned stays valid.
    expect(pinOf(second.raw)).toBe(pinOf(first.raw));
    expect(new X509Certificate(readFileSync(file)).serialNumber).toBe(second.serialNumber);
  });
});

test('the pin is what OpenSSL computes of the public key', async () => {
  const file = freshFile();
  const pem = await make(file);
  const key = execFileSync('openssl', ['x509', '-in', file, '-noout', '-pubkey']);
  const spki = execFileSync('openssl', ['pkey', '-pubin', '-outform', 'der'], { input: key });
  const digest = execFileSync('openssl', ['dgst', '-sha256', '-binary'], { input: spki });
  expect(pinOf(pem.raw)).toBe(`sha256-${digest.toString('base64url')}`);
});

test('two who start at once use one key', async () => {
  const file = freshFile();
  const made = await Promise.all([make(file), make(file), make(file)]);
  expect(new Set(made.map(({ raw }) => pinOf(raw))).size).toBe(1);
});

test.each([
  ['nothing', () => ''],
  ['no key', (pem: string) => pem.slice(pem.indexOf('-----BEGIN CERTIFICATE'))],
  [
    'another key',
    (pem: string, other: string) =>
      other.replace(/-----BEGIN CERT.*/s, '') + pem.replace(/^.*?(?=-----BEGIN CERT)/s, ''),
  ],
])('a file that holds %s is left alone', async (_, change) => {
  const [file, other] = [freshFile(), freshFile()];
  await make(file);
  await make(other);
  const text = change(readFileSync(file, 'utf8'), readFileSync(other, 'utf8'));
  writeFileSync(file, text);
  await expect(make(file)).rejects.toThrow(`${file} does not hold the certificate`);
  expect(readFileSync(file, 'utf8')).toBe(text);
});

test.skipIf(process.getuid?.() !== 0)('a file that somebody else made is not used', async () => {
  const file = freshFile();
  await make(file);
  // The administrator may have put it there.
  const euid = vi.spyOn(process, 'geteuid').mockReturnValue(1000);
  await make(file);
  euid.mockRestore();
  chownSync(file, 65534, 65534);
  await expect(make(file)).rejects.toThrow('belongs to somebody else');
});

test('watched, it is replaced when the machine is called otherwise, and a fault is said once', async () => {
  const file = freshFile();
  let machine: typeof laptop | undefined = laptop;
  const made = async () => {
    if (!machine) throw new Error('no network');
    return { tls: await ownCertificate(file, machine, NOW), machine };
  };
  const said: string[] = [];
  const renewed: string[][] = [];
  const first = await made();
  const renew = ({ tls, machine: { names: called } }: typeof first) => {
    renewed.push(names(new X509Certificate(tls.cert)));
    return called.join();
  };
  const { look, stop } = watchCertificate(made, first, renew, (line) => said.push(line));
  stop();
  await look();
  expect([renewed, said]).toEqual([[], []]);
  machine = { ...laptop, addresses: ['10.0.0.4'] };
  await look();
  await look();
  expect(renewed).toEqual([expect.arrayContaining(['10.0.0.4', 'laptop'])]);
  expect(said).toEqual([laptop.names.join()]);
  machine = undefined;
  await look();
  await look();
  const fault = expect.stringContaining('no network');
  expect(said.slice(1)).toEqual([fault]);
  machine = { ...laptop, addresses: ['10.0.0.4'] };
  await look();
  machine = undefined;
  await look();
  expect(said.slice(1)).toEqual([fault, fault]);
});
