import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { TEMPORARY } from '../../src/lib/files.ts';
import { backup } from '../../src/store/maintenance/backup.ts';
import { markOf, unlessErasedSince } from '../../src/store/maintenance/erased-meanwhile.ts';
import { prepareRestore } from '../../src/store/maintenance/restore.ts';
import { Replication } from '../../src/store/reconcile/replication.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { Store } from '../../src/store/store.ts';
import {
  bundle,
  dbOf,
  ended,
  failure,
  filledStore,
  freshFolder,
  freshPath,
  freshStore,
  killedAtMoments,
  log,
  openStore,
  raw,
  start,
  user,
} from './helpers.ts';

const counts = (path: string) => {
  const store = openStore(path);
  const found = { users: store.users.count(), logs: store.logs.count() };
  expect(dbOf(store).pragma('integrity_check')).toBe('ok');
  store.close();
  return found;
};

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

let script = '';
beforeAll(async () => {
  script = await bundle(`
    import { openStore } from './src/store/store.ts';
    import { backup } from './src/store/maintenance/backup.ts';
    import { prepareRestore } from './src/store/maintenance/restore.ts';
    import { openDatabase } from './src/store/sqlite/open.ts';
    import { log, user } from './test/domain/samples.ts';
    import { writeSync } from 'node:fs';
    const [verb, path, file] = process.argv.slice(2);
    const say = (line) => writeSync(1, line + '\\n');
    const attempt = (work) => { try { say(String(work())); } catch (error) { say(error.code); } };
    const told = (work) => { say('ready'); process.stdin.once('data', () => { work(); say('done'); process.exit(); }); };
    const verbs = {
      // Adds pairs of logs, each pair one transaction, until it is killed.
      write: () => { const store = openStore(path); say('ready'); const next = () => { store.change(() => { store.logs.create(log); store.logs.create(log); }); setImmediate(next); }; next(); },
      // Opens, adds a log with a note of its own and closes, again and again; says what was saved.
      commands: () => { say('ready'); let n = 0; const next = () => {
        try { const store = openStore(path); try { const notes = process.pid + ' ' + n++; store.logs.create({ ...log, notes }); say('saved ' + notes); } finally { store.close(); } }
        catch (error) { if (!['gone', 'busy'].includes(error.code)) say('failed ' + error.code + ' ' + error.message + ' ' + error.cause); }
        setTimeout(next, 60 * Math.random()); }; next(); },
      hold: () => { const store = openStore(path); store.users.count(); say('ready'); process.stdin.on('data', () => store.close()); },
      backup: () => told(() => { backup(path, file, { force: true }); }),
      restore: () => told(() => { const it = prepareRestore(file, path); it.apply('kept'); }),
      import: async () => { const store = openStore(path); const task = await store.import(String); told(() => {
        for (let at = 0; at < 3000; at++) task.add([{ at, kind: 'log', value: { ...log, notes: 'imported' } }]);
        task.apply({ onConflict: 'refuse', dryRun: false }); }); },
      // Has the file for itself for a moment, as the last connection has when it closes.
      alone: () => { const db = openDatabase(path); db.pragma('locking_mode = EXCLUSIVE'); db.run('BEGIN EXCLUSIVE'); say('ready'); setTimeout(() => db.close(), 300); },
      once: () => told(() => attempt(() => backup(path, file).counts.user)),
    };
    verbs[verb]();
  `);
});

const heard = (child: ReturnType<typeof start>) =>
  new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));

