import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Decrypter, Encrypter, generateX25519Identity } from 'age-encryption';
import { describe, expect, test } from 'vitest';
import { localDay } from '../../src/domain/words/day.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, noraWith, records, run } from '../helpers.ts';

const filled = (notes = '', count = 3) => noraWith(...Array<object>(count).fill({ notes }));

const secret = 'slept badly, told nobody';

/** A key pair made by the command. */
async function keyPair() {
  const identity = join(freshFolder(), 'identity.txt');
  const { code, stdout, stderr } = await run(['backup', 'key', identity]);
  expect([code, stderr]).toEqual([0, expect.stringContaining('Whoever loses it loses the backups')]);
  return { identity, recipient: stdout.trim() };
}

describe('backup key', () => {
  test('writes the identity for its owner alone, prints the recipient, and replaces no file', async () => {
    const { identity, recipient } = await keyPair();
    expect(recipient).toMatch(/^age1[a-z\d]{58}$/);
    expect(statSync(identity).mode & 0o777).toBe(0o600);
    const lines = readFileSync(identity, 'utf8').split('\n');
    expect(lines.slice(1)).toEqual([
      `# public key: ${recipient}`,
      expect.stringMatching(/^AGE-SECRET-KEY-1/),
      '',
    ]);
    expect((await run(['backup', 'key', identity])).code).toBe(4);
    expect(readFileSync(identity, 'utf8')).toBe(lines.join('\n'));
  });

  test.each([[['backup', '-']], [['backup', 'key', '-']], [['doctor', '--rescue', '-']]])(
    '%j makes no file of that name',
    async (words) => {
      expect(await run(words, { db: filled() })).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining('not to stdout'),
      });
      expect(existsSync('-')).toBe(false);
    },
  );
});

