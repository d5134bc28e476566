import { existsSync, readFileSync, statSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { bundle, dbOf, ended, freshPath, freshStore, start, user } from './helpers.ts';

let script = '';
beforeAll(async () => {
  script = await bundle(`
    import { openStore } from './src/store/store.ts';
    import { log, user } from './test/domain/samples.ts';
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
    };
    verbs[verb]();
  `);
});

test('eight first opens at one moment make one database', { timeout: 60_000 }, async () => {
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

test('a server and two commands write to one file, and nothing is lost', { timeout: 60_000 }, async () => {
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

test('a writer killed at any moment loses nothing it has acknowledged', { timeout: 60_000 }, async () => {
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
