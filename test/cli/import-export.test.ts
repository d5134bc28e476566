import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import practice from '../../src/cli/practice.json';
import { freshFolder, freshPath, nora, noraWith, prepared, records, run, session } from '../helpers.ts';

const PRACTICE = 'src/cli/practice.json';

/** A file of a new folder. */
function file(name: string, content: string | object): string {
  const path = join(freshFolder(), name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** The path of a database with the practice records. */
async function filled(): Promise<string> {
  const db = freshPath();
  expect((await run(['import', PRACTICE], { db })).code).toBe(0);
  return db;
}

const empty = { users: [], logs: [] };
const noraAt = (id: number) => ({ id, ...nora });

describe('import', () => {
  it('takes what the mock server kept, and says what it did', async () => {
    const db = freshPath();
    const first = await run(['import', PRACTICE], { db, now: new Date(2027, 0, 1) });
    expect(first).toEqual({
      code: 0,
      stdout: '',
      stderr:
        "6 users: 6 new\n400 logs: 400 new\nNew: Ömer 佐藤 (user 1), Siobhán García (user 2), Nora Patel (user 3), Anna-Lena O'Neill (user 4), Ravi Kowalska (user 5), Siobhán O'Neill (user 6)\n",
    });
    expect(records(db)).toEqual({ users: practice.users, logs: practice.userExerciseLogs });
    const again = await run(['import', PRACTICE], { db });
    expect(again.stderr).toBe('6 users: 6 already there\n400 logs: 400 already there\n');
    expect(records(db).logs).toHaveLength(400);
  });

  it('says which new records are the same as some that were here before, and how to take them back', async () => {
    const db = noraWith({});
    const rows = ['2026-01-05,6,4,true,', '2026-01-06,6,4,true,stiff'];
    const csv = (...more: string[]) =>
      file(
        'diary.csv',
        ['userId,exerciseType,exerciseName,date,painBefore,painAfter,effective,notes', ...rows, ...more].join(
          '\n1,stretch,Plank,',
        ),
      );
    expect((await run(['import', csv()], { db })).stderr).not.toContain('Note');
    const note = 'Note: here before, with the same values: 2 logs.\n';
    const leaveOut = 'To leave those out: --on-conflict ours\n';
    const dry = await run(['import', csv('2026-01-06,6,4,true,'), '--dry-run'], { db });
    expect(dry.stderr).toBe(
      `0 users\n3 logs: 3 new\nFor: Nora Lind (user 1)\n${note}${leaveOut}This was a dry run: nothing was written.\n`,
    );
    const again = await run(['import', csv('2026-01-06,6,4,true,'), '--json'], { db });
    expect(again.stderr).toContain(`${note}If the file was imported before: sciatica undo 4\n${leaveOut}`);
    expect(JSON.parse(again.stdout).alike).toEqual([{ record: 'log', count: 2 }]);
    expect(records(db).logs).toHaveLength(6);
  });

  it('points out days that have not come', async () => {
    const db = noraWith();
    const row = (day: string) => `1,stretch,Plank,${day},6,4,true,`;
    const header = 'userId,exerciseType,exerciseName,date,painBefore,painAfter,effective,notes';
    const stdin = [header, row('2026-01-07'), row('2027-01-07'), row('1926-01-07')].join('\n');
    const { code, stderr } = await run(['import', '-'], { db, stdin });
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        'Note: records after today, or before the birth that the age implies, count in no figure: 2 of user 1.\n',
      ),
    ]);
    const sound = await run(['import', '-'], { db: noraWith(), stdin: `${header}\n${row('2026-01-07')}` });
    expect(sound.stderr).not.toContain('Note');
  });

  it.each(['ours', 'theirs', 'renumber'])(
    'CSV without ids, longer than last time: with %s what was there before is left out, as often as it was',
    async (how) => {
      const db = noraWith();
      const csv = (...days: number[]) =>
        file(
          'diary.csv',
          ['userId,exerciseType,exerciseName,date,painBefore,painAfter,effective,notes']
            .concat(days.map((day) => `1,stretch,Plank,2026-01-0${day},6,4,true,`))
            .join('\n'),
        );
      await run(['import', csv(1, 2)], { db });
      const { stderr } = await run(['import', csv(1, 2, 2, 3), '--on-conflict', how], { db });
      expect(stderr).toContain('4 logs: 2 new, 2 already there\n');
      expect(stderr).not.toContain('here before');
      expect(
        records(db)
          .logs.map(({ date }) => date.slice(-1))
          .sort(),
      ).toEqual(['1', '2', '2', '3']);
    },
  );

  it('--as says whose CSV without a userId is', async () => {
    const db = noraWith();
    const path = file(
      'diary.csv',
      'date;exerciseName;exerciseType;painBefore;painAfter;effective;notes\n5.1.2026;Plank;strengthening;6;4;wahr;\n',
    );
    const refused = await run(['import', path], { db });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('under a user here: --as ID\n'),
    ]);
    const other = await run(['import', file('other.csv', 'date,exercise,notes\n')], { db });
    expect(other.stderr).toContain('exercise is not a field of a log (did you mean exerciseName?)');
    expect(other.stderr).toContain('under a user here: --as ID\n');
    expect((await run(['import', path, '--as', '1'], { db })).code).toBe(0);
    expect(records(db).logs).toMatchObject([{ userId: 1, exerciseName: 'Plank', date: '2026-01-05' }]);
  });

  it('reads stdin', async () => {
    const db = freshPath();
    const { code } = await run(['import', '-'], { db, stdin: JSON.stringify(noraAt(4)) });
    expect([code, records(db).users]).toEqual([0, [noraAt(4)]]);
  });

  it('names every fault, and writes nothing', async () => {
    const db = freshPath();
    const path = file('db.json', {
      users: [noraAt(1), { ...nora, id: 2, painLevel: 99 }],
      userExerciseLogs: [
        { ...session, id: 1, userId: 9 },
        { ...session, id: 2, notes: undefined },
      ],
    });
    const { code, stdout, stderr } = await run(['import', path], { db });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      'users[1]: painLevel must be a whole number from 1 to 10',
      'userExerciseLogs[1]: notes is missing: it must be text of 0 to 10,000 characters',
      'userExerciseLogs[0]: userId must be the id of a user in the file or the database, and is 9',
      `sciatica: ${path} has 3 faults: nothing was imported.`,
      '',
    ]);
    expect(records(db)).toEqual(empty);
  });

  it('shows a terminal twenty faults, and how many more there are', async () => {
    const path = file('logs.ndjson', `${JSON.stringify({ ...nora, age: 200 })}\n`.repeat(500));
    const { code, stderr } = await run(['import', path], { columns: 80 });
    expect(code).toBe(2);
    expect(stderr.match(/^line \d+: age/gm)).toHaveLength(20);
    expect(stderr).toContain('and 480 more\n');
    expect(stderr).toMatch(/has 500 faults: nothing\s+was\s+imported\./);
  });

  it('names a kind of record as people do', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      store.of('painEntry').create({ userId: 1, date: '2026-01-01', pain: 4 });
    });
    const path = file('pains.json', [{ id: 1, userId: 1, date: '2026-01-01', pain: 5 }]);
    expect((await run(['import', path], { db })).stderr).toContain('is taken by a different pain entry\n');
  });

  it('refuses ids taken by different records, unless told what to do', async () => {
    const db = prepared((store) => store.users.create(nora));
    const path = file('users.json', [{ ...noraAt(1), age: 45 }]);
    const refused = await run(['import', path, '--json'], { db });
    expect(refused.code).toBe(4);
    expect(refused.stderr).toContain('[0]: id is taken by a different user\n');
    expect(refused.stderr).toContain('--on-conflict skip, overwrite');
    expect(JSON.parse(refused.stdout).users.conflicting).toBe(1);
    expect(records(db).users).toEqual([noraAt(1)]);
    const overwritten = await run(['import', path, '--on-conflict', 'overwrite'], { db });
    expect([overwritten.code, records(db).users]).toEqual([0, [{ ...noraAt(1), age: 45 }]]);
  });

  it('--dry-run counts and checks, and writes nothing', async () => {
    const XDG_DATA_HOME = freshFolder();
    const argv = ['import', PRACTICE, '--dry-run', '--json'];
    const { code, stdout, stderr } = await run(argv, { env: { XDG_DATA_HOME } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      users: { new: 6 },
      userExerciseLogs: { new: 400 },
      dryRun: true,
    });
    expect(stderr).toContain('nothing was written');
    expect(readdirSync(XDG_DATA_HOME)).toEqual([]);
  });

  it.each([
    ['a missing file', 'none.json', 1, 'There is no file'],
    ['a folder', '.', 1, 'is a folder'],
    ['an empty file', 'empty.json', 2, 'It is empty.'],
    ['no JSON', 'bad.json', 2, 'expected a key in double quotes or } at line 1, column 2.'],
    [
      'an unknown column',
      'bad.csv',
      2,
      'header: pain_level is not a field of a user (did you mean painLevel?)',
    ],
  ])('says what is wrong with %s', async (_, name, code, message) => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'empty.json'), '');
    writeFileSync(join(folder, 'bad.json'), '{users:[]}');
    writeFileSync(
      join(folder, 'bad.csv'),
      'firstName,lastName,email,age,painLocation,painLevel,diagnosisDate,pain_level',
    );
    const db = freshPath();
    const result = await run(['import', join(folder, name)], { db });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain(message);
    expect(records(db)).toEqual(empty);
  });

  it('does not wait for a person to type a file', async () => {
    const { code, stderr } = await run(['import', '-'], { columns: 80 });
    expect(code).toBe(2);
    expect(stderr).toContain('There is nothing on stdin');
  });

  it('shows no control character of a file', async () => {
    const { stderr } = await run(['import', file('x.json', { '\u001b[31mred': [] })]);
    expect(stderr).not.toContain('\u001b');
  });
});

