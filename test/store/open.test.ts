import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type BetterSqlite from 'better-sqlite3';
import { beforeAll, describe, expect, test } from 'vitest';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import {
  bundle,
  contents,
  dbOf,
  ended,
  failure,
  freshFolder,
  freshPath,
  freshStore,
  openStore,
  raw,
  start,
  user,
} from './helpers.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);

describe('a new database', () => {
  test('is made with its folders', () => {
    const folder = freshFolder();
    freshStore(join(folder, 'a', 'b', 'c.db')).users.create(user());
    expect(['a', 'a/b'].map((name) => mode(join(folder, name)))).toEqual(['700', '700']);
  });

  test('is made of an empty file, which keeps its permissions', () => {
    const path = freshPath();
    writeFileSync(path, '');
    chmodSync(path, 0o640);
    expect(freshStore(path).users.create(user()).id).toBe(1);
    expect(['', '-wal', '-shm'].map((end) => mode(path + end))).toEqual(['640', '640', '640']);
  });

  test('leaves a folder that exists as it is', () => {
    const folder = freshFolder();
    chmodSync(folder, 0o755);
    freshStore(join(folder, 'a.db'));
    expect(mode(folder)).toBe('755');
  });

  test('removes the folders for sorting of processes that were killed, and no others beside it', () => {
    const folder = freshFolder();
    const { pid: gone } = spawnSync(process.execPath, ['-e', '']);
    const names = [gone, process.pid].map((pid) => `.sciatica-${pid}-1772452800000-0-0.tmp`);
    for (const name of names) mkdirSync(join(folder, name, 'sorting'), { recursive: true });
    freshStore(join(folder, 'a.db'));
    expect(readdirSync(folder).filter((name) => name.startsWith('.sciatica'))).toEqual([names[1]]);
  });

  test('may have any name that the file system takes', () => {
    const folder = freshFolder();
    for (const name of [
      'a b.db',
      'ü?#%41.db',
      "'; DROP TABLE users; --",
      'file:x.db',
      ':memory:',
      'no-extension',
    ]) {
      freshStore(join(folder, name)).users.create(user());
      expect(mode(join(folder, name))).toBe('600');
    }
  });

  test('leaves one file when it is closed', () => {
    const folder = freshFolder();
    const store = openStore(join(folder, 'a.db'));
    store.users.create(user());
    store.close();
    expect(Object.keys(contents(folder))).toEqual(['a.db']);
  });
});

describe('whatever the umask, nobody else may read', () => {
  let script = '';
  beforeAll(async () => {
    script = await bundle(`
      import { openStore } from './src/store/store.ts';
      import { statSync } from 'node:fs';
      import { dirname } from 'node:path';
      const [path, umask] = process.argv.slice(2);
      process.umask(Number.parseInt(umask, 8));
      const store = openStore(path);
      store.settings.set('user', '1');
      const files = [dirname(dirname(path)), dirname(path), path, path + '-wal', path + '-shm'];
      console.log(files.map((file) => (statSync(file).mode & 0o777).toString(8)).join(' '));
      if (process.umask() !== Number.parseInt(umask, 8)) console.log('the umask was changed');
      // Held until here: its connection would be closed with it, and the log removed.
      store.close();
    `);
  });

  for (const umask of ['000', '022', '077', '277', '777'])
    for (const uid of isRoot ? [undefined, NOBODY] : [undefined])
      test(`umask ${umask}${uid === undefined ? '' : ', not as root'}`, async () => {
        const folder = freshFolder();
        if (uid !== undefined) chownSync(folder, uid, uid);
        const { stdout, stderr } = await ended(start(script, [join(folder, 'a', 'b', 'c.db'), umask], uid));
        expect(stderr).toBe('');
        expect(stdout).toBe('700 700 600 600 600\n');
      });

  test.runIf(isRoot).each<[string, (folder: string) => void]>([
    [
      'temporary files that somebody else has left',
      (folder) => {
        const left = join(folder, '.sciatica-5000000-1-0-0.tmp');
        mkdirSync(left, 0o700);
        writeFileSync(join(left, 'copy.db'), '');
      },
    ],
    ['a folder that cannot be listed', (folder) => chmodSync(folder, 0o300)],
  ])('%s', async (_, spoil) => {
    const folder = freshFolder();
    chownSync(folder, NOBODY, NOBODY);
    spoil(folder);
    const { stdout, stderr } = await ended(start(script, [join(folder, 'c.db'), '022'], NOBODY));
    expect(stderr).toBe('');
    expect(stdout).toMatch(/ 600 600 600\n$/);
  });
});

