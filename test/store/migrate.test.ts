import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { rescue } from '../../src/store/maintenance/rescue/rescue.ts';
import { openSqlite } from '../../src/store/sqlite/driver.ts';
import { migrations } from '../../src/store/sqlite/migrations/index.ts';
import { openStore } from '../../src/store/store.ts';
import {
  bundle,
  dbOf,
  ended,
  failure,
  freshFolder,
  freshPath,
  freshStore,
  killedAtMoments,
  log,
  start,
  user,
} from './helpers.ts';

const fixtures = new URL('../fixtures/', import.meta.url);
const old = readdirSync(fixtures).filter((name) => /^v\d+\.db$/.test(name));

/** A copy of a database of an older version. */
function copyOf(fixture: string, path = freshPath()): string {
  copyFileSync(new URL(fixture, fixtures), path);
  return path;
}

const kept = (path: string) => readdirSync(join(path, '..')).filter((name) => /\.db\.v\d+-/.test(name));
const others = (path: string) =>
  readdirSync(join(path, '..')).filter((name) => name !== 'test.db' && !kept(path).includes(name));

/** The version of a file, which must be whole; read without any of our own code. */
function versionOf(path: string): number {
  const db = openSqlite(path);
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return db.pragma('user_version', { simple: true }) as number;
  } finally {
    db.close();
  }
}

test('there is a fixture of every version but the last', () => {
  for (let version = 1; version < migrations.length; version++)
    expect(
      old,
      `copy v${version - 1}.db to it and open that with the program of version ${version}`,
    ).toContain(`v${version}.db`);
});

test.each(old)('%s opens, keeps every record, and can be written to', (fixture) => {
  const path = copyOf(fixture);
  const before = rescue(path);
  expect(before.records.user).toHaveLength(3);
  expect(before.records.log).toHaveLength(39);
  const store = freshStore(path);
  expect(dbOf(store).pragma('user_version')).toBe(migrations.length);
  expect(store.users.list().map((record) => JSON.stringify(record))).toEqual(before.records.user);
  expect(store.logs.list().map((record) => JSON.stringify(record))).toEqual(before.records.log);
  expect(store.users.get(3)).toMatchObject({ firstName: '由美', lastName: '🧘‍♀️' });
  expect(store.settings.get('user')).toBe('2');
  // Ids of what was deleted are not given again.
  expect(store.users.create(user()).id).toBe(5);
  expect(store.logs.create(log()).id).toBe(41);
  expect(dbOf(store).pragma('integrity_check')).toBe('ok');
  store.close();
});

test('who had marks of a version before is noted once, for the summary to say why they are gone', () => {
  const path = copyOf('v10.db');
  const waiting = freshStore(path).settings.texts('formerMarks');
  expect(waiting.length).toBeGreaterThan(0);
  expect(freshStore(path).settings.texts('formerMarks')).toEqual(waiting);
  expect(freshStore().settings.get('formerMarks')).toBeUndefined();
  expect(freshStore(copyOf('v11.db')).settings.get('formerMarks')).toBeUndefined();
});

/** What v10.db answered before there were clocks: `v10.json`, written by the version before. */
test('the history of a version that had a table of changes answers as before', () => {
  const store = freshStore(copyOf('v10.db'));
  const request = (n: number) => store.requests.find(Buffer.alloc(32, n));
  const now = {
    history: store.history.list(),
    changes: store.changesAfter(0, 1000),
    user2: store.as({ users: [2] }).changesAfter(0, 1000),
    request: request(1),
    empty: request(3),
    shared: request(5),
    next: [store.history.nextUndo(), store.history.nextRedo()],
  };
  const { lastChanges: _, ...before } = JSON.parse(readFileSync(new URL('v10.json', fixtures), 'utf8'));
  expect(JSON.parse(JSON.stringify(now))).toEqual(before);
});

