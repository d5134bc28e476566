import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { connect as connectRaw } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type CertificateFiles,
  exposure,
  readCertificate,
  untimely,
  watchCertificate,
} from '../../src/http/wire/certificate-files.ts';
import { strictTransport } from '../../src/http/wire/listener.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder } from '../helpers.ts';
import { certificate, RSA } from './certificate.ts';
import { freshServer, nora } from './helpers.ts';

const auth = { burst: 100, perSecond: 100 };
const contents = ({ cert, key }: CertificateFiles) => ({ cert: readFileSync(cert), key: readFileSync(key) });
const here = { host: '127.0.0.1', rejectUnauthorized: false };

function headersOf(port: number, host: string): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    request({ ...here, port, path: '/health', headers: { host }, agent: false })
      .on('response', (response) => resolve(response.resume().headers))
      .on('error', reject)
      .end();
  });
}

/** The cipher suite and the serial number that a connection with these settings gets; else why there is none. */
function handshake(port: number, options: object = {}): Promise<{ suite: string; serial: string } | string> {
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({ ...here, port, ...options });
    socket.on('secureConnect', () => {
      resolve({ suite: socket.getCipher().name, serial: socket.getPeerCertificate().serialNumber });
      socket.destroy();
    });
    socket.on('error', (error) => resolve(error.message));
  });
}

