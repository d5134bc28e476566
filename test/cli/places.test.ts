import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, nora, noraWith, records, run, session } from '../helpers.ts';

const filled = () => noraWith({}, {}, {});

const add = 'log add --name Cat-Cow --type stretch --before 5 --after 4 --effective'.split(' ');

describe('a database behind a symbolic link', () => {
  /** `link/x.db → real/a.db`. */
  function linked() {
    const folder = freshFolder();
    const [real, here] = [join(folder, 'real'), join(folder, 'here')];
    for (const path of [real, here]) mkdirSync(path);
    const [db, link] = [join(real, 'a.db'), join(here, 'link.db')];
    symlinkSync('../real/a.db', link);
    return { real, here, db, link };
  }

  test('is made where the link points', async () => {
    const { real, here, link, db } = linked();
    await run(['import', '-'], { db: link, stdin: JSON.stringify([{ ...nora, id: 1 }]) });
    expect([readdirSync(real), readdirSync(here)]).toEqual([['a.db'], ['link.db']]);
    expect(records(db).users).toHaveLength(1);
  });

  test.each(['the file', 'the folder'])(
    '%s being one, is restored as itself, and kept beside itself',
    async (what) => {
      const { real, here, link, db } = linked();
      let path = link;
      if (what === 'the folder') {
        symlinkSync(real, join(here, 'folder'));
        path = join(here, 'folder', 'a.db');
      }
      writeFileSync(db, readFileSync(filled()), { mode: 0o600 });
      const before = readdirSync(here);
      const backup = (await run(['backup'], { db: path })).stdout.trim();
      expect(backup.startsWith(join(real, 'backups'))).toBe(true);
      await run(['log', 'rm', '1', '--yes'], { db: path });
      const inode = statSync(db).ino;
      const { code, stderr } = await run(['restore', backup, '--yes'], { db: path });
      expect([code, stderr]).toEqual([0, expect.stringContaining(`kept: ${db}.replaced-`)]);
      expect([statSync(db).ino, readdirSync(here)]).toEqual([inode, before]);
      expect(records(db).logs).toHaveLength(3);
      const kept = readdirSync(real).find((name) => name.includes('replaced')) ?? '';
      expect(records(join(real, kept)).logs).toHaveLength(2);
      // The log that is written now is the same from both sides.
      await run(add, { db });
      expect((await run(['logs', '--json'], { db: path })).stdout).toContain('Cat-Cow');
    },
  );

  test('that is damaged, is replaced where it is', async () => {
    const { real, here, link, db } = linked();
    const backup = (await run(['backup', freshFolder()], { db: filled() })).stdout.trim();
    writeFileSync(db, 'no database');
    expect((await run(['restore', backup, '--yes'], { db: link })).code).toBe(0);
    expect(readdirSync(here)).toEqual(['link.db']);
    expect(statSync(link).ino).toBe(statSync(db).ino);
    expect(records(db).logs).toHaveLength(3);
    const kept = readdirSync(real).find((name) => name.includes('replaced')) ?? '';
    expect(readFileSync(join(real, kept), 'utf8')).toBe('no database');
  });

  test('that leads in a circle is said to', async () => {
    const loop = join(freshFolder(), 'loop.db');
    symlinkSync(loop, loop);
    const { code, stderr } = await run(['users'], { db: loop });
    expect([code, stderr]).toEqual([1, expect.stringContaining('not a usable path')]);
  });

  test('as a backup is read with the log that lies beside the real file', async () => {
    const { db, link } = linked();
    const store = openStore(db);
    try {
      store.users.create(nora);
      store.logs.create(session);
      const target = join(freshFolder(), 'new.db');
      expect((await run(['restore', link], { db: target })).stdout).toBe('Restored 1 user and 1 log.\n');
    } finally {
      store.close();
    }
  });
});

describe('a log without its database', () => {
  /** The log holds everything: nothing was moved into the file yet. */
  function orphan(): string {
    const path = join(freshFolder(), 'test.db');
    const store = openStore(path);
    store.users.create(nora);
    for (let i = 0; i < 3; i++) store.logs.create(session);
    const log = readFileSync(`${path}-wal`);
    store.close();
    writeFileSync(`${path}-wal`, log, { mode: 0o600 });
    return path;
  }

  test.each<[string, (path: string) => void]>([
    ['empty', (path) => writeFileSync(path, '')],
    ['gone', (path) => rmSync(path)],
  ])('which is %s: no command deletes it, and its records are saved', async (_, lose) => {
    const db = orphan();
    lose(db);
    const before = readFileSync(`${db}-wal`);
    const names = readdirSync(join(db, '..'));
    for (const args of [['users'], add, ['export'], ['doctor']]) {
      const { code, stdout, stderr } = await run(args, { db });
      expect({ args, code, text: stdout + stderr }).toEqual({
        args,
        code: 1,
        text: expect.stringContaining('doctor --rescue'),
      });
    }
    expect(readdirSync(join(db, '..'))).toEqual(names);
    expect(readFileSync(`${db}-wal`).equals(before)).toBe(true);
    const file = join(freshFolder(), 'r.ndjson');
    expect((await run(['doctor', '--rescue', file], { db })).stderr).toContain('Wrote 1 user and 3 logs');
    expect((await run(['import', file])).code).toBe(0);
    const backup = (await run(['backup', freshFolder()], { db: filled() })).stdout.trim();
    expect((await run(['restore', backup, '--yes'], { db })).code).toBe(0);
    expect(records(db).logs).toHaveLength(3);
    const kept = readdirSync(join(db, '..')).filter((name) => /replaced.*-wal$/.test(name));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(db, '..', kept[0] ?? '')).equals(before)).toBe(true);
  });
});

