import type * as Fs from 'node:fs';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { freshFolder, practiceDb, run } from '../helpers.ts';

const disk = vi.hoisted(() => ({ failing: '' }));
beforeEach(() => {
  disk.failing = '';
});
/** Syncing the folder `failing` fails, as on a disk that is going bad. */
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof Fs>();
  const folders = new Map<number, string>();
  const openSync = (...args: Parameters<typeof Fs.openSync>) => {
    const fd = fs.openSync(...args);
    folders.set(fd, String(args[0]));
    return fd;
  };
  const fsyncSync = (fd: number) => {
    if (folders.get(fd) === disk.failing) throw Object.assign(new Error('i/o error'), { code: 'EIO' });
    fs.fsyncSync(fd);
  };
  return { ...fs, openSync, fsyncSync };
});

describe.each([
  ['backup', 'backup FILE'],
  ['export', 'export --output FILE'],
  ['report', 'report --user 1 --output FILE'],
])('where the folder cannot be synced, %s', (_, words) => {
  const line = (file: string) => words.split(' ').map((word) => (word === 'FILE' ? file : word));

  test('--force says that the file is in place, and what is not sure', async () => {
    const db = await practiceDb();
    const folder = freshFolder();
    const file = join(folder, 'it');
    writeFileSync(file, 'old');
    disk.failing = folder;
    const { code, stderr } = await run([...line(file), '--force'], { db });
    expect([code, stderr]).toEqual([
      1,
      `sciatica: ${file} is in place, but the folder could not be synced (EIO): a power cut may bring back what was there before.\n`,
    ]);
    expect(readFileSync(file, 'utf8')).not.toBe('old');
    expect(readdirSync(folder)).toEqual(['it']);
  });

  test('leaves no new file, and says that there is none', async () => {
    const db = await practiceDb();
    const folder = freshFolder();
    const file = join(folder, 'it');
    disk.failing = folder;
    const { code, stderr } = await run(line(file), { db });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/EIO/)]);
    expect(existsSync(file)).toBe(false);
  });
});
