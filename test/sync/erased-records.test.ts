import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { backup } from '../../src/store/maintenance/backup.ts';
import { Names } from '../../src/store/reconcile/names.ts';
import type { Store } from '../../src/store/store.ts';
import { FolderCipher } from '../../src/sync/cipher.ts';
import { Folder } from '../../src/sync/folder.ts';
import { isSettled, type SyncOptions, type SyncResult } from '../../src/sync/result.ts';
import { dbOf, log, openStore, user } from '../store/helpers.ts';
import { exported, imported } from '../store/origins.ts';
import { contents, machine, syncWith, ticking, transportTo } from './helpers.ts';

/** A record is erased with somebody whose it was for a time: who has it, and knows nothing of that one, is told of the record. */

const LOG = { record: 'log', id: 1 };

/** Two users at home, a log of the first; and an empty machine. */
function home() {
  const now = ticking();
  const [there, here] = [machine(now), machine(now)];
  for (const email of ['nora@example.org', 'ole@example.org']) there.users.create(user({ email }));
  there.logs.create(log({ userId: 1, notes: 'TRACELESS' }));
  there.logs.create(log({ userId: 1, notes: 'stays' }));
  return { now, there, here };
}

/** Gives the log to the other user, and perhaps back, and erases that one. */
async function lend(there: Store, isGivenBack: boolean, meanwhile: () => Promise<unknown> = async () => {}) {
  there.logs.update(1, { userId: 2 });
  await meanwhile();
  if (isGivenBack) there.logs.update(1, { userId: 1 });
  there.erase(2);
}

/** Whether any file of a database, its automatic backups included, holds a text. */
const holds = ({ path }: Store, text: string): boolean =>
  readdirSync(dirname(path), { withFileTypes: true, recursive: true }).some(
    (one) => one.isFile() && readFileSync(join(one.parentPath, one.name)).includes(text),
  );

/** Makes an automatic backup as it would be made by itself. */
function backUp(store: Store): void {
  const folder = join(dirname(store.path), 'backups');
  mkdirSync(folder, { recursive: true });
  backup(store.path, join(folder, 'test.db.auto-2026-03-01.db'));
}

/** How a machine that shows user 1 only meets the other one. */
type Meet = (options?: SyncOptions) => Promise<SyncResult>;

function byService(here: Store, there: Store): { meet: Meet; texts: string[] } {
  const texts: string[] = [];
  const plain = transportTo(there, { auth: true });
  const { token } = there.tokens.create({ name: 'phone', role: 'patient', users: [1], lifetime: null });
  const transport: typeof plain = async (request) => {
    const answer = await plain(request);
    texts.push(answer.text);
    return answer;
  };
  return { texts, meet: (options = {}) => syncWith(here, transport, options, { token }) };
}