test.each(['r.ndjson', 'r.jsonl', 'r.json', 'r.txt'])(
  'what can be read is saved as the name %s says',
  async (name) => {
    const db = filled();
    writeFileSync(db, readFileSync(db).fill(0, 0, 4096));
    const file = join(freshFolder(), name);
    expect((await run(['doctor', '--rescue', file], { db })).code).toBe(0);
    const isLines = /l$|ndjson$/.test(name);
    expect(
      readFileSync(file, 'utf8')
        .split('\n')[0]
        ?.startsWith(isLines ? '{"id":1,' : '{"users":['),
    ).toBe(true);
    const fresh = join(freshFolder(), 'new.db');
    expect((await run(['import', file], { db: fresh })).code).toBe(0);
    expect(records(fresh).logs).toHaveLength(3);
  },
);

test('what can be read is not saved as CSV, which holds one kind of record', async () => {
  const { code, stderr } = await run(['doctor', '--rescue', join(freshFolder(), 'r.csv')], { db: filled() });
  expect([code, stderr]).toEqual([2, expect.stringContaining('.ndjson')]);
});

test.each([18, 19, 20, 21, 22, 23, 28, 47, 52, 56, 60, 63])(
  'whatever byte %i of the header is, all records are saved',
  async (at) => {
    for (const value of [0, 1, 9, 77, 255]) {
      const db = filled();
      const bytes = readFileSync(db);
      bytes[at] = value;
      writeFileSync(db, bytes);
      const file = join(freshFolder(), 'r.ndjson');
      expect((await run(['doctor', '--rescue', file], { db })).stderr).toContain('Wrote 1 user and 3 logs');
    }
  },
);

test.each([
  [16, 8],
  [16, 0],
  [17, 1],
  [16, 255],
])('a size of pages that is wrong (byte %i is %i): all records are saved', async (at, value) => {
  const db = filled();
  const bytes = readFileSync(db);
  bytes[at] = value;
  writeFileSync(db, bytes);
  const file = join(freshFolder(), 'r.ndjson');
  expect((await run(['doctor', '--rescue', file], { db })).stderr).toContain('Wrote 1 user and 3 logs');
});

const NOBODY = 65_534;
describe.skipIf(process.getuid?.() !== 0)(
  'a folder that others may write to, such as /tmp (needs root)',
  () => {
    function sticky(): string {
      const folder = freshFolder();
      chmodSync(folder, 0o1777);
      return join(folder, 'test.db');
    }

    test.each(['-wal', '-shm', '-journal'])("somebody else's %s is not opened", async (end) => {
      const db = sticky();
      writeFileSync(db + end, '', { mode: 0o666 });
      chownSync(db + end, NOBODY, NOBODY);
      for (const args of [['users'], ['doctor']]) {
        const { code, stdout, stderr } = await run(args, { db });
        expect([code, stdout + stderr]).toEqual([1, expect.stringContaining('belongs to another user')]);
      }
      expect(readdirSync(join(db, '..'))).toEqual([`test.db${end}`]);
    });

    test('is good for a database with files of its own', async () => {
      const db = sticky();
      const store = openStore(db);
      try {
        store.users.create(nora);
        expect((await run(['users'], { db })).code).toBe(0);
      } finally {
        store.close();
      }
    });

    test('doctor says so, and what to do', async () => {
      const db = sticky();
      openStore(db).close();
      const { stdout } = await run(['doctor'], { db });
      expect(stdout).toContain('others may put files beside it');
      const own = filled();
      chownSync(join(own, '..'), NOBODY, NOBODY);
      expect((await run(['doctor'], { db: own })).stdout).toContain('its folder belongs to another user');
    });
  },
);

test.runIf(process.platform === 'linux')(
  'where no folder can be made, a command says so and ends',
  async () => {
    const { code, stderr } = await run(add, { db: '/proc/none/deeper/x.db' });
    expect([code, stderr]).toEqual([1, expect.stringContaining('/proc/none')]);
  },
);
