import {
  chmodSync,
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { freshFolder, freshPath, nora, noraWith, prepared, records, run, session } from '../helpers.ts';
import { raw } from '../store/helpers.ts';

const filled = () => noraWith({}, {}, {});

describe('backup', () => {
  test('goes beside the database, named for the moment', async () => {
    const db = filled();
    const folder = join(dirname(db), 'backups');
    const first = await run(['backup'], { db });
    expect(first).toMatchObject({ code: 0, stdout: `${join(folder, 'sciatica-2026-03-02-120000.db')}\n` });
    expect(first.stderr).toMatch(/^Backed up 1 user and 3 logs \(\d+ KB\)\.\n$/);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const second = await run(['backup'], { db });
    expect(second.stdout).toBe(`${join(folder, 'sciatica-2026-03-02-120000-2.db')}\n`);
    expect(records(second.stdout.trim())).toEqual(records(db));
  });

  test('goes into a folder, or to a file that is not there yet', async () => {
    const db = filled();
    const folder = freshFolder();
    expect((await run(['backup', folder], { db })).stdout).toBe(`${folder}/sciatica-2026-03-02-120000.db\n`);
    const file = join(folder, 'mine.db');
    expect((await run(['backup', file], { db })).code).toBe(0);
    const again = await run(['backup', file], { db });
    expect(again).toMatchObject({ code: 4, stdout: '' });
    expect(again.stderr).toContain('add --force');
    expect((await run(['backup', file, '--force'], { db })).code).toBe(0);
  });

  test('of no database makes nothing', async () => {
    const db = freshPath();
    const { code, stderr } = await run(['backup'], { db });
    expect([code, stderr]).toEqual([1, expect.stringContaining('There is no database')]);
    expect(readdirSync(dirname(db))).toEqual([]);
  });
});

describe('restore', () => {
  const backedUp = async () => {
    const db = filled();
    const file = (await run(['backup', freshFolder()], { db })).stdout.trim();
    await run(['log', 'rm', '1', '--yes'], { db });
    return { db, file };
  };

  test('asks, showing what the backup and the database hold', async () => {
    const { db, file } = await backedUp();
    const no = await run(['restore', file], { db, answers: [['Replace the database', 'n\r']] });
    expect(no.code).toBe(1);
    expect(no.stderr).toContain('Backup:   1 user, 3 logs, until 2026-03-01');
    expect(no.stderr).toContain('Database: 1 user, 2 logs, until 2026-03-01');
    expect(no.stderr).toContain('Nothing was changed.');
    expect(records(db).logs).toHaveLength(2);
    const yes = await run(['restore', file], { db, answers: [['Replace the database', 'y\r']] });
    expect(yes).toMatchObject({ code: 0, stdout: 'Restored 1 user and 3 logs.\n' });
    expect(yes.stderr).toContain(`The replaced database is kept:\n${db}.replaced-2026-03-02-120000`);
    expect(records(db).logs).toHaveLength(3);
    expect(records(`${db}.replaced-2026-03-02-120000`).logs).toHaveLength(2);
  });

  test('in a script needs --yes, but for a new database', async () => {
    const { db, file } = await backedUp();
    expect(await run(['restore', file], { db })).toMatchObject({ code: 2, stdout: '' });
    expect(records(db).logs).toHaveLength(2);
    expect((await run(['restore', file, '--yes'], { db })).code).toBe(0);
    const fresh = freshPath();
    expect((await run(['restore', file], { db: fresh })).code).toBe(0);
    expect(records(fresh)).toEqual(records(db));
  });

  test('says who was erased since, and which tokens may work again', async () => {
    const { db, file } = await backedUp();
    await run(['user', 'erase', '1', '--yes'], { db });
    expect((await run(['restore', file, '--yes'], { db })).stderr).toContain(
      'It brings back user 1, who was erased since. To forget: sciatica user erase 1\n',
    );
    const phone = await run('token add phone --role patient --user 1'.split(' '), { db });
    const withToken = (await run(['backup', freshFolder()], { db })).stdout.trim();
    expect([phone.code, (await run(['restore', withToken, '--yes'], { db })).stderr]).toEqual([
      0,
      expect.not.stringContaining('token'),
    ]);
    const damaged = freshPath();
    writeFileSync(damaged, 'no database');
    expect((await run(['restore', file], { db: freshPath() })).stderr).not.toContain('token');
    for (const elsewhere of [freshPath(), damaged])
      expect((await run(['restore', withToken, '--yes'], { db: elsewhere })).stderr).toContain(
        'It holds 1 valid token. To see and take them back: sciatica token ls\n',
      );
  });

  test('refuses what is no backup', async () => {
    const { db, file } = await backedUp();
    writeFileSync(file, 'Dear diary');
    const { code, stderr } = await run(['restore', file, '--yes'], { db });
    expect([code, stderr]).toEqual([1, expect.stringContaining('is not a backup of sciatica')]);
    expect((await run(['restore', db, '--yes'], { db })).code).toBe(4);
    expect((await run(['restore', 'no.db', '--yes'], { db })).stderr).toContain('There is no file');
  });
});

describe('doctor', () => {
  test('finds a healthy database well, and leaves it as it is', async () => {
    const db = filled();
    const before = readFileSync(db);
    const { code, stdout, stderr } = await run(['doctor'], { db });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/1 user, 3 logs, \d+ KB, version \d+, wal journal/);
    expect(stdout).toMatch(
      /✓ Integrity: every page is sound\n✓ References: every record belongs to its user\n/,
    );
    expect(readFileSync(db).equals(before)).toBe(true);
    expect(readdirSync(dirname(db))).toEqual(['test.db']);
  });

  test('does not bring an old database up to date', async () => {
    const db = freshPath();
    copyFileSync(new URL('../fixtures/v1.db', import.meta.url), db);
    chmodSync(db, 0o600);
    const before = readFileSync(db);
    const { code, stdout } = await run(['doctor', '--json'], { db });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      path: db,
      exists: true,
      version: 1,
      users: 3,
      logs: 39,
    });
    expect(readFileSync(db).equals(before)).toBe(true);
    expect(readdirSync(dirname(db))).toEqual(['test.db']);
  });

  test('makes no database where there is none', async () => {
    const XDG_DATA_HOME = freshFolder();
    const { code, stdout } = await run(['doctor'], { env: { XDG_DATA_HOME } });
    expect([code, stdout]).toEqual([0, expect.stringContaining('there is none yet')]);
    expect(readdirSync(XDG_DATA_HOME)).toEqual([]);
  });

  test.skipIf(process.platform !== 'linux')('is not in a relative XDG_DATA_HOME', async () => {
    const HOME = freshFolder();
    const { stdout } = await run(['doctor'], { env: { HOME, XDG_DATA_HOME: 'data' } });
    expect(stdout).toContain(`${HOME}/.local/share/sciatica/sciatica.db`);
  });

  test('says what to do about what others may read, what is left over, and a copy without its database', async () => {
    const db = filled();
    chmodSync(db, 0o644);
    const left = join(dirname(db), '.sciatica-999999999-1-0.tmp');
    writeFileSync(left, '');
    const { code, stdout, stderr } = await run(['doctor'], { db });
    expect([code, stderr]).toEqual([1, 'sciatica: 2 things to look after, marked with ✗.\n']);
    expect(stdout).toContain(`    chmod 600 ${db}\n`);
    expect(stdout).toContain(`    rm -r ${left}\n`);
    const gone = `${freshPath()}`;
    copyFileSync(db, `${gone}.replaced-2026-03-02-120000`);
    expect((await run(['doctor'], { db: gone })).stdout).toMatch(/✗ Database: it is gone, but a copy/);
  });

  test.each<[string, (db: string) => string, number, string]>([
    ['read its shared memory', (db) => `${db}-shm`, 0o644, 'chmod 600'],
    ['replace it, being of its group', dirname, 0o770, 'chmod go-w'],
  ])('says what to do where others may %s', async (_, placeOf, mode, advice) => {
    const db = filled();
    const store = openStore(db);
    try {
      store.users.count();
      chmodSync(placeOf(db), mode);
      expect((await run(['doctor'], { db })).stdout).toContain(`    ${advice} ${placeOf(db)}\n`);
    } finally {
      store.close();
    }
  });

  test('fits a narrow terminal, but for paths', async () => {
    const db = filled();
    writeFileSync(db, readFileSync(db).fill(0, 0, 4096));
    const { code, stdout } = await run(['doctor'], { db, columns: 50 });
    expect(code).toBe(1);
    expect(stdout).toContain('✗');
    const long = stripVTControlCharacters(stdout)
      .split('\n')
      .filter((line) => line.length > 50 && !line.includes(db));
    expect(long).toEqual([]);
  });

  test('rescues what can be read, to be imported again', async () => {
    const db = filled();
    const whole = records(db);
    writeFileSync(db, readFileSync(db).fill(0, 0, 4096));
    const file = join(freshFolder(), 'rescued.json');
    const rescued = await run(['doctor', '--rescue', file], { db });
    expect(rescued).toMatchObject({ code: 0, stdout: '' });
    expect(rescued.stderr).toContain('Wrote 1 user and 3 logs to');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const fresh = freshPath();
    expect((await run(['import', file], { db: fresh })).code).toBe(0);
    expect(records(fresh)).toEqual(whole);
    expect((await run(['doctor', '--rescue', file], { db })).code).toBe(4);
  });

  test('says what could not be rescued, quietly too, and what to do then', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      for (let i = 0; i < 25; i++) store.logs.create(session);
      store.goals.create({ userId: 1, sessionsPerWeek: 4 });
      const exercises = [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }];
      for (const name of ['a', 'b']) store.routines.create({ userId: 1, name, exercises });
    });
    const pageOf = (table: string) => {
      const file = raw(db);
      const sql = 'SELECT rootpage FROM sqlite_schema WHERE name = ?';
      const page = file.prepare(sql).pluck().get(table) as number;
      file.close();
      return (page - 1) * 4096;
    };
    const [users, logs, routines] = [pageOf('users'), pageOf('logs'), pageOf('routines')];
    const bytes = readFileSync(db)
      .fill(0, users, users + 4096)
      .fill(0, logs, logs + 4096);
    // Where the second row begins.
    bytes.writeUInt16BE(0xffff, routines + 10);
    writeFileSync(db, bytes);
    const lost = [
      'Lost: 25 logs (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, and 5 more).',
      'Not whole, and left out: 1 row.',
      'Lost: 1 user (1), whose records are in the file.',
      'To import it, restore a backup that has them first, or add them to "users" in the file.',
    ];
    const file = join(freshFolder(), 'rescued.json');
    const told = await run(['doctor', '--rescue', file], { db });
    expect(told.code).toBe(0);
    expect(told.stderr.split('\n')).toEqual([
      `Wrote 0 users, 0 logs, 1 routine and 1 goal to ${file}.`,
      ...lost,
      `To go on with a new database: sciatica import ${file} --db NEW.db`,
      '',
    ]);
    const quiet = await run(['doctor', '--rescue', `${file}.json`, '--quiet', '--json'], { db });
    expect(quiet.stderr).toBe(`${lost.join('\n')}\n`);
    expect(JSON.parse(quiet.stdout)).toMatchObject({
      userExerciseLogs: 0,
      routines: 1,
      lostUsers: [1],
      lostLogs: Array.from({ length: 25 }, (_, i) => i + 1),
      brokenRows: 1,
    });
    const examined = await run(['doctor', '--json'], { db });
    expect([examined.code, JSON.parse(examined.stdout).ok]).toEqual([1, false]);
  });

  test('names twenty that are lost, and says no more of them', async () => {
    const db = noraWith(...Array.from({ length: 20 }, () => ({})));
    const file = raw(db);
    const page = file
      .prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'logs'")
      .pluck()
      .get() as number;
    file.close();
    writeFileSync(db, readFileSync(db).fill(0, (page - 1) * 4096, page * 4096));
    const { stderr } = await run(['doctor', '--rescue', join(freshFolder(), 'rescued.json')], { db });
    expect(stderr).toContain(
      'Lost: 20 logs (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20).',
    );
  });

  test('where there is no database by that name, says so as every command does', async () => {
    const db = freshPath();
    const { code, stderr } = await run(['doctor', '--rescue', `${db}.json`, '--db', db]);
    expect([code, stderr]).toEqual([1, expect.stringContaining((await run(['logs', '--db', db])).stderr)]);
    expect(existsSync(`${db}.json`)).toBe(false);
  });

  test('with nothing to rescue writes no file', async () => {
    const db = freshPath();
    writeFileSync(db, 'noise '.repeat(3_000));
    const file = join(freshFolder(), 'rescued.json');
    expect((await run(['doctor', '--rescue', file], { db })).code).toBe(1);
    expect(existsSync(file)).toBe(false);
  });
});

