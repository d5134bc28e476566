import type * as Fs from 'node:fs';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { isRunning, linkNew, makeFolder, temporaryBeside, writeWhole } from '../../src/lib/files.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { encryptedBackup } from '../../src/store/maintenance/encrypted-backup.ts';
import { createKeyPair } from '../../src/store/maintenance/encryption.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, freshPath, nora, practiceDb, prepared, records, run } from '../helpers.ts';

const disk = vi.hoisted(() => ({ failing: '', hasLinks: true, calls: [] as string[] }));
beforeEach(() => {
  Object.assign(disk, { failing: '', hasLinks: true, calls: [] });
});
/**
 * Syncing the folder `failing` fails, as on a disk that is going bad, and there may be no links, as on exFAT. What is synced, named
 * and removed is noted.
 */
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
    disk.calls.push(`sync ${folders.get(fd)}`);
  };
  const writeFileSync = (...args: Parameters<typeof Fs.writeFileSync>) => {
    fs.writeFileSync(...args);
    if (typeof args[2] === 'object' && args[2]?.flush) disk.calls.push(`sync ${args[0]}`);
  };
  const noting =
    (verb: string, work: (...args: never[]) => void) =>
    (...args: unknown[]) => {
      work(...(args as never[]));
      disk.calls.push(`${verb} ${args.filter((arg) => typeof arg === 'string').join(' ')}`);
    };
  const link = (from: string, to: string) => {
    if (!disk.hasLinks) throw Object.assign(new Error('no links'), { code: 'EPERM' });
    fs.linkSync(from, to);
  };
  const [linkSync, renameSync] = [link, fs.renameSync].map((work) => noting('name', work));
  return {
    ...fs,
    openSync,
    fsyncSync,
    writeFileSync,
    linkSync,
    renameSync,
    rmSync: noting('remove', fs.rmSync),
  };
});

/** A database of two users. */
const two = () =>
  prepared((store) => {
    for (const firstName of ['Nora', 'Ole']) store.users.create({ ...nora, firstName });
  });

function erased(path: string): void {
  const store = openStore(path);
  store.erase(2);
  store.close();
}

/** Puts a backup in the place of a database. */
function restored(path: string): void {
  const { path: file } = backup(two(), join(freshFolder(), 'b.db'));
  disk.calls = [];
  const restoration = prepareRestore(file, path);
  restoration.apply('now');
  restoration.close();
}

const daily = (path: string, end = '') => join(dirname(path), 'backups', `test.db.auto-2026-03-01.db${end}`);

test.each<[string, (path: string) => unknown, RegExp]>([
  ['a backup', (path) => backup(path, `${path}.copy`), /copy$/],
  ['one that takes the next name', (path) => backup(path, `${path}.copy`, { rename: true }), /copy$/],
  [
    'one that replaces another',
    (path) => {
      writeFileSync(`${path}.copy`, '');
      backup(path, `${path}.copy`, { force: true });
    },
    /copy$/,
  ],
  [
    'an encrypted one',
    async (path) => encryptedBackup(path, `${path}.age`, (await createKeyPair()).recipient),
    /age$/,
  ],
  [
    'a backup from which somebody is erased',
    (path) => {
      mkdirSync(dirname(daily(path)));
      copyFileSync(path, daily(path));
      erased(path);
    },
    /auto-2026-03-01\.db$/,
  ],
  ['a restored database where there was none', () => restored(freshPath()), /test\.db$/],
  [
    'a restored database in the place of a damaged one',
    (path) => {
      writeFileSync(path, 'no database');
      restored(path);
    },
    /test\.db$/,
  ],
  ['what a restored database replaces', restored, /replaced-now$/],
  [
    'what a migration keeps',
    () => {
      const path = freshPath();
      copyFileSync(new URL('../fixtures/v10.db', import.meta.url), path);
      openStore(path).close();
    },
    /\.v10-/,
  ],
  ['what is written whole', (path) => writeWhole(`${path}.token`, 'secret'), /token$/],
  ['what is exported', (db) => run(['export', '--output', `${db}.json`], { db }), /json$/],
])('the disk has %s before its name, and the name before anything goes on', async (_, make, name) => {
  await make(two());
  const named = disk.calls.flatMap((call, i) => {
    const [, file, given = ''] = /^name (\S+\.tmp) (\S+)$/.exec(call) ?? [];
    if (file === undefined) return [];
    const [before, after] = [disk.calls.slice(0, i), disk.calls[i + 1]];
    return [{ given, isSynced: before.includes(`sync ${file}`), next: after }];
  });
  expect(named).toEqual([{ given: expect.stringMatching(name), isSynced: true, next: expect.any(String) }]);
  expect(named[0]?.next).toBe(`sync ${dirname(named[0]?.given ?? '')}`);
});

test('where there are no links, a backup is copied to its name, and synced; nothing is replaced', () => {
  disk.hasLinks = false;
  const path = two();
  const copy = backup(path, `${path}.copy`).path;
  expect(records(copy).users).toHaveLength(2);
  expect(disk.calls).toContain(`sync ${copy}`);
  const before = readFileSync(copy);
  expect(() => linkNew(two(), copy)).toThrow('EEXIST');
  expect(readFileSync(copy).equals(before)).toBe(true);
});

test('what replaces the file behind a symbolic link leaves the link', () => {
  const path = two();
  const [real, link] = [join(freshFolder(), 'real.db'), `${path}.link`];
  writeFileSync(real, '');
  symlinkSync(real, link);
  backup(path, link, { force: true });
  expect([readlinkSync(link), records(real).users.length]).toEqual([real, 2]);
});

test('a file in the way of a folder is told', () => {
  const path = two();
  expect(() => makeFolder(path)).toThrow('EEXIST');
  makeFolder(dirname(path));
});

test('the end of the process is watched until the last temporary file is gone', () => {
  const watchers = () => ['exit', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event));
  const before = watchers();
  const [first, second] = [1, 2].map(() => temporaryBeside(freshPath()));
  const during = watchers();
  first?.remove();
  expect(watchers()).toEqual(during);
  second?.remove();
  expect([during, watchers()]).toEqual([before.map((count) => count + 1), before]);
});

test("another person's process runs", () => {
  vi.spyOn(process, 'kill').mockImplementationOnce(() => {
    throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
  });
  expect(isRunning(1)).toBe(true);
});

test('an encrypted backup of who is erased is gone for good', () => {
  const path = two();
  mkdirSync(dirname(daily(path)));
  writeFileSync(daily(path, '.age'), '');
  erased(path);
  const at = disk.calls.indexOf(`remove ${daily(path, '.age')}`);
  expect(disk.calls.slice(at)).toContain(`sync ${dirname(daily(path))}`);
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