describe('Strict-Transport-Security', () => {
  const allowHosts = ['tracker.example'];
  test.each([
    ['by an authority', 'tracker.example', 'max-age=31536000'],
    ['by an authority', 'localhost', undefined],
    ['by an authority', '127.0.0.1', undefined],
    ['by an authority', '[::1]', undefined],
    ['by itself', 'tracker.example', undefined],
  ] as const)('with a certificate signed %s, for %s: %s', async (signed, host, value) => {
    const tls = contents(certificate(signed));
    const { server } = await freshServer({ auth, tls, origins: { allowHosts, allowOrigins: [] } });
    const headers = await headersOf(server.port, `${host}:${server.port}`);
    expect(headers['strict-transport-security']).toBe(value);
  });

  test.each([
    ['tracker.example.', 'max-age=31536000'],
    ['Localhost', undefined],
    ['localhost.', undefined],
    ['nora.localhost:3000', undefined],
    ['127.0.0.1.', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('is for names that others can have: %s', (host, value) => {
    expect(strictTransport(host)).toBe(value);
  });

  test('is not sent without TLS', async () => {
    const { url } = await freshServer({ auth, behindProxy: true });
    expect((await fetch(`${url}/health`)).headers.get('strict-transport-security')).toBe(null);
  });
});

test.each([
  ['ECDHE-RSA-AES128-GCM-SHA256', true],
  ['ECDHE-RSA-CHACHA20-POLY1305', true],
  ['ECDHE-RSA-AES128-SHA256', false],
  ['ECDHE-RSA-AES256-SHA', false],
  ['AES128-GCM-SHA256', false],
  ['DHE-RSA-AES128-GCM-SHA256', false],
])('TLS 1.2 with %s: %s', async (ciphers, isAllowed) => {
  const { server } = await freshServer({ auth, tls: contents(certificate('by itself', RSA)) });
  const made = await handshake(server.port, { ciphers, maxVersion: 'TLSv1.2' });
  if (isAllowed) expect(made).toMatchObject({ suite: ciphers });
  else expect(made).toMatch(/handshake failure|no ciphers/i);
});

test(
  'a handshake that does not come is not waited for',
  async () => {
    const tls = contents(certificate('by itself'));
    const { server } = await freshServer({ auth, tls, timeouts: { headers: 100 } });
    const socket = connectRaw(server.port, here.host).resume();
    socket.on('error', () => {});
    await once(socket, 'close');
  },
  DEADLINE_MS,
);

test('a service that stops finishes what is in flight over TLS', async () => {
  const tls = contents(certificate('by itself'));
  const { server, store } = await freshServer({ auth, tls });
  const { token } = store.tokens.create({ name: 'a', role: 'admin', users: null, lifetime: null });
  const other = openDatabase(store.path);
  other.begin();
  const host = `localhost:${server.port}`;
  const headers = { host, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = request({
    ...here,
    port: server.port,
    method: 'POST',
    path: '/users',
    headers,
    agent: false,
  });
  const answered = once(asked, 'response');
  await new Promise<void>((sent) => asked.end(JSON.stringify(nora), sent));
  await headersOf(server.port, host);
  const stopped = server.stop();
  other.commit();
  other.close();
  expect((await answered)[0].resume().statusCode).toBe(201);
  await stopped;
});

describe('a renewed certificate', () => {
  const replace = (files: CertificateFiles, by: CertificateFiles) => {
    copyFileSync(by.cert, files.cert);
    copyFileSync(by.key, files.key);
  };

  test('is used for new connections, and one that does not fit its key is not', async () => {
    const [first, second] = [certificate('by itself'), certificate('by an authority')];
    const origins = { allowHosts: ['tracker.example'], allowOrigins: [] };
    const names = ['laptop.local', 'desk.local'];
    const { server } = await freshServer({ auth, tls: contents(first), origins, ownNames: ['laptop.local'] });
    const known = async () => {
      const all = await Promise.all(names.map((name) => headersOf(server.port, `${name}:${server.port}`)));
      return names.filter((_, i) => all[i]?.['content-type'] === 'application/json');
    };
    const strict = async () => {
      const headers = await headersOf(server.port, `tracker.example:${server.port}`);
      return headers['strict-transport-security'] !== undefined;
    };
    expect(await strict()).toBe(false);
    const before = await handshake(server.port);
    expect(() => server.renew({ ...contents(second), key: readFileSync(first.key) })).toThrow();
    expect(await handshake(server.port)).toEqual(before);
    expect(await known()).toEqual(['laptop.local']);
    server.renew(contents(second), ['desk.local']);
    expect(await known()).toEqual(['desk.local']);
    const after = await handshake(server.port);
    expect(after).toMatchObject({ suite: expect.any(String) });
    expect(after).not.toEqual(before);
    expect(await strict()).toBe(true);
  });

  test('is found in its files, once both are there', async () => {
    const [files, next] = [certificate('by itself'), certificate('by itself')];
    const said: string[] = [];
    const taken: Buffer[] = [];
    const renew = ({ cert, key }: { cert: Buffer; key: Buffer }) => {
      if (!key.equals(readFileSync(next.key))) throw new Error('key values mismatch');
      taken.push(cert);
      return 'It is in use.';
    };
    const read = () => readCertificate(files);
    const { look, stop } = watchCertificate(read, read(), renew, (line) => said.push(line), 10);
    onTestFinished(stop);
    await look();
    expect(said).toEqual([]);
    copyFileSync(next.cert, files.cert);
    await expect.poll(() => said).toEqual([expect.stringContaining('key values mismatch')]);
    copyFileSync(next.key, files.key);
    await expect.poll(() => said).toHaveLength(2);
    expect(taken).toEqual([readFileSync(next.cert)]);
    expect(said[1]).toContain('in use');
  });

  test.skipIf(process.platform === 'win32')('is taken at SIGHUP, and SIGTERM stops', async () => {
    const files = certificate('by itself');
    const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));
    const words = ['serve', '--auth', '--port', '0', '--tls-cert', files.cert, '--tls-key', files.key];
    chmodSync(files.key, 0o644);
    const env = { PATH: process.env['PATH'], SCIATICA_DB: join(freshFolder(), 'a.db') };
    const child = spawn(process.execPath, [bin, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
    });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(/:(\d+)\s*$/.exec(String(line))?.[1]);
    const before = await handshake(port);
    replace(files, certificate('by itself'));
    child.kill('SIGHUP');
    await expect.poll(() => said).toContain('in use');
    expect(await handshake(port)).not.toEqual(before);
    expect(said).toContain(`chmod 600 ${files.key}`);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });
});

test.skipIf(process.platform === 'win32').each([
  [0o600, false],
  [0o400, false],
  [0o640, true],
  [0o604, true],
])('a key with mode %o is pointed out: %s', (mode, isExposed) => {
  const key = join(freshFolder(), 'key.pem');
  writeFileSync(key, '');
  chmodSync(key, mode);
  const told = exposure({ cert: key, key });
  expect(told?.includes(`chmod 600 ${key}`) ?? false).toBe(isExposed);
});

test.each([
  [-60_000, 'is valid only from'],
  [60_000, undefined],
  [400 * 86_400_000, 'expired on'],
])('of a certificate, %d ms after it was made: %s', (after, said) => {
  const tls = contents(certificate('by itself'));
  const made = Date.parse(new X509Certificate(tls.cert).validFrom);
  expect(untimely(tls, made + after)?.includes(String(said))).toBe(said === undefined ? undefined : true);
});
