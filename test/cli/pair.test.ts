import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { run as runProgram } from '../../src/cli/program.ts';
import { machine } from '../../src/lib/machine.ts';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { pair, send } from '../docs/pairing-client.ts';
import { nora, prepared, run, started } from '../helpers.ts';

/** The real program, as a process of its own. `npm test` builds it first. */
const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));

interface Started {
  child: ChildProcess;
  said(): string;
}

function start(words: readonly string[], db: string): Started {
  const env = { PATH: process.env['PATH'], SCIATICA_DB: db };
  const child = spawn(process.execPath, [bin, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let said = '';
  const hear = (data: Buffer) => {
    said += data;
  };
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', hear);
  return { child, said: () => said };
}

/** Waits until a process has said something. @returns what the pattern found */
const says = ({ said }: Started, pattern: RegExp) =>
  vi.waitFor(
    () => {
      const found = pattern.exec(said());
      if (!found) throw new Error(`It never said ${pattern}: ${said()}`);
      return found;
    },
    { timeout: DEADLINE_MS, interval: 20 },
  );

const ended = async ({ child }: Started) => child.exitCode ?? ((await once(child, 'exit')) as [number])[0];

const database = (users = 1) =>
  prepared((store) => {
    for (let i = 0; i < users; i++) store.users.create(nora);
  });

async function serving(db: string, ...words: string[]): Promise<Started> {
  const port = words.includes('--port') ? [] : ['--port', '0'];
  const service = start(['serve', '--pairing', ...port, ...words], db);
  await says(service, /sciatica serves https:/);
  return service;
}

const tokens = (db: string) => {
  const store = openStore(db);
  try {
    return store.tokens.list();
  } finally {
    store.close();
  }
};

const URI = /https:\/\/\S+\/app\/#code=\S+/;

describe('sciatica pair', () => {
  test('prints the URI alone in a pipe, and says when a phone has paired', async () => {
    const db = database(2);
    await serving(db);
    const command = start(['pair', '--user', '2', '--expires', '90d'], db);
    const [uri] = await says(command, URI);
    expect(command.said()).toBe(`${uri}\n`);
    const paired = await pair(uri, 'Pixel 9');
    expect(await ended(command)).toBe(0);
    expect(command.said()).toMatch(
      /\nPaired: token 1, Pixel 9, reads and changes the records of user 2 until \d{4}-\d\d-\d\d\. To take it back: sciatica token rm 'Pixel 9'\n$/,
    );
    expect((await send(paired, 'GET', '/users/2')).status).toBe(200);
    const [token] = tokens(db);
    expect((token?.expiresAt ?? 0) - (token?.createdAt ?? 0)).toBe(90 * 86_400_000);
  });

  test('--no-wait leaves the code open, and --json gives its parts', async () => {
    const db = database();
    await serving(db);
    const now = new Date();
    const { code, stdout } = await run(['pair', '--no-wait', '--json'], { db, now });
    expect(code).toBe(0);
    const { uri, url, pin, code: secret, user, expiresAt } = JSON.parse(stdout);
    expect(Object.keys(JSON.parse(stdout))).toEqual(['uri', 'url', 'pin', 'code', 'user', 'expiresAt']);
    expect([uri.includes(pin), uri.includes(secret), user]).toEqual([true, true, 1]);
    expect(Date.parse(expiresAt) - now.getTime()).toBe(600_000);
    expect(url).toContain('https://');
    expect((await pair(uri, 'a')).token).toMatch(/^sciatica_/);
    const [token] = tokens(db);
    expect((token?.expiresAt ?? 0) - (token?.createdAt ?? 0)).toBe(365 * 86_400_000);
  });

  test('shows a QR code at 50 columns, and the URI alone where there is no room', async () => {
    const db = database();
    await serving(db, '--host', '127.0.0.1');
    const wide = await run(['pair', '--no-wait'], { db, columns: 50, now: new Date() });
    const lines = wide.stdout.trimEnd().split('\n');
    expect(lines[0]).toMatch(URI);
    // What is random in the URI fits into a code of 41 squares sometimes, and needs one of 45 mostly.
    const rows = lines.slice(1);
    expect([21, 23]).toContain(rows.length);
    expect(rows.every((line) => /[ ▀▄█]{41}/.test(line))).toBe(true);
    expect(wide.stderr).toContain('Scan this with the camera of the phone');
    const narrow = await run(['pair', '--no-wait'], { db, columns: 40, now: new Date() });
    expect(narrow.stdout).toMatch(/^https:\S+\n$/);
    expect(narrow.stderr).toContain('too narrow for the QR\ncode');
  });

  test.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s closes the code',
    async (signal) => {
      const db = database();
      await serving(db);
      const command = start(['pair'], db);
      const [uri] = await says(command, URI);
      command.child.kill(signal);
      expect(await ended(command)).toBe(130);
      expect(command.said()).toContain('The code is closed.');
      await expect(pair(uri, 'a')).rejects.toThrow('404');
      expect(tokens(db)).toEqual([]);
    },
  );

  test('closes a code that it cannot show', async () => {
    const db = database();
    await serving(db);
    const { context } = started({ db, now: new Date() });
    context.stdout.write = () => {
      throw new Error('no terminal any more');
    };
    expect(await runProgram(['pair'], context)).toBe(1);
    const store = openStore(db);
    const { isOpen } = store.tokens.pairing;
    store.close();
    expect(isOpen).toBe(false);
  });

  test.skipIf(!existsSync('/dev/full')).each(['pair', 'pair --json', 'pair --no-wait'])(
    'closes a code that a full disk does not take: %s',
    async (words) => {
      const db = database();
      await serving(db);
      const full = openSync('/dev/full', 'w');
      onTestFinished(() => closeSync(full));
      const env = { PATH: process.env['PATH'], SCIATICA_DB: db };
      const { status, stderr } = spawnSync(process.execPath, [bin, ...words.split(' ')], {
        env,
        stdio: ['ignore', full, 'pipe'],
      });
      expect([status, String(stderr)]).toEqual([1, expect.stringContaining('ENOSPC')]);
      const store = openStore(db);
      onTestFinished(() => store.close());
      expect(store.tokens.pairing.isOpen).toBe(false);
    },
  );

  test('says when five wrong codes have closed it, and when another took its place', async () => {
    const db = database();
    await serving(db);
    const first = start(['pair'], db);
    await says(first, URI);
    const second = start(['pair'], db);
    const [uri] = await says(second, URI);
    expect(await ended(first)).toBe(4);
    expect(first.said()).toContain('closed by another sciatica pair');
    const wrong = uri.replace(/code=[\w-]+/, 'code=wrong');
    for (let i = 0; i < 5; i++) await expect(pair(wrong, 'a')).rejects.toThrow('403');
    expect(await ended(second)).toBe(1);
    expect(second.said()).toContain('Five wrong codes');
  });

  test('needs a service that can be reached, now and not before', async () => {
    const db = database();
    const told = 'No service that phones can be paired with runs on this database.';
    expect(await run(['pair'], { db })).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining(told),
    });
    const service = await serving(db);
    // A kill leaves what it announced.
    service.child.kill('SIGKILL');
    await ended(service);
    const { code, stderr } = await run(['pair'], { db });
    expect([code, stderr.includes(told)]).toEqual([1, true]);
    // Nor is what listens there now, with another key.
    await serving(database(), '--port', /https:\S+:(\d+)/.exec(service.said())?.[1] ?? '');
    expect((await run(['pair', '--no-wait'], { db })).stderr).toContain(told);
  });

  test('says once when the service stops, and goes on when it is back', async () => {
    const db = database();
    const service = await serving(db);
    const command = start(['pair'], db);
    const [uri] = await says(command, URI);
    service.child.kill('SIGTERM');
    await says(command, /has stopped: start it again, on the same port\.\n/);
    await ended(service);
    await serving(db, '--port', /:(\d+)\/app/.exec(uri)?.[1] ?? '');
    await pair(uri, 'a');
    expect(await ended(command)).toBe(0);
    expect(command.said().match(/has stopped/g)).toHaveLength(1);
  });

  test('is refused for a user or an address that is not there', async () => {
    const db = database();
    await serving(db);
    expect((await run(['pair', '--user', '9'], { db })).code).toBe(3);
    const { code, stderr } = await run(['pair', '--address', '203.0.113.99'], { db });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--address must be one of this machine: ')]);
  });

  test('names the address that is asked for', async () => {
    const db = database();
    await serving(db);
    for (const name of machine().names) {
      const { stdout } = await run(['pair', '--no-wait', '--address', name.toUpperCase()], { db });
      expect(stdout).toContain(`https://${name}:`);
    }
  });
});

