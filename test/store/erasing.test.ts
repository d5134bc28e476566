import { copyFileSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { plainCommand, worded } from '../../src/domain/errors.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { examine } from '../../src/store/maintenance/doctor.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import type { Store } from '../../src/store/store.ts';
import { copyOf, machine, syncWith, ticking, transportTo } from '../sync/helpers.ts';
import { dbOf, filledStore, freshFolder, freshPath, freshStore, openStore, user } from './helpers.ts';

/** A process that does not run: beyond what Linux gives (pid_max of proc(5)). */
const GONE = 5_000_000;
const HOUR = 60 * 60 * 1000;

/** A database with a daily backup, from which user 2 was erased, as a kill has left it. */
function interrupted(unfinished: object = {}) {
  const path = freshPath();
  const store = filledStore(4, path);
  mkdirSync(join(path, '..', 'backups'));
  const daily = join(path, '..', 'backups', 'test.db.auto-2026-03-01.db');
  const before = join(freshFolder(), 'before.db');
  backup(path, before);
  store.erase(2);
  copyFileSync(before, daily);
  store.settings.set('erasing', JSON.stringify({ users: [2], pid: GONE, at: Date.now(), ...unfinished }));
  return { store, daily, before };
}

/** Goes on with what is unfinished. @returns what was said and started */
function resume(store: Store, isService = false) {
  const [warnings, started] = [[] as string[], [] as (readonly string[])[]];
  store.finishErasingIfDue({
    warn: (line) => warnings.push(line),
    start: (words) => started.push(words),
    isService,
  });
  return { warnings, started };
}

const holdsUser2 = (path: string) => {
  const store = freshStore(path);
  const found = store.users.has(2);
  store.close();
  return found;
};

function erasingOf(store: Store) {
  const check = examine(store.path).checks.find(({ name }) => name === 'Erasing');
  return check && { ...check, advice: worded(check.advice ?? '', plainCommand) };
}

test.each<[string, object, 'finished' | 'left alone']>([
  ['that was killed', {}, 'finished'],
  ['that another process is at', { pid: process.pid }, 'left alone'],
  ['whose process number another has by now', { pid: process.pid, at: Date.now() - HOUR }, 'finished'],
  ['that has just failed', { left: ['/tmp/copy'] }, 'left alone'],
  ['that failed while the clock was ahead', { left: ['/tmp/copy'], at: Date.now() + 24 * HOUR }, 'finished'],
  ['that failed an hour ago', { left: ['/tmp/copy'], at: Date.now() - HOUR }, 'finished'],
  ['one of whose disks is away', { left: ['/nowhere/copy', '/tmp/copy'], at: Date.now() - HOUR }, 'finished'],
  [
    'whose backups are on a disk that is away',
    { left: ['/nowhere/copy'], at: Date.now() - HOUR },
    'left alone',
  ],
])('an erasing %s: %j is %s', (_, unfinished, outcome) => {
  const { store, daily } = interrupted(unfinished);
  expect(erasingOf(store)).toMatchObject({ ok: false, advice: 'Finish it: sciatica user erase 2' });
  expect(resume(store)).toEqual({ warnings: [], started: [] });
  expect(holdsUser2(daily)).toBe(outcome === 'left alone');
  expect(erasingOf(store) === undefined).toBe(outcome === 'finished');
});

test('an erasing of records alone goes on too, with the next command that records something', () => {
  const { store, daily } = interrupted({ users: [] });
  expect(erasingOf(store)).toMatchObject({ ok: false, advice: 'Finish it: sciatica remotes --accept-erase' });
  expect(resume(store, true)).toEqual({ warnings: [], started: [] });
  expect(holdsUser2(daily)).toBe(true);
  resume(store);
  expect([holdsUser2(daily), erasingOf(store)]).toEqual([false, undefined]);
});

test('a service lets a process of its own finish it', () => {
  const { store, daily } = interrupted();
  expect(resume(store, true).started).toEqual([
    ['user', 'erase', '2', '--yes', '--quiet', '--db', store.path],
  ]);
  expect(holdsUser2(daily)).toBe(true);
});

test('what cannot be finished is named, noted, and finished when asked again', () => {
  const { store, daily } = interrupted();
  const sound = readFileSync(daily);
  writeFileSync(daily, 'no database');
  expect(resume(store).warnings).toEqual([
    expect.stringMatching(
      /^User 2 was erased, but this copy may still hold them: .*auto-2026-03-01\.db \(.*\)$/,
    ),
  ]);
  expect(erasingOf(store)?.detail).toBe(`not finished: user 2 was erased, but may still be in ${daily}`);
  // So that no other process begins it meanwhile.
  expect(JSON.parse(store.settings.get('erasing') ?? '')).toMatchObject({ pid: process.pid, left: [daily] });
  store.erase(1);
  expect(JSON.parse(store.settings.get('erasing') ?? '')).toMatchObject({ users: [2, 1] });
  writeFileSync(daily, sound);
  expect(store.erase(2)).toEqual({ rewritten: [daily], deleted: [], left: [] });
  expect(erasingOf(store)).toBeUndefined();
});

test('a further erasing finishes it', () => {
  const { store, daily } = interrupted();
  expect(store.erase(1)).toMatchObject({ rewritten: [daily], left: [] });
  expect(erasingOf(store)).toBeUndefined();
});

test('a folder that cannot be read is named, and so are the copies beside the database', () => {
  const { store, daily } = interrupted();
  const kept = `${store.path}.replaced-2026-03-01.db`;
  writeFileSync(kept, '');
  const folder = join(daily, '..');
  rmSync(folder, { recursive: true });
  writeFileSync(folder, 'a file in the place of the folder');
  expect(store.erase(2).left).toEqual([
    { path: `${folder}/test.db.auto-*`, why: expect.any(String) },
    { path: `${store.path}.*`, why: expect.any(String) },
  ]);
});

test('a copy that was made by hand may hold everybody who was erased since', () => {
  const store = filledStore(2);
  const copy = `${store.path}.replaced-by-hand`;
  backup(store.path, copy);
  for (const id of [1, 2]) store.erase(id);
  expect(store.copiesLeft()).toEqual({ users: [1, 2], paths: [copy] });
});

test('of a database of any name the copies beside it are named, and no note of a failure is', () => {
  const path = join(freshFolder(), 'pain.sqlite');
  const store = filledStore(2, path);
  const kept = `${path}.replaced-2026-03-01`;
  writeFileSync(kept, '');
  const backups = join(path, '..', 'backups');
  mkdirSync(backups);
  for (const name of ['test.db.auto-failed.txt', 'by-hand.db']) writeFileSync(join(backups, name), '');
  // Of another database that is there, and of one that is not: this one may have had its name.
  writeFileSync(join(path, '..', 'other.db'), '');
  for (const name of ['other.db', 'former.db'])
    writeFileSync(join(backups, `${name}.auto-2026-01-02.db`), '');
  expect(
    store
      .erase(2)
      .left.map(({ path: left }) => left)
      .sort(),
  ).toEqual([join(backups, 'by-hand.db'), join(backups, 'former.db.auto-2026-01-02.db'), kept].sort());
});

/** The database after a backup was put in its place. */
function restored(store: Store, file: string): Store {
  store.close();
  const restoration = prepareRestore(file, store.path);
  restoration.apply('now');
  restoration.close();
  return freshStore(store.path);
}

test.each([
  ['on both sides', true, true],
  ['to the backup alone', false, true],
  ['here alone', true, false],
])('a restore does not lose what is unfinished, known %s', (_, isHere, isThere) => {
  const { store } = interrupted();
  const after = join(freshFolder(), 'after.db');
  const note = store.settings.get('erasing') ?? '';
  if (!isThere) store.settings.remove('erasing');
  backup(store.path, after);
  if (isHere) store.settings.set('erasing', note);
  else store.settings.remove('erasing');
  expect(erasingOf(restored(store, after))?.detail).toMatch(/^not finished: user 2/);
});

test('whom a restored backup has brought back is not erased again, also once deleted', () => {
  const { store: erased, before } = interrupted();
  const store = restored(erased, before);
  for (const isDeleted of [false, true]) {
    if (isDeleted) store.users.delete(2);
    expect(erasingOf(store)).toBeUndefined();
    for (const isService of [true, false]) expect(resume(store, isService).started).toEqual([]);
  }
  expect(store.restore({ record: 'user', id: 2 })).toMatchObject({ id: 2 });
});

describe('of people who came from another machine, in the backups of one that has given them other ids', () => {
  async function met() {
    const now = ticking();
    const [other, store] = [machine(now), machine(now)];
    other.users.create(user({ email: 'xaver@example.org' }));
    for (const email of ['anna@example.org', 'bert@example.org']) store.users.create(user({ email }));
    const sync = () => syncWith(store, transportTo(other), {}, { now });
    await sync();
    mkdirSync(join(store.path, '..', 'backups'));
    const daily = join(store.path, '..', 'backups', 'test.db.auto-2026-03-01.db');
    backup(store.path, daily);
    return { other, store, daily, sync };
  }

  test('goes who is erased, and nobody who has the id that this one has there', async () => {
    const { store, daily } = await met();
    expect(store.erase(3)).toEqual({ rewritten: [daily], deleted: [], left: [] });
    expect(emailsIn(daily)).toEqual(['1 anna@example.org', '2 bert@example.org']);
  });

  test('stays who was erased over there only, until that is agreed to', async () => {
    const { other, store, daily, sync } = await met();
    other.erase(1);
    await sync();
    expect(store.remotes.erasedElsewhere()).toEqual([{ record: 'user', id: 3 }]);
    store.erase(2);
    expect(emailsIn(daily)).toEqual(['1 anna@example.org', '3 xaver@example.org']);
  });
});

function emailsIn(path: string): string[] {
  const store = freshStore(path);
  const found = store.users.list().map(({ id, email }) => `${id} ${email}`);
  store.close();
  return found;
}

describe('in the backups of a database whose place another has taken', () => {
  /** Two databases, in which two people have each other's ids, and the first in the place of the second, with its backup. */
  async function replaced() {
    const now = ticking();
    const [other, store] = [machine(now), openStore(freshPath(), now)];
    other.users.create(user({ email: 'yvonne@example.org' }));
    store.users.create(user({ email: 'xaver@example.org' }));
    await syncWith(store, transportTo(other));
    mkdirSync(join(store.path, '..', 'backups'));
    const daily = join(store.path, '..', 'backups', 'test.db.auto-2026-03-01.db');
    backup(store.path, daily);
    const copy = copyOf(other);
    const there = restored(store, copy);
    rmSync(`${there.path}.replaced-now`);
    expect(there.users.list().map(({ email }) => email)).toEqual(['yvonne@example.org', 'xaver@example.org']);
    expect(emailsIn(daily)).toEqual(['1 xaver@example.org', '2 yvonne@example.org']);
    return { store: there, daily };
  }

  test('people are found by name, whatever their id is there', async () => {
    const { store, daily } = await replaced();
    expect(store.erase(2)).toEqual({ rewritten: [daily], deleted: [], left: [] });
    expect(emailsIn(daily)).toEqual(['2 yvonne@example.org']);
  });

  test('nobody goes whose id alone is the same', async () => {
    const { store, daily } = await replaced();
    const only = freshStore();
    for (const email of ['zoe@example.org', 'zita@example.org']) only.users.create(user({ email }));
    const there = restored(store, copyOf(only));
    rmSync(`${there.path}.replaced-now`);
    expect(there.erase(2)).toEqual({ rewritten: [], deleted: [], left: [] });
    expect(emailsIn(daily)).toHaveLength(2);
  });

  test('one of whose people only the id is known is named', async () => {
    const { store, daily } = await replaced();
    const before = readFileSync(daily);
    store.erase(2);
    writeFileSync(daily, before);
    dbOf(store).run('DELETE FROM erasures');
    expect(store.erase(2)).toEqual({ rewritten: [], deleted: [], left: [{ path: daily }] });
    expect(emailsIn(daily)).toHaveLength(2);
  });
});

test('doctor finds temporary files among the backups that a killed process has left', () => {
  const { store, daily } = interrupted();
  const left = join(daily, '..', `.sciatica-${GONE}-1-0-aaaa.tmp`);
  writeFileSync(left, '');
  const leftovers = () => examine(store.path).checks.find(({ name }) => name === 'Leftovers');
  // A copy of the database waits there for the process that looks through it.
  expect(leftovers()?.ok).toBe(true);
  const past = new Date(Date.now() - HOUR);
  utimesSync(left, past, past);
  expect(leftovers()).toMatchObject({ ok: false, advice: `rm -r ${left}` });
  const folder = freshFolder();
  store.settings.backups = { folder };
  const there = join(folder, basename(left));
  copyFileSync(left, there);
  utimesSync(there, past, past);
  expect(leftovers()).toMatchObject({ ok: false, advice: `rm -r ${left} ${there}` });
  const beside = join(store.path, '..', basename(left));
  writeFileSync(beside, '');
  expect(leftovers()).toMatchObject({ ok: false, advice: `rm -r ${beside} ${left} ${there}` });
});