function byFolder(here: Store, there: Store): { meet: Meet; texts: string[] } {
  const path = mkdtempSync(join(tmpdir(), 'sciatica-folder-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const cipher = new FolderCipher(null);
  const now = Date.now;
  const folder = async (store: Store, users?: number[]) => {
    const isNew = !store.remotes.find('folder');
    if (isNew) store.remotes.add({ name: 'folder', url: 'file:///folder', pin: null, ourUser: null });
    const carrier = await Folder.of({ store, remote: 'folder', path, cipher, users, now });
    if (isNew) await carrier.join();
    return carrier;
  };
  const texts: string[] = [];
  return {
    texts,
    meet: async (options = {}) => {
      await (await folder(there, [1])).sync();
      const own = join(path, there.id ?? '');
      for (const name of readdirSync(own).filter((one) => one.endsWith('.sciatica')))
        texts.push(cipher.unpack(readFileSync(join(own, name))));
      return (await folder(here)).sync(options);
    },
  };
}

test.each([
  ['a service', byService],
  ['a folder', byFolder],
])('a record that was erased elsewhere is told of by %s once it is erased there', async (_, way) => {
  const { now, there, here } = home();
  const { meet } = way(here, there);
  await meet();
  const third = machine(now);
  await syncWith(third, transportTo(there));
  await lend(third, true);
  await syncWith(third, transportTo(there));
  expect((await meet()).erasedThere).toEqual([]);
  there.eraseAsElsewhere();
  expect((await meet()).erasedThere).toEqual([LOG]);
});

describe.each([
  ['a service', byService],
  ['a folder', byFolder],
])('a machine that shows one user of %s', (_, way) => {
  test.each([
    ['which was given back', true, false],
    ['which was given back, after it had left', true, true],
    ['which is the other one’s still', false, false],
    ['which is the other one’s still, and had left', false, true],
  ])('erases with consent a record %s', async (__, isGivenBack, hasMet) => {
    const { there, here } = home();
    const { meet, texts } = way(here, there);
    await meet();
    here.logs.update(1, { exerciseName: 'changed here: TRACELESS' });
    await meet();
    backUp(here);
    const other = new Names(dbOf(there)).ofUser(2);
    await lend(there, isGivenBack, hasMet ? meet : undefined);
    for (let i = 0; i < 2; i++) {
      const result = await meet();
      expect([result.erasedThere, isSettled(result)]).toEqual([[LOG], false]);
    }
    expect(here.remotes.erasedElsewhere()).toEqual([LOG]);
    const { erased, erasedThere, copies } = await meet({ acceptErase: true });
    expect([erased, erasedThere, copies?.rewritten.length]).toEqual([[LOG], [], 1]);
    expect(here.logs.list().map(({ notes }) => notes)).toEqual(['stays']);
    expect(contents(here)).toEqual(contents(there));
    expect(isSettled(await meet())).toBe(true);
    here.checkpoint();
    for (const text of ['TRACELESS', 'ole@']) expect([text, holds(here, text)]).toEqual([text, false]);
    // Nothing of the other user was ever told: not even that there is one.
    expect(texts.filter((text) => text.includes(other) || text.includes('ole@'))).toEqual([]);
    // Nor is anything left to be undone.
    expect(here.history.list().some(({ record, id }) => record === 'log' && id === 1)).toBe(false);
  });
});

test('a file of one user tells of a record that was erased with another', async () => {
  const { there, here } = home();
  imported(here, exported(there, { users: [1] }));
  const before = new Names(dbOf(there)).ofUser(2);
  await lend(there, true);
  const file = exported(there, { users: [1] });
  expect(JSON.stringify([file.lines, file.seal]).includes(before)).toBe(false);
  expect(imported(here, file).erasedThere).toEqual([LOG]);
  expect(here.remotes.erasedElsewhere()).toEqual([LOG]);
  here.eraseAsElsewhere();
  expect([here.remotes.erasedElsewhere(), holds(here, 'TRACELESS')]).toEqual([[], false]);
});

test('a record that was erased with somebody whom a machine for all users never knew waits there for consent', async () => {
  const { there, here } = home();
  there.users.delete(2);
  await syncWith(here, transportTo(there));
  there.undo(there.history.nextUndo() ?? 0);
  await lend(there, true);
  expect((await syncWith(here, transportTo(there))).erasedThere).toEqual([LOG]);
  // Whoever syncs with it is told of the record, too, once it is erased there.
  const third = openStore(here.path);
  third.eraseAsElsewhere();
  expect((await syncWith(here, transportTo(there))).erasedThere).toEqual([]);
  expect(contents(here)).toEqual(contents(there));
});

test('who has a record of a user who was erased is told of it, by whoever erased it as elsewhere', async () => {
  const { now, there, here } = home();
  await syncWith(here, transportTo(there));
  const phone = machine(now);
  const { meet } = byService(phone, here);
  await meet();
  await lend(there, true);
  await syncWith(here, transportTo(there), { acceptErase: true });
  expect((await meet()).erasedThere).toEqual([LOG]);
});

test('a backup from before a record was given to somebody who is erased holds it no more', () => {
  const { there } = home();
  there.logs.update(1, { notes: 'TRACELESS before' });
  backUp(there);
  there.logs.update(1, { userId: 2 });
  there.erase(2);
  expect(holds(there, 'TRACELESS')).toBe(false);
});

test('a backup holds nobody who showed only as another, once that one is erased', async () => {
  const { there, here } = home();
  there.logs.create(log({ userId: 2, notes: 'of ole@' }));
  (await there.replication()).mergeUsers(2, 1, Date.UTC(2026, 2, 2, 13));
  const { meet } = byService(here, there);
  await meet();
  backUp(here);
  there.erase(2);
  await meet({ acceptErase: true });
  here.checkpoint();
  expect([here.logs.count(), holds(here, 'ole@')]).toEqual([2, false]);
});

describe('who was one with the patient for a time', () => {
  /** Merges the two at home until the patient's machine has met it once. */
  async function oneForATime(there: Store, here: Store): Promise<Meet> {
    (await there.replication()).mergeUsers(2, 1, Date.UTC(2026, 2, 2, 13));
    const merge = there.latestChange ?? 0;
    const { meet } = byService(here, there);
    await meet();
    there.undo(merge);
    return meet;
  }

  test('and gave all records to the patient since, is erased there with them', async () => {
    const { there, here } = home();
    const { id } = there.logs.create(log({ userId: 2, notes: 'of ole@' }));
    const meet = await oneForATime(there, here);
    there.logs.update(id, { userId: 1 });
    await meet();
    there.erase(2);
    await meet({ acceptErase: true });
    here.checkpoint();
    expect([here.logs.count(), holds(here, 'ole@')]).toEqual([2, false]);
  });

  test('and had no record then, is erased there too', async () => {
    const { there, here } = home();
    const meet = await oneForATime(there, here);
    there.erase(2);
    await meet({ acceptErase: true });
    here.checkpoint();
    expect(holds(here, 'ole@')).toBe(false);
  });
});
