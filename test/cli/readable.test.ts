import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, nora, run, session } from '../helpers.ts';
import { bundle, ended, root } from '../store/helpers.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

const script = join(root, 'bin/sciatica.js');
let several = '';
beforeAll(async () => {
  // Command lines one after another, as JSON: what each ends with and prints.
  several = await bundle(`
    import { PassThrough } from 'node:stream';
    import { text } from 'node:stream/consumers';
    import { run } from './src/cli/program.ts';
    import { Context } from './src/context.ts';
    const results = [];
    const all = async () => {
      for (const words of JSON.parse(process.argv[2])) {
        const [stdin, stdout, stderr] = [0, 1, 2].map(() => new PassThrough());
        stdin.end();
        const said = [text(stdout), text(stderr)];
        const world = { env: process.env, stdin, stdout, stderr, now: () => new Date(), startAlone: () => {} };
        const code = await run(words, new Context(world));
        stdout.end();
        stderr.end();
        results.push({ code, stdout: await said[0], stderr: await said[1] });
      }
      process.stdout.write(JSON.stringify(results));
    };
    all();
  `);
});

interface Caller {
  uid?: number | undefined;
  env?: Record<string, string>;
}

const options = ({ uid, env }: Caller) => ({
  env: { PATH: process.env['PATH'], NODE_PATH: join(root, 'node_modules'), SCIATICA_USER: '1', ...env },
  ...(uid === undefined ? {} : { uid, gid: uid }),
});

interface Result {
  code: number | null;
  stdout: string;
  stderr: string;
}

const wordsOf = (db: string, line: string) => [...line.split(' '), '--db', db];

/** Runs command lines one after another, in one process: starting one for each takes most of the time. */
async function sciaticaEach(db: string, lines: readonly string[], caller: Caller = {}): Promise<Result[]> {
  const words = lines.map((line) => wordsOf(db, line));
  const { code, stdout, stderr } = await output([several, JSON.stringify(words)], caller);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout);
}

const sciatica = (db: string, line: string, caller: Caller = {}) =>
  output([script, ...wordsOf(db, line)], caller);

async function output(argv: string[], caller: Caller): Promise<Result> {
  const child = spawn(process.execPath, argv, options(caller));
  child.stdin.end();
  return ended(child);
}

const add = 'log add --name Cat-Cow --type stretch --before 5 --after 4 --effective';
const reads = ['users', 'logs', 'logs --json --sort painAfter', 'summary', 'report', 'export', 'doctor'];

/** Three records; with `hot`, in a log that a crash left. */
function fill(db: string, hot = false): void {
  const store = openStore(db);
  store.change(() => {
    store.users.create(nora);
    for (let i = 0; i < 40; i++)
      store.logs.create({ ...session, painAfter: 1 + (i % 9), notes: `note ${i} `.repeat(100) });
  });
  const files = ['', '-wal'].map((end) => [db + end, readFileSync(db + end)] as const);
  store.close();
  if (hot) for (const [path, bytes] of files) writeFileSync(path, bytes, { mode: 0o600 });
}

