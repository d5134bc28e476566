import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type DoorOptions, doorFaults, proxyWarnings } from '../../src/http/guard/origins.ts';
import { hostNames } from '../../src/http/wire/listener.ts';
import { addressOf } from '../../src/http/wire/request.ts';
import { freshFolder, run } from '../helpers.ts';
import { freshServer } from './helpers.ts';

/** A certificate for localhost. */
function certificate() {
  const folder = freshFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-days', '2', '-nodes', '-newkey', 'ec'];
  const curve = ['-pkeyopt', 'ec_paramgen_curve:prime256v1'];
  execFileSync('openssl', ['req', '-x509', ...subject, ...curve, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { cert, key };
}

const auth = { burst: 100, perSecond: 100 };

function get(port: number, options: object): Promise<number | string> {
  return new Promise((resolve) => {
    request({ host: '127.0.0.1', port, path: '/users', rejectUnauthorized: false, agent: false, ...options })
      .on('response', (response) => resolve(response.resume().statusCode ?? 0))
      .on('error', (error) => resolve(error.message))
      .end();
  });
}

test('TLS from 1.2 on, and nothing else', async () => {
  const { cert, key } = certificate();
  const tls = { cert: readFileSync(cert), key: readFileSync(key) };
  const { server, store } = await freshServer({ auth, tls });
  const { token } = store.tokens.create({ name: 'a', role: 'admin', users: null, lifetime: null });
  const headers = { host: `localhost:${server.port}`, authorization: `Bearer ${token}` };
  expect(await get(server.port, { headers })).toBe(200);
  expect(await get(server.port, { headers, maxVersion: 'TLSv1.2' })).toBe(200);
  expect(await get(server.port, { headers: { host: headers.host } })).toBe(401);
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
  expect(await get(server.port, { headers, ...old })).toMatch(/protocol version/i);
  await expect(fetch(`http://localhost:${server.port}/users`)).rejects.toThrow();
});

test('a token that is taken back is refused on the same connection', async () => {
  const { url, store } = await freshServer({ auth });
  const { token } = store.tokens.create({ name: 'a', role: 'admin', users: null, lifetime: null });
  const status = async () =>
    (await fetch(`${url}/users`, { headers: { authorization: `Bearer ${token}` } })).status;
  expect(await status()).toBe(200);
  store.tokens.revoke('a');
  expect(await status()).toBe(401);
  expect((await fetch(`${url}/health`)).status).toBe(200);
});

describe('who calls', () => {
  const incoming = (forwarded?: string) =>
    ({
      headers: { 'x-forwarded-for': forwarded },
      socket: { remoteAddress: '127.0.0.1' },
    }) as unknown as IncomingMessage;

  test.each([
    [undefined, true, '127.0.0.1'],
    ['192.0.2.7', false, '127.0.0.1'],
    ['192.0.2.7', true, '192.0.2.7'],
    ['10.0.0.1, 2001:db8::1', true, '2001:db8::1'],
    ['somebody', true, '127.0.0.1'],
    ['192.0.2.7:99', true, '192.0.2.7'],
    ['10.0.0.1, 192.0.2.7:99', true, '192.0.2.7'],
    ['[2001:db8::1]:99', true, '2001:db8::1'],
    ['[2001:db8::1]', true, '2001:db8::1'],
    ['[192.0.2.7]', true, '127.0.0.1'],
    ['192.0.2.7:', true, '127.0.0.1'],
    ['192.0.2:99', true, '127.0.0.1'],
  ])('%s, proxied: %s', (forwarded, isProxied, address) =>
    expect(addressOf(incoming(forwarded), isProxied)).toBe(address),
  );

  test.each([
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::ffff:1:2', '::ffff:1:2'],
    ['2001:db8::1', '2001:db8::1'],
  ])('from %s directly: %s', (remoteAddress, address) => {
    const direct = { headers: {}, socket: { remoteAddress } } as unknown as IncomingMessage;
    expect(addressOf(direct, false)).toBe(address);
  });

  test.each([
    ['127.0.0.1', ['127.0.0.1']],
    ['192.0.2.7', ['192.0.2.7']],
    ['FE80::1', ['[fe80::1]']],
    ['0.0.0.0', []],
    ['::', []],
    ['tracker.example', []],
  ])('listening on %s answers to %j', (host, names) => expect(hostNames(host)).toEqual(names));
});

describe('behind a proxy', () => {
  test.each([
    ['192.0.2.7', ''],
    ['192.0.2.7:99', ''],
    ['192.0.2.9, 192.0.2.7', 'several addresses'],
    [undefined, 'without an address'],
    ['somebody', 'without an address'],
  ])('X-Forwarded-For: %s: %j is said once', async (forwarded, told) => {
    const { url, log, server } = await freshServer({ auth, behindProxy: true });
    // The first request may be one that comes as it should.
    for (const sent of ['192.0.2.7', forwarded, forwarded])
      await fetch(`${url}/health`, { headers: sent ? { 'x-forwarded-for': sent } : {} });
    await server.stop();
    const warnings = log.join('').match(/warning: .*/g) ?? [];
    expect(warnings).toEqual(told === '' ? [] : [expect.stringContaining(told)]);
  });

  test('the address of the service begins with https', async () => {
    const { url } = await freshServer({ auth, behindProxy: true });
    const { servers } = (await (await fetch(`${url}/openapi.json`)).json()) as { servers: unknown };
    expect(servers).toEqual([expect.objectContaining({ url: url.replace('http:', 'https:') })]);
  });
});

describe('sciatica serve', () => {
  const onNetwork = { host: '0.0.0.0', allowHost: [], allowOrigin: [], app: true };
  const files = { tlsCert: 'a', tlsKey: 'b' };

  test.each<[string, Partial<DoorOptions>, string[]]>([
    ['with tokens and a certificate', { auth: true, ...files }, []],
    ['with tokens behind a proxy', { auth: true, behindProxy: true }, []],
    ['with a certificate of its own', { pairing: true }, []],
    ['with tokens alone', { auth: true }, ['--host']],
    ['behind a proxy without tokens', { behindProxy: true }, ['--host', '--behind-proxy']],
    ['for phones behind a proxy', { pairing: true, behindProxy: true }, ['--allow-host']],
    ['for phones, as the proxy is called', { pairing: true, behindProxy: true, allowHost: ['a.b'] }, []],
    ['as an authority', { pairing: true, authority: true }, []],
    [
      'as an authority with a certificate',
      { pairing: true, authority: true, ...files, allowHost: ['a'] },
      ['--authority'],
    ],
    [
      'as an authority behind a proxy',
      { pairing: true, authority: true, behindProxy: true, allowHost: ['a'] },
      ['--authority'],
    ],
  ])('is open to the network %s, or says why not', (_, options, faults) => {
    expect(doorFaults({ ...onNetwork, ...options }).map(({ field }) => field)).toEqual(faults);
  });

  test.each([
    ['127.0.0.1', 1],
    ['0.0.0.0', 2],
  ])('behind a proxy at %s warns %d times', (host, count) => {
    expect(proxyWarnings(host)).toHaveLength(count);
  });
});

describe('sciatica serve refuses', () => {
  test.each([
    [['--host', '0.0.0.0'], 2, '--auth'],
    [['--host', '0.0.0.0', '--tls-cert', 'a', '--tls-key', 'b'], 2, '--auth'],
    [['--host', '0.0.0.0', '--auth'], 2, 'needs --tls-cert and --tls-key, or --behind-proxy'],
    [['--auth', '--tls-cert', 'a'], 2, 'need each other'],
    [['--behind-proxy'], 2, '--behind-proxy needs --auth'],
    [['--rate', '5'], 2, '--rate needs --auth'],
    [['--authority'], 2, '--authority needs --pairing'],
    [['--pairing', '--authority', '--no-app'], 2, '--authority needs --pairing'],
    [['--auth', '--rate', '0'], 2, 'whole number, 1 or more'],
    [
      ['--auth', '--tls-cert', '/proc/nowhere', '--tls-key', '/proc/nowhere'],
      1,
      '/proc/nowhere cannot be read: ENOENT',
    ],
    [
      ['--auth', '--no-app', '--port', '0', '--tls-cert', 'package.json', '--tls-key', 'package.json'],
      1,
      'no certificate with its key',
    ],
  ])('%j', async (words, code, told) => {
    const result = await run(['serve', ...words]);
    expect(result.stderr).toContain(told);
    expect([result.code, result.stdout]).toEqual([code, '']);
  });
});
