import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pairingUri } from '../../src/domain/pairing.ts';
import { startServer } from '../../src/http/server.ts';
import { pinOf } from '../../src/lib/pin.ts';
import type { Store } from '../../src/store/store.ts';
import { freshFolder, freshPath, nora, run } from '../helpers.ts';
import { workerFile } from '../http/helpers.ts';
import { newDatabase } from '../new-database.ts';
import { log, openStore, user } from '../store/helpers.ts';
import { contents } from './helpers.ts';

/** The real program, as a process of its own. `npm test` builds it first. */
const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));

/** A key and a certificate that nobody knows but who pins it. */
function certificate() {
  const folder = freshFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = ['-nodes', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-subj', '/CN=x', ...kind, '-keyout', key, '-out', cert], {
    stdio: 'ignore',
  });
  return { cert: readFileSync(cert), key: readFileSync(key) };
}

/** A service with TLS and tokens, the file of a token, and the pin. */
async function serving(fill: (store: Store) => void = () => {}, isPairing = false) {
  const store = openStore(newDatabase());
  fill(store);
  const tls = certificate();
  const server = await startServer(store, {
    host: '127.0.0.1',
    port: 0,
    origins: { allowHosts: [], allowOrigins: [] },
    auth: { burst: 10_000, perSecond: 10_000 },
    tls,
    isPairing,
    workerFile,
    log: () => {},
  });
  onTestFinished(() => server.stop());
  const { token } = store.tokens.create({ name: 'laptop', role: 'admin', users: null, lifetime: null });
  const tokenFile = join(freshFolder(), 'token');
  writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 });
  return { store, url: `https://localhost:${server.port}`, pin: pinOf(tls.cert), token, tokenFile };
}

const filled = (count: number) => (store: Store) => {
  store.users.create(user());
  store.change(() => {
    for (let i = 0; i < count; i++) store.logs.create(log({ notes: `log ${i}` }));
  });
};

test('a remote is named, its token kept where nobody else reads it, and synced over its pinned key', async () => {
  const { store, url, pin, token, tokenFile } = await serving(filled(3));
  const db = freshPath();
  const added = await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  expect(added).toMatchObject({ code: 0, stderr: '' });
  expect(readFileSync(db).includes(token)).toBe(false);
  expect(statSync(`${db}.token-home`).mode & 0o777).toBe(0o600);
  const listed = await run(['remotes', '--json'], { db });
  expect(listed.stdout).not.toContain(token);
  expect(JSON.parse(listed.stdout)).toEqual([
    { name: 'home', url: `${url}/`, pin, ourUser: null, database: null, token: true, inStepAt: null },
  ]);
  // The clock of the service.
  const now = new Date();
  expect(await run(['sync', '--dry-run'], { db, now })).toMatchObject({
    code: 0,
    stdout: 'To be taken over: 1 user new; 3 logs new.\n',
    stderr: 'This was a dry run: nothing was changed.\n',
  });
  expect(await run(['sync', 'home'], { db, now })).toMatchObject({
    code: 0,
    stdout: 'Taken over: 1 user new; 3 logs new.\n',
    stderr: expect.stringMatching(/^Change 1\. Wrong\? sciatica undo 1\n$/),
  });
  expect(await run(['sync'], { db })).toEqual({
    code: 0,
    stdout: 'Nothing to do: home holds the same.\n',
    stderr: '',
  });
  expect((await run(['history', '--limit', '1'], { db })).stdout).toMatch(/\tsync\thome\t/);
  const [inStep] = JSON.parse((await run(['remotes', '--json'], { db })).stdout) as [Record<string, unknown>];
  expect(inStep).toMatchObject({ database: store.id, inStepAt: expect.stringMatching(/^2\d{3}-/) });
  await run(['log', 'edit', '1', '--notes', 'here'], { db, now });
  store.logs.update(1, { notes: 'there' });
  const told = await run(['sync', 'home'], { db, now });
  expect([told.code, told.stdout]).toEqual([0, 'Taken over: 1 log changed.\n']);
  expect(told.stderr).toMatch(
    /^log 1: changed on two machines: notes here here, there there\. Here .*, there .*: the value there counts, because it is later\. To choose the other: sciatica undo \d+\nChange \d+\. Wrong\? sciatica undo \d+\n$/,
  );
  const json = await run(['sync', '--json'], { db });
  expect([json.code, JSON.parse(json.stdout)]).toMatchObject([0, { disputes: [], held: [], changes: [] }]);
  expect(await run(['remote', 'rm', 'home'], { db })).toMatchObject({ code: 0 });
  expect(existsSync(`${db}.token-home`)).toBe(false);
});