describe('an encrypted backup', () => {
  test('is read by the library, holds no plain byte, and comes back', async () => {
    const { identity, recipient } = await keyPair();
    const db = filled(secret);
    const { code, stdout } = await run(['backup', '--encrypt', recipient], { db });
    expect(code).toBe(0);
    const file = stdout.trim();
    expect(file).toMatch(/backups\/sciatica-2026-03-02-120000\.db\.age$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const bytes = readFileSync(file);
    expect(bytes.includes(secret)).toBe(false);
    const decrypter = new Decrypter();
    decrypter.addIdentity(readFileSync(identity, 'utf8').split('\n')[2] ?? '');
    expect(Buffer.from(await decrypter.decrypt(bytes)).includes(secret)).toBe(true);
    expect(readdirSync(dirname(file))).toHaveLength(1);

    const before = records(db);
    rmSync(db);
    const restored = await run(['restore', file, '--identity', identity], { db });
    expect([restored.code, restored.stdout]).toEqual([0, 'Restored 1 user and 3 logs.\n']);
    expect(records(db)).toEqual(before);
    expect(readdirSync(dirname(db)).sort()).toEqual(['backups', 'test.db']);
    expect(readFileSync(file).equals(bytes)).toBe(true);
  });

  test('made by the library is restored too', async () => {
    const db = filled();
    const plain = (await run(['backup'], { db })).stdout.trim();
    const { identity, recipient } = await keyPair();
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    const file = `${plain}.age`;
    writeFileSync(file, await encrypter.encrypt(readFileSync(plain)));
    const { code } = await run(['restore', file, '--identity', identity, '--yes'], { db });
    expect(code).toBe(0);
  });

  test('asks in a terminal for the identity, and says elsewhere that it is missing', async () => {
    const { identity, recipient } = await keyPair();
    const db = filled();
    const file = (await run(['backup', '--encrypt', recipient], { db })).stdout.trim();
    const { code, stderr } = await run(['restore', file, '--yes'], { db });
    expect([code, stderr]).toEqual([2, expect.stringContaining('--identity')]);
    const answers = [['File with the identity', `${identity}\r`]] as const;
    const asked = await run(['restore', file, '--yes'], { db, answers });
    expect(asked).toMatchObject({ code: 0, stdout: 'Restored 1 user and 3 logs.\n' });
  });

  const other = async () => {
    const path = join(freshFolder(), 'other.txt');
    writeFileSync(path, `# of somebody else\n\n${await generateX25519Identity()}\n`);
    return path;
  };
  test.each<[string, (file: string, identity: string) => string | Promise<string>, number, RegExp]>([
    ['another identity', other, 1, /was encrypted for another key/],
    ['a file that is no identity', (file) => file, 2, /holds no identity/],
    ['a missing identity', () => '/nonexistent', 1, /There is no file \/nonexistent/],
    ...['its last byte gone', 'half of it gone', 'all but the header gone'].map(
      (how, i): [string, (file: string, identity: string) => string, number, RegExp] => [
        how,
        (file, identity) => {
          const bytes = readFileSync(file);
          writeFileSync(file, bytes.subarray(0, [bytes.length - 1, bytes.length / 2, 190][i]));
          return identity;
        },
        1,
        /is damaged, cut or was changed/,
      ],
    ),
    ...[30, 150, 300, 70_000, -1].map(
      (at): [string, (file: string, identity: string) => string, number, RegExp] => [
        `a bit changed at ${at}`,
        (file, identity) => {
          const bytes = readFileSync(file);
          const place = at < 0 ? bytes.length + at : at;
          bytes[place] = (bytes[place] ?? 0) ^ 1;
          writeFileSync(file, bytes);
          return identity;
        },
        1,
        /is damaged, cut or was changed|was encrypted for another key/,
      ],
    ),
  ])('is refused with %s, and nothing is changed', async (_, spoil, exit, words) => {
    const { identity, recipient } = await keyPair();
    const db = filled();
    const file = (await run(['backup', freshFolder(), '--encrypt', recipient], { db })).stdout.trim();
    const used = await spoil(file, identity);
    const before = readFileSync(db);
    const { code, stderr } = await run(['restore', file, '--identity', used, '--yes'], { db });
    expect([code, stderr]).toEqual([exit, expect.stringMatching(words)]);
    expect(stderr).not.toContain('AGE-SECRET-KEY-1');
    expect(readFileSync(db).equals(before)).toBe(true);
    expect(readdirSync(dirname(db))).toEqual(['test.db']);
  });

  test.each([
    ['a recipient that is none', ['backup', '--encrypt', 'age1x'], 2, /must begin with age1/],
    ['an identity in its place', ['backup', '--encrypt', 'AGE-SECRET-KEY-1'], 2, /must begin with age1/],
  ])('is not made for %s', async (_, argv, exit, words) => {
    const db = filled();
    const { code, stderr } = await run(argv, { db });
    expect([code, stderr]).toEqual([exit, expect.stringMatching(words)]);
    expect(readdirSync(dirname(db))).toEqual(['test.db']);
  });

  test('an identity for a plain backup is a mistake', async () => {
    const db = filled();
    const file = (await run(['backup', freshFolder()], { db })).stdout.trim();
    const { code, stderr } = await run(['restore', file, '--identity', 'x'], { db });
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not encrypted')]);
  });
});

test.each([
  ['gets a name of its own', [], 2],
  ['replaces that with --force', ['--force'], 1],
])('a backup in a folder that has one of the same second %s', async (_, flags, files) => {
  const [db, folder] = [filled(), freshFolder()];
  for (let i = 0; i < 2; i++)
    expect(await run(['backup', folder, ...flags], { db })).toMatchObject({ code: 0 });
  expect(readdirSync(folder)).toHaveLength(files);
});

test('a path that must be a folder, and is none, becomes no file', async () => {
  const path = `${join(freshFolder(), 'none')}/`;
  expect(await run(['backup', path], { db: filled() })).toEqual({
    code: 1,
    stdout: '',
    stderr: `sciatica: There is no folder ${path}\n`,
  });
  expect(existsSync(path)).toBe(false);
});

const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));
const add = 'log add Cobra 5 4 --type stretch'.split(' ');

const environment = { PATH: process.env['PATH'], TZ: process.env['TZ'] };

