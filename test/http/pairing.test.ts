import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CODE_LIFETIME_MS, pairingUri } from '../../src/domain/pairing.ts';
import { startServer } from '../../src/http/server.ts';
import { ownCertificate } from '../../src/http/wire/own-certificate.ts';
import { addressOf } from '../../src/http/wire/request.ts';
import { pinOf } from '../../src/lib/pin.ts';
import { pair, send } from '../docs/pairing-client.ts';
import { freshFolder } from '../helpers.ts';
import { freshPath, openStore } from '../store/helpers.ts';
import { freshApp, freshServer, guardedApp, nora, workerFile } from './helpers.ts';

const DAY_MS = 86_400_000;
const auth = { burst: 100, perSecond: 100 };
const laptop = { names: ['laptop'], addresses: ['192.168.1.23'] };

const pairingApp = (now = Date.now) => {
  const made = guardedApp({ isPairing: true, now: () => now() });
  const post = (body: unknown, headers = {}) => made.call('POST', '/pair', { body, headers });
  return { ...made, post, pairing: made.store.tokens.pairing };
};

describe('POST /pair', () => {
  test('gives a token that reads the records of the user, and no others', async () => {
    const { call, post, pairing, store } = pairingApp();
    store.users.create(nora);
    const { code } = pairing.open(2, 90 * DAY_MS);
    const { status, body } = await post({ code, name: 'Pixel 9' });
    expect(status).toBe(201);
    const { token, expiresAt, ...rest } = body as { token: string; expiresAt: string };
    expect(rest).toEqual({ name: 'Pixel 9', role: 'patient', users: [2] });
    expect(Date.parse(expiresAt)).toBe(store.tokens.named('Pixel 9').expiresAt);
    const headers = { authorization: `Bearer ${token}` };
    expect((await call('GET', '/users', { headers })).body).toMatchObject([{ id: 2 }]);
    expect((await call('GET', '/users/1', { headers })).status).toBe(404);
    store.tokens.revoke('Pixel 9');
    expect((await call('GET', '/users', { headers })).status).toBe(401);
  });

  test('a name is not needed', async () => {
    const { post, pairing } = pairingApp();
    expect((await post({ code: pairing.open(1, DAY_MS).code })).body).toMatchObject({ name: 'phone' });
  });

  test('is there only while a code is open, and only where phones are paired', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { post, pairing } = pairingApp(() => clock.now);
    const notFound = await post({ code: 'x' });
    expect(notFound.status).toBe(404);
    expect((await post('{"not JSON')).status).toBe(404);
    const { code } = pairing.open(1, DAY_MS);
    expect((await post({ code: 'x' })).status).toBe(403);
    clock.now += CODE_LIFETIME_MS;
    expect((await post({ code })).text).toBe(notFound.text);
    for (const elsewhere of [guardedApp(), freshApp()]) {
      const opened = elsewhere.store.tokens.pairing.open(1, DAY_MS);
      expect((await elsewhere.call('POST', '/pair', { body: { code: opened.code } })).status).toBe(404);
      expect(elsewhere.store.tokens.list()).toEqual([]);
    }
  });

  test('five wrong codes close it', async () => {
    const { post, pairing, store } = pairingApp();
    const { code } = pairing.open(1, DAY_MS);
    for (let i = 0; i < 5; i++) {
      const { status, body } = await post({ code: `wrong ${i}` });
      expect([status, body]).toMatchObject([403, { type: '/docs#problem-wrong-code' }]);
    }
    expect((await post({ code })).status).toBe(404);
    expect(store.tokens.list()).toEqual([]);
  });

  test('of two phones at once, one gets a token', async () => {
    const { post, pairing, store } = pairingApp();
    const { code } = pairing.open(1, DAY_MS);
    const answers = await Promise.all([post({ code }), post({ code })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 404]);
    expect(store.tokens.list()).toHaveLength(1);
  });

  test.each<[string, unknown, string]>([
    ['no code', {}, 'code'],
    ['a code that is no text', { code: 5 }, 'code'],
    ['a name with a line end', { code: 'CODE', name: 'a\nb' }, 'name'],
    ['a name that begins with a digit', { code: 'CODE', name: '3' }, 'name'],
    ['an unknown field', { code: 'CODE', role: 'admin' }, 'role'],
  ])('%s is 400 and uses nothing up', async (_, body, field) => {
    const { post, pairing, errors } = pairingApp();
    const { code } = pairing.open(1, DAY_MS);
    const sent = JSON.parse(JSON.stringify(body).replace('CODE', code));
    const answer = await post(sent);
    expect([answer.status, answer.body]).toMatchObject([400, { errors: [{ field }] }]);
    expect(answer.text).not.toContain(code);
    expect((await post({ code })).status).toBe(201);
    expect(errors).toEqual([]);
  });

  test('takes no query and no other method', async () => {
    const { call, pairing } = pairingApp();
    const { code } = pairing.open(1, DAY_MS);
    expect((await call('POST', '/pair?x=1', { body: { code } })).status).toBe(400);
    expect((await call('GET', '/pair')).headers['allow']).toBe('POST, OPTIONS');
  });

  test('an address may try ten times, then once every ten seconds', async () => {
    const clock = { now: 1_000_000_000_000 };
    const { post, store } = pairingApp(() => clock.now);
    const statuses: number[] = [];
    for (let i = 0; i < 12; i++) statuses.push((await post({ code: 'x' })).status);
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429]);
    clock.now += 10_000;
    expect((await post({ code: store.tokens.pairing.open(1, DAY_MS).code })).status).toBe(201);
    expect((await post({ code: 'x' })).headers['retry-after']).toBe('10');
  });

  test('cannot be inside a batch', async () => {
    const { call, post, pairing } = pairingApp();
    const { token } = (await post({ code: pairing.open(1, DAY_MS).code })).body as { token: string };
    const { code } = pairing.open(1, DAY_MS);
    const body = { requests: [{ method: 'POST', url: '/pair', body: { code } }] };
    const answer = await call('POST', '/batch', { headers: { authorization: `Bearer ${token}` }, body });
    expect(answer).toMatchObject({ status: 400, body: { errors: [{ field: 'requests[0].url' }] } });
    expect(pairing.outcome(code)).toBe('open');
  });

  test('is in the audit with the token that it gave, and with nothing secret', async () => {
    const { gate, post, pairing, store } = pairingApp();
    const { code } = pairing.open(1, DAY_MS);
    await post({ code: 'a wrong one' });
    const { token } = (await post({ code })).body as { token: string };
    await post({ code });
    await gate.audit.flush();
    const entries = store.audit.list({ limit: 10 });
    expect(entries).toMatchObject([
      { route: '/pair', status: 404, token: null, userId: null, address: '192.0.2.7' },
      { route: '/pair', status: 201, who: 'phone', userId: 1, record: 'user', first: 1 },
      { route: '/pair', status: 403, token: null, userId: null },
    ]);
    for (const secret of [code, 'a wrong one', token]) expect(JSON.stringify(entries)).not.toContain(secret);
  });
});