test.each(['v10.db', 'v6.db'])(
  '%s: changes from before get clocks that grow, and the same ids in each copy',
  (fixture) => {
    const heads = () =>
      dbOf(freshStore(copyOf(fixture))).all<{ clock: number; uid: number }>(
        'SELECT change, clock, uid FROM history WHERE seq = head ORDER BY seq',
      );
    const [one, other] = [heads(), heads()];
    expect(one).toEqual(other);
    expect(one.length).toBeGreaterThan(1);
    for (const [i, { clock }] of one.entries()) expect(clock).toBeGreaterThan(one[i - 1]?.clock ?? 0);
    expect(new Set(one.map(({ uid }) => uid)).size).toBe(one.length);
    expect(Math.min(...one.map(({ uid }) => uid))).toBeGreaterThan(2 ** 30);
    expect(Math.max(...one.map(({ uid }) => uid))).toBeLessThan(2 ** 48);
  },
);

test('the audit of a version that had a row for each entry is kept', () => {
  const path = copyOf('v3.db');
  const db = openSqlite(path);
  const insert = db.prepare(
    `INSERT INTO audit (at, token, method, route, record, userId, first, last, count, status, address)
     VALUES (?, NULL, 'GET', '/users/{id}', 'user', ?, ?, ?, 1, 200, '::1')`,
  );
  for (let id = 1; id <= 2500; id++) insert.run(id * 1000, id, id, id);
  db.close();
  const { audit } = openStore(path);
  const entries = audit.list({ limit: 9999 });
  expect(entries.map(({ userId }) => userId)).toEqual(Array.from({ length: 2500 }, (_, i) => 2500 - i));
  expect(audit.list({ user: 7, limit: 9 })).toEqual([
    {
      at: '1970-01-01T00:00:07.000Z',
      who: null,
      token: null,
      method: 'GET',
      route: '/users/{id}',
      record: 'user',
      userId: 7,
      first: 7,
      last: 7,
      count: 1,
      status: 200,
      address: '::1',
    },
  ]);
});

/** Two versions more than there are, the second of them slow enough to be met in the middle. */
const NEXT = `
  CREATE TABLE later (id INTEGER PRIMARY KEY, x TEXT) STRICT;
  INSERT INTO later (x) SELECT printf('%0500d', value) FROM generate_series;
`.replace(
  'generate_series',
  '(WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 8000) SELECT value FROM n)',
);

let script = '';
beforeAll(async () => {
  script = await bundle(`
    import { openStore } from './src/store/store.ts';
    import { migrations } from './src/store/sqlite/migrations/index.ts';
    import { writeSync } from 'node:fs';
    const [path, when] = process.argv.slice(2);
    migrations.push(${JSON.stringify(NEXT)}, 'CREATE TABLE last (x TEXT) STRICT');
    const say = (line) => writeSync(1, line + '\\n');
    const open = () => { try { const store = openStore(path); say('opened ' + store.logs.count()); store.close(); } catch (error) { say(error.code + ' ' + error.message); } };
    say('ready');
    if (when === 'told') process.stdin.once('data', () => { open(); process.exit(); }); else open();
  `);
});

const heard = (child: ReturnType<typeof start>) =>
  new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));

/** A database of the present version, as a newer program will find it. */
function present(path = freshPath()): string {
  openStore(copyOf('v1.db', path)).close();
  for (const name of kept(path)) execFileSync('rm', [join(path, '..', name)]);
  return path;
}

const FILLER = 64 * 1024;