function mounted(size: string, skip: (note: string) => void): string {
  const folder = join(freshFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    skip('no file system may be mounted here');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  return folder;
}

const filler = (folder: string) => join(folder, 'filler');

/** Leaves no byte free. */
function fillUp(folder: string): void {
  for (const size of [1 << 20, 4096]) {
    try {
      for (;;) writeFileSync(filler(folder), Buffer.alloc(size), { flag: 'a' });
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
    }
  }
}

/** Each database has an identity and changes of its own. */
const anyone = (text: string) =>
  text
    .replace(/(?<=^{"origin":{"id":")[^"]+/, 'any')
    .replace(/(?<=,"states":)[\s\S]*/, 'any')
    .replace(/(?<= --db )\S+/, 'any');

/** What every read says of the same records on a good disk, asked once. */
const said: string[] = [];
async function expected(db: string): Promise<string[]> {
  if (said.length > 0) return said;
  const copy = join(freshFolder(), 'test.db');
  for (const end of ['', '-wal']) if (existsSync(db + end)) copyFileSync(db + end, copy + end);
  const results = await sciaticaEach(copy, reads.slice(0, -1));
  said.push(...results.map(({ stdout }) => anyone(stdout)));
  return said;
}

/** Everything can be read, nothing saved, and both is said. */
async function readOnly(db: string, why: RegExp, caller: Caller = {}): Promise<void> {
  const wanted = await expected(db);
  const target = join(freshFolder(), 'copy.db');
  chmodSync(join(target, '..'), 0o777);
  const writes = [add, 'user rm 1 --yes', 'user erase 1 --yes'];
  const results = await sciaticaEach(db, [...reads, `backup ${target}`, ...writes], caller);
  for (const line of reads) {
    const { code, stdout, stderr } = results.shift() as Result;
    if (line === 'doctor') {
      expect(stdout).toContain('every page is sound');
      continue;
    }
    expect({ line, code, stdout: anyone(stdout) }).toEqual({
      line,
      code: 0,
      stdout: wanted[reads.indexOf(line)],
    });
    expect({ line, stderr }).toEqual({ line, stderr: expect.stringMatching(why) });
  }
  expect(results.shift()).toMatchObject({ code: 0, stdout: `${target}\n` });
  expect(anyone((await run(['export'], { db: target })).stdout)).toBe(wanted.at(-1));
  for (const line of writes) {
    const { code, stderr } = results.shift() as Result;
    expect({ line, code, stderr }).toEqual({
      line,
      code: 1,
      stderr: expect.stringMatching(/^sciatica: [^\n]*othing was saved[^\n]*\n$/),
    });
  }
}

/** What is in a folder, besides the backups that are made unasked. */
const namesIn = (folder: string) => readdirSync(folder).filter((name) => name !== 'backups');

const modesOf = (folder: string) =>
  namesIn(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]);

describe.each([
  ['closed', false],
  ['left by a crash', true],
] as const)('a database that was %s', (_, hot) => {
  test('is read on a full disk, and written to when there is room again (needs mount)', async ({ skip }) => {
    const folder = mounted('2m', skip);
    const db = join(folder, 'test.db');
    fill(db, hot);
    fillUp(folder);
    await readOnly(db, /Nothing can be saved: the disk is full/);
    const failed = await sciatica(db, `backup ${join(folder, 'copy.db')}`);
    expect(failed.stderr).toContain(`The disk of ${folder} is full.`);
    rmSync(filler(folder));
    expect(await sciatica(db, add)).toMatchObject({ code: 0 });
    expect(namesIn(folder)).toEqual(['test.db']);
  });

  test('is served from a full disk: GET 200, writes 507, until there is room (needs mount)', async ({
    skip,
  }) => {
    const folder = mounted('2m', skip);
    const db = join(folder, 'test.db');
    fill(db, hot);
    fillUp(folder);
    const child: ChildProcess = spawn(
      process.execPath,
      [script, 'serve', '--no-app', '--port', '0', '--db', db],
      options({}),
    );
    const end = new Promise<number | null>((resolve) => child.on('close', resolve));
    onTestFinished(() => void child.kill('SIGKILL'));
    let log = '';
    child.stderr?.on('data', (data) => (log += data));
    const url = await new Promise<string>((resolve, reject) => {
      child.stdout?.once('data', (data) => resolve(String(data).trim().split(' ').at(-1) ?? ''));
      child.on('close', () => reject(new Error(log)));
    });
    await expect.poll(() => log).toContain('Nothing can be saved: the disk is full.');
    const call = (path: string, body?: object) =>
      fetch(url + path, {
        ...(body && {
          method: 'POST',
          body: JSON.stringify(body),
          headers: { 'content-type': 'application/json' },
        }),
      });
    for (let round = 0; round < 2; round++) {
      for (const path of [
        '/users',
        '/users/1',
        '/userExerciseLogs',
        '/userExerciseLogs?sort=painAfter',
        '/userExerciseLogs?userId=1',
        '/users/1/summary',
      ])
        expect([path, (await call(path)).status]).toEqual([path, 200]);
      expect((await call('/userExerciseLogs', session)).status).toBe(507);
    }
    const lists = await Promise.all(
      Array.from({ length: 6 }, () => call('/userExerciseLogs?sort=-painAfter').then((it) => it.json())),
    );
    for (const list of lists) expect(list).toEqual(lists[0]);
    expect(lists[0]).toHaveLength(40);
    // Between two reads, others may read as well, and write as soon as there is room.
    expect(await sciatica(db, 'users')).toMatchObject({ code: 0, stdout: expect.stringContaining('Nora') });
    rmSync(filler(folder));
    expect((await sciatica(db, add)).code).toBe(0);
    expect(await (await call('/userExerciseLogs')).json()).toHaveLength(41);
    expect((await call('/userExerciseLogs', session)).status).toBe(201);
    expect((await sciatica(db, add)).code).toBe(0);
    expect(await (await call('/userExerciseLogs')).json()).toHaveLength(43);
    child.kill('SIGTERM');
    expect([await end, namesIn(folder)]).toEqual([0, ['test.db']]);
  });

  test('is read on a read-only disk (needs mount)', async ({ skip }) => {
    const folder = mounted('4m', skip);
    const db = join(folder, 'test.db');
    fill(db, hot);
    execFileSync('mount', ['-o', 'remount,ro', folder]);
    const before = readdirSync(tmpdir()).filter((name) => name.endsWith('.tmp'));
    await readOnly(
      db,
      hot
        ? /disk of .* is read-only\. It is read from a copy in \S+, which is removed/
        : /disk of .* is read-only\.\n$/,
    );
    expect(readdirSync(tmpdir()).filter((name) => name.endsWith('.tmp') && !before.includes(name))).toEqual(
      [],
    );
    execFileSync('mount', ['-o', 'remount,rw', folder]);
    expect((await sciatica(db, add)).code).toBe(0);
  });

  test.skipIf(!isRoot).each([
    ['a file that may only be read', 0o444, 0o777],
    ['a folder that may only be read', 0o666, 0o555],
    ['both', 0o444, 0o555],
  ])('is read from %s (needs root, to become nobody)', async (_, file, directory) => {
    const folder = freshFolder();
    const db = join(folder, 'test.db');
    fill(db, hot);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), file);
    chmodSync(folder, directory);
    const before = modesOf(folder);
    await readOnly(db, /Nothing can be saved: no permission to write to/, { uid: NOBODY });
    expect(modesOf(folder)).toEqual(before);
    expect((await sciatica(db, add)).code).toBe(0);
  });
});

