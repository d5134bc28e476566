import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.ts';
import { FolderCipher, makeKey } from '../../src/sync/cipher.ts';
import { Folder } from '../../src/sync/folder.ts';
import { keysIn } from '../../src/sync/folder-files.ts';
import { type SyncOptions, total } from '../../src/sync/result.ts';
import { dbOf, log, user } from '../store/helpers.ts';
import { contents, copyOf, machine, setBack, ticking } from './helpers.ts';

let now: () => number;
let path: string;
let cipher: FolderCipher;
let [a, b, c]: Store[] = [];

beforeEach(async () => {
  now = ticking();
  path = mkdtempSync(join(tmpdir(), 'sciatica-folder-'));
  cipher = new FolderCipher(await makeKey());
  [a, b, c] = [machine(now), machine(now), machine(now)];
  a.users.create(user({ email: 'a@example.org' }));
  a.logs.create(log({ userId: 1, exerciseName: 'first', notes: 'a secret note' }));
  return () => {
    for (const store of [a, b, c]) store?.close();
    rmSync(path, { recursive: true, force: true });
  };
});

const folder = (store: Store | undefined, by = cipher, users?: number[]) =>
  Folder.of({ store: store as Store, remote: 'folder', path, cipher: by, users, now });
/** Names the folder if need be, as `sciatica remote add` does, and syncs. */
const run = async (store: Store | undefined, options: SyncOptions = {}, by = cipher, users?: number[]) => {
  const { remotes } = store as Store;
  const carrier = await folder(store, by, users);
  if (!remotes.find('folder')) {
    remotes.add({ name: 'folder', url: 'file:///folder', pin: null, ourUser: null });
    if (existsSync(path)) await carrier.join();
  }
  return carrier.sync(options);
};
const idOf = async (store: Store | undefined) => (await (store as Store).replication()).id;
const filesOf = async (store: Store | undefined) => {
  const folder = join(path, await idOf(store));
  return readdirSync(folder).map((name) => join(folder, name));
};
const partsOf = async (store: Store | undefined) =>
  (await filesOf(store)).filter((name) => name.endsWith('.sciatica'));
const add = (store: Store | undefined, name: string) =>
  (store as Store).logs.create(log({ userId: 1, exerciseName: name }));
const same = (one: Store | undefined, other: Store | undefined) =>
  expect(contents(one as Store)).toEqual(contents(other as Store));