/** A real service on a store, with the certificate in a file, and the invitation to it. */
async function running(path = freshPath(), file = join(freshFolder(), 'own.pem')) {
  const tls = await ownCertificate(file, laptop, Date.now());
  const store = openStore(path);
  if (store.users.count() === 0) store.users.create(nora);
  const log: string[] = [];
  const server = await startServer(store, {
    host: '127.0.0.1',
    port: 0,
    origins: { allowHosts: [], allowOrigins: [] },
    auth,
    tls,
    isPairing: true,
    ownNames: ['laptop', '192.168.1.23'],
    workerFile,
    log: (text) => log.push(text),
  });
  const url = `https://127.0.0.1:${server.port}`;
  const [pin, { pairing }] = [pinOf(tls.cert), store.tokens];
  const invite = () => ({ url, pin, code: pairing.open(1, DAY_MS).code });
  const stop = async () => {
    await server.stop();
    store.close();
  };
  return { server, store, pairing, log, url, pin, path, file, invite, stop };
}

describe('a client that pins the key', () => {
  test('pairs, and calls with its token', async () => {
    const { invite, log, stop } = await running();
    const { code, ...at } = invite();
    const paired = await pair(pairingUri({ ...at, code }), 'Pixel 9');
    expect(paired).toEqual({ ...at, token: expect.stringMatching(/^sciatica_/) });
    const { status, body } = await send(paired, 'GET', '/me');
    expect([status, JSON.parse(body)]).toMatchObject([200, { name: 'Pixel 9', users: [1] }]);
    await stop();
    expect(log.join('')).toContain('POST /pair 201');
    for (const secret of [code, paired.token]) expect(log.join('')).not.toContain(secret);
  });

  test('sends nothing where the key is another', async () => {
    const { invite, log, pairing, stop } = await running();
    const { code, url } = invite();
    const pin = `sha256-${'A'.repeat(43)}`;
    await expect(pair(pairingUri({ url, pin, code }), 'a')).rejects.toThrow('not the service');
    expect(pairing.outcome(code)).toBe('open');
    await stop();
    expect(log.join('')).not.toContain('POST /pair');
  });

  test('keeps its pin over a restart, with the code that was open', async () => {
    const before = await running();
    const { pin, code } = before.invite();
    await before.stop();
    const after = await running(before.path, before.file);
    const paired = await pair(pairingUri({ url: after.url, pin, code }), 'a');
    expect((await send(paired, 'GET', '/users/1')).status).toBe(200);
    await after.stop();
  });
});