test('the undo of a first sync asks, and what was forgotten is sent nowhere', async () => {
  const { store, url, pin, tokenFile } = await serving(filled(3));
  const db = freshPath();
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  await run(['sync'], { db });
  expect(await run(['undo', '1', '--yes'], { db })).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/The next sync takes it back at home too.*--everywhere/s),
  });
  expect(await run(['undo', '1', '--everywhere'], { db })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('To do it unasked, add --yes.'),
  });
  expect(await run(['remote', 'rm', 'home', '--forget', '--yes'], { db })).toMatchObject({ code: 0 });
  expect((await run(['logs', '--json'], { db })).stdout).toBe('[]\n');
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  expect(await run(['sync'], { db })).toMatchObject({
    code: 0,
    stdout: 'Taken over: 1 user new; 3 logs new.\n',
  });
  expect([store.users.count(), store.logs.count()]).toEqual([1, 3]);
});

test('an undo that cannot be says what stands in its way before it asks whether it may reach other machines', async () => {
  const { url, pin, tokenFile } = await serving(filled(3));
  const db = freshPath();
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  await run(['sync'], { db });
  await run(['log', 'edit', '1', '--notes', 'later'], { db });
  const { code, stderr } = await run(['undo', '1', '--yes'], { db });
  expect([code, stderr]).toEqual([
    4,
    expect.stringMatching(/\nsciatica: Change 1 cannot be undone: log 1 was changed again by change 2\./),
  ]);
  expect(stderr).not.toContain('everywhere');
  expect(JSON.parse((await run(['logs', '--json', 'id'], { db })).stdout)).toHaveLength(3);
});

test('a deletion that is held back over there is not said to be the same there', async () => {
  const { url, pin, tokenFile } = await serving(filled(3));
  const db = freshPath();
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  await run(['sync'], { db });
  await run(['undo', '1', '--yes', '--everywhere'], { db });
  expect(await run(['sync'], { db })).toMatchObject({
    stdout: expect.stringContaining('Nothing else differs from home.\n'),
    stderr: expect.stringContaining('home holds 1 deletion back until somebody there agrees'),
  });
});

test('deletions that are held back are named, and settled in either way', async () => {
  const { store, url, pin, tokenFile } = await serving(filled(60));
  const db = freshPath();
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  await run(['sync'], { db });
  const deleting = (ids: number[]) => store.change(() => ids.forEach((id) => void store.logs.delete(id)));
  deleting(Array.from({ length: 25 }, (_, i) => i + 1));
  for (const stream of ['stderr', 'stdout'])
    expect(await run(['sync', '--db', db])).toMatchObject({
      code: 4,
      [stream]: expect.stringMatching(/25 deletions held back \(see sciatica remotes --db \S+test\.db\)/),
    });
  expect((await run(['remotes'], { db })).stderr).toMatch(
    /Held back: 25 deletions .*\(log 1, log 2, .*, log 20 …\).*--accept-deletions.*--restore-deletions/s,
  );
  expect(await run(['remotes', '--accept-deletions', '--restore-deletions'], { db })).toMatchObject({
    code: 2,
  });
  expect(await run(['remotes', '--restore-deletions'], { db })).toMatchObject({ code: 0 });
  expect(await run(['sync'], { db })).toMatchObject({ code: 0, stdout: 'Sent: 25 logs new.\n' });
  expect(store.logs.count()).toBe(60);
  deleting(Array.from({ length: 30 }, (_, i) => i + 1));
  expect(await run(['sync'], { db })).toMatchObject({ code: 4 });
  expect(await run(['remotes', '--accept-deletions'], { db })).toMatchObject({ code: 0 });
  expect((await run(['sync'], { db })).code).toBe(0);
  expect((await run(['logs', '--json', 'id'], { db })).stdout.match(/"id"/g)).toHaveLength(30);
});