describe('a folder', () => {
  it('keeps what a file says in full where a later one, read with it, only names the record', async () => {
    await run(a);
    a?.users.delete(1);
    await run(a);
    await run(b);
    const notes = "SELECT state ->> '$.fields.notes' FROM replicas WHERE record = 'log'";
    expect(dbOf(b as Store).column(notes)).toEqual(['a secret note']);
  });

  it('carries what is recorded, changed and deleted between machines, in any order', async () => {
    await run(a);
    await run(b);
    same(a, b);
    add(b, 'second');
    b?.logs.delete(1);
    await run(b);
    await run(c);
    await run(a);
    same(a, b);
    same(b, c);
  });

  it('shows what waited for a user who was restored here since, though nobody tells anything new', async () => {
    await run(a);
    await run(b);
    b?.users.delete(1);
    add(a, 'second');
    await run(a);
    await run(b);
    b?.restore({ record: 'user', id: 1 });
    const { pulled } = await run(b);
    expect([total(pulled), b?.logs.count()]).toEqual([1, 2]);
  });

  it('reads once what a machine tells, though it tells of other users in another folder', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    const paths = [path, join(path, 'second')];
    mkdirSync(paths[1] ?? '');
    let received = 0;
    const syncBoth = async (store: Store | undefined) => {
      for (const [at, one] of paths.entries()) {
        const progress = (what: string, count: number) => {
          if (what === 'receive') received += count;
        };
        const context = {
          store: store as Store,
          remote: `${at}`,
          path: one,
          cipher,
          users: [at + 1],
          now,
          progress,
        };
        const carrier = await Folder.of(context);
        await carrier.join();
        await carrier.sync();
      }
    };
    for (const store of [a, b]) await syncBoth(store);
    same(a, b);
    received = 0;
    await syncBoth(b);
    expect(received).toBe(0);
  });

  it.each([false, true])(
    'keeps what a folder for some users says left one of them, where it shows under another (one with that one: %s)',
    async (isOne) => {
      for (const email of ['merged@example.org', 'third@example.org']) a?.users.create(user({ email }));
      a?.logs.create(log({ userId: 2, exerciseName: 'of who was merged' }));
      await run(a);
      await run(b);
      for (const into of [1, 3]) (await a?.replication())?.mergeUsers(2, into);
      if (isOne) (await a?.replication())?.mergeUsers(1, 3);
      await run(a);
      await run(b);
      same(a, b);
      const some = mkdtempSync(join(tmpdir(), 'sciatica-folder-'));
      for (const store of [a, b]) {
        const context = { store: store as Store, remote: 'some', path: some, cipher, users: [1], now };
        const carrier = await Folder.of(context);
        await carrier.join();
        await carrier.sync();
      }
      rmSync(some, { recursive: true });
      expect(b?.logs.count()).toBe(2);
      same(a, b);
    },
  );

  it('removes what it wrote under a former identity once others are to hear of an erasing', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a);
    const former = join(path, await idOf(a));
    (await a?.replication())?.renewIdentity();
    await run(a);
    expect(existsSync(former)).toBe(true);
    a?.erase(1);
    await run(a);
    expect(existsSync(former)).toBe(false);
    await run(b);
    same(a, b);
  });

  it('lets a copy go on under the identity of both, though it does not agree to an erasing', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a);
    b = setBack(b as Store, copyOf(a as Store), now);
    add(a, 'by the one');
    add(b, 'by the other');
    const both = async () => {
      const results = [await run(a, {}, cipher, [1]), await run(b, {}, cipher, [1])];
      return results.map(({ pushed }) => total(pushed));
    };
    await both();
    b.erase(1);
    for (const _ of [1, 2]) await both();
    expect(await both()).toEqual([0, 0]);
    expect(existsSync(join(path, await idOf(a)))).toBe(true);
  });

  it('keeps what was written under a former identity while not all of it could be read', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a);
    const copy = copyOf(a as Store);
    add(a, 'lost');
    await run(a);
    const former = join(path, await idOf(a));
    a = setBack(a as Store, copy, now);
    const [part = ''] = (await partsOf(a)).filter((one) => statSync(one).mtimeMs > 0).slice(-1);
    renameSync(part, `${part}.away`);
    a.erase(1);
    await run(a);
    expect(existsSync(former)).toBe(true);
  });

  it('writes nothing where nothing is new', async () => {
    await run(a);
    const files = await filesOf(a);
    expect(statSync(join(path, await idOf(a))).mode & 0o777).toBe(0o700);
    expect(total((await run(a, { dryRun: true })).pushed)).toBe(0);
    expect(total((await run(a)).pushed)).toBe(0);
    expect(await filesOf(a)).toEqual(files);
    // As `sciatica remote add` does it of a folder that was forgotten.
    const manifest = () => readFileSync(files.find((name) => name.endsWith('manifest.json')) ?? '', 'utf8');
    const before = manifest();
    await (await folder(a)).join();
    expect(manifest()).toBe(before);
  });

  it('shows nothing to who has no key, and takes nothing from who has another', async () => {
    await run(a);
    for (const file of await filesOf(a)) expect(readFileSync(file, 'utf8')).not.toContain('secret');
    const { waiting, pulled } = await run(b, {}, new FolderCipher(await makeKey()));
    expect(waiting).toEqual([{ database: await idOf(a), why: expect.stringContaining('another key') }]);
    expect(total(pulled)).toBe(0);
  });

  it('says which key it has, though the list of one machine is cut off in the middle of it', async () => {
    for (const store of [a, b]) await run(store);
    const [first = ''] = [await idOf(a), await idOf(b)].sort();
    const file = join(path, first, 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').slice(0, -5));
    expect(keysIn(path)).toEqual([cipher.id]);
  });

  it('writes everything again once it has another key', async () => {
    await run(a);
    const other = new FolderCipher(await makeKey());
    await run(a, {}, other);
    expect((await run(b, {}, other)).waiting).toEqual([]);
    same(a, b);
  });

  it('takes no list of files that somebody without the key has changed', async () => {
    await run(a);
    const file = join(path, await idOf(a), 'manifest.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"erased":0', '"erased":1'));
    expect((await run(b)).waiting).toEqual([
      { database: await idOf(a), why: expect.stringContaining('whole') },
    ]);
    expect(b?.users.list()).toEqual([]);
  });

  it.each(['missing', 'half copied', 'damaged'])(
    'waits for a file that is %s, and goes on once it is there',
    async (how) => {
      await run(a);
      await run(b);
      const before = await partsOf(a);
      add(a, 'second');
      await run(a);
      const [file = ''] = (await partsOf(a)).filter((name) => !before.includes(name));
      add(a, 'third');
      await run(a);
      const bytes = readFileSync(file);
      if (how === 'missing') rmSync(file);
      else if (how === 'half copied') writeFileSync(file, bytes.subarray(0, bytes.length / 2));
      else
        writeFileSync(
          file,
          bytes.map((byte, i) => (i === bytes.length - 20 ? byte ^ 1 : byte)),
        );
      writeFileSync(`${file}.hidden`, bytes);
      expect((await run(b)).waiting).toEqual([
        { database: await idOf(a), why: expect.stringMatching(/^1 of its . files/) },
      ]);
      expect(b?.logs.list()).toHaveLength(1);
      writeFileSync(file, bytes);
      expect((await run(b)).waiting).toEqual([]);
      expect(b?.logs.list()).toHaveLength(3);
    },
  );

  it('is not disturbed by copies, temporary files and folders of others', async () => {
    await run(a);
    const folder = join(path, await idOf(a));
    for (const file of await filesOf(a))
      writeFileSync(file.replace(/\.(\w+)$/, ' (conflicted copy).$1'), 'x');
    writeFileSync(join(folder, '.sciatica-1-2-3-0.tmp'), 'x');
    mkdirSync(join(path, '.stfolder'));
    expect((await run(b)).waiting).toEqual([]);
    same(a, b);
  });

  it('keeps the files of a machine few, and who was away for long still joins', async () => {
    await run(a);
    await run(b);
    for (let i = 0; i < 60; i++) {
      add(a, `log ${i}`);
      await run(a);
    }
    expect((await filesOf(a)).length).toBeLessThanOrEqual(52);
    await run(b);
    await run(c);
    same(a, b);
    same(a, c);
  });

  it('tells much in larger parts, not in more of them', async () => {
    if (!a) throw new Error('there is no database');
    const replication = await a.replication();
    const usual = replication.shareOf(40);
    a.change(() => {
      for (let i = 0; i < 3000; i++) a?.logs.create(log({ notes: 'x'.repeat(900) }));
    });
    await run(a);
    expect((await partsOf(a)).length).toBeGreaterThan(1);
    // As if 400,000 records had been made.
    dbOf(a).run("UPDATE sqlite_sequence SET seq = 1600000 WHERE name = 'history'");
    const share = replication.shareOf(40);
    expect(share.states / usual.states).toBeGreaterThan(15);
    expect(share.characters / usual.characters).toBeGreaterThan(15);
    expect(
      replication.part(replication.collector(), { seq: 0, uid: 0, rev: 0 }, share).states.length,
    ).toBeGreaterThan(3000);
  });

  it('takes what a machine has told since in several files over as one change', async () => {
    await run(a);
    for (const name of ['second', 'third']) {
      add(a, name);
      await run(a);
    }
    expect((await partsOf(a)).length).toBe(3);
    const { changes } = await run(b);
    expect(changes).toHaveLength(1);
    b?.undo(changes[0] ?? 0);
    expect([b?.users.count(), b?.logs.count()]).toEqual([0, 0]);
  });

  it('notices a file that was set back before it writes, and brings back what it lost', async () => {
    await run(a);
    const copy = copyOf(a as Store);
    add(a, 'lost');
    await run(a);
    const former = await idOf(a);
    const files = await filesOf(a);
    a = setBack(a as Store, copy, now);
    add(a, 'new');
    expect((await run(a)).setBack).toBe('here');
    expect(await idOf(a)).not.toBe(former);
    expect(readdirSync(join(path, former)).map((name) => join(path, former, name))).toEqual(files);
    expect(
      a.logs
        .list()
        .map(({ exerciseName }) => exerciseName)
        .sort(),
    ).toEqual(['first', 'lost', 'new']);
    await run(b);
    same(a, b);
  });

  it('notices a file that was set back also where it lost only what its history does not show', async () => {
    await run(a);
    await run(b);
    const copy = copyOf(b as Store);
    // Told as gone, of which nobody elsewhere has seen anything.
    const { id } = add(a, 'gone again');
    a?.logs.delete(id);
    await run(a);
    await run(b);
    b = setBack(b as Store, copy, now);
    expect((await run(b)).setBack).toBe('here');
  });

  it('writes its files again where one of them is gone', async () => {
    await run(a);
    add(a, 'second');
    await run(a);
    rmSync((await partsOf(a))[0] ?? '');
    await run(a);
    expect((await run(b)).waiting).toEqual([]);
    same(a, b);
  });

  it('removes the files that may hold who was erased', async () => {
    await run(a);
    const before = await partsOf(a);
    a?.users.create(user({ email: 'other@example.org' }));
    a?.erase(1);
    await run(a);
    for (const file of await partsOf(a)) {
      expect(before).not.toContain(file);
      expect(cipher.unpack(await cipher.open(readFileSync(file)))).not.toContain('a@example.org');
    }
  });

  it('says how far the clock is ahead that is ahead the most', async () => {
    const ids = new Map<Store | undefined, string>();
    for (const store of [a, b]) ids.set(store, await idOf(store));
    const [first] = [a, b].sort((one, other) => ((ids.get(one) ?? '') < (ids.get(other) ?? '') ? -1 : 1));
    first?.settings.set('clock', String((now() + 3_600_000) * 1000));
    for (const store of [a, b]) {
      store?.users.create(user({ email: `${ids.get(store)}@example.org` }));
      await (await folder(store)).join();
      await (await folder(store)).tell();
    }
    expect((await run(c)).ahead).toBeGreaterThan(3_000_000);
  });

  it('tells once of users with one e-mail address, however many machines have them', async () => {
    await run(a);
    await run(b);
    c?.users.create(user({ email: 'a@example.org' }));
    expect((await run(c)).sameEmails).toHaveLength(1);
  });

  it('carries what is recorded for users who came from there back, whoever is named', async () => {
    b?.users.create(user({ email: 'b@example.org' }));
    c?.users.create(user({ email: 'c@example.org' }));
    await run(a);
    await run(b, {}, cipher, [1]);
    b?.logs.update(1, { notes: 'edited on b' });
    b?.users.create(user({ email: 'private@example.org' }));
    await run(b, {}, cipher, [1]);
    await run(a);
    expect(a?.users.list().map(({ email }) => email)).toEqual(['a@example.org', 'b@example.org']);
    expect(a?.logs.list().map(({ notes }) => notes)).toEqual(['edited on b']);
    // Under the same name another folder begins anew.
    b?.remotes.remove('folder');
    rmSync(path, { recursive: true });
    mkdirSync(path);
    await run(b, {}, cipher, [1]);
    await run(c);
    expect(c?.users.list().map(({ email }) => email)).toEqual(['c@example.org', 'b@example.org']);
  });

  it.each(['at once', 'one after the other'])(
    'lets a user here be one of two who are met %s',
    async (how) => {
      b?.users.create(user({ email: 'b@example.org' }));
      for (const store of [a, b]) await (await folder(store)).join();
      for (const store of [a, b]) await (await folder(store)).tell();
      c?.users.create(user({ email: 'c@example.org' }));
      const [file = ''] = await partsOf(b);
      const bytes = readFileSync(file);
      if (how !== 'at once') rmSync(file);
      await run(c, { as: 1 });
      writeFileSync(file, bytes);
      await run(c, { as: 1 });
      expect(c?.users.list()).toHaveLength(2);
    },
  );

  it('carries the records of the users that are named only, and all once they are', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a, {}, cipher, [1]);
    await run(b);
    expect(b?.users.list().map(({ email }) => email)).toEqual(['a@example.org']);
    await run(a);
    await run(b);
    expect(b?.users.list()).toHaveLength(2);
  });

  it('holds back the deletion of a user', async () => {
    await run(a);
    await run(b);
    a?.users.delete(1);
    await run(a);
    expect((await run(b)).held).not.toEqual([]);
    expect(b?.users.list()).toHaveLength(1);
  });

  it('notices a file that was set back also where it only writes', async () => {
    await run(a);
    const copy = copyOf(a as Store);
    add(a, 'lost');
    await run(a);
    const former = await idOf(a);
    a = setBack(a as Store, copy, now);
    await (await folder(a)).tell();
    expect(await idOf(a)).not.toBe(former);
  });

  it('takes nothing away that this machine gave to another, and does not know any more since it was set back', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a, {}, cipher, [1]);
    const copy = copyOf(a as Store);
    a?.logs.update(1, { userId: 2 });
    await run(a, {}, cipher, [1]);
    a = setBack(a as Store, copy, now);
    for (let i = 0; i < 2; i++) await run(a, {}, cipher, [1]);
    expect(a.logs.list().map(({ userId }) => userId)).toEqual([1]);
  });

  it('passes on that somebody was erased, also where nothing else has changed', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    for (const store of [a, b, c]) await run(store);
    a?.erase(2);
    await run(a);
    await run(b);
    rmSync(join(path, await idOf(a)), { recursive: true });
    expect((await run(c)).erasedThere).toEqual([{ record: 'user', id: 2 }]);
  });

  it('asks nobody to merge a user with one who was just erased, of whom another machine tells', async () => {
    a?.users.create(user({ email: 'a@example.org' }));
    a?.logs.create(log({ userId: 2 }));
    for (const store of [a, b, c]) await run(store);
    c?.logs.update(2, { painAfter: 3 });
    a?.erase(2);
    await run(a);
    await run(c);
    const { erased, sameEmails } = await run(b, { acceptErase: true });
    expect([erased, sameEmails]).toEqual([[{ record: 'user', id: 2 }], []]);
  });

  it('tells of one of the users that are named only that they were erased', async () => {
    a?.users.create(user({ email: 'other@example.org' }));
    await run(a, {}, cipher, [1]);
    await run(b);
    a?.erase(1);
    await run(a, {}, cipher, [1]);
    expect((await run(b)).erasedThere).toEqual([{ record: 'user', id: 1 }]);
  });

  it('removes also the copies that a carrier made of the files of this machine, and nothing else', async () => {
    await run(a);
    const [file = ''] = await partsOf(a);
    const own = join(path, await idOf(a));
    cpSync(file, file.replace('.sciatica', '.sync-conflict-20261123.sciatica'));
    cpSync(join(own, 'manifest.json'), join(own, 'manifest (2).json'));
    writeFileSync(join(own, 'note.txt'), 'mine');
    // Of a process that was killed: beyond the numbers that Linux gives.
    writeFileSync(join(own, '.sciatica-5000000-1-0-0.tmp'), 'half a file');
    add(a, 'second');
    await run(a);
    expect(readdirSync(own).filter((name) => /conflict|\(2\)|note|tmp/.test(name))).toEqual(['note.txt']);
  });

  it('reads the other machines where one has something strange', async () => {
    await run(a);
    await run(b);
    const [file = ''] = await partsOf(a);
    const bytes = await cipher.close('{"sciatica":"states"}\n{"sha256":"x"}\n');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    writeFileSync(join(path, await idOf(a), `${sha256.slice(0, 32)}.sciatica`), bytes);
    const manifest = join(path, await idOf(a), 'manifest.json');
    const [line = ''] = readFileSync(manifest, 'utf8').split('\n');
    const listed = JSON.parse(line);
    listed.parts[0] = {
      ...listed.parts[0],
      file: `${sha256.slice(0, 32)}.sciatica`,
      sha256,
      bytes: bytes.length,
    };
    const forged = JSON.stringify(listed);
    writeFileSync(manifest, `${forged}\n${cipher.mark(await idOf(a), forged)}\n${cipher.id}\n`);
    rmSync(file);
    expect((await run(c)).waiting).toEqual([{ database: await idOf(a), why: expect.any(String) }]);
    same(b, c);
  });

  it('reads the other machines where one has a record that breaks the rules', async () => {
    const db = dbOf(b as Store);
    b?.users.create(user({ email: 'b@example.org' }));
    db.pragma('ignore_check_constraints = ON');
    db.run('UPDATE users SET age = 999');
    await run(a);
    await run(b);
    expect((await run(c)).waiting).toEqual([{ database: await idOf(b), why: expect.any(String) }]);
    same(a, c);
  });

  it('passes no files of a machine as those of another', async () => {
    await run(a);
    await run(b);
    cpSync(join(path, await idOf(a)), join(path, await idOf(c)), { recursive: true });
    expect((await run(b)).waiting).toEqual([
      { database: await idOf(c), why: expect.stringContaining('whole') },
    ]);
  });

  it('takes no file that a machine lists, and that is of another', async () => {
    await run(a);
    const [former, other] = [join(path, await idOf(a)), join(path, await idOf(c))];
    cpSync(former, other, { recursive: true });
    const [line = ''] = readFileSync(join(other, 'manifest.json'), 'utf8').split('\n');
    writeFileSync(
      join(other, 'manifest.json'),
      `${line}\n${cipher.mark(await idOf(c), line)}\n${cipher.id}\n`,
    );
    rmSync(former, { recursive: true });
    expect((await run(b)).waiting).toEqual([
      { database: await idOf(c), why: expect.stringContaining('that of another machine') },
    ]);
    expect(b?.users.list()).toEqual([]);
  });

  it('does not wait for a pipe, and follows no link in the place of its own folder', async () => {
    await run(a);
    const [file = ''] = await partsOf(a);
    const bytes = readFileSync(file);
    rmSync(file);
    execFileSync('mkfifo', [file]);
    expect((await run(b)).waiting).toEqual([
      { database: await idOf(a), why: expect.stringMatching(/^1 of its/) },
    ]);
    rmSync(file);
    writeFileSync(file, bytes);
    const own = join(path, await idOf(a));
    renameSync(own, `${path}-elsewhere`);
    symlinkSync(`${path}-elsewhere`, own);
    add(a, 'second');
    await expect(run(a)).rejects.toMatchObject({
      code: 'unusable',
      message: expect.stringContaining('is no folder'),
    });
    rmSync(`${path}-elsewhere`, { recursive: true });
  });

  it('writes nothing into an empty folder: the stick is not there', async () => {
    await run(a);
    for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true });
    await expect(run(a)).rejects.toMatchObject({ message: expect.stringContaining('is the stick') });
    await expect((await folder(a)).tell()).rejects.toMatchObject({ code: 'unusable' });
    expect(readdirSync(path)).toEqual([]);
  });

  it('lets a user be the one who comes later, after a sync that found nobody', async () => {
    b?.users.create(user({ email: 'b@example.org' }));
    await run(b, { as: 1 });
    await run(a);
    await run(b, { as: 1 });
    expect(b?.users.list().map(({ id }) => id)).toEqual([1]);
    await run(a);
    same(a, b);
  });

  it('is whole after two syncs of one machine at once', async () => {
    a?.change(() => {
      for (let i = 0; i < 6000; i++) add(a, `log ${i}`);
    });
    await Promise.all([run(a), run(a)]);
    expect((await run(b)).waiting).toEqual([]);
    same(a, b);
  });

  it('is in step only once nothing is waited for', async () => {
    await run(a);
    const [file = ''] = await partsOf(a);
    const bytes = readFileSync(file);
    rmSync(file);
    await run(b);
    expect(b?.remotes.list()).toMatchObject([{ name: 'folder', at: null }]);
    writeFileSync(file, bytes);
    await run(b);
    expect(b?.remotes.list()).toMatchObject([{ name: 'folder', at: expect.any(Number) }]);
  });

  it('hears of files that came while it was syncing', async () => {
    await run(a);
    const carrier = await folder(b);
    await carrier.sync();
    add(a, 'second');
    await run(a);
    const over = new AbortController();
    await carrier.changed(() => over.abort(), over.signal);
    await carrier.sync();
    same(a, b);
  });

  it('says why a folder that is not there cannot be used', async () => {
    rmSync(path, { recursive: true });
    await expect(run(a)).rejects.toMatchObject({ code: 'unusable' });
    expect(a?.logs.list()).toHaveLength(1);
  });
});
