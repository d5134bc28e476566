import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { checkServerIdentity } from 'node:tls';
import { chromium } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPrivatelySigned } from '../../src/http/wire/listener.ts';
import {
  AUTHORITY_DAYS,
  notAllowed,
  ownAuthority,
  ownCertificate,
  SIGNED_DAYS,
} from '../../src/http/wire/own-certificate.ts';
import { ownAuthorityFile, ownCertificateFile, pinOf } from '../../src/lib/pin.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, nora, prepared } from '../helpers.ts';
import { ARGS, missing, PATH } from '../insights/report/browser.ts';
import { root } from '../store/helpers.ts';

const DAY_MS = 86_400_000;
const laptop = {
  names: ['dev', 'dev.local'],
  addresses: ['192.168.1.23', 'fd00::7'],
};
const openssl = (...words: string[]) => execFileSync('openssl', words, { encoding: 'utf8', stdio: 'pipe' });

async function made(machine = laptop, now = Date.now()) {
  const database = join(freshFolder(), 'a.db');
  const file = ownAuthorityFile(database);
  const authority = await ownAuthority(file, machine, now);
  const sign = (at = machine, when = now) =>
    ownCertificate(ownCertificateFile(database), at, when, authority);
  return { database, file, authority, sign };
}

/** A certificate that somebody who has the key of an authority signs. */
function stolen(file: string, name: string) {
  const folder = freshFolder();
  const [key, leaf] = [join(folder, 'key.pem'), join(folder, 'leaf.pem')];
  const ec = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-keyout', key];
  const ca = ['-CA', file, '-CAkey', file, '-days', '2', '-subj', '/CN=x', '-out', leaf];
  openssl('req', '-x509', ...ec, ...ca, '-addext', `subjectAltName=${name}`);
  return { cert: readFileSync(leaf), key: readFileSync(key) };
}