test.skipIf(!isRoot)(
  'what may only be read is read while somebody else writes to it (needs root)',
  async () => {
    const folder = freshFolder();
    const db = join(folder, 'test.db');
    fill(db);
    chmodSync(folder, 0o755);
    chmodSync(db, 0o644);
    const store = openStore(db);
    onTestFinished(() => store.close());
    store.logs.create({ ...session, notes: 'newest' });
    const { code, stdout } = await sciatica(db, 'logs --json', { uid: NOBODY });
    expect([code, JSON.parse(stdout).length]).toEqual([0, 41]);
    expect((await sciatica(db, 'logs --json --sort painAfter', { uid: NOBODY })).code).toBe(0);
  },
);

test.skipIf(!isRoot)(
  'a log that a reader left with 0444 does not stop a later write (needs root, to become nobody)',
  async () => {
    const folder = freshFolder();
    const db = join(folder, 'test.db');
    fill(db, true);
    writeFileSync(`${db}-shm`, '');
    for (const end of ['', '-wal', '-shm']) chownSync(db + end, NOBODY, NOBODY);
    chownSync(folder, NOBODY, NOBODY);
    for (const end of ['-wal', '-shm']) chmodSync(db + end, 0o444);
    expect(await sciatica(db, add, { uid: NOBODY })).toMatchObject({ code: 0, stderr: '' });
    expect(namesIn(folder)).toEqual(['test.db']);
  },
);

const UNMADE = /^sciatica: Today's backup was not made\. No permission to write in /m;

describe('a folder of backups that may only be read warns, and does not stop the change', () => {
  test.skipIf(!isRoot)('by its permissions (needs root, to become nobody)', async () => {
    const folder = freshFolder();
    const db = join(folder, 'test.db');
    fill(db);
    mkdirSync(join(folder, 'backups'));
    for (const path of [folder, db]) chownSync(path, NOBODY, NOBODY);
    for (let time = 1; time <= 2; time++) {
      const { code, stderr } = await sciatica(db, add, { uid: NOBODY });
      expect([code, stderr]).toEqual([0, expect.stringMatching(UNMADE)]);
    }
    expect(JSON.parse((await sciatica(db, 'logs --json')).stdout)).toHaveLength(42);
  });

  test('by its disk (needs mount)', async ({ skip }) => {
    const disk = mounted('1m', skip);
    execFileSync('mount', ['-o', 'remount,ro', disk]);
    const db = join(freshFolder(), 'test.db');
    fill(db);
    expect((await sciatica(db, `backup --auto ${disk}`)).code).toBe(0);
    const { code, stderr } = await sciatica(db, add);
    expect([code, stderr]).toEqual([0, expect.stringMatching(UNMADE)]);
    expect(JSON.parse((await sciatica(db, 'logs --json')).stdout)).toHaveLength(41);
  });
});

test('an older version is read where it cannot be brought up to date (needs mount)', async ({ skip }) => {
  const folder = mounted('4m', skip);
  const db = join(folder, 'test.db');
  copyFileSync(new URL('../fixtures/v1.db', import.meta.url), db);
  execFileSync('mount', ['-o', 'remount,ro', folder]);
  const { code, stdout } = await sciatica(db, 'logs --user all --json');
  expect([code, JSON.parse(stdout).length]).toEqual([0, 39]);
});
