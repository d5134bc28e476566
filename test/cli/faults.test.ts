import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, nora, session } from '../helpers.ts';
import { ended, root } from '../store/helpers.ts';

const script = join(root, 'bin/sciatica.js');

const environment = (env: Record<string, string> = {}) => ({
  PATH: process.env['PATH'],
  ...env,
});

/** Runs a command line as a process of its own. */
async function sciatica(db: string, ...args: string[]) {
  const child = spawn(process.execPath, [script, ...args, '--db', db], { env: environment() });
  child.stdin.end();
  return ended(child);
}

/** Starts the service; it is killed after the test at the latest. */
async function serve(db: string, env: Record<string, string> = {}) {
  const child: ChildProcess = spawn(
    process.execPath,
    [script, 'serve', '--no-app', '--port', '0', '--db', db],
    {
      env: environment(env),
    },
  );
  const end = new Promise<void>((resolve) => child.on('close', () => resolve()));
  onTestFinished(() => void child.kill('SIGKILL'));
  const log = { text: '' };
  child.stderr?.on('data', (data) => (log.text += data));
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (data) => resolve(String(data).trim().split(' ').at(-1) ?? ''));
    child.on('close', () => reject(new Error(log.text)));
  });
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, text: await response.text(), headers: response.headers };
  };
  const stop = async () => {
    child.kill('SIGTERM');
    await end;
  };
  return { call, log, stop };
}

const add = 'log add Cat-Cow 5 4 --type stretch --user 1'.split(' ');

test('a full disk: writes fail with one clear line, reads go on, and room makes it well (needs mount)', async ({
  skip,
}) => {
  const folder = join(freshFolder(), 'disk');
  mkdirSync(folder);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    skip('no file system may be mounted here');
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
  const db = join(folder, 'test.db');
  const { call, stop } = await serve(db);
  expect((await call('POST', '/users', nora)).status).toBe(201);
  const filler = join(folder, 'filler');
  expect(() => writeFileSync(filler, Buffer.alloc(2_000_000))).toThrow('ENOSPC');

  const large = { ...session, notes: 'x'.repeat(9_000) };
  let saved = 0;
  let answer = await call('POST', '/userExerciseLogs', large);
  for (; answer.status === 201; answer = await call('POST', '/userExerciseLogs', large)) saved += 1;
  expect(answer.status).toBe(507);
  expect(JSON.parse(answer.text).detail).toMatch(/^The disk is full: nothing was saved/);
  expect(JSON.parse((await call('GET', '/userExerciseLogs')).text)).toHaveLength(saved);
  const refused = await sciatica(db, ...add, '--notes', 'y'.repeat(9_000));
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^sciatica: The disk is full: nothing was saved.*\n$/);
  const backup = await sciatica(db, 'backup', join(folder, 'copy.db'));
  expect(backup.code).toBe(1);
  expect(backup.stderr).toMatch(/^sciatica: The disk of .* is full\. Make room.*\n$/);
  expect(existsSync(join(folder, 'copy.db'))).toBe(false);

  rmSync(filler);
  expect((await call('POST', '/userExerciseLogs', large)).status).toBe(201);
  expect((await sciatica(db, ...add)).code).toBe(0);
  expect(JSON.parse((await call('GET', '/userExerciseLogs')).text)).toHaveLength(saved + 2);
  await stop();
  // A command finds the disk full when the database is closed, too.
  expect(() => writeFileSync(filler, Buffer.alloc(2_000_000))).toThrow('ENOSPC');
  for (const args of [['logs'], add]) {
    const result = await sciatica(db, ...args);
    if (result.code !== 0) expect(result.stderr).toMatch(/^sciatica: The disk is full.*\n$/);
  }
});

const SHIM = `
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fails(void) { const char *flag = getenv("FSYNC_FAILS"); return flag && access(flag, F_OK) == 0; }
int fsync(int fd) { if (fails()) { errno = EIO; return -1; } return syscall(SYS_fsync, fd); }
int fdatasync(int fd) { if (fails()) { errno = EIO; return -1; } return syscall(SYS_fdatasync, fd); }
`;

