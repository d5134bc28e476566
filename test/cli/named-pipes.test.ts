import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createKeyPair, encryptFile } from '../../src/store/maintenance/encryption.ts';
import { noraWith } from '../helpers.ts';
import { ended, root } from '../store/helpers.ts';

const script = join(root, 'bin/sciatica.js');

/** A folder with a database, an encrypted copy, its identity, and a named pipe to which nobody writes. */
async function prepared(): Promise<string> {
  const folder = join(noraWith({}), '..');
  const { identity, recipient } = await createKeyPair();
  writeFileSync(join(folder, 'key'), identity);
  copyFileSync(join(folder, 'test.db'), join(folder, 'copy.db'));
  await encryptFile(join(folder, 'copy.db'), join(folder, 'copy.age'), recipient);
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  return folder;
}

function sciatica(folder: string, words: string): ChildProcess {
  const child = spawn(process.execPath, [script, ...words.split(' '), '--db', 'test.db'], {
    cwd: folder,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

/** What was opened to wait for the other end of a pipe (Linux: the file table of the process). */
const hasOpen = ({ pid }: ChildProcess, path: string) =>
  execFileSync('sh', ['-c', `ls -l /proc/${pid}/fd || true`], { encoding: 'utf8' }).includes(path);

describe.skipIf(process.platform !== 'linux')('a named pipe', () => {
  test.each(['restore copy.age --identity pipe --yes', 'import pipe'])(
    '%s waits for what is written, and ends when it is told to',
    async (words) => {
      const folder = await prepared();
      const child = sciatica(folder, words);
      await expect.poll(() => hasOpen(child, join(folder, 'pipe')), { timeout: 20_000 }).toBe(true);
      const end = new Promise((resolve) => child.once('exit', (code, signal) => resolve(signal ?? code)));
      child.kill('SIGTERM');
      expect(await end).toBe('SIGTERM');
    },
  );

  test('without a reader keeps an export waiting, until Ctrl-C', async () => {
    const folder = await prepared();
    const child = sciatica(folder, 'export --format ndjson --output pipe');
    const end = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
    await expect
      .poll(() => /better.sqlite3/.test(readFileSync(`/proc/${child.pid}/maps`, 'utf8')), {
        timeout: 20_000,
      })
      .toBe(true);
    child.kill('SIGINT');
    expect(await end).toBe(130);
  });

  test('gets the whole of an export once somebody reads', async () => {
    const folder = await prepared();
    const reader = spawn('cat', ['pipe'], { cwd: folder });
    const [exported, read] = await Promise.all([
      ended(sciatica(folder, 'export --format ndjson --output pipe') as never),
      ended(reader),
    ]);
    expect(exported.code).toBe(0);
    expect(read.stdout.trim().split('\n')).toHaveLength(2);
  });

  test('gives the identity to a restore', async () => {
    const folder = await prepared();
    const child = ended(sciatica(folder, 'restore copy.age --identity pipe --yes') as never);
    spawn('sh', ['-c', 'cat key > pipe'], { cwd: folder });
    expect(await child).toMatchObject({ code: 0, stdout: 'Restored 1 user and 1 log.\n' });
  });

  test.each([
    ['restore pipe', /pipe is not a file: a backup is never read from a pipe or device\.\n$/],
    [
      'restore copy.age --identity /dev/zero',
      /\/dev\/zero is a device: give a file, a pipe, or - for stdin\.\n$/,
    ],
    ['import /dev/zero', /\/dev\/zero is a device: give a file, a pipe, or - for stdin\.\n$/],
    ['backup pipe', /pipe is not a file\.\n$/],
  ])('%s says what it takes instead', async (words, message) => {
    const { code, stderr } = await ended(sciatica(await prepared(), words) as never);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
  });
});
