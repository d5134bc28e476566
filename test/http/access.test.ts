import { describe, expect, test } from 'vitest';
import { checkOrigin, originsAt } from '../../src/http/guard/origins.ts';
import { routes } from '../../src/http/routes/index.ts';
import type { HttpRequest } from '../../src/http/wire/message.ts';
import { freshApp, freshServer } from './helpers.ts';

const hosts: [name: string, hosts: string[], status: number][] = [
  ['localhost', ['localhost:3000'], 200],
  ['127.0.0.1', ['127.0.0.1:3000'], 200],
  ['[::1]', ['[::1]:3000'], 200],
  ['in capitals', ['LOCALHOST:3000'], 200],
  ['an allowed name', ['tracker.local'], 200],
  ['an allowed name with the port', ['tracker.local:3000'], 200],
  ['no Host', [], 400],
  ['two Hosts', ['localhost:3000', 'localhost:3000'], 400],
  ['an empty Host', [''], 403],
  ['another name', ['evil.example:3000'], 403],
  ['a name that begins alike', ['localhost:3000.evil.example'], 403],
  ['a name that ends alike', ['evil-localhost:3000'], 403],
  ['another port', ['localhost:3001'], 403],
  ['no port', ['localhost'], 403],
  ['a dot at the end', ['localhost.:3000'], 403],
  ['user info', ['evil@localhost:3000'], 403],
  ['another loopback address', ['127.0.0.2:3000'], 403],
];

const headers: [name: string, headers: Record<string, string>, status: number][] = [
  ['no Origin', {}, 200],
  ['its own Origin', { origin: 'http://localhost:3000' }, 200],
  ['an allowed Origin', { origin: 'https://app.example' }, 200],
  [
    'an allowed Origin from another site',
    { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' },
    200,
  ],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['an Origin that ends alike', { origin: 'evil-http://localhost:3000' }, 403],
  ['an Origin that begins alike', { origin: 'https://app.example.evil.example' }, 403],
  ['the Origin null', { origin: 'null' }, 403],
  ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
  ['another service of this site', { 'sec-fetch-site': 'same-site' }, 200],
  ['the same origin', { 'sec-fetch-site': 'same-origin' }, 200],
  ['typed by a person', { 'sec-fetch-site': 'none' }, 200],
];

const access = { allowHosts: ['tracker.local'], allowOrigins: ['https://app.example'] };

describe('who may call', () => {
  test.each(hosts)('Host: %s', async (_, hosts, status) => {
    const { call } = freshApp(access);
    expect((await call('GET', '/users', { hosts })).status).toBe(status);
  });

  test.each(headers)('%s', async (_, headers, status) => {
    const { call } = freshApp(access);
    expect((await call('GET', '/users', { headers })).status).toBe(status);
  });

  test.each([
    ['DELETE', 'same-site', 403],
    ['DELETE', 'cross-site', 403],
    ['DELETE', 'same-origin', 200],
    ['DELETE', 'none', 200],
    ['POST', 'same-site', 403],
    ['HEAD', 'same-site', 200],
  ])('%s from a page of %s, without Origin', async (method, site, status) => {
    const { call } = freshApp(access);
    const headers = { 'sec-fetch-site': site };
    expect((await call(method, '/userExerciseLogs/1', { headers })).status).toBe(status);
  });

  test.each(routes.map(({ method, path }) => [method, path]))(
    '%s %s is closed to a rebound name',
    async (method, path) => {
      const { call } = freshApp();
      const target = path.replace('{id}', '1');
      expect((await call(method, target, { hosts: ['evil.example'] })).status).toBe(403);
      expect((await call(method, target, { headers: { origin: 'https://evil.example' } })).status).toBe(403);
    },
  );

  test('an absolute target counts as a Host', async () => {
    const { call } = freshApp();
    expect((await call('GET', 'http://localhost:3000/users')).status).toBe(200);
    expect((await call('GET', 'http://evil.example/users')).status).toBe(403);
  });
});

describe('the port may be missing in Host and Origin', () => {
  const pass = (port: number, host: string) => {
    const origins = originsAt(port, [], [], false, ['192.0.2.7']);
    const target = '/users';
    checkOrigin({ target, hosts: [host], headers: {} } as unknown as HttpRequest, origins);
    const headers = { origin: `http://${host}` };
    const own = `localhost:${port}`;
    checkOrigin({ target, hosts: [own], headers } as unknown as HttpRequest, origins);
  };

  test.each(['localhost', '127.0.0.1', '[::1]', '192.0.2.7'])('of %s on 80 and 443 only', (host) => {
    for (const port of [80, 443, 3000]) expect(() => pass(port, `${host}:${port}`)).not.toThrow();
    for (const port of [80, 443]) expect(() => pass(port, host)).not.toThrow();
    expect(() => pass(3000, host)).toThrow('Host name');
  });

  test.each(['http://localhost', 'http://127.0.0.1', 'http://[::1]'])(
    'Origin %s, on 3000',
    async (origin) => {
      const { url } = await freshServer();
      expect((await fetch(`${url}/users`, { headers: { origin } })).status).toBe(403);
    },
  );
});

test.each(['https', 'HTTPS'])('the target %s://localhost:3000/users needs TLS', (scheme) => {
  const target = `${scheme}://localhost:3000/users`;
  const request = { target, hosts: ['localhost:3000'], headers: {} } as unknown as HttpRequest;
  expect(() => checkOrigin(request, originsAt(3000, [], [], true))).not.toThrow();
  expect(() => checkOrigin(request, originsAt(3000, [], []))).toThrow('https');
});

describe('CORS', () => {
  test('is silent until an origin is allowed', async () => {
    const { call } = freshApp();
    const { headers } = await call('GET', '/users', { headers: { origin: 'http://localhost:3000' } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
  });

  test('lets an allowed page read', async () => {
    const { call } = freshApp(access);
    const { headers } = await call('GET', '/users', { headers: { origin: 'https://app.example' } });
    expect(headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example',
      vary: 'Accept, Origin',
    });
    expect(headers['access-control-expose-headers']).toContain('ETag');
    expect(headers['cross-origin-resource-policy']).toBe('cross-origin');
    expect((await call('GET', '/users')).headers['vary']).toBe('Accept, Origin');
  });

  test('lets an allowed page read every header that the document has', async () => {
    const { call } = freshApp(access);
    const { headers, text } = await call('GET', '/openapi.json', {
      headers: { origin: 'https://app.example' },
    });
    const described = new Set<string>();
    JSON.parse(text, (key, value) => {
      if (key === 'headers') for (const name of Object.keys(value)) described.add(name);
      return value;
    });
    // The browser itself obeys this one.
    described.delete('Content-Security-Policy');
    const names = [...described].filter((name) => /^[A-Z]/.test(name)).sort();
    expect(headers['access-control-expose-headers']?.split(', ')).toEqual(names);
  });

  test.each(['http://localhost:3000', 'https://evil.example'])('lets %s read nothing', async (origin) => {
    const { call } = freshApp(access);
    const { headers } = await call('GET', '/users', { headers: { origin } });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('answers a preflight', async () => {
    const { call } = freshApp(access);
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' };
    const { status, headers } = await call('OPTIONS', '/users/1', { headers: preflight });
    expect(status).toBe(204);
    expect(headers['access-control-allow-methods']).toContain('PATCH');
    expect(headers['access-control-allow-headers']).toContain('Content-Type');
    expect(headers['access-control-max-age']).toBe('600');
  });
});