/** The program as a process of its own, which is what makes backups by itself. */
function sciatica(db: string, argv: readonly string[], more: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...argv, '--db', db], {
    encoding: 'utf8',
    env: { ...environment, ...more },
    timeout: DEADLINE_MS,
  });
  return { code: status, stdout, stderr };
}

const named = (db: string, end = 'db') =>
  join(dirname(db), 'backups', `test.db.auto-${localDay(new Date())}.${end}`);

async function appears(file: string): Promise<void> {
  await expect.poll(() => existsSync(file)).toBe(true);
}

describe('a backup by itself', () => {
  test('is made before the first change, quietly, and by no command that reads', () => {
    const db = filled();
    for (const argv of [['logs'], ['users'], ['history'], ['doctor']]) sciatica(db, argv);
    expect(existsSync(dirname(named(db)))).toBe(false);
    expect(sciatica(db, add)).toMatchObject({ code: 0, stderr: '' });
    expect(records(named(db)).logs).toHaveLength(3);
    sciatica(db, add);
    expect(records(named(db)).logs).toHaveLength(3);
    expect(records(db).logs).toHaveLength(5);
  });

  test.each<[string, Record<string, string>]>([
    ['', {}],
    [' for an account without a home folder', { HOME: '/nonexistent' }],
  ])('of a long database, is made in the background%s', async (_, more) => {
    const db = filled('x'.repeat(9_000), 150);
    expect(sciatica(db, add, more)).toMatchObject({ code: 0, stderr: '' });
    await appears(named(db));
    expect(records(named(db)).logs).toHaveLength(150);
    // The file has its temporary name, too, until that is removed.
    await expect.poll(() => readdirSync(dirname(named(db)))).toHaveLength(1);
  });

  test('that fails is a line behind the answer, and the change is made', () => {
    const db = filled();
    writeFileSync(join(dirname(db), 'backups'), '');
    const { code, stdout, stderr } = sciatica(db, add);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Added log 4')]);
    expect(stderr).toMatch(/^sciatica: Today's backup was not made\. .* is not a folder\.\n$/);
  });

  test('is made by a service too, while it answers', async () => {
    const db = filled();
    mkdirSync(dirname(named(db)));
    const child = spawn(process.execPath, [bin, 'serve', '--port', '0', '--db', db], {
      env: environment,
    });
    try {
      await once(child.stdout, 'data');
      await appears(named(db));
      expect(records(named(db)).logs).toHaveLength(3);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });

  test('is moved, stopped and started again', async () => {
    const db = filled();
    const auto = async (...argv: string[]) => run(['backup', '--auto', ...argv], { db });
    expect((await auto('off')).stdout).toContain('To turn them on again: sciatica backup --auto on');
    expect(sciatica(db, add).code).toBe(0);
    expect(existsSync(dirname(named(db)))).toBe(false);
    const folder = freshFolder();
    expect((await auto(folder)).stdout).toContain(folder);
    sciatica(db, add);
    expect(readdirSync(folder)).toHaveLength(1);
    expect((await auto(join(folder, 'none'))).code).toBe(1);
    expect((await auto('on')).stdout).toContain(dirname(named(db)));
    sciatica(db, add);
    expect(existsSync(named(db))).toBe(true);
    for (const wrong of [
      ['off', '--encrypt', 'age1x'],
      [folder, '--encrypt', 'age1x'],
      [folder, 'x.db'],
      ['on', '--force'],
    ])
      expect((await auto(...wrong)).code).toBe(2);
  });

  test('an erased person is in none of them', async () => {
    const db = filled(secret);
    sciatica(db, add);
    const past = Date.now() / 1000;
    utimesSync(named(db), past, past);
    const { code, stderr } = await run(['user', 'erase', '1', '--yes'], { db });
    expect([code, stderr]).toEqual([
      0,
      'Erased from 1 automatic backup too.\nBackups in other places, exports and reports are not known here: delete them yourself.\n',
    ]);
    expect(readFileSync(named(db)).includes(secret)).toBe(false);
    expect(records(named(db))).toEqual({ users: [], logs: [] });
  });
});