describe('a backup', () => {
  test('holds what the database holds, is private, and leaves nothing else behind', () => {
    const store = filledStore(50);
    const folder = freshFolder();
    const umask = process.umask(0);
    const made = backup(store.path, join(folder, 'b.db'));
    process.umask(umask);
    expect(made).toMatchObject({ path: join(folder, 'b.db'), counts: { user: 2, log: 50 } });
    expect(readdirSync(folder)).toEqual(['b.db']);
    expect(modeOf(made.path)).toBe('600');
    expect(counts(made.path)).toEqual({ users: 2, logs: 50 });
  });

  test('replaces nothing unless told to, and never the database', () => {
    const store = filledStore(3);
    const path = join(freshFolder(), 'b.db');
    writeFileSync(path, 'mine');
    expect(failure(() => backup(store.path, path)).code).toBe('conflict');
    expect(readFileSync(path, 'utf8')).toBe('mine');
    backup(store.path, path, { force: true });
    expect(counts(path).logs).toBe(3);
    expect(failure(() => backup(store.path, store.path, { force: true })).code).toBe('conflict');
    expect(backup(store.path, path, { rename: true }).path).toBe(path.replace('.db', '-2.db'));
  });

  test('replaces no other database in use, and no folder', () => {
    const store = filledStore(1);
    const other = filledStore(2);
    const error = failure(() => backup(store.path, other.path, { force: true }));
    expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining('a database in use')]);
    expect(other.logs.count()).toBe(2);
    const folder = freshFolder();
    expect(failure(() => backup(store.path, folder, { force: true })).message).toBe(
      `${folder} is not a file.`,
    );
    other.close();
    store.close();
    // Without a log beside it, it is still the database itself.
    expect(failure(() => backup(store.path, store.path, { force: true })).code).toBe('conflict');
  });

  test('needs a folder, and a database', () => {
    const store = filledStore(1);
    expect(failure(() => backup(store.path, join(freshFolder(), 'no', 'b.db'))).message).toMatch(/no folder/);
    const absent = freshPath();
    expect(failure(() => backup(absent, join(freshFolder(), 'b.db'))).message).toMatch(/nothing to back up/);
    expect(readdirSync(join(absent, '..'))).toEqual([]);
  });

  test('is not made of a damaged database', () => {
    const path = freshPath();
    filledStore(200, path).close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, bytes.length - 8192));
    const folder = freshFolder();
    expect(failure(() => backup(path, join(folder, 'b.db'))).code).toBe('damaged');
    expect(readdirSync(folder)).toEqual([]);
  });

  test("is not made of another program's database", () => {
    const path = freshPath();
    const db = raw(path);
    db.exec('CREATE TABLE users (id); CREATE TABLE logs (date)');
    db.close();
    const error = failure(() => backup(path, join(freshFolder(), 'b.db')));
    expect([error.code, error.message]).toEqual([
      'unusable',
      expect.stringContaining('not a sciatica database'),
    ]);
  });

  test('is of one moment while others write', async () => {
    const path = freshPath();
    const store = openStore(path);
    store.users.create(user());
    store.close();
    const writer = start(script, ['write', path]);
    await heard(writer);
    const folder = freshFolder();
    let last = -1;
    for (let i = 0; i < 8; i++) {
      const {
        counts: { log: logs },
      } = backup(path, join(folder, `${i}.db`));
      expect(logs % 2).toBe(0);
      expect(logs).toBeGreaterThanOrEqual(last);
      last = logs;
    }
    expect(last).toBeGreaterThan(0);
  });

  test('gets its name while another command is closing the database', async () => {
    const store = filledStore(1);
    const mark = markOf(dbOf(store));
    store.close();
    await heard(start(script, ['alone', store.path]));
    expect(unlessErasedSince(store.path, mark, () => 'published')).toBe('published');
  });

  test('two at once to one name: one makes it, the other is refused', async () => {
    const path = freshPath();
    filledStore(20, path).close();
    for (let round = 0; round < 3; round++) {
      const target = join(freshFolder(), 'b.db');
      const children = [1, 2, 3].map(() => start(script, ['once', path, target]));
      const ends = children.map(ended);
      await Promise.all(children.map(heard));
      for (const child of children) child.stdin.write('go\n');
      const said = (await Promise.all(ends)).map(({ stdout }) => stdout.split('\n')[1]).sort();
      expect(said).toEqual(['2', 'conflict', 'conflict']);
      expect(counts(target)).toEqual({ users: 2, logs: 20 });
    }
  });
});