it.skipIf(!existsSync('/proc/self/fd'))('a file refused at its header is closed', async () => {
  const path = file('notes.txt', 'hello\nworld\n');
  expect((await run(['import', path], { db: noraWith({}) })).code).toBe(2);
  const open = () => readdirSync('/proc/self/fd').map((fd) => join('/proc/self/fd', fd));
  const isOpen = () => open().some((fd) => existsSync(fd) && readlinkSync(fd) === realpathSync(path));
  await expect.poll(isOpen).toBe(false);
});

describe('export', () => {
  it.each(['json', 'ndjson'])('into import into export gives the same bytes: %s', async (format) => {
    const first = await run(['export', '--format', format], { db: await filled() });
    const db = freshPath();
    await run(['import', '-'], { db, stdin: first.stdout });
    // JSON says which database it is, and of each that is another, on the first line and in the states.
    const records = (text: string) => text.replace(/^{"origin":.*\n/, '{').replace(/,"states":[\s\S]*/, '');
    expect(records((await run(['export', '--format', format], { db })).stdout)).toBe(records(first.stdout));
  });

  it.each([[], ['--raw']])('into import into export gives the same bytes: CSV %s', async (...raw) => {
    const full = await filled();
    const db = freshPath();
    for (const what of ['users', 'logs']) {
      const { stdout } = await run(['export', what, '--format', 'csv', ...raw], { db: full });
      expect((await run(['import', '-', '--same-ids', ...raw], { db, stdin: stdout })).code).toBe(0);
      expect((await run(['export', what, '--format', 'csv', ...raw], { db })).stdout).toBe(stdout);
    }
    expect(records(db)).toEqual(records(full));
  });

  it('takes the filters of logs; the users are those concerned', async () => {
    const { stdout } = await run(['export', '--user', '3', '--type', 'stretch', '--since', '2026-03-01'], {
      db: await filled(),
    });
    const wanted = practice.userExerciseLogs.filter(
      (log) => log.userId === 3 && log.exerciseType === 'stretch' && log.date >= '2026-03-01',
    );
    expect(wanted.length).toBeGreaterThan(3);
    expect(JSON.parse(stdout)).toEqual({
      origin: { id: expect.any(String), seq: expect.any(Number), complete: false },
      users: practice.users.slice(2, 3),
      userExerciseLogs: wanted,
      states: expect.any(Array),
      seal: expect.any(Object),
    });
    // What was made in one change, with ids one after the other, stands together.
    const ids = JSON.parse(stdout).states.flatMap(
      ({ k, s }: { k: string; s: ({ i: number } | number[])[] }) =>
        s.flatMap((entry) => {
          if (!Array.isArray(entry)) return [[k, entry.i]];
          const [first = 0, , , , count] = entry;
          return Array.from({ length: count ?? 0 }, (_, i) => [k, first + i]);
        }),
    );
    expect(ids).toEqual([['user', 3], ...wanted.map(({ id }) => ['log', id])]);
  });

  it('sorts and limits', async () => {
    const { stdout } = await run(['export', 'logs', '--sort', '-id', '--limit', '2'], { db: await filled() });
    expect(JSON.parse(stdout)).toEqual(practice.userExerciseLogs.slice(-2).reverse());
  });

  it('has all in another order with --sort, also who has no log, and what was deleted', async () => {
    const db = prepared((store) => {
      for (const firstName of ['Nora', 'Zoe']) store.users.create({ ...nora, firstName });
      for (let i = 0; i < 3; i++) store.logs.create(session);
      store.logs.delete(2);
    });
    const [plain, sorted] = await Promise.all(
      [[], ['--sort', '-id']].map(async (flags) =>
        JSON.parse((await run(['export', ...flags], { db })).stdout),
      ),
    );
    const userExerciseLogs = plain.userExerciseLogs.toReversed();
    const seal = { ...plain.seal, sha256: expect.any(String) };
    expect(sorted).toEqual({ ...plain, userExerciseLogs, seal });
  });

  it('limits to the latest', async () => {
    const db = noraWith({ date: '2026-02-03' }, { date: '2026-02-01' }, { date: '2026-02-02' });
    const { stdout } = await run(['export', 'logs', '--limit', '2'], { db });
    expect(JSON.parse(stdout).map(({ date }: { date: string }) => date)).toEqual([
      '2026-02-03',
      '2026-02-02',
    ]);
  });

  it('takes the period for pain entries too', async () => {
    const db = noraWith({});
    for (const date of ['2026-02-27', '2026-02-28', '2026-03-01'])
      await run(['pain', '5', '--date', date], { db });
    const { stdout } = await run(['export', '--since', '2026-02-28'], { db });
    expect(JSON.parse(stdout).painEntries).toHaveLength(2);
  });

  it('has no user unless one is named', async () => {
    const db = await filled();
    const { stdout } = await run(['export', 'logs'], { db, env: { SCIATICA_USER: '3' } });
    expect(JSON.parse(stdout)).toHaveLength(400);
  });

  it('of nothing is a file that can be imported', async () => {
    for (const argv of [['export'], ['export', 'logs'], ['export', 'logs', '--format', 'csv']]) {
      const { stdout } = await run(argv);
      expect((await run(['import', '-'], { stdin: stdout })).code).toBe(0);
    }
    expect((await run(['export'])).stdout).toMatch(
      /^{"origin":.*,\n"users":\[\],"userExerciseLogs":\[\],"states":\[\],"seal":{.*}}\n$/,
    );
    expect((await run(['export', '--format', 'ndjson'])).stdout).toBe('');
  });

  it.each([
    [['export', '--format', 'csv'], 2, 'CSV holds one kind of record'],
    [['export', '-o', 'x.csv'], 2, 'CSV holds one kind of record'],
    [['export', 'users', '--limit', '3'], 2, '--sort and --limit are for logs'],
    [['export', 'everything'], 2, '<what> must be one of users, logs'],
    [['export', '--user', '99'], 3, 'There is no user 99'],
    [['export', '--type', 'yoga'], 2, 'stretch, strengthening'],
  ])('%j is refused', async (argv, code, message) => {
    const result = await run(argv);
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(message);
  });
});

describe('export -o', () => {
  it.each([
    ['export', '--format', 'ndjson'],
    ['report', '--user', '3', '--format', 'md'],
  ])('%s to - is to stdout, and makes no file', async (...words) => {
    const db = await filled();
    const there = existsSync('-');
    const { stdout } = await run([...words], { db });
    const answer = await run([...words, '-o', '-'], { db });
    expect({ ...answer, there, after: existsSync('-') }).toEqual({
      code: 0,
      stdout,
      stderr: '',
      there: false,
      after: false,
    });
  });

  it('writes a private file, in the format of its name, and leaves nothing beside it', async () => {
    const db = await filled();
    const path = join(freshFolder(), 'logs.csv');
    const { code, stdout, stderr } = await run(['export', 'logs', '-o', path], { db });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe(
      (await run(['export', 'logs', '--format', 'csv'], { db })).stdout,
    );
    expect(readdirSync(dirname(path))).toEqual(['logs.csv']);
  });

  it('tells a person how much it wrote, and cron nothing', async () => {
    const path = join(freshFolder(), 'logs.csv');
    const { stderr } = await run(['export', 'logs', '-o', path], { db: await filled(), columns: 200 });
    expect(stderr).toBe(`Wrote 400 records to ${path}.\n`);
  });

  it('replaces a file with --force only', async () => {
    const path = file('old.json', 'old');
    const refused = await run(['export', '-o', path]);
    expect([refused.code, readFileSync(path, 'utf8')]).toEqual([4, 'old']);
    expect(refused.stderr).toContain('--force');
    expect((await run(['export', '-o', path, '--force'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('"users":[]');
  });

  it('replaces what a link leads to, not the link', async () => {
    const path = file('old.json', 'old');
    const link = join(dirname(path), 'link.json');
    symlinkSync(path, link);
    await run(['export', '-o', link, '--force']);
    expect(readFileSync(path, 'utf8')).toContain('"users":[]');
  });

  it('writes to a device, and lets it be one', async () => {
    expect((await run(['export', '-o', '/dev/null', '--force'])).code).toBe(0);
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  it.each([
    ['a folder', '', 'is a folder'],
    ['a folder that is missing, and named as one', 'none/', '/none/.'],
    ['a folder that is missing', 'none/x.json', 'there is no folder'],
    ['a file taken for a folder', 'a-file/x.json', 'cannot be written'],
  ])('says what is wrong with %s', async (_, name, message) => {
    const folder = freshFolder();
    writeFileSync(join(folder, 'a-file'), '');
    const { code, stderr } = await run(['export', '-o', join(folder, name)]);
    expect(code).toBe(1);
    expect(stderr).toContain(message);
    expect(readdirSync(folder)).toEqual(['a-file']);
  });

  it.skipIf(process.getuid?.() === 0)('says that it may not write there', async () => {
    const folder = join(freshFolder(), 'closed');
    mkdirSync(folder);
    chmodSync(folder, 0o500);
    const { code, stderr } = await run(['export', '-o', join(folder, 'x.json')]);
    expect(code).toBe(1);
    expect(stderr).toContain('no permission');
    expect(existsSync(join(folder, 'x.json'))).toBe(false);
  });
});