/** A server with a certificate. @returns its port */
async function serving(tls: { cert: Buffer; key: Buffer }): Promise<number> {
  const server = createServer(tls, (_, answer) => answer.end('ok')).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

test('it is narrowed to this machine, critically, and to servers', async () => {
  const { file, authority } = await made();
  const text = openssl('x509', '-in', file, '-noout', '-text');
  const permitted = /X509v3 Name Constraints: critical\n\s+Permitted:\n((?:\s+(?:DNS|IP):.*\n)*)/.exec(text);
  expect(permitted?.[1]?.trim().split(/\n\s+/)).toEqual([
    'DNS:localhost',
    // Not dev: that would be every host of the top-level domain dev.
    'DNS:dev.local',
    'IP:127.0.0.1/255.255.255.255',
    'IP:0:0:0:0:0:0:0:1/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF',
    'IP:192.168.1.23/255.255.255.255',
    'IP:FD00:0:0:0:0:0:0:7/FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF:FFFF',
  ]);
  expect(text).toMatch(/Basic Constraints: critical\n\s+CA:TRUE, pathlen:0/);
  expect(text).toMatch(/Key Usage: critical\n\s+Certificate Sign\n/);
  expect(text).toMatch(/Extended Key Usage: \n\s+TLS Web Server Authentication\n/);
  if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(authority.allowed.names).toEqual(['localhost', 'dev.local']);
});

test('it is made once, and what it signs has the key that phones pinned before', async () => {
  const { database, file, authority, sign } = await made();
  const [pairing, now] = [ownCertificateFile(database), Date.now()];
  const alone = await ownCertificate(pairing, laptop, now);
  const { cert } = await sign();
  expect(pinOf(cert)).toBe(pinOf(alone.cert));
  expect(await sign()).toEqual({ cert, key: expect.anything(), isOwn: true });
  const again = await ownAuthority(file, { names: [], addresses: [] }, now + 365 * DAY_MS);
  expect(again.certificate.fingerprint256).toBe(authority.certificate.fingerprint256);
  // Without it, the service goes back to a certificate of its own.
  const { cert: last } = await ownCertificate(pairing, laptop, now);
  expect(isPrivatelySigned({ cert: last, key: last })).toBe(true);
  expect(isPrivatelySigned({ cert, key: cert })).toBe(false);
  expect(isPrivatelySigned(await sign())).toBe(true);
});

test.each([
  ['stays until 30 days before its end', SIGNED_DAYS - 31, false],
  ['is renewed 30 days before its end', SIGNED_DAYS - 30, true],
])('what it signs lasts 90 days and %s', async (_, days, isRenewed) => {
  const now = Date.now();
  const { sign } = await made(laptop, now);
  const first = await sign();
  const second = await sign(laptop, now + days * DAY_MS);
  expect(second.cert.equals(first.cert)).toBe(!isRenewed);
  expect(SIGNED_DAYS).toBe(90);
});

test.each([
  ['another address', { ...laptop, addresses: ['10.0.0.4'] }, ['10.0.0.4']],
  ['another name', { ...laptop, names: ['desk', 'desk.local'] }, ['desk.local']],
  ['a single word, which it never allows', { ...laptop, names: ['dev'] }, []],
  ['the machine as it was', laptop, []],
  ['an address in another spelling', { ...laptop, addresses: ['fd00:0:0::7'] }, []],
])('it does not sign for what came later: %s', async (_, machine, others) => {
  const { authority, sign } = await made();
  expect(notAllowed(authority, machine)).toEqual(others);
  const file = join(freshFolder(), 'leaf.pem');
  writeFileSync(file, (await sign(machine)).cert);
  const text = openssl('x509', '-in', file, '-noout', '-ext', 'subjectAltName');
  for (const other of others) expect(text).not.toContain(other);
  expect(text).toContain('127.0.0.1');
});

describe('what Node trusts with it', () => {
  /** Calls a server with these certificates as if it were at this name, trusting the authority only. */
  async function called(tls: { cert: Buffer; key: Buffer }, ca: string, name: string) {
    const port = await serving(tls);
    return new Promise<string>((done) => {
      const options = { host: '127.0.0.1', port, ca, agent: false as const };
      const asName = (_: string, certificate: Parameters<typeof checkServerIdentity>[1]) =>
        checkServerIdentity(name, certificate);
      get({ ...options, checkServerIdentity: asName }, (answer) => {
        answer.resume().on('end', () => done(''));
      }).on('error', ({ message, code }: NodeJS.ErrnoException) => done(`${code} ${message}`));
    });
  }

  test.each(['127.0.0.1', 'localhost', '192.168.1.23', 'fd00::7', 'dev.local'])('%s', async (name) => {
    const { authority, sign } = await made();
    expect(await called(await sign(), authority.certificate.toString(), name)).toBe('');
  });

  test.each(['DNS:bank.example', 'DNS:dev', 'DNS:a.dev', 'IP:192.168.1.24', 'IP:fd00::8'])(
    'not what a stolen key signs: %s',
    async (name) => {
      const { file, authority } = await made();
      const tls = stolen(file, name);
      const host = name.replace(/^\w+:/, '');
      expect(await called(tls, authority.certificate.toString(), host)).toMatch(
        /permitted subtree violation/,
      );
    },
  );
});

test('it is refused when it ends before what it would sign', async () => {
  const now = Date.now();
  const { file } = await made(laptop, now);
  const end = (days: number) => ownAuthority(file, laptop, now + (AUTHORITY_DAYS - days) * DAY_MS);
  expect((await end(SIGNED_DAYS + 1)).allowed.names).toContain('dev.local');
  await expect(end(SIGNED_DAYS - 1)).rejects.toThrow(`The authority in ${file} ends on`);
});

test('a file with another certificate is left alone', async () => {
  const { database } = await made();
  await ownCertificate(ownCertificateFile(database), laptop, Date.now());
  const text = readFileSync(ownCertificateFile(database), 'utf8');
  writeFileSync(ownAuthorityFile(database), text);
  await expect(ownAuthority(ownAuthorityFile(database), laptop, Date.now())).rejects.toThrow('does not hold');
  expect(readFileSync(ownAuthorityFile(database), 'utf8')).toBe(text);
});

test.each([
  ['CA:TRUE', 'critical,permitted;DNS:localhost', true],
  ['CA:TRUE', 'permitted;DNS:localhost', false],
  ['CA:FALSE', 'critical,permitted;DNS:localhost', false],
])(
  'a certificate of somebody else’s (%s, nameConstraints = %s) is taken: %s',
  async (basic, names, isTaken) => {
    const [config, file] = ['config', 'authority.pem'].map((name) => join(freshFolder(), name)) as [
      string,
      string,
    ];
    writeFileSync(
      config,
      `[req]\ndistinguished_name = dn\nx509_extensions = ext\nprompt = no\n[dn]\nCN = x
     [ext]\nbasicConstraints = critical,${basic}\nnameConstraints = ${names}\n`,
    );
    const ec = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
    openssl(
      'req',
      '-x509',
      '-config',
      config,
      '-days',
      '3650',
      ...ec,
      '-keyout',
      file,
      '-out',
      `${file}.crt`,
    );
    writeFileSync(file, readFileSync(file, 'utf8') + readFileSync(`${file}.crt`, 'utf8'));
    const made = ownAuthority(file, laptop, Date.now()).then(
      ({ allowed }) => allowed,
      ({ message }) => message,
    );
    const allowed = { names: ['localhost'], addresses: [] };
    expect(await made).toEqual(isTaken ? allowed : expect.stringContaining('does not hold'));
  },
);

/** `certutil` of NSS, which Chromium on Linux reads imported authorities from. */
const certutil = (...words: string[]) => execFileSync('certutil', words, { stdio: 'pipe' });
const lacking =
  missing ??
  (() => {
    try {
      certutil('-H');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return 'there is no certutil (apt-get install libnss3-tools)';
    }
    return undefined;
  })();

describe.skipIf(lacking !== undefined)(`in Chromium${lacking ? `: skipped, ${lacking}` : ''}`, () => {
  test('with it imported, the page pairs over TLS and starts again with the service stopped', async () => {
    const db = prepared((store) => store.users.create(nora));
    const bin = join(root, 'bin/sciatica.js');
    const words = ['serve', '--db', db, '--pairing', '--authority', '--port', '0'];
    const service = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const gone = once(service, 'exit');
    onTestFinished(() => void service.kill('SIGKILL'));
    const said = new Promise<string>((done) => {
      let text = '';
      service.stderr.on('data', (data) => {
        text += data;
        if (text.includes('fingerprint')) done(text);
      });
    });
    const [line] = await once(service.stdout, 'data');
    const port = /:(\d+)\n/.exec(String(line))?.[1];
    const [, fingerprint] = /SHA-256 fingerprint ([\dA-F:]{95})/.exec(await said) ?? [];

    const home = freshFolder();
    const certificate = join(home, 'authority.crt');
    // As a phone gets it, past the warning; and compared.
    writeFileSync(certificate, execFileSync('curl', ['-sk', `https://localhost:${port}/app/authority.crt`]));
    expect(openssl('x509', '-in', certificate, '-noout', '-fingerprint', '-sha256')).toContain(
      `=${fingerprint}\n`,
    );
    const nss = join(home, '.pki/nssdb');
    execFileSync('mkdir', ['-p', nss]);
    certutil('-d', `sql:${nss}`, '-N', '--empty-password');
    certutil('-d', `sql:${nss}`, '-A', '-t', 'C,,', '-n', 'sciatica', '-i', certificate);

    const browser = await chromium.launch({
      executablePath: PATH,
      args: [...ARGS, '--host-resolver-rules=MAP *.example 127.0.0.1'],
      timeout: DEADLINE_MS,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
    });
    onTestFinished(() => browser.close());
    const context = await browser.newContext();
    context.setDefaultTimeout(DEADLINE_MS);
    const page = await context.newPage();
    const store = openStore(db);
    const { code } = store.tokens.pairing.open(1, DAY_MS);
    store.close();
    await page.goto(`https://localhost:${port}/app/#code=${code}`);
    await page.getByRole('link', { name: 'Diary' }).waitFor();
    await page.evaluate('navigator.serviceWorker.ready');
    service.kill('SIGTERM');
    await gone;
    await page.close();
    const offline = await context.newPage();
    await offline.goto(`https://localhost:${port}/app/`);
    await offline.getByRole('link', { name: 'Diary' }).waitFor();

    const visit = async (host: string, name: string) => {
      const at = await serving(stolen(`${db}.authority.pem`, name));
      return offline.goto(`https://${host}:${at}/`).then(
        (answer) => answer?.status(),
        ({ message }: Error) => /net::\w+/.exec(message)?.[0],
      );
    };
    expect(await visit('localhost', 'DNS:localhost')).toBe(200);
    expect(await visit('bank.example', 'DNS:bank.example')).toBe('net::ERR_CERT_INVALID');
  });
});