describe('is refused', () => {
  const other = `sha256-${'a'.repeat(43)}`;
  test.each([
    [
      'another key than the pinned one',
      (s: Served) => [s.url, '--pin', other],
      1,
      /another key than the one/,
    ],
    ['a certificate that nobody vouches for', (s: Served) => [s.url], 1, /not trusted .*--pin/],
    ['no token', (s: Served) => [s.url, '--pin', s.pin], 1, /asks for a token/],
    ['plain http over a network', () => ['http://192.0.2.1:3000'], 2, /must begin with https/],
    ['a password in the URL', () => ['https://a:b@localhost'], 2, /no password/],
    ['what is no pin', (s: Served) => [s.url, '--pin', 'abc'], 2, /must be the pin/],
    ['a pin for plain http', () => ['http://localhost:1', '--pin', other], 2, /needs an https URL/],
    ['nobody who answers', () => ['http://localhost:1'], 1, /Nobody answers/],
    ['a name that is no remote', () => ['nowhere'], 3, /no remote "nowhere"/],
    ['no remote at all', () => [], 2, /There is no remote yet/],
    ['--pin with a name', (s: Served) => ['home', '--pin', s.pin], 2, /go with a URL/],
    ['--watch with --dry-run', () => ['home', '--watch', '--dry-run'], 2, /cannot both/],
  ] as const)('%s', async (_, words, code, message) => {
    const served = await serving();
    const db = freshPath();
    await run(['import', '-'], { db, stdin: JSON.stringify(nora) });
    const result = await run(['sync', ...words(served)], { db });
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) });
  });
});

test('a token that a former remote of the name left behind is not that of the new one', async () => {
  const db = freshPath();
  await run(['import', '-'], { db, stdin: JSON.stringify(nora) });
  writeFileSync(`${db}.token-home`, `sciatica_${'a'.repeat(43)}\n`, { mode: 0o600 });
  await run(['remote', 'add', 'home', 'http://localhost:1'], { db });
  expect(JSON.parse((await run(['remotes', '--json'], { db })).stdout)).toMatchObject([{ token: false }]);
});

describe('remote add asks the service at once', () => {
  const tokenIn = (text: string) => {
    const file = join(freshFolder(), 'token');
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const wrong = () => tokenIn(`sciatica_${'a'.repeat(43)}`);

  test.each([
    [
      'a wrong token',
      (s: Served) => [s.url, '--pin', s.pin, '--token-file', wrong()],
      /does not know the token/,
    ],
    ['no token', (s: Served) => [s.url, '--pin', s.pin], /asks for a token/],
    ['another key', (s: Served) => [s.url, '--pin', `sha256-${'a'.repeat(43)}`], /another key than the one/],
    ['a certificate that nobody vouches for', (s: Served) => [s.url], /not trusted .*--pin/],
  ] as const)('%s is not kept', async (_, words, message) => {
    const db = freshPath();
    const result = await run(['remote', 'add', 'home', ...words(await serving())], { db });
    expect(result).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(await run(['remotes', '--json'], { db })).toMatchObject({ stdout: '[]\n' });
    expect(existsSync(`${db}.token-home`)).toBe(false);
  });

  test('what cannot be reached is kept, and it says so', async () => {
    const db = freshPath();
    const tcp = createTcpServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    onTestFinished(() => void tcp.close());
    const { port } = tcp.address() as AddressInfo;
    for (const [name, url, reason] of [
      ['nobody', 'http://127.0.0.1:1', 'Nobody answers at 127.0.0.1:1: is the service running there?'],
      ['broken', `http://127.0.0.1:${port}`, `The connection to 127.0.0.1:${port} broke (ECONNRESET).`],
    ] as const)
      expect(await run(['remote', 'add', name, url, '--token-file', wrong()], { db })).toEqual({
        code: 0,
        stdout: `Remote ${name} is ${url}/, with a token.\nNext: sciatica sync ${name} --dry-run\n`,
        stderr: `Note: ${reason} The remote is kept, but was not tried.\n`,
      });
    expect(JSON.parse((await run(['remotes', '--json'], { db })).stdout)).toHaveLength(2);
  });
});

type Served = Awaited<ReturnType<typeof serving>>;

test('what sciatica pair shows brings address, pin and token, once', async () => {
  const { store, url, pin } = await serving(filled(2), true);
  const { code } = store.tokens.pairing.open(1, 1e9);
  const db = freshPath();
  const uri = pairingUri({ url, pin, code });
  expect(await run(['remote', 'add', 'home', uri, '--pin', pin], { db })).toMatchObject({ code: 2 });
  expect(await run(['remote', 'add', 'home', uri], { db })).toMatchObject({ code: 0, stderr: '' });
  expect(await run(['remote', 'add', 'home', uri], { db })).toMatchObject({ code: 4 });
  expect(await run(['remote', 'add', 'other', uri], { db })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/wrong, used or too old/),
  });
  expect(await run(['sync'], { db })).toMatchObject({
    code: 0,
    stdout: 'Taken over: 1 user new; 2 logs new.\n',
  });
  expect(store.tokens.list().at(-1)).toMatchObject({ role: 'patient', users: [1] });
});

