import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { addDays, localDay } from '../../src/domain/words/day.ts';
import { hasTag } from '../../src/lib/files.ts';
import { type BackupJob, runBackupJob } from '../../src/store/maintenance/automatic-backup.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { digestOf } from '../../src/store/maintenance/backup-plan.ts';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { encryptedBackup } from '../../src/store/maintenance/encrypted-backup.ts';
import { createKeyPair, decryptFile, isEncrypted } from '../../src/store/maintenance/encryption.ts';
import { openStore as openHooked, type Store } from '../../src/store/store.ts';
import { newDatabase } from '../new-database.ts';
import {
  dbOf,
  failure,
  filledStore,
  freshFolder,
  freshPath,
  freshStore,
  log,
  openStore,
  raw,
  user,
} from './helpers.ts';

const disk = vi.hoisted(() => ({
  free: undefined as number | undefined,
  isFull: false,
  made: [] as string[],
}));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const statfsSync = (path: string) =>
    disk.free === undefined ? fs.statfsSync(path) : { bavail: disk.free, bsize: 1, type: 0 };
  const openSync = (...args: Parameters<typeof fs.openSync>) => {
    if (args[1] === 'wx') disk.made.push(String(args[0]));
    return fs.openSync(...args);
  };
  const writeFileSync = (...args: Parameters<typeof fs.writeFileSync>) => {
    fs.writeFileSync(...args);
    if (disk.isFull) throw Object.assign(new Error('no room'), { code: 'ENOSPC' });
  };
  return { ...fs, openSync, statfsSync, writeFileSync };
});
beforeEach(() => {
  disk.free = undefined;
  disk.isFull = false;
  disk.made = [];
});

const DAY = '2026-03-02';

/** Asks for a backup. @returns what was warned of, and the jobs that were started */
function ask(store: Store, { today = DAY, isService = false } = {}) {
  const warnings: string[] = [];
  const jobs: BackupJob[] = [];
  store.backUpIfDue({
    today,
    isService,
    warn: (line) => warnings.push(line),
    start: (job) => jobs.push(job),
  });
  return { warnings, jobs };
}

const folderOf = (store: Store) => join(store.path, '..', 'backups');
const backups = (store: Store) => (existsSync(folderOf(store)) ? readdirSync(folderOf(store)).sort() : []);
const nothing = { warnings: [], jobs: [] };

function logsIn(file: string): number {
  const store = openStore(file);
  try {
    return store.logs.count();
  } finally {
    store.close();
  }
}

/** More than what is backed up at once. */
function longStore(): Store {
  const store = filledStore(0);
  store.change(() => {
    for (let i = 0; i < 200; i++) store.logs.create(log({ notes: 'x'.repeat(9_000) }));
  });
  return store;
}