test('a body may have 1 KiB', async () => {
  const { invite, url, pin, stop } = await running();
  const { code } = invite();
  const sized = (bytes: number) => ({
    code,
    name: 'a'.repeat(bytes - JSON.stringify({ code, name: '' }).length),
  });
  expect((await send({ url, pin }, 'POST', '/pair', sized(1024))).status).toBe(400);
  expect((await send({ url, pin }, 'POST', '/pair', sized(1025))).status).toBe(413);
  expect((await send({ url, pin }, 'POST', '/pair', { code })).status).toBe(201);
  await stop();
});

test.each([
  ['::ffff:192.168.1.7', '192.168.1.7'],
  ['192.168.1.7', '192.168.1.7'],
  ['fd00::7', 'fd00::7'],
  ['::ffff:c0a8:107', '::ffff:c0a8:107'],
])('a socket for both versions of IP: %s is %s', (remoteAddress, address) => {
  const incoming = { headers: {}, socket: { remoteAddress } } as unknown as IncomingMessage;
  expect(addressOf(incoming, false)).toBe(address);
});

describe('the Host names of a machine', () => {
  const asked = async (url: string, pin: string, host: string) => {
    const { status } = await send({ url, pin }, 'GET', '/health', undefined, { Host: host });
    return status;
  };

  test('are answered, others are not, and a renewal takes the names along', async () => {
    const { server, url, pin, file, stop } = await running();
    const statuses = async () => {
      const found: Record<string, number> = {};
      for (const name of ['127.0.0.1', 'localhost', 'laptop', '192.168.1.23', '10.0.0.4', 'evil.example'])
        found[name] = await asked(url, pin, `${name}:${server.port}`);
      return Object.keys(found).filter((name) => found[name] === 200);
    };
    expect(await statuses()).toEqual(['127.0.0.1', 'localhost', 'laptop', '192.168.1.23']);
    const moved = { names: ['laptop'], addresses: ['10.0.0.4'] };
    server.renew(await ownCertificate(file, moved, Date.now()), ['laptop', '10.0.0.4']);
    expect(await statuses()).toEqual(['127.0.0.1', 'localhost', 'laptop', '10.0.0.4']);
    await stop();
  });
});

test('without authentication nobody is paired, whatever is asked for', async () => {
  const { url, store } = await freshServer({ isPairing: true });
  const { code } = store.tokens.pairing.open(1, DAY_MS);
  const headers = { 'content-type': 'application/json' };
  const { status } = await fetch(`${url}/pair`, { method: 'POST', headers, body: JSON.stringify({ code }) });
  expect([status, store.tokens.list()]).toEqual([404, []]);
});