test('nothing is sent, not even the token, before the key is known', async () => {
  let received = '';
  const tcp = createTcpServer((socket) => {
    socket.on('data', (data) => {
      received += data.toString('latin1');
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  onTestFinished(() => void tcp.close());
  const { tokenFile, token, pin } = await serving();
  const url = `https://127.0.0.1:${(tcp.address() as AddressInfo).port}`;
  const { code } = await run(['sync', url, '--token-file', tokenFile, '--pin', pin], { db: freshPath() });
  expect([code, received.includes(token)]).toEqual([1, false]);
  expect(received).not.toBe('');
});

test.each([
  ['a redirect', 302, { location: 'https://elsewhere.example/' }, '', /sends callers elsewhere/],
  ['something else than JSON', 200, {}, '<html>', /something else than JSON/],
  ['a key twice', 200, {}, '{"database":"x","database":"y"}', /something else than JSON/],
  ['another service', 200, {}, '{"hello":1}', /does not say which database/],
])('%s is not followed', async (_, status, headers, text, message) => {
  const server = createServer((_, response) => response.writeHead(status, headers).end(text)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const result = await run(['sync', url], { db: freshPath() });
  expect(result).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
});

test('a token file that others may read is pointed out, and one without a token refused', async () => {
  const { url, pin, tokenFile } = await serving();
  chmodSync(tokenFile, 0o640);
  const result = await run(['sync', url, '--pin', pin, '--token-file', tokenFile], { db: freshPath() });
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Others on this computer may read/),
  });
  writeFileSync(tokenFile, 'two words');
  const refused = await run(['sync', url, '--pin', pin, '--token-file', tokenFile], { db: freshPath() });
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringMatching(/holds no token/) });
});

test('a process that is killed again and again comes to the end', async () => {
  const { store, url, pin, tokenFile } = await serving();
  const db = freshPath();
  const here = openStore(db);
  filled(1500)(here);
  here.close();
  const words = ['sync', url, '--pin', pin, '--token-file', tokenFile, '--db', db];
  let killed = 0;
  for (let i = 0; i < 12; i++) {
    const child = spawn(process.execPath, [bin, ...words], {
      stdio: 'ignore',
      env: { PATH: process.env['PATH'] },
    });
    // At other moments each time: from before the first request until after the last.
    const timer = setTimeout(() => child.kill('SIGKILL'), 150 + i * 60);
    const [, signal] = await once(child, 'close');
    clearTimeout(timer);
    if (signal === 'SIGKILL') killed++;
  }
  expect(killed).toBeGreaterThan(0);
  const last = spawn(process.execPath, [bin, ...words], {
    stdio: 'ignore',
    env: { PATH: process.env['PATH'] },
  });
  expect(await once(last, 'close')).toEqual([0, null]);
  const after = openStore(db);
  onTestFinished(() => after.close());
  expect(contents(after)).toEqual(contents(store));
  expect(store.logs.count()).toBe(1500);
});