/** Each makes a file at the path that is not ours, and may leave it open. */
const foreign: Record<string, (path: string) => void> = {
  'a text file': (path) => writeFileSync(path, 'Dear diary, today it hurts less.\n'.repeat(10)),
  'one byte': (path) => writeFileSync(path, 'x'),
  'a blank page': (path) => writeFileSync(path, Buffer.alloc(4096)),
  'random bytes': (path) =>
    writeFileSync(path, Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * 7919) % 251))),
  'a text file with something named like a WAL beside it': (path) => {
    writeFileSync(path, 'text');
    writeFileSync(`${path}-wal`, 'more text');
  },
  'a text file with something named like a journal beside it': (path) => {
    writeFileSync(path, 'text');
    writeFileSync(`${path}-journal`, 'more text');
  },
  "another program's database": (path) => another(path, 'DELETE').close(),
  "another program's database with an application_id": (path) => {
    const db = another(path, 'DELETE');
    db.pragma('application_id = 1196444487');
    db.close();
  },
  "another program's database without a table": (path) => {
    const db = another(path, 'DELETE');
    db.exec('DROP TABLE t');
    db.close();
  },
  "another program's database in WAL mode": (path) => another(path, 'WAL').close(),
  "another program's database in WAL mode after a crash": (path) => {
    const db = another(`${path}-alive`, 'WAL');
    for (const end of ['', '-wal']) writeFileSync(path + end, readFileSync(`${path}-alive${end}`));
    db.close();
  },
  "another program's database in the middle of a transaction after a crash": (path) => {
    const db = another(`${path}-alive`, 'DELETE');
    db.pragma('cache_size = 1');
    db.exec(
      'BEGIN; INSERT INTO t SELECT randomblob(1000) FROM sqlite_schema, json_each(json_array(1,2,3,4,5,6,7,8,9))',
    );
    for (const end of ['', '-journal']) writeFileSync(path + end, readFileSync(`${path}-alive${end}`));
    db.close();
  },
  'one of a newer version': (path) => {
    openStore(path).close();
    const db = openSqlite(path);
    db.pragma(`user_version = ${migrations.length + 1}`);
    db.pragma('wal_checkpoint(TRUNCATE)');
    db.close();
  },
  'a folder': (path) => mkdirSync(path),
};

function another(path: string, journal: string): BetterSqlite.Database {
  const db = openSqlite(path);
  db.pragma(`journal_mode = ${journal}`);
  db.exec('CREATE TABLE t (x); INSERT INTO t VALUES (1)');
  return db;
}

test.each(Object.entries(foreign))('%s is refused and left as it is', (_, make) => {
  const path = freshPath();
  make(path);
  const folder = join(path, '..');
  const before = contents(folder);
  const error = failure(() => openStore(path));
  expect(error.code).toBe('unusable');
  expect(error.message).toContain(path);
  expect(contents(folder)).toEqual(before);
});

test("another program's open database is refused, and it writes on", () => {
  const path = freshPath();
  const db = another(path, 'WAL');
  expect(failure(() => openStore(path)).code).toBe('unusable');
  db.exec('INSERT INTO t VALUES (2)');
  db.close();
  expect(raw(path).prepare('SELECT count(*) FROM t').pluck().get()).toBe(2);
});

test.each([
  ['below a file', (folder: string) => join(folder, 'file', 'x.db')],
  ['with a NUL in it', (folder: string) => join(folder, 'a\0b.db')],
  ['with a name too long', (folder: string) => join(folder, 'x'.repeat(300))],
  ['with a space at the end', (folder: string) => join(folder, 'x.db ')],
  ['behind a link to itself', (folder: string) => join(folder, 'loop')],
  ['behind a link to nothing', (folder: string) => join(folder, 'dangling')],
])('a path %s is refused', (_, path) => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'file'), 'text');
  symlinkSync(join(folder, 'loop'), join(folder, 'loop'));
  symlinkSync(join(folder, 'nothing'), join(folder, 'dangling'));
  const before = readdirSync(folder);
  expect(failure(() => openStore(path(folder))).code).toBe('unusable');
  expect(readdirSync(folder)).toEqual(before);
});