describe('before the first change of a process', () => {
  test('it is asked for once, but not before an erasing, nor inside a transaction', async () => {
    let asked = 0;
    const count = () => {
      asked += 1;
    };
    const path = freshPath();
    const open = () => openHooked(path, undefined, count);
    const store = open();
    store.users.create(user());
    store.users.create(user());
    expect(asked).toBe(1);
    store.close();
    const other = open();
    other.erase(1);
    // A transaction that is under way cannot be copied.
    await other.submit(() => other.users.update(2, { age: 2 }));
    expect(asked).toBe(1);
    other.users.update(2, { age: 1 });
    expect(asked).toBe(2);
    other.close();
  });

  test('an empty database has nothing to keep', () => {
    const store = freshStore();
    expect(ask(store)).toEqual(nothing);
    expect(backups(store)).toEqual([]);
  });

  test('it holds what was there, is private, and is made once a day', () => {
    const store = filledStore(5);
    expect(ask(store)).toEqual(nothing);
    store.logs.create(log());
    expect(ask(store)).toEqual(nothing);
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
    const file = join(folderOf(store), backups(store)[0] ?? '');
    expect([folderOf(store), file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
    expect(logsIn(file)).toBe(5);
    ask(store, { today: '2026-03-03' });
    expect(backups(store)).toHaveLength(2);
  });

  test('the old ones go, those of other databases and other files stay', () => {
    const store = filledStore(1);
    mkdirSync(folderOf(store));
    const others = ['test.db.auto-x.db', 'test.db2.auto-2020-01-01.db', 'sciatica-2020-01-01-120000.db'];
    for (const name of others) {
      writeFileSync(join(folderOf(store), name), '');
      utimesSync(join(folderOf(store), name), 0, 0);
    }
    for (let i = 0; i < 40; i++) ask(store, { today: addDays(DAY, i) });
    const ours = backups(store).filter((name) => !others.includes(name));
    expect(backups(store)).toEqual(expect.arrayContaining(others));
    expect(ours.length).toBeLessThan(14);
    expect(ours.slice(-7)).toEqual(
      Array.from({ length: 7 }, (_, i) => `test.db.auto-${addDays(DAY, 33 + i)}.db`),
    );
  });

  test('a clock that went back leaves no day without one', () => {
    const store = filledStore(1);
    for (let i = 0; i < 30; i++) ask(store, { today: addDays('2099-01-01', i) });
    ask(store);
    expect(backups(store)).toContain(`test.db.auto-${DAY}.db`);
  });

  test('several databases share a chosen folder, of the same name too', () => {
    const folder = freshFolder();
    const stores = [filledStore(1), filledStore(2)];
    for (const store of stores) {
      store.settings.backups = { folder };
      for (let i = 0; i < 9; i++) ask(store, { today: addDays(DAY, i) });
      expect(backups(store)).toEqual([]);
    }
    const counts = readdirSync(folder).map((name) => logsIn(join(folder, name)));
    expect(counts.filter((count) => count === 1).length).toBe(counts.filter((count) => count === 2).length);
  });

  test('the folder beside the database is the same whether it was chosen or not', () => {
    const store = filledStore(1);
    store.settings.backups = { folder: folderOf(store) };
    ask(store);
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
  });

  test('off is off, until it is on again', () => {
    const store = filledStore(1);
    store.settings.backups = { folder: 'off' };
    expect(ask(store)).toEqual(nothing);
    expect(backups(store)).toEqual([]);
    expect(store.settings.backupFolders).toEqual([]);
    store.settings.backups = {};
    ask(store);
    expect(backups(store)).toHaveLength(1);
  });

  test('through a symbolic link, it is beside the database itself', () => {
    const real = filledStore(1).path;
    const link = join(freshFolder(), 'link.db');
    symlinkSync(real, link);
    const store = freshStore(link);
    ask(store);
    expect(existsSync(join(link, '..', 'backups'))).toBe(false);
    expect(readdirSync(join(real, '..', 'backups'))).toEqual([`test.db.auto-${DAY}.db`]);
  });
});

describe('what goes wrong is a warning', () => {
  test.each<[string, (store: Store) => void, RegExp]>([
    ['a file in the way', (store) => writeFileSync(folderOf(store), ''), /backups is not a folder\.$/],
    [
      'a disk that is not there',
      ({ settings }) => (settings.backups = { folder: join(freshFolder(), 'away', 'stick') }),
      /There is no folder/,
    ],
    [
      'too little room',
      () => (disk.free = 1000),
      /less than twice the size of the database free\. Make room, or give another place\.$/,
    ],
  ])('%s', (_, spoil, words) => {
    const store = filledStore(3);
    spoil(store);
    for (let i = 0; i < 2; i++) {
      const { warnings, jobs } = ask(store);
      expect(warnings).toEqual([expect.stringMatching(words)]);
      expect(warnings[0]).toMatch(/^Today's backup was not made\. /);
      expect(jobs).toEqual([]);
    }
  });

  test('twice the size is enough', () => {
    const store = filledStore(3);
    const twice = 2 * (statSync(store.path).size + statSync(`${store.path}-wal`).size);
    disk.free = twice - 1;
    expect(ask(store).warnings).toHaveLength(1);
    disk.free = twice;
    expect(ask(store)).toEqual(nothing);
    expect(backups(store)).toHaveLength(1);
  });

  test.each([
    [77e9, '77 GB'],
    [1.25e12, '1.3 TB'],
    [120e6, '120 MB'],
    [900, '900 bytes'],
  ])('%d bytes of room are %s for doctor', (free, detail) => {
    disk.free = free;
    expect(examine(freshPath()).checks.find(({ name }) => name === 'Free space')).toMatchObject({ detail });
  });

  test.each([
    ['50 MB', 1, 50_000_000],
    ['a copy and its change', 30_000_000, 60_000_000],
  ])('doctor asks for room for %s', (_, bytes, least) => {
    const path = freshStore().path;
    truncateSync(path, Math.max(bytes, statSync(path).size));
    const isRoom = () => examine(path).checks.find(({ name }) => name === 'Free space')?.ok;
    disk.free = least - 1;
    expect(isRoom()).toBe(false);
    disk.free = least;
    expect(isRoom()).toBe(true);
  });

  test('of a copy for which there is no room nothing stays', () => {
    const store = longStore();
    disk.isFull = true;
    expect(ask(store)).toEqual({ warnings: [expect.stringContaining(' is full')], jobs: [] });
    expect(backups(store)).toEqual([]);
  });

  test('a failure in the background is said by the next commands, and tried again after an hour', async () => {
    const store = longStore();
    const [job] = ask(store).jobs;
    writeFileSync(job?.source ?? '', 'no database');
    await runBackupJob(job as BackupJob);
    const note = join(folderOf(store), 'test.db.auto-failed.txt');
    expect(statSync(note).mode & 0o777).toBe(0o600);
    expect(ask(store)).toEqual({ warnings: [readFileSync(note, 'utf8')], jobs: [] });
    expect(examine(store.path).checks.find(({ name }) => name === 'Backups')).toMatchObject({ ok: false });
    const hourAgo = Date.now() / 1000 - 3601;
    utimesSync(note, hourAgo, hourAgo);
    const { warnings, jobs } = ask(store);
    expect(warnings).toHaveLength(1);
    await runBackupJob(jobs[0] as BackupJob);
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
  });

  test('a failure that was noted while the clock was ahead is no reason to wait until then', () => {
    const store = longStore();
    mkdirSync(folderOf(store));
    const note = join(folderOf(store), 'test.db.auto-failed.txt');
    writeFileSync(note, 'failed');
    utimesSync(note, new Date('2099-01-01'), new Date('2099-01-01'));
    expect(ask(store).jobs).toHaveLength(1);
  });
});

describe('a long database', () => {
  test('is copied at once, and backed up in the background as it was', async () => {
    const store = longStore();
    const { warnings, jobs } = ask(store);
    expect([warnings, jobs.length]).toEqual([[], 1]);
    const [job] = jobs as [BackupJob];
    expect(statSync(job.source).mode & 0o777).toBe(0o600);
    store.logs.create(log());
    disk.made = [];
    await runBackupJob(job);
    expect(disk.made.map((path) => hasTag(basename(path), digestOf(store.path)))).toEqual([true]);
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
    expect(logsIn(join(folderOf(store), `test.db.auto-${DAY}.db`))).toBe(200);
  });

  test('is not copied beyond 64 MB, but read in the background', () => {
    const store = filledStore(1);
    dbOf(store).exec('CREATE TABLE filler (bytes); INSERT INTO filler VALUES (zeroblob(67108864))');
    expect(ask(store).jobs).toMatchObject([{ source: store.path }]);
  });

  test('two processes that begin at once make one', async () => {
    const store = longStore();
    const jobs = [...ask(store).jobs, ...ask(store).jobs];
    expect(jobs).toHaveLength(2);
    await Promise.all(jobs.map(runBackupJob));
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
  });

  test('what a killed process left goes with the next backup', async () => {
    const store = longStore();
    const [job] = ask(store).jobs as [BackupJob];
    const old = Date.now() / 1000 - 3601;
    utimesSync(job.source, old, old);
    const [next] = ask(store).jobs as [BackupJob];
    await runBackupJob(next);
    expect(backups(store)).toEqual([`test.db.auto-${DAY}.db`]);
  });

  test('what waits in the same folder for another process stays', async () => {
    const folder = freshFolder();
    const [mine, other] = [longStore(), longStore()].map((store) => {
      store.settings.backups = { folder };
      return ask(store).jobs[0] as BackupJob;
    }) as [BackupJob, BackupJob];
    await runBackupJob(mine);
    expect([mine, other].map(({ source }) => existsSync(source))).toEqual([false, true]);
  });

  test('a damaged one gets no backup', async () => {
    const store = longStore();
    const [job] = ask(store).jobs as [BackupJob];
    const bytes = readFileSync(job.source);
    writeFileSync(job.source, bytes.fill(0xee, 8192, 30_000));
    await runBackupJob(job);
    expect(backups(store)).toEqual(['test.db.auto-failed.txt']);
  });
});

describe('a service', () => {
  test('starts a job and waits for nothing, once an hour at most', () => {
    const store = filledStore(1);
    expect(ask(store, { isService: true }).jobs).toMatchObject([
      { database: store.path, source: store.path },
    ]);
    expect(ask(store, { isService: true })).toEqual(nothing);
    expect(backups(store)).toEqual([]);
  });

  /** A database of one user, whose clock stands at a local day. */
  function storeOfDay(day: string) {
    const clock = { day };
    const store = freshStore(newDatabase(), () => Date.parse(`${clock.day}T12:00`));
    store.users.create(user());
    return { store, clock };
  }
  const askOn = (store: Store, today: string) => ask(store, { isService: true, today }).jobs.length;

  test('leaves it where nothing has changed since', () => {
    const { store, clock } = storeOfDay('2026-03-01');
    ask(store, { today: '2026-02-28' });
    ask(store);
    expect(askOn(store, '2026-03-03')).toBe(0);
    clock.day = '2026-03-03';
    store.users.create(user());
    expect(askOn(store, '2026-03-04')).toBe(1);
  });

  test('makes it for what was changed on the day of the last one, behind it', async () => {
    const { store } = storeOfDay(DAY);
    for (let i = 0; i < 200; i++) store.logs.create(log({ notes: 'x'.repeat(9_000) }));
    const { jobs } = ask(store);
    store.logs.create(log());
    await runBackupJob(jobs[0] as BackupJob);
    expect(logsIn(join(folderOf(store), `test.db.auto-${DAY}.db`))).toBe(200);
    expect(askOn(store, '2026-03-03')).toBe(1);
  });

  test('makes it also where a clock that was ahead has left one of a later day', () => {
    const { store, clock } = storeOfDay(DAY);
    ask(store, { today: '2099-01-01' });
    utimesSync(
      join(folderOf(store), 'test.db.auto-2099-01-01.db'),
      new Date('2099-01-01'),
      new Date('2099-01-01'),
    );
    clock.day = '2026-03-03';
    store.users.create(user());
    expect(askOn(store, '2026-03-04')).toBe(1);
  });
});

describe('encrypted for a recipient', () => {
  test('no plain byte is in the chosen folder, at any time', async () => {
    const { recipient, identity } = await createKeyPair();
    const folder = freshFolder();
    const store = filledStore(4);
    store.settings.backups = { folder, recipient };
    const { warnings, jobs } = ask(store);
    expect(warnings).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    await runBackupJob(jobs[0] as BackupJob);
    const [name = '', ...others] = readdirSync(folder);
    expect([name, others]).toEqual([
      expect.stringMatching(/^test\.db\.[\da-f]{8}\.auto-2026-03-02\.db\.age$/),
      [],
    ]);
    expect(isEncrypted(join(folder, name))).toBe(true);
    expect(readdirSync(join(store.path, '..')).filter((file) => file.endsWith('.tmp'))).toEqual([]);
    const plain = freshPath();
    await decryptFile(join(folder, name), plain, identity, 'key');
    expect(logsIn(plain)).toBe(4);
    expect(ask(store)).toEqual(nothing);
  });
});

interface Waiting {
  store: Store;
  job: BackupJob;
}

describe('an encrypted backup', () => {
  test('is plain for its owner only, beside the database, and marked as its', async () => {
    const { recipient } = await createKeyPair();
    const store = filledStore(4);
    const folder = freshFolder();
    const making = encryptedBackup(store.path, join(folder, 'b.age'), recipient);
    const [plain, encrypted] = [join(store.path, '..'), folder].map((place) => {
      const [name = '', ...others] = readdirSync(place).filter((file) => file.endsWith('.tmp'));
      expect(others).toEqual([]);
      return { name, bytes: readFileSync(join(place, name)), mode: statSync(join(place, name)).mode & 0o777 };
    }) as [Seen, Seen];
    expect([plain.mode, plain.bytes.includes('SQLite format 3')]).toEqual([0o600, true]);
    expect([encrypted.mode, encrypted.bytes.includes('SQLite format 3')]).toEqual([0o600, false]);
    expect([plain, encrypted].map(({ name }) => hasTag(name, digestOf(store.path)))).toEqual([true, true]);
    await making;
    expect(readdirSync(folder)).toEqual(['b.age']);
  });

  test('is refused before any work where its name is taken', async () => {
    const { recipient } = await createKeyPair();
    const target = join(freshFolder(), 'b.age');
    writeFileSync(target, 'mine');
    const path = freshPath();
    filledStore(1, path).close();
    writeFileSync(path, readFileSync(path).fill(0xff, 8192));
    await expect(encryptedBackup(path, target, recipient)).rejects.toMatchObject({ code: 'conflict' });
    expect(failure(() => backup(path, target)).code).toBe('conflict');
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  test('is decrypted for its owner only; an error of the disk is none of the file', async () => {
    const { recipient, identity } = await createKeyPair();
    const file = freshPath();
    await encryptedBackup(filledStore(1).path, file, recipient);
    const plain = freshPath();
    await decryptFile(file, plain, identity, 'key');
    expect(statSync(plain).mode & 0o777).toBe(0o600);
    const nowhere = join(plain, 'no', 'folder');
    await expect(decryptFile(file, nowhere, identity, 'key')).rejects.toMatchObject({
      code: 'unusable',
      message: `${nowhere} could not be read or written (ENOTDIR).`,
    });
    await expect(decryptFile(file, plain, '# only a comment\n', 'key')).rejects.toMatchObject({
      code: 'invalid',
    });
  });
});

interface Seen {
  name: string;
  bytes: Buffer;
  mode: number;
}

describe('erasing a person', () => {
  /** Yesterday's backup, as `change` left it. @returns its path */
  function changed(store: Store, change: (path: string) => void): string {
    ask(store);
    const path = join(folderOf(store), `test.db.auto-${DAY}.db`);
    change(path);
    return path;
  }

  test.each<[string, (path: string) => void]>([
    ['opened by sciatica', (path) => openStore(path).close()],
    ['of an older version', (path) => copyFileSync(new URL('../fixtures/v1.db', import.meta.url), path)],
  ])('rewrites a backup that was %s, as one file', (_, change) => {
    const store = filledStore(4);
    const path = changed(store, change);
    expect(store.erase(1)).toEqual({ rewritten: [path], deleted: [], left: [] });
    const db = raw(path);
    expect(db.pragma('journal_mode', { simple: true })).toBe('delete');
    expect(db.prepare('SELECT count(*) FROM logs WHERE userId = 1').pluck().get()).toBe(0);
  });

  test('leaves a damaged backup as it is, and names it', () => {
    const store = filledStore(4);
    const path = changed(store, (file) => {
      const db = raw(file);
      db.pragma('foreign_keys = OFF');
      db.exec('UPDATE logs SET userId = 99 WHERE userId = 2');
      db.close();
    });
    const before = readFileSync(path);
    expect(store.erase(1)).toEqual({
      rewritten: [],
      deleted: [],
      left: [{ path, why: expect.stringContaining('is damaged') }],
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test('names no backup that has gone meanwhile, and none where there never was one', () => {
    const store = filledStore(2);
    expect(store.erase(1)).toEqual({ rewritten: [], deleted: [], left: [] });
    // A link that leads nowhere is listed, and cannot be read.
    changed(store, (path) => {
      rmSync(path);
      symlinkSync(join(folderOf(store), 'gone'), path);
    });
    expect(store.erase(1)).toEqual({ rewritten: [], deleted: [], left: [] });
  });

  test('makes no backup, and takes the person out of the plain ones', async () => {
    const store = filledStore(6);
    store.change(() => store.logs.create(log({ userId: 2, notes: 'only Ole knows' })));
    ask(store);
    ask(store, { today: '2026-03-03' });
    const { recipient } = await createKeyPair();
    const stick = freshFolder();
    store.settings.backups = { folder: stick, recipient };
    await runBackupJob(ask(store).jobs[0] as BackupJob);
    const byHand = ['age', 'db'].map((end) => join(folderOf(store), `sciatica-by-hand.${end}`));
    for (const path of byHand) writeFileSync(path, '');
    const { rewritten, deleted, left } = store.erase(2);
    expect(rewritten.map((path) => basename(path))).toEqual([
      `test.db.auto-${DAY}.db`,
      'test.db.auto-2026-03-03.db',
    ]);
    expect([deleted.length, readdirSync(stick), left]).toEqual([1, [], byHand.map((path) => ({ path }))]);
    for (const path of rewritten) {
      expect(readFileSync(path).includes('only Ole knows')).toBe(false);
      expect(logsIn(path)).toBe(3);
      expect(statSync(path).mode & 0o777).toBe(0o600);
    }
  });

  test('takes who was deleted before out of the history of a backup', () => {
    const store = filledStore(2);
    store.logs.create(log({ userId: 2, notes: 'only Ole knows' }));
    store.users.delete(2);
    const path = changed(store, () => {});
    expect(readFileSync(path).includes('only Ole knows')).toBe(true);
    expect(store.erase(2)).toEqual({ rewritten: [path], deleted: [], left: [] });
    expect(readFileSync(path).includes('only Ole knows')).toBe(false);
  });

  test('stops the job of this database, not that of another one whose backups share the folder', async () => {
    const folder = freshFolder();
    const [mine, other] = [longStore(), longStore()].map((store) => {
      store.settings.backups = { folder };
      return { store, job: ask(store).jobs[0] as BackupJob };
    }) as [Waiting, Waiting];
    mine.store.erase(2);
    expect([mine, other].map(({ job }) => existsSync(job.source))).toEqual([false, true]);
    await runBackupJob(other.job);
    expect(readdirSync(folder)).toEqual([
      expect.stringMatching(/^test\.db\.[\da-f]{8}\.auto-2026-03-02\.db$/),
    ]);
  });

  test('goes through every folder that was ever chosen', () => {
    const store = filledStore(4);
    const folders = [freshFolder(), freshFolder()];
    for (const folder of folders) {
      store.settings.backups = { folder };
      ask(store);
    }
    expect(store.settings.backupFolders).toEqual(folders);
    expect(store.erase(2).rewritten.map((path) => dirname(path))).toEqual(folders);
  });

  test('names what is out of reach, and leaves those that never held the person', () => {
    const store = filledStore(2);
    ask(store);
    const stick = freshFolder();
    store.settings.backups = { folder: stick };
    store.settings.backups = {};
    rmSync(stick, { recursive: true });
    const { id } = store.users.create(user());
    const { rewritten, deleted, left } = store.erase(id);
    expect([rewritten, deleted]).toEqual([[], []]);
    expect(left).toEqual([
      {
        path: expect.stringMatching(new RegExp(`^${stick}/test\\.db\\.[\\da-f]{8}\\.auto-\\*$`)),
        why: 'the folder is not there',
      },
    ]);
  });

  test('names a backup that cannot be written anew', () => {
    const store = filledStore(2);
    ask(store);
    const file = join(folderOf(store), `test.db.auto-${DAY}.db`);
    writeFileSync(file, 'no database');
    expect(store.erase(2)).toEqual({
      rewritten: [],
      deleted: [],
      left: [{ path: file, why: expect.stringContaining('is damaged') }],
    });
  });
});

test('doctor says how old the newest is, and where', () => {
  const store = filledStore(1);
  const said = () => examine(store.path).checks.find(({ name }) => name === 'Backups')?.detail;
  expect(said()).toMatch(/^none yet/);
  const today = localDay(new Date());
  const ahead = filledStore(1);
  ask(ahead, { today: addDays(today, 1) });
  const saidAhead = examine(ahead.path).checks.find(({ name }) => name === 'Backups')?.detail;
  expect(saidAhead).toMatch(
    /^the newest is from .*, which has not come yet: is the clock right\?, on the same disk[^;]*$/,
  );
  ask(store, { today: addDays(today, -3) });
  expect(said()).toMatch(/^the newest is 3 days old \(.*\), on the same disk as the database$/);
  ask(store, { today });
  expect(said()).toMatch(/^the newest is from today/);
  ask(store, { today: addDays(today, 1) });
  expect(said()).toMatch(/^the newest is from today .*; another one is from .*: is the clock right\?$/);
  const place = join(dirname(store.path), 'no-folder');
  writeFileSync(place, '');
  store.settings.backups = { folder: place };
  expect(said()).toBe(`today's cannot be made. ${place} is not a folder.`);
  store.settings.backups = { folder: 'off' };
  expect(said()).toBe('they are turned off');
  const away = join(freshFolder(), 'away');
  store.settings.backups = { folder: away };
  expect(said()).toBe(`their folder ${away} is not there`);
});