test('an error of fsync at commit: the outcome is unknown, and the next one counts again (needs cc)', async ({
  skip,
}) => {
  const folder = freshFolder();
  const [source, shim, flag, db] = ['shim.c', 'shim.so', 'flag', 'test.db'].map((name) =>
    join(folder, name),
  ) as [string, string, string, string];
  writeFileSync(source, SHIM);
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', shim, source], { stdio: 'ignore' });
  } catch {
    skip('there is no cc, or it makes no shared library');
  }
  const { call, log, stop } = await serve(db, { LD_PRELOAD: shim, FSYNC_FAILS: flag });
  expect((await call('POST', '/users', nora)).status).toBe(201);
  for (let round = 0; round < 3; round++) {
    writeFileSync(flag, '');
    const answers = await Promise.all([1, 2, 3, 4].map(() => call('POST', '/userExerciseLogs', session)));
    for (const { status, text } of answers) {
      expect(status).toBe(500);
      expect(JSON.parse(text).detail).toMatch(/may have been saved or not. Look before you try again/);
    }
    const during = await call('GET', '/userExerciseLogs');
    expect(during.status).toBe(200);
    rmSync(flag);
    const before = JSON.parse((await call('GET', '/userExerciseLogs')).text) as { id: number }[];
    const created = await call('POST', '/userExerciseLogs', session);
    expect(created.status).toBe(201);
    const after = JSON.parse((await call('GET', '/userExerciseLogs')).text) as { id: number }[];
    expect(after).toEqual([...before, JSON.parse(created.text)]);
  }
  const last = (await call('GET', '/userExerciseLogs')).text;
  await stop();
  expect(log.text).toContain('The disk failed while this was being saved');
  expect(log.text).not.toMatch(/\n\s+at /);
  const store = openStore(db);
  expect(JSON.stringify(store.logs.list())).toBe(JSON.stringify(JSON.parse(last)));
  store.close();
  const database = openDatabase(db);
  expect(database.pragma('integrity_check')).toBe('ok');
  database.close();
});

test.each([
  ['removed', (db: string) => rmSync(db)],
  ['moved', (db: string) => renameSync(db, `${db}-elsewhere`)],
  [
    'replaced',
    (db: string) => {
      openStore(`${db}-other`).close();
      renameSync(`${db}-other`, db);
    },
  ],
])('a database file that is %s under the service: writes are refused, reads go on', async (_, change) => {
  const db = join(freshFolder(), 'test.db');
  const { call, log, stop } = await serve(db);
  expect((await call('POST', '/users', nora)).status).toBe(201);
  change(db);
  const size = statSync(db, { throwIfNoEntry: false })?.size;
  for (const [method, path, body] of [
    ['POST', '/users', nora],
    ['PATCH', '/users/1', { age: 5 }],
    ['DELETE', '/users/1', undefined],
  ] as const) {
    const { status, text, headers } = await call(method, path, body);
    expect(status).toBe(503);
    expect(JSON.parse(text).detail).toMatch(/removed or replaced while it was in use: nothing was saved/);
    expect(headers.get('retry-after')).toBe(null);
    expect(text).not.toContain(db);
  }
  expect((await call('GET', '/users/1')).status).toBe(200);
  await stop();
  expect(statSync(db, { throwIfNoEntry: false })?.size).toBe(size);
  expect(log.text).not.toMatch(/\n\s+at /);
});

test('a damaged file: every command and the service say so, and what to do', async () => {
  const db = join(freshFolder(), 'test.db');
  const store = openStore(db);
  store.users.create(nora);
  store.logs.create(session);
  store.close();
  const { call, log, stop } = await serve(db);
  const isLate = new Promise((resolve) => setTimeout(resolve, 3_500));
  const bytes = readFileSync(db);
  writeFileSync(db, bytes.fill('garbage ', 4096));
  for (const args of [
    ['users'],
    ['logs'],
    add,
    ['export'],
    ['backup'],
    ['user', 'show'],
    ['user', 'rm', '1', '--yes'],
  ]) {
    const { code, stderr } = await sciatica(db, ...args);
    expect({ args, code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('sciatica doctor'),
    });
    expect(stderr).toMatch(/^sciatica: [^\n]*\n$/);
  }
  for (const path of ['/users', '/users/1', '/userExerciseLogs']) {
    const { status, text } = await call('GET', path);
    expect(status).toBe(500);
    expect(JSON.parse(text).detail).toBe(
      'The database is damaged. On the machine that it is on, run: sciatica doctor',
    );
  }
  expect((await call('POST', '/users', nora)).status).toBe(500);
  // The service looks after copies three seconds after its start: that does not end it.
  await isLate;
  expect((await call('GET', '/users')).status).toBe(500);
  await stop();
  expect(log.text).not.toMatch(/\n\s+at /);
});