describe('sciatica serve --pairing', () => {
  test.each([
    [['--tls-cert', 'a', '--tls-key', 'b'], '--allow-host'],
    [['--behind-proxy'], '--allow-host'],
  ])('with %j and no name that a phone could call is refused', async (words, told) => {
    const { code, stdout, stderr } = await run(['serve', '--pairing', ...words]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(told);
  });

  test('behind a proxy the link has the name of the proxy, and no pin', async () => {
    const db = database();
    const words = ['serve', '--pairing', '--behind-proxy', '--allow-host', 'pain.example', '--port', '0'];
    await says(start(words, db), /sciatica serves http:\/\/127\.0\.0\.1:/);
    const { stdout } = await run(['pair', '--no-wait'], { db, now: new Date() });
    expect(stdout).toMatch(/^https:\/\/pain\.example\/app\/#code=[\w-]{22}\n$/);
    const named = await run(['pair', '--no-wait', '--address', 'Pain.Example'], { db, now: new Date() });
    expect(named.stdout).toContain('https://pain.example/');
  });

  test('asks for a token, keeps its key over a restart, and takes back what it announced', async () => {
    const db = database();
    const service = await serving(db, '--rate', '40');
    const file = `${db}.pairing.pem`;
    expect(statSync(file).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    const first = JSON.parse((await run(['pair', '--no-wait', '--json'], { db, now: new Date() })).stdout);
    expect((await send(first, 'GET', '/users')).status).toBe(401);
    expect((await send(first, 'GET', '/health')).status).toBe(200);
    service.child.kill('SIGTERM');
    expect(await ended(service)).toBe(0);
    expect((await run(['pair'], { db })).code).toBe(1);
    expect(existsSync(file)).toBe(true);
    await serving(db);
    const second = JSON.parse((await run(['pair', '--no-wait', '--json'], { db, now: new Date() })).stdout);
    expect(second.pin).toBe(first.pin);
  });
});
