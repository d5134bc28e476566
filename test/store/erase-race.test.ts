import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { SciaticaError } from '../../src/domain/errors.ts';
import type * as Files from '../../src/lib/files.ts';
import { NotSynced } from '../../src/lib/files.ts';
import type * as Sleep from '../../src/lib/sleep.ts';
import { type BackupJob, runBackupJob } from '../../src/store/maintenance/automatic-backup.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { encryptedBackup } from '../../src/store/maintenance/encrypted-backup.ts';
import { createKeyPair } from '../../src/store/maintenance/encryption.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { failure, filledStore, freshFolder, freshPath, freshStore, log, raw } from './helpers.ts';

/** What happens within a backup: after its nth copy is synced, and just before it gets its name; and while a lock is waited for. */
const step = vi.hoisted(() => ({
  synced: 0,
  afterSync: {} as Record<number, () => void>,
  beforeLink: () => {},
  whenAsleep: () => {},
}));
beforeEach(() => {
  Object.assign(step, { synced: 0, afterSync: {}, beforeLink: () => {}, whenAsleep: () => {} });
});
vi.mock('../../src/lib/sleep.ts', async (original) => ({
  ...(await original<typeof Sleep>()),
  sleepSync: () => step.whenAsleep(),
}));
vi.mock('../../src/lib/files.ts', async (original) => {
  const files = await original<typeof Files>();
  const linkNew = (file: string, name: string) => {
    step.beforeLink();
    files.linkNew(file, name);
  };
  return {
    ...files,
    linkNew,
    publish: (file: string, name: string, force: boolean) =>
      force ? files.publish(file, name, force) : linkNew(file, name),
    syncFile: (path: string) => {
      files.syncFile(path);
      step.synced += 1;
      step.afterSync[step.synced]?.();
    },
  };
});

const SECRET = 'only Ole knows';

/** A database that holds the secret of user 2. */
function store(path = freshPath()): Store {
  const made = filledStore(4, path);
  made.logs.create(log({ userId: 2, notes: SECRET }));
  return made;
}

/** The files of folders that hold the secret, or may: nobody can look into an encrypted one. */
function holding(...folders: string[]): string[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => path.endsWith('.age') || readFileSync(path).includes(SECRET));
}

function eraseOle(it: Store): void {
  it.erase(2);
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    if (error instanceof SciaticaError) return error.code;
    throw error;
  }
}