test.skipIf(!isRoot)(
  'what may not be read is refused, what may not be written is read (skipped unless root can become nobody)',
  async () => {
    const script = await bundle(`
    import { openStore } from './src/store/store.ts';
    for (const path of process.argv.slice(2))
      try { openStore(path).users.count(); console.log('opened'); }
      catch (error) { console.log(error.code, /SQLITE|EACCES/.test(error.message)); }
  `);
    const folder = freshFolder();
    const secret = join(folder, 'secret.db');
    const readable = join(folder, 'readable.db');
    const empty = join(folder, 'empty.db');
    for (const path of [secret, readable]) openStore(path).close();
    writeFileSync(empty, '');
    for (const path of [readable, empty]) chmodSync(path, 0o644);
    chmodSync(folder, 0o755);
    const before = contents(folder);
    const { stdout } = await ended(
      start(script, [secret, readable, empty, join(folder, 'new.db'), join(folder, 'a', 'new.db')], NOBODY),
    );
    expect(stdout).toBe(`unusable false\nopened\n${'unusable false\n'.repeat(3)}`);
    expect(contents(folder)).toEqual(before);
  },
);

describe('damage is told without a stack of SQLite words', () => {
  test.each([
    ['cut within a page', (path: string) => truncateSync(path, 5000)],
    ['cut after the first page', (path: string) => truncateSync(path, 4096)],
    ['cut within the header', (path: string) => truncateSync(path, 60)],
    ['with garbage for a schema', (path: string) => overwrite(path, 100)],
    ['with garbage for the other pages', (path: string) => overwrite(path, 4096)],
  ])('a file %s', (_, damage) => {
    const path = freshPath();
    const store = openStore(path);
    store.users.create(user());
    store.close();
    damage(path);
    const error = failure(() => {
      const damaged = openStore(path);
      try {
        damaged.users.list();
        damaged.users.create(user());
        throw new Error('used a damaged file');
      } finally {
        damaged.close();
      }
    });
    expect(error.code).toBe('damaged');
    expect(error.message).toContain('sciatica doctor --rescue FILE');
    expect(error.message).not.toMatch(/SQLITE|malformed/);
  });
});

/** States that a crash can leave while a database is being made. */
describe('a database that was being made when the power went', () => {
  const states: Record<string, (path: string) => void> = {
    'is an empty file': (path) => closeSync(openSync(path, 'w')),
    'is a blank page with its journal': (path) => {
      halfClaimed(path, 1);
      writeFileSync(path, Buffer.alloc(4096));
    },
    'has its mark and still the journal': (path) => halfClaimed(path, 0x53636961),
    'has its mark, and no WAL yet': (path) => {
      const db = openSqlite(path);
      db.pragma('application_id = 0x53636961');
      db.close();
    },
    'has its mark and an empty WAL': (path) => {
      const db = openSqlite(path);
      db.pragma('application_id = 0x53636961');
      db.pragma('journal_mode = WAL');
      db.close();
      writeFileSync(`${path}-wal`, '');
    },
    'has a WAL without a commit': (path) => {
      openStore(path).close();
      const db = openSqlite(`${path}-alive`);
      db.pragma('application_id = 0x53636961');
      db.pragma('journal_mode = WAL');
      db.exec(migrations[0] ?? '');
      writeFileSync(path, readFileSync(`${path}-alive`));
      writeFileSync(`${path}-wal`, readFileSync(`${path}-alive-wal`).subarray(0, 5000));
      db.close();
    },
  };

  test.each(Object.entries(states))('%s', (_, make) => {
    const path = freshPath();
    make(path);
    const store = freshStore(path);
    expect(store.users.create(user()).id).toBe(1);
    expect(dbOf(store).pragma('user_version')).toBe(migrations.length);
    expect(dbOf(store).pragma('journal_mode')).toBe('wal');
  });
});

/** A first page written, and the journal that says the file was empty before. */
function halfClaimed(path: string, applicationId: number): void {
  const db = openSqlite(path);
  db.pragma('journal_mode = PERSIST');
  db.pragma(`application_id = ${applicationId}`);
  db.close();
  const journal = readFileSync(`${path}-journal`);
  // The commit zeroed the header of the journal: put it back (https://sqlite.org/fileformat2.html#the_rollback_journal).
  Buffer.from('d9d505f920a163d7', 'hex').copy(journal);
  for (const [offset, value] of [
    [8, 0],
    [16, 0],
    [20, 512],
    [24, 4096],
  ] as const)
    journal.writeUInt32BE(value, offset);
  writeFileSync(`${path}-journal`, journal);
}

function overwrite(path: string, from: number): void {
  const bytes = readFileSync(path);
  writeFileSync(path, bytes.fill('garbage ', from));
}
