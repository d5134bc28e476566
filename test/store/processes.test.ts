import { existsSync, readFileSync, statSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { sleepSync } from '../../src/lib/sleep.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import type { Store } from '../../src/store/store.ts';
import { bundle, dbOf, ended, freshPath, freshStore, killedAtMoments, raw, start, user } from './helpers.ts';

let script = '';
beforeAll(async () => {
  script = await bundle(`
    import { openStore } from './src/store/store.ts';
    import { log, user } from './test/domain/samples.ts';
    import { sleepSync } from './src/lib/sleep.ts';
    import { writeSync } from 'node:fs';
    const [verb, path, count] = process.argv.slice(2);
    const say = (line) => writeSync(1, line + '\\n');
    const create = (store, notes) => store.logs.create({ ...log, notes });
    const verbs = {
      // Opens when a line comes, so that several open at one moment.
      open: () => { say('ready'); process.stdin.once('data', () => { const store = openStore(path); store.users.create(user); store.close(); process.exit(); }); },
      command: () => { for (let i = 0; i < Number(count); i++) { const store = openStore(path); create(store, 'command'); store.close(); } },
      server: async () => {
        const store = openStore(path);
        const one = async (n) => { for (let i = 0; i < Number(count) / 4; i++) await store.submit(() => create(store, 'server')); };
        await Promise.all([0, 1, 2, 3].map(one));
        store.close();
      },
      forever: async () => {
        const store = openStore(path);
        const one = async () => { for (;;) say(String((await store.submit(() => create(store, 'x'))).id)); };
        await Promise.all([0, 1, 2].map(one));
      },
      import: async () => {
        const store = openStore(path);
        const task = await store.import(String);
        task.add(Array.from({ length: Number(count) }, (_, at) => ({ at, kind: 'log', value: { ...log, id: at + 1 } })));
        say('ready');
        process.stdin.once('data', () => { task.apply({ onConflict: 'refuse', dryRun: false }); store.close(); process.exit(); });
      },
      // Has the lock but for 4 ms in 44.
      holder: () => {
        const store = openStore(path);
        for (;;) { store.change(() => { create(store, 'holder'); sleepSync(40); }); sleepSync(4); }
      },
    };
    verbs[verb]();
  `);
});

test('eight first opens at one moment make one database', async () => {
  for (let round = 0; round < 3; round++) {
    const path = freshPath();
    const children = Array.from({ length: 8 }, () => start(script, ['open', path]));
    const ends = children.map(ended);
    await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))));
    for (const child of children) child.stdin.write('go\n');
    for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 0, stderr: '' });
    const store = freshStore(path);
    expect(store.users.list().map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(dbOf(store).pragma('user_version')).toBe(migrations.length);
  }
});

test('a server and two commands write to one file, and nothing is lost', async () => {
  const store = freshStore();
  store.users.create(user());
  const path = store.path;
  const ends = [
    ended(start(script, ['server', path, '400'])),
    ended(start(script, ['command', path, '40'])),
    ended(start(script, ['command', path, '40'])),
  ];
  for (const end of await Promise.all(ends)) expect(end).toMatchObject({ code: 0, stderr: '' });
  const notes = store.logs.list().map((record) => record.notes);
  expect(notes.filter((note) => note === 'server')).toHaveLength(400);
  expect(notes.filter((note) => note === 'command')).toHaveLength(80);
});

test('a command gets a lock that another process takes again and again', async () => {
  const store = freshStore();
  store.users.create(user());
  start(script, ['holder', store.path]);
  await expect.poll(() => store.logs.count()).toBeGreaterThan(2);
  const other = raw(store.path);
  const isHeld = () => {
    try {
      other.exec('BEGIN IMMEDIATE; ROLLBACK');
      return false;
    } catch {
      return true;
    }
  };
  let turns = 0;
  for (let i = 0; i < 16; i++) {
    while (!isHeld()) sleepSync(1);
    const before = store.logs.count();
    store.change(() => {
      turns += store.logs.count() - before;
    });
  }
  // One each, that of the holder. With SQLite's own waiting, which sleeps for up to 100 ms, about 140.
  expect(turns).toBeLessThan(48);
});

test('a writer killed at any moment loses nothing it has acknowledged', async () => {
  const path = freshPath();
  const store = freshStore(path);
  store.users.create(user());
  store.close();
  const acknowledged: number[] = [];
  for (const enough of [1, 2, 5, 11, 23, 40, 3, 17]) {
    const child = start(script, ['forever', path]);
    let said = '';
    child.stdout.on('data', (data) => {
      said += data;
      if (said.split('\n').length > enough) child.kill('SIGKILL');
    });
    await new Promise((resolve) => child.on('close', resolve));
    acknowledged.push(...said.split('\n').slice(0, -1).map(Number));
    const after = freshStore(path);
    const stored = new Set(after.logs.list().map(({ id }) => id));
    expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    expect(dbOf(after).pragma('integrity_check')).toBe('ok');
    after.close();
  }
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
});

test('an import of many logs killed at any moment has brought in all or none, and left the schema as it was', async () => {
  const MANY = 12_000;
  const found = new Set<number>();
  let [path, schema] = ['', [] as unknown[]];
  const schemaOf = (store: Store) =>
    dbOf(store).all('SELECT type, name, sql FROM sqlite_schema ORDER BY name');
  const prepare = () => {
    const store = freshStore();
    store.users.create(user());
    [path, schema] = [store.path, schemaOf(store)];
    store.close();
    return ['import', path, String(MANY)];
  };
  await killedAtMoments(script, 8, prepare, () => {
    const after = freshStore(path);
    const count = after.logs.count();
    found.add(count);
    expect([0, MANY]).toContain(count);
    expect(after.history.last()).toBe(count + 1);
    expect(schemaOf(after)).toEqual(schema);
    expect(dbOf(after).pragma('integrity_check')).toBe('ok');
    after.close();
  });
  expect(found).toEqual(new Set([0, MANY]));
});

test.skipIf(!existsSync('/proc/locks'))(
  'a second open in one process leaves the first its locks (Linux)',
  () => {
    const path = freshPath();
    freshStore(path);
    const inode = `:${statSync(path).ino} `;
    const locks = () =>
      readFileSync('/proc/locks', 'utf8')
        .split('\n')
        .filter((line) => line.includes(inode)).length;
    const before = locks();
    expect(before).toBeGreaterThan(0);
    freshStore(path);
    expect(locks()).toBe(before);
  },
);