describe('a backup during which a person is erased is not kept', () => {
  test.each(['new', 'forced', 'renamed'])('plain, %s', async (how) => {
    const it = store();
    const folder = freshFolder();
    step.afterSync[1] = () => eraseOle(it);
    const naming = { force: how === 'forced', rename: how === 'renamed' };
    expect(await codeOf(() => backup(it.path, join(folder, 'b.db'), naming))).toBe('conflict');
    expect(holding(folder, join(it.path, '..'))).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([1, 2])('encrypted, after copy %d', async (n) => {
    const it = store();
    const folder = freshFolder();
    const { recipient } = await createKeyPair();
    step.afterSync[n] = () => eraseOle(it);
    const target = join(folder, 'b.age');
    expect(await codeOf(() => encryptedBackup(it.path, target, recipient))).toBe('conflict');
    expect(holding(folder, join(it.path, '..'))).toEqual([]);
  });

  test.each(['plain', 'encrypted'])('the automatic one, %s', async (kind) => {
    const it = store();
    const folder = freshFolder();
    const { recipient } = await createKeyPair();
    it.settings.backups = { folder, ...(kind === 'encrypted' && { recipient }) };
    const jobs: BackupJob[] = [];
    const ask = () =>
      it.backUpIfDue({
        today: '2026-03-02',
        isService: true,
        warn: () => {},
        start: (job) => jobs.push(job),
      });
    ask();
    step.afterSync[1] = () => it.erase(2);
    await runBackupJob(jobs[0] as BackupJob);
    // No failure is noted: the next change asks again.
    expect(readdirSync(folder)).toEqual([]);
    await runBackupJob(jobs[0] as BackupJob);
    expect(readdirSync(folder)).toHaveLength(1);
    it.erase(2);
    expect(holding(join(it.path, '..'), ...(kind === 'plain' ? [folder] : []))).toEqual([]);
  });

  test('one that was copied before, and is looked through afterwards', async () => {
    const it = store();
    const { recipient } = await createKeyPair();
    const folder = freshFolder();
    it.settings.backups = { folder, recipient };
    const jobs: BackupJob[] = [];
    it.backUpIfDue({ today: '2026-03-02', isService: false, warn: () => {}, start: (job) => jobs.push(job) });
    eraseOle(it);
    await runBackupJob(jobs[0] as BackupJob);
    expect(holding(folder, join(it.path, '..'))).toEqual([]);
  });

  test('one that was copied beside the database, and killed', async () => {
    const it = store();
    const { recipient } = await createKeyPair();
    it.settings.backups = { folder: freshFolder(), recipient };
    const jobs: BackupJob[] = [];
    it.backUpIfDue({ today: '2026-03-02', isService: false, warn: () => {}, start: (job) => jobs.push(job) });
    // Of a process that does not run, beyond what Linux gives (pid_max of proc(5)).
    const ofMigration = join(it.path, '..', '.sciatica-5000000-1-0-0.tmp');
    copyFileSync(jobs[0]?.source ?? '', ofMigration);
    eraseOle(it);
    expect(holding(join(it.path, '..'))).toEqual([]);
    await runBackupJob(jobs[0] as BackupJob);
    expect(readdirSync(jobs[0]?.folder ?? '')).toEqual([]);
  });

  test('while it gets its name, nobody can be erased', () => {
    const it = store();
    const other = raw(it.path);
    let met = '';
    step.beforeLink = () => {
      try {
        other.exec('BEGIN IMMEDIATE');
      } catch (error) {
        met = (error as { code: string }).code;
      }
    };
    backup(it.path, join(freshFolder(), 'b.db'));
    expect(met).toBe('SQLITE_BUSY');
    it.logs.create(log());
  });

  test('nor is one that was begun before a backup was restored', () => {
    const it = store();
    const old = join(freshFolder(), 'old.db');
    backup(it.path, old);
    const { path } = it;
    step.synced = 0;
    step.afterSync[1] = () => {
      step.afterSync = {};
      eraseOle(it);
      it.close();
      const restoration = prepareRestore(old, path);
      restoration.apply('now');
      restoration.close();
    };
    const folder = freshFolder();
    expect(failure(() => backup(path, join(folder, 'b.db'))).code).toBe('conflict');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['a log', 'another user'])('but one during which %s is deleted is', (what) => {
    const it = store();
    step.afterSync[1] = () => {
      if (what === 'a log') it.logs.delete(1);
      else it.users.delete(1);
    };
    expect(backup(it.path, join(freshFolder(), 'b.db')).counts.log).toBe(5);
  });
});

test('two persons who are erased at once are both out of the backups', () => {
  const it = store();
  it.logs.create(log({ userId: 1, notes: SECRET }));
  it.backUpIfDue({ today: '2026-03-02', isService: false, warn: () => {}, start: () => {} });
  const folder = join(it.path, '..', 'backups');
  expect(holding(folder)).toHaveLength(1);
  step.synced = 0;
  // The second erasing has finished its copy while the first is about to put its own in place.
  step.afterSync[1] = () => {
    step.afterSync = {};
    it.erase(1);
  };
  expect(it.erase(2)).toMatchObject({ left: [] });
  expect(holding(folder)).toEqual([]);
});

test('what another erasing has still to do is not forgotten with the end of one', () => {
  const it = store();
  it.backUpIfDue({ today: '2026-03-02', isService: false, warn: () => {}, start: () => {} });
  it.erase(1);
  step.afterSync[step.synced + 1] = () =>
    it.settings.set('erasing', JSON.stringify({ users: [2, 1], pid: process.pid, at: Date.now() }));
  expect(it.erase(2)).toMatchObject({ left: [] });
  const unfinished = { users: [1], pid: process.pid, at: expect.any(Number) };
  expect(JSON.parse(it.settings.get('erasing') ?? '{}')).toEqual(unfinished);
});

test('somebody who reads what was there holds an erasing up, and no more', () => {
  const it = store();
  const snapshot = it.snapshot();
  snapshot.logs.count();
  step.whenAsleep = () => snapshot.close();
  expect(it.erase(2)).toMatchObject({ left: [] });
  expect(holding(join(it.path, '..'))).toEqual([]);
});

test('a restore keeps the database that another program has just made', () => {
  const old = join(freshFolder(), 'old.db');
  backup(store().path, old);
  const path = freshPath();
  const restoration = prepareRestore(old, path);
  step.beforeLink = () => {
    step.beforeLink = () => {};
    filledStore(2, path).close();
  };
  const kept = restoration.apply('now') ?? '';
  expect([path, kept].map((file) => freshStore(file).logs.count())).toEqual([5, 2]);
});

test.each([false, true])(
  'a restore replaces nothing of which the copy may not last, damaged: %s',
  (isDamaged) => {
    const path = freshPath();
    const old = join(freshFolder(), 'old.db');
    const it = store(path);
    backup(path, old);
    it.close();
    if (isDamaged) writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
    const before = readFileSync(path);
    const restoration = prepareRestore(old, path);
    step.beforeLink = () => {
      throw new NotSynced('kept', Object.assign(new Error('no room'), { code: 'ENOSPC' }));
    };
    expect(failure(() => restoration.apply('now')).code).toBe('full');
    restoration.close();
    expect(readFileSync(path).subarray(100).equals(before.subarray(100))).toBe(true);
  },
);

test('somebody whom a restore brought back stays in the backups when another person is erased', () => {
  const path = freshPath();
  const before = store(path);
  const old = join(freshFolder(), 'old.db');
  backup(path, old);
  before.erase(2);
  before.close();
  const restoration = prepareRestore(old, path);
  restoration.apply('now');
  restoration.close();
  const it = freshStore(path);
  it.backUpIfDue({ today: '2026-03-02', isService: false, warn: () => {}, start: () => {} });
  expect(it.erase(1).rewritten).toHaveLength(1);
  expect(holding(join(path, '..', 'backups'))).toHaveLength(1);
});