test.each([40, 50, 61, 62, 63, 80])('at %i columns, a number and its %% stay together', async (columns) => {
  const { stdout } = await run(['doctor'], { db: filled(), columns });
  expect(stdout).toContain(' %');
  expect(stdout).not.toMatch(/^ *%/m);
});

test('doctor, backup and restore count routines and goals too', async () => {
  const db = prepared((store) => {
    store.users.create(nora);
    store.logs.create(session);
    store.goals.create({ userId: 1, sessionsPerWeek: 4 });
    const exercises = [{ exerciseName: 'Bird Dog', exerciseType: 'strengthening' as const }];
    for (const name of ['a', 'b']) store.routines.create({ userId: 1, name, exercises });
  });
  expect((await run(['doctor'], { db })).stdout).toContain('1 user, 1 log, 2 routines, 1 goal, ');
  expect(JSON.parse((await run(['doctor', '--json'], { db })).stdout)).toMatchObject({
    routines: 2,
    goals: 1,
  });
  const made = await run(['backup'], { db });
  expect(made.stderr).toContain('Backed up 1 user, 1 log, 2 routines and 1 goal (');
  const restored = await run(['restore', made.stdout.trim(), '--yes'], { db });
  expect(restored.stdout).toBe('Restored 1 user, 1 log, 2 routines and 1 goal.\n');
  expect(restored.stderr).toContain('Backup:   1 user, 1 log, 2 routines, 1 goal, until 2026-03-01');
  const file = join(freshFolder(), 'rescued.json');
  expect((await run(['doctor', '--rescue', file], { db })).stderr).toContain(
    'Wrote 1 user, 1 log, 2 routines and 1 goal to',
  );
});