test('--watch carries each change over as it is made, on either side, and ends at SIGINT', async () => {
  const { store, url, pin } = await serving(filled(1));
  const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  const [db, tokenFile] = [freshPath(), join(freshFolder(), 'token')];
  writeFileSync(tokenFile, token, { mode: 0o600 });
  const words = ['sync', url, '--pin', pin, '--token-file', tokenFile, '--db', db, '--watch'];
  const child = spawn(process.execPath, [bin, ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'] },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const told = async (what: RegExp) => {
    while (!what.test(said)) await once(child.stdout, 'data');
  };
  child.stdout.on('data', (data) => {
    said += data;
  });
  let failed = '';
  child.stderr.on('data', (data) => {
    failed += data;
  });
  await told(/Taken over: 1 user new; 1 log new/);
  store.logs.create(log({ notes: 'made there' }));
  await told(/Taken over: 1 log new/);
  const here = openStore(db);
  here.logs.create(log({ notes: 'made here' }));
  here.close();
  await told(/Sent: 1 log new/);
  expect(store.logs.list().map(({ notes }) => notes)).toEqual(['log 0', 'made there', 'made here']);
  store.erase(1);
  while (!failed.includes('erased')) await once(child.stderr, 'data');
  expect(failed).toMatch(/To keep the replication here: sciatica remote rm --db \S+test\.db$/m);
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test("what a patient's machine deleted and the service has still is said by each sync, and by remotes", async () => {
  const { store, url, pin } = await serving(filled(1));
  const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  const [db, tokenFile] = [freshPath(), join(freshFolder(), 'token')];
  writeFileSync(tokenFile, token, { mode: 0o600 });
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  const now = () => ({ db, now: new Date() });
  expect((await run(['sync'], now())).code).toBe(0);
  expect((await run(['user', 'rm', '1', '--yes'], now())).code).toBe(0);
  const stillThere = expect.stringContaining('home still has user 1, who was deleted here');
  for (const stream of ['stderr', 'stdout', 'stdout']) {
    expect(await run(['sync'], now())).toMatchObject({ code: 4, [stream]: stillThere });
    expect(await run(['remotes'], now())).toMatchObject({ code: 0, stderr: stillThere });
  }
  store.users.delete(1);
  expect(await run(['sync'], now())).toMatchObject({
    code: 0,
    stdout: 'Nothing to do: home holds the same.\n',
  });
  expect((await run(['remotes'], now())).stderr).not.toContain('user 1');
});

test('a record that was erased with somebody who is not synced is named, and erased with consent', async () => {
  const { store, url, pin } = await serving((there) => {
    filled(2)(there);
    there.users.create(user({ email: 'other@example.org' }));
  });
  const { token } = store.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  const [db, tokenFile] = [freshPath(), join(freshFolder(), 'token')];
  writeFileSync(tokenFile, token, { mode: 0o600 });
  await run(['remote', 'add', 'home', url, '--token-file', tokenFile, '--pin', pin], { db });
  expect((await run(['sync'], { db })).code).toBe(0);
  for (const userId of [2, 1]) store.logs.update(1, { userId });
  store.erase(2);
  const way = 'Log 1 was erased over there, for good. --accept-erase erases here too.';
  expect(await run(['sync'], { db })).toMatchObject({ code: 4, stderr: expect.stringContaining(way) });
  for (const [words, said] of [
    ['', 'Erased     log 1, elsewhere'],
    ['doctor', 'log 1 erased elsewhere, and still here'],
    ['remotes --accept-erase --accept-deletions --restore-deletions', 'cannot both be given'],
    ['remotes', 'Log 1 was erased elsewhere, for good. To erase here too: sciatica remotes --accept-erase'],
    ['remotes --accept-erase', 'Log 1 was erased here, as over there.'],
    ['remotes --accept-erase', 'Nothing is here that was erased elsewhere.'],
  ] as const) {
    const { stdout, stderr } = await run(words.split(' ').filter(Boolean), { db });
    expect(stdout + stderr).toContain(said);
  }
  expect(await run(['sync'], { db })).toMatchObject({ code: 0 });
  expect(readFileSync(db).includes('log 0')).toBe(false);
});