describe('a restore', () => {
  /** A database with 5 logs, and a backup of it when it had 3. */
  function both(): { path: string; file: string } {
    const path = freshPath();
    const store = filledStore(3, path);
    const file = join(freshFolder(), 'b.db');
    backup(path, file);
    for (let i = 0; i < 2; i++) store.logs.create(log());
    store.close();
    return { path, file };
  }

  test('puts the backup in place and keeps what it replaces, whole', () => {
    const { path, file } = both();
    const before = readFileSync(file);
    const restoration = prepareRestore(file, path);
    expect(restoration).toMatchObject({
      copy: { counts: { user: 2, log: 3 } },
      present: { counts: { user: 2, log: 5 } },
    });
    const kept = restoration.apply('now') ?? '';
    restoration.close();
    expect(kept).toBe(`${path}.replaced-now`);
    expect(readdirSync(join(path, '..')).sort()).toEqual(['test.db', 'test.db.replaced-now']);
    expect([modeOf(path), modeOf(kept)]).toEqual(['600', '600']);
    expect([counts(path).logs, counts(kept).logs]).toEqual([3, 5]);
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  /** Restores what was backed up before `meanwhile`. @returns the restored store */
  function restored(meanwhile: (store: Store) => void, before: (store: Store) => void = () => {}) {
    const path = freshPath();
    const file = join(freshFolder(), 'b.db');
    const store = filledStore(3, path);
    before(store);
    backup(path, file);
    meanwhile(store);
    const last = store.history.last();
    store.close();
    const restoration = prepareRestore(file, path);
    restoration.apply('now');
    restoration.close();
    return { store: freshStore(path), restoration, last };
  }

  test('gives no id again that was given since', () => {
    const { store } = restored(({ logs, users }) => {
      for (const record of [users.create(user()), logs.create(log()), logs.create(log())])
        expect(record.id).toBeGreaterThan(2);
    });
    expect([store.users.create(user()).id, store.logs.create(log()).id]).toEqual([4, 6]);
  });

  test('lets nobody go on with the history from where it was before', () => {
    const { store, last } = restored(({ logs }) => logs.create(log()));
    for (const since of [1, last - 1, last])
      expect(failure(() => store.requireSince(since)).code).toBe('outdated');
    const now = store.history.last();
    expect(now).toBe(last + 1);
    expect(store.changesAfter(now, 9)).toEqual([]);
    store.logs.create(log());
    expect(store.changesAfter(now, 9)).toMatchObject([{ seq: now + 1, action: 'create' }]);
  });

  test('is why the history cannot be gone on with, also after an erasing', () => {
    const { store, last } = restored(({ logs }) => logs.create(log()));
    store.logs.update(1, { userId: 2 });
    store.erase(2);
    expect(store.settings.gaps).toEqual({ restored: expect.any(Number), erased: expect.any(Number) });
    expect(failure(() => store.requireSince(last))).toMatchObject({ reason: 'restored' });
  });

  test.each([
    ['by the same database', false],
    ['by one that took an identity of its own', true],
  ])('leaves a token worthless that was taken back since %s', (_, isOther) => {
    const phone = { name: 'phone', role: 'patient', users: [1], lifetime: null } as const;
    let secret = '';
    const { store, restoration } = restored(
      (store) => {
        if (isOther) new Replication(dbOf(store), (work) => store.change(work)).renewIdentity();
        store.tokens.revoke('phone');
      },
      ({ tokens }) => {
        secret = tokens.create(phone).token;
        tokens.create({ ...phone, name: 'other' });
      },
    );
    expect(store.tokens.find(secret)?.revokedAt).toBeGreaterThan(0);
    expect(store.tokens.list().map(({ revokedAt }) => revokedAt === null)).toEqual([false, true]);
    expect(restoration.tokens).toBe(2);
  });

  const phone = { name: 'phone', role: 'patient', users: [1], lifetime: 86_400_000 } as const;

  test('gives no number of a token or a change again that was given since', () => {
    let change = 0;
    const { store } = restored((it) => {
      it.tokens.create(phone);
      it.logs.create(log());
      change = it.latestChange ?? 0;
    });
    expect(store.tokens.create({ ...phone, name: 'other' }).id).toBe(2);
    store.logs.create(log());
    expect(store.latestChange).toBeGreaterThan(change);
  });

  test('leaves a token as it was renewed since, and lets nobody renew it as it was', () => {
    let [renewed, former] = [{ token: '', expiresAt: null as number | null }, ''];
    const { store } = restored(
      ({ tokens }) => {
        renewed = tokens.renew(former, 'key');
        const { id, renewed: hash } = tokens.find(renewed.token) ?? { id: 0 };
        tokens.touch(id, hash);
      },
      (it) => {
        former = it.tokens.create(phone).token;
        dbOf(it).run('UPDATE tokens SET createdAt = createdAt - 5000, expiresAt = expiresAt - 5000');
        it.tokens.renew(former, 'another key');
      },
    );
    expect(store.tokens.find(former)).toBeUndefined();
    expect(store.tokens.find(renewed.token)?.expiresAt).toBe(renewed.expiresAt);
    expect(store.settings.get('renewals')).toBeUndefined();
  });

  test('takes no token for one of another database, nor one that was taken back for one that was not yet', () => {
    const { path, file } = both();
    const copy = join(freshFolder(), 'copy.db');
    const here = freshStore(path);
    here.tokens.create(phone);
    here.close();
    const other = filledStore(2);
    const { token } = other.tokens.create(phone);
    backup(other.path, copy);
    prepareRestore(copy, path).apply('now');
    expect(freshStore(path).tokens.find(token)?.revokedAt).toBeNull();
    other.tokens.revoke('phone');
    backup(other.path, file, { force: true });
    prepareRestore(file, copy).apply('now');
    expect(freshStore(copy).tokens.find(token)?.revokedAt).not.toBeNull();
  });

  test.each([
    ['the same number', ['phone'], ['tablet']],
    ['the same name', ['tablet', 'phone'], ['phone']],
  ])('takes no token for another to which a copy of the database has given %s since', (_, here, there) => {
    const { path, file } = both();
    const added = (at: string, names: string[]) => {
      const store = freshStore(at);
      const made = names.map((name) => store.tokens.create({ ...phone, name }));
      store.close();
      return made.at(-1)?.token ?? '';
    };
    added(path, here);
    const token = added(file, there);
    prepareRestore(file, path).apply('now');
    expect(freshStore(path).tokens.find(token)?.name).toBe(there[0]);
  });

  test('takes nobody for who was erased from another database, under the same number', () => {
    const { path, file } = both();
    const here = freshStore(path);
    here.erase(2);
    here.close();
    const other = filledStore(2);
    const { token } = other.tokens.create({ ...phone, users: [2] });
    backup(other.path, file, { force: true });
    const restoration = prepareRestore(file, path);
    restoration.apply('now');
    expect(restoration.erased).toEqual([]);
    const store = freshStore(path);
    expect(store.tokens.find(token)).toMatchObject({ users: [2] });
    expect(store.tokens.wasForErased(token)).toBe(false);
  });

  test('remembers who was erased, also where a database of others comes', () => {
    const { path, file } = both();
    const here = freshStore(path);
    here.erase(2);
    here.close();
    const other = freshStore();
    other.users.create(user());
    backup(other.path, file, { force: true });
    prepareRestore(file, path).apply('now');
    expect(freshStore(path).settings.get('erased')).toBe('[2]');
  });

  test('says who comes back also where the database has taken another identity since', async () => {
    const { path, file } = both();
    const store = freshStore(path);
    (await store.replication()).renewIdentity();
    store.erase(2);
    store.close();
    const restoration = prepareRestore(file, path);
    expect(restoration.erased).toEqual([2]);
    restoration.close();
  });

  test('knows the tokens of who was erased before, where no database was', () => {
    const { path, file } = both();
    const store = freshStore(path);
    const { token } = store.tokens.create({ ...phone, users: [2] });
    store.erase(2);
    backup(path, file, { force: true });
    store.close();
    const elsewhere = freshPath();
    prepareRestore(file, elsewhere).apply('now');
    expect(freshStore(elsewhere).tokens.wasForErased(token)).toBe(true);
  });

  test('leaves no token of who was erased since, and knows of that ever after', () => {
    let secret = '';
    const { store } = restored(
      (it) => {
        const { id, renewed } = it.tokens.find(it.tokens.renew(secret, 'key').token) ?? { id: 0 };
        it.tokens.touch(id, renewed);
        it.erase(2);
      },
      ({ tokens }) => {
        secret = tokens.create({ ...phone, name: 'ole', users: [2] }).token;
        tokens.create({ name: 'clinic', role: 'provider', users: [1, 2], lifetime: null });
      },
    );
    expect(store.tokens.list().map(({ name }) => name)).toEqual(['clinic']);
    expect(store.tokens.wasForErased(secret)).toBe(true);
    const file = join(freshFolder(), 'again.db');
    backup(store.path, file);
    const restoration = prepareRestore(file, store.path);
    restoration.close();
    expect(restoration.erased).toEqual([2]);
  });

  test('knows the token, made since, of who was erased since', () => {
    let secret = '';
    const { store } = restored((it) => {
      secret = it.tokens.create({ ...phone, users: [2] }).token;
      it.erase(2);
    });
    expect(store.tokens.wasForErased(secret)).toBe(true);
  });

  test.each([
    ['another folder', { folder: '/new', recipient: 'age1new' }, ['/new', '/old']],
    ['off', { folder: 'off' }, ['/old']],
    ['on again', {}, ['/old']],
  ])('leaves automatic backups as they were set until now: %s', (_, now, folders) => {
    const { store } = restored(
      ({ settings }) => {
        settings.remove('backupFolders');
        settings.backups = now;
      },
      ({ settings }) => {
        settings.backups = { folder: '/old', recipient: 'age1old' };
      },
    );
    expect(store.settings.backups).toEqual(now);
    expect(store.settings.backupFolders).toEqual(folders);
  });

  test('takes the settings of automatic backups back where none are known', () => {
    const { store } = restored(
      ({ settings }) => settings.remove('backups'),
      ({ settings }) => {
        settings.backups = { folder: '/old' };
      },
    );
    expect(store.settings.backups).toEqual({});
  });

  test('says who comes back although erased since', () => {
    expect(restored((store) => store.erase(2)).restoration.erased).toEqual([2]);
    expect(restored((store) => store.users.delete(2)).restoration.erased).toEqual([]);
  });

  test.each(['there is none', 'it is damaged'])('leaps ahead with the history where %s', (why) => {
    const { path, file } = both();
    writeFileSync(path, why === 'there is none' ? '' : 'no database');
    const restoration = prepareRestore(file, path);
    restoration.apply('now');
    restoration.close();
    const store = freshStore(path);
    expect(failure(() => store.requireSince(900)).code).toBe('outdated');
    expect(store.changesAfter(store.history.last(), 9)).toEqual([]);
  });

  test('says plainly that the database can no longer be opened', () => {
    const { path, file } = both();
    const restoration = prepareRestore(file, path);
    rmSync(path);
    mkdirSync(path);
    expect(failure(() => restoration.apply('now')).code).toBe('unusable');
    restoration.close();
  });

  test('changes nothing before it is applied', () => {
    const { path, file } = both();
    prepareRestore(file, path).close();
    expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
    expect(counts(path).logs).toBe(5);
  });

  test('makes a database where there is none, and its folder', () => {
    const { file } = both();
    const path = join(freshFolder(), 'new', 'n.db');
    const restoration = prepareRestore(file, path);
    expect(restoration.present).toBe('absent');
    expect(restoration.apply('now')).toBe(undefined);
    restoration.close();
    expect([counts(path).logs, modeOf(path), modeOf(join(path, '..'))]).toEqual([3, '600', '700']);
  });

  test('takes a database in use, with what only its log holds', () => {
    const live = filledStore(7);
    const path = freshPath();
    const restoration = prepareRestore(live.path, path);
    restoration.apply('now');
    restoration.close();
    expect(counts(path).logs).toBe(7);
    expect(live.logs.create(log()).id).toBe(8);
  });

  test('replaces a damaged database, and keeps it with its log', () => {
    const { path, file } = both();
    writeFileSync(path, readFileSync(path).fill(0, 0, 4096));
    writeFileSync(`${path}-wal`, 'a log');
    const restoration = prepareRestore(file, path);
    expect(restoration.present).toBe('damaged');
    const kept = restoration.apply('now') ?? '';
    restoration.close();
    expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('a log');
    expect(
      readFileSync(kept)
        .subarray(0, 4096)
        .every((byte) => byte === 0),
    ).toBe(true);
    expect(counts(path).logs).toBe(3);
  });

  test.each<[string, (file: string) => void]>([
    ['a text', (file) => writeFileSync(file, 'Dear diary. '.repeat(100))],
    ['an empty file', (file) => writeFileSync(file, '')],
    ['a folder', (file) => mkdirSync(file)],
    ['nothing', () => {}],
    [
      'a damaged backup',
      (file) => {
        const { file: good } = both();
        const bytes = readFileSync(good);
        writeFileSync(file, bytes.fill(0xee, bytes.length - 5000));
      },
    ],
    [
      'half a backup',
      (file) => {
        const { file: good } = both();
        writeFileSync(file, readFileSync(good).subarray(0, 9000));
      },
    ],
    [
      'one of a newer sciatica',
      (file) => {
        const { file: good } = both();
        const bytes = readFileSync(good);
        bytes.writeUInt32BE(migrations.length + 1, 60);
        writeFileSync(file, bytes);
      },
    ],
    [
      "another program's",
      (file) => {
        const { file: good } = both();
        const bytes = readFileSync(good);
        bytes.writeUInt32BE(1, 68);
        writeFileSync(file, bytes);
      },
    ],
  ])('refuses %s, and changes nothing', (_, make) => {
    const { path } = both();
    const file = join(freshFolder(), 'wrong.db');
    make(file);
    const error = failure(() => prepareRestore(file, path));
    expect(['unusable', 'damaged']).toContain(error.code);
    expect(error.message).toContain(file);
    expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
    expect(counts(path).logs).toBe(5);
  });

  test('replaces a database whose damage is met late, and keeps its bytes', () => {
    const { path, file } = both();
    const db = openDatabase(path);
    const root = db.value<number>("SELECT rootpage FROM sqlite_schema WHERE name = 'audit'") ?? 0;
    db.close();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, (root - 1) * 4096, root * 4096));
    const restoration = prepareRestore(file, path);
    expect(restoration.present).toMatchObject({ counts: { log: 5 } });
    const kept = restoration.apply('now') ?? '';
    restoration.close();
    expect(readFileSync(kept).subarray(4096).equals(bytes.subarray(4096))).toBe(true);
    expect(counts(path).logs).toBe(3);
  });

  test('writes into the file that is there: who has just opened it finds no other file behind its name', () => {
    const { path, file } = both();
    const before = statSync(path).ino;
    const restoration = prepareRestore(file, path);
    restoration.apply('now');
    restoration.close();
    expect(statSync(path).ino).toBe(before);
  });

  test('refuses the database itself', () => {
    const { path } = both();
    expect(failure(() => prepareRestore(path, path)).code).toBe('conflict');
  });

  test('is refused while another process has the database open, and done when it has not', async () => {
    const { path, file } = both();
    const holder = start(script, ['hold', path]);
    await heard(holder);
    const restoration = prepareRestore(file, path);
    const error = failure(() => restoration.apply('now'));
    expect([error.code, error.message]).toEqual(['conflict', expect.stringContaining('sciatica serve')]);
    expect(readdirSync(join(path, '..')).filter((name) => name.includes('replaced'))).toEqual([]);
    holder.kill('SIGKILL');
    await new Promise((resolve) => holder.on('close', resolve));
    expect(restoration.apply('now')).toBe(`${path}.replaced-now`);
    restoration.close();
    expect(counts(path).logs).toBe(3);
  });

  test('an older version is brought up to date, and stays itself', () => {
    const path = freshPath();
    const file = join(freshFolder(), 'old.db');
    copyFileSync(new URL('../fixtures/v1.db', import.meta.url), file);
    chmodSync(file, 0o400);
    const before = readFileSync(file);
    const restoration = prepareRestore(file, path);
    expect(restoration.copy).toMatchObject({ counts: { user: 3, log: 39 } });
    restoration.apply('now');
    restoration.close();
    expect(readdirSync(join(path, '..'))).toEqual(['test.db']);
    expect(counts(path)).toEqual({ users: 3, logs: 39 });
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

test('commands that come while databases are restored lose nothing that they saved', async () => {
  const path = freshPath();
  const store = openStore(path);
  store.users.create(user());
  store.close();
  const file = join(freshFolder(), 'b.db');
  backup(path, file);
  const children = [1, 2, 3].map(() => start(script, ['commands', path]));
  let said = '';
  for (const child of children) child.stdout.on('data', (data) => (said += data));
  await Promise.all(children.map(heard));
  let done = 0;
  const saves = () => said.split('saved').length;
  const [begun, MOST_MS] = [performance.now(), 20_000];
  const isOver = () => performance.now() - begun > MOST_MS;
  for (let round = 0; done < 6 || saves() < 22 || (!isOver() && (done < 40 || saves() < 30)); round++) {
    const restoration = prepareRestore(file, path);
    try {
      restoration.apply(`${round}`);
      done += 1;
    } catch (error) {
      expect((error as { code?: string }).code).toBe('conflict');
    }
    restoration.close();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (const child of children) {
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
  }
  expect([...said.matchAll(/failed.*/g)].map(([line]) => line)).toEqual([]);
  const folder = join(path, '..');
  const files = readdirSync(folder).filter((name) => /^test\.db(\.replaced-\d+)?$/.test(name));
  expect(files).toHaveLength(done + 1);
  const stored = new Set<string>();
  for (const name of files) {
    const found = freshStore(join(folder, name));
    expect(dbOf(found).pragma('integrity_check')).toBe('ok');
    for (const { notes } of found.logs.list()) stored.add(notes);
    found.close();
  }
  const saved = [...said.matchAll(/saved (.*)/g)].map(([, notes]) => notes ?? '');
  expect(saved.length).toBeGreaterThan(20);
  expect(saved.filter((notes) => !stored.has(notes))).toEqual([]);
});

describe('SIGKILL at any moment', () => {
  test('of a backup: the file before, or the new one', async () => {
    const path = freshPath();
    filledStore(4_000, path).close();
    const file = join(freshFolder(), 'b.db');
    backup(path, file);
    await killedAtMoments(
      script,
      8,
      () => ['backup', path, file],
      () => expect(counts(file)).toEqual({ users: 2, logs: 4_000 }),
    );
    const others = readdirSync(join(file, '..')).filter((name) => name !== 'b.db');
    expect(others.filter((name) => !TEMPORARY.test(name))).toEqual([]);
  });

  test('of a restore: the old database, or the new one', async () => {
    const path = freshPath();
    const file = join(freshFolder(), 'b.db');
    const store = filledStore(3_000, path);
    backup(path, file);
    store.logs.create(log());
    store.close();
    const args = () => ['restore', path, file];
    await killedAtMoments(script, 10, args, (said) => {
      const { logs } = counts(path);
      if (said.includes('done')) expect(logs).toBe(3_000);
      else expect([3_000, 3_001]).toContain(logs);
      // The next round has something to replace again.
      const again = openStore(path);
      if (logs === 3_000) again.logs.create(log());
      again.close();
    });
  });

  test('of an import: all of it or nothing', async () => {
    const path = freshPath();
    const store = openStore(path);
    store.users.create(user());
    store.close();
    const args = () => ['import', path];
    await killedAtMoments(script, 8, args, (said) => {
      const { logs } = counts(path);
      expect(logs % 3_000).toBe(0);
      if (said.includes('done')) expect(logs).toBeGreaterThanOrEqual(3_000);
    });
  });
});