describe('before a migration', () => {
  test('the database is kept beside itself, whole and private', async () => {
    const path = present();
    const umask = process.umask(0);
    const { stdout } = await ended(start(script, [path]));
    process.umask(umask);
    expect(stdout).toBe('ready\nopened 39\n');
    const [name = '', ...more] = kept(path);
    expect(name).toMatch(new RegExp(`^test\\.db\\.v${migrations.length}-\\d{4}-\\d\\d-\\d\\d-\\d{6}$`));
    expect([more, others(path)]).toEqual([[], []]);
    const copy = join(path, '..', name);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(versionOf(copy)).toBe(migrations.length);
    expect(versionOf(path)).toBe(migrations.length + 2);
    expect(rescue(copy).records.log).toHaveLength(39);
  });

  test('no copy is made of a database that is new, or up to date', async () => {
    for (const path of [freshPath(), present()]) {
      if (path !== '') openStore(path).close();
      expect(kept(path)).toEqual([]);
    }
    const path = freshPath();
    await ended(start(script, [path]));
    expect([kept(path), others(path)]).toEqual([[], []]);
  });

  test('six at one moment migrate once, and keep one copy', async () => {
    for (let round = 0; round < 2; round++) {
      const path = present();
      const children = Array.from({ length: 6 }, () => start(script, [path, 'told']));
      const ends = children.map(ended);
      await Promise.all(children.map(heard));
      for (const child of children) child.stdin.write('go\n');
      for (const { stdout } of await Promise.all(ends)) expect(stdout).toBe('ready\nopened 39\n');
      // Of several that close at once none may be the last, which removes the log: this one is.
      expect(versionOf(path)).toBe(migrations.length + 2);
      const [name = '', ...more] = kept(path);
      expect([more, others(path)]).toEqual([[], []]);
      expect(versionOf(join(path, '..', name))).toBe(migrations.length);
    }
  });

  test('a damaged database is not migrated', async () => {
    const path = present();
    const bytes = readFileSync(path);
    writeFileSync(path, bytes.fill(0xff, bytes.length - 16_384));
    const { stdout } = await ended(start(script, [path]));
    expect(stdout).toMatch(/^ready\ndamaged .*sciatica doctor/);
    expect(kept(path)).toEqual([]);
    expect(readFileSync(path).equals(bytes)).toBe(true);
  });

  test('one of which a record belongs to no user is not migrated', () => {
    const path = copyOf('v10.db');
    const db = openSqlite(path);
    db.pragma('foreign_keys = OFF');
    db.exec('DELETE FROM users WHERE id = 1');
    db.close();
    expect(failure(() => openStore(path)).code).toBe('damaged');
    expect(versionOf(path)).toBe(10);
  });

  test('without room for the copy, nothing is migrated (needs mount)', async ({ skip }) => {
    const folder = join(freshFolder(), 'disk');
    mkdirSync(folder);
    const old = present();
    // Room for the database, the shared memory of its log (-shm), half a copy, and what is removed afterwards.
    const size = 1.5 * statSync(old).size + 44 * 1024 + FILLER;
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      skip('no file system may be mounted here');
    }
    onTestFinished(() => void execFileSync('umount', ['-l', folder]));
    const path = join(folder, 'test.db');
    copyFileSync(old, path);
    writeFileSync(join(folder, 'filler'), Buffer.alloc(FILLER));
    const { stdout } = await ended(start(script, [path]));
    expect(stdout).toMatch(/^ready\nfull .*no room for a copy of the old ones.*Make room/);
    expect(versionOf(path)).toBe(migrations.length);
    expect(kept(path)).toEqual([]);
    execFileSync('rm', [join(folder, 'filler')]);
    execFileSync('mount', ['-o', 'remount,size=40m', folder]);
    expect((await ended(start(script, [path]))).stdout).toBe('ready\nopened 39\n');
    expect(kept(path)).toHaveLength(1);
  });
});

test('SIGKILL at any moment of a migration: one version or another, and every record', async () => {
  const found = new Set<number>();
  let path = '';
  const prepare = () => {
    path = present();
    return [path, 'told'];
  };
  await killedAtMoments(script, 14, prepare, async () => {
    const version = versionOf(path);
    found.add(version);
    expect(version).toBeGreaterThanOrEqual(migrations.length);
    if (version > migrations.length) expect(kept(path)).toHaveLength(1);
    for (const name of kept(path)) expect(versionOf(join(path, '..', name))).toBe(migrations.length);
    expect((await ended(start(script, [path]))).stdout).toBe('ready\nopened 39\n');
    expect(versionOf(path)).toBe(migrations.length + 2);
  });
  expect(found.size).toBeGreaterThan(1);
});

test('a newer version is refused, and not kept', () => {
  const path = present();
  const db = openSqlite(path);
  db.pragma(`user_version = ${migrations.length + 1}`);
  db.close();
  expect(failure(() => openStore(path)).message).toMatch(/newer sciatica/);
  expect(kept(path)).toEqual([]);
});
