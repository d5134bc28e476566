import { describe, expect, test } from 'vitest';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import {
  nora,
  noraWith,
  prepared,
  type Result,
  records,
  run,
  session,
  TODAY,
  userFlags,
} from '../helpers.ts';

const one = () => prepared((store) => void store.users.create(nora));
const two = () =>
  prepared((store) => {
    store.users.create(nora);
    store.users.create({ ...nora, firstName: 'Ole' });
  });
const logged = (count = 3) =>
  noraWith(...Array.from({ length: count }, (_, i) => ({ painAfter: ((i + 1) % 10) + 1 })));

const NEW_LOG = [
  '--name',
  'Cobra Stretch',
  '--type',
  'stretch',
  '--before',
  '6',
  '--after',
  '4',
  '--effective',
];
const NEW_USER = userFlags();

describe('log add', () => {
  test('needs no date, no notes and, with one user, no user', async () => {
    const db = one();
    const { code, stdout } = await run(['log', 'add', ...NEW_LOG], { db });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Added log 1: Cobra Stretch today, 6 → 4 (↓2), helped. Wrong? sciatica undo 2\n',
    });
    expect(records(db).logs).toEqual([{ ...session, id: 1, exerciseName: 'Cobra Stretch', date: TODAY }]);
  });

  test.each([
    ['--date', '-3d', '2026-02-27'],
    ['--date=-3d', undefined, '2026-02-27'],
    ['--date', 'yesterday', '2026-03-01'],
    ['--date', 'today', '2026-03-02'],
    ['--date', '2024-02-29', '2024-02-29'],
  ])('%s %s is the day %s', async (flag, value, day) => {
    const db = one();
    await run(['log', 'add', ...NEW_LOG, flag, ...(value ? [value] : [])], { db });
    expect(records(db).logs[0]?.date).toBe(day);
  });

  test('takes the type of an exercise from its last session', async () => {
    const db = logged(1);
    const words = [
      'log',
      'add',
      '--name',
      'Piriformis Stretch',
      '--before',
      '5',
      '--after',
      '5',
      '--no-effective',
    ];
    expect((await run(words, { db })).code).toBe(0);
    expect(records(db).logs[1]).toMatchObject({ exerciseType: 'stretch', effective: false });
  });

  test('names every fault by its flag, and writes nothing', async () => {
    const db = one();
    const words = ['log', 'add', '--user', '0', '--type', 'yoga', '--before', '0', '--date', '2026-02-30'];
    const { code, stdout, stderr } = await run(words, { db });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    for (const fault of [
      '--user must be a whole number, 1 or more',
      `--type must be one of ${exerciseTypes.join(', ')}`,
      '--name is missing',
      '--before must be a whole number from 1 to 10',
      '--after is missing',
      '--effective or --no-effective is missing',
      '--date is no day: 30 February 2026 does not exist',
    ])
      expect(stderr).toContain(`\n  ${fault}`);
    expect(records(db).logs).toEqual([]);
  });

  test('lists the missing user among what is missing when there are several', async () => {
    const { code, stderr } = await run(['log', 'add', '--before', '99'], { db: two() });
    expect(code).toBe(2);
    expect(stderr).toContain('--user is missing: there are several users');
    expect(stderr).toContain('--before must be');
  });

  test.each([
    ['Piriformis strech', 'Piriformis Stretch'],
    ['piriformis stretch', 'Piriformis Stretch'],
    ['pirformis', 'Piriformis Stretch'],
  ])('points out that %s is close to %s', async (name, known) => {
    const db = logged(1);
    const { code, stderr } = await run(['log', 'add', ...NEW_LOG.with(1, name)], { db });
    expect(code).toBe(0);
    expect(stderr).toContain(`there already is "${known}"`);
    expect(stderr).toContain(`sciatica log edit 2 --name '${known}'`);
    expect(records(db).logs[1]?.exerciseName).toBe(name);
  });

  test('points out a day in the future', async () => {
    const { code, stderr } = await run(['log', 'add', ...NEW_LOG, '--date', '2026-03-03'], { db: one() });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Note: 2026-03-03 is in the future.\n' });
  });

  test('points out a diagnosis of tomorrow', async () => {
    const { stderr } = await run(['user', 'add', ...NEW_USER.with(-1, '2026-03-03')], { db: two() });
    expect(stderr).toContain('Note: 2026-03-03 is in the future.\n');
  });

  test('says where to start when there is no user', async () => {
    const { code, stderr } = await run(['log', 'add', ...NEW_LOG]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sciatica: There is no user yet. Start with: sciatica user add\n',
    });
  });

  test('--json gives the record that was stored', async () => {
    const { stdout } = await run(['log', 'add', '--json', ...NEW_LOG], { db: one() });
    expect(JSON.parse(stdout)).toEqual({ ...session, id: 1, exerciseName: 'Cobra Stretch', date: TODAY });
  });

  test('an unknown field of --json stops it before anything is written', async () => {
    const db = one();
    const { code, stderr } = await run(['log', 'add', '--json=painafter', ...NEW_LOG], { db });
    expect(code).toBe(2);
    expect(stderr).toContain('did you mean painAfter?');
    expect(records(db).logs).toEqual([]);
  });
});

describe('whose log it is', () => {
  const owner = async (words: string[], env: Record<string, string> = {}, chosen?: string) => {
    const db = two();
    if (chosen) await run(['user', 'use', chosen], { db });
    const result = await run(['log', 'add', ...NEW_LOG, ...words], { db, env });
    return records(db).logs[0]?.userId ?? result;
  };

  test('--user before everything', async () =>
    expect(await owner(['--user', '1'], { SCIATICA_USER: '2' }, '2')).toBe(1));
  test('then SCIATICA_USER', async () => expect(await owner([], { SCIATICA_USER: '2' }, '1')).toBe(2));
  test('then user use', async () => expect(await owner([], {}, '2')).toBe(2));
  test.each([
    ['1', 'Note: SCIATICA_USER is 1 here, and comes first.\n'],
    ['2', ''],
  ])('user use 2 where SCIATICA_USER is %s', async (id, stderr) =>
    expect((await run(['user', 'use', '2'], { db: two(), env: { SCIATICA_USER: id } })).stderr).toBe(stderr),
  );
  test('how to choose is said with each user that is added, until one is chosen', async () => {
    const db = one();
    const isSaid = async () =>
      (await run(['user', 'add', ...NEW_USER], { db })).stderr.includes('To record as this user from now on');
    expect(await isSaid()).toBe(true);
    await run(['user', 'use', '1'], { db });
    expect(await isSaid()).toBe(false);
  });
  test('a SCIATICA_USER that does not exist is named', async () =>
    expect(await owner([], { SCIATICA_USER: '9' })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('SCIATICA_USER is 9') as unknown,
    }));
  test.each([['add'], ['again']])('log %s for a user who is not there', async (verb) =>
    expect(await run(['log', verb, 'piri', '6', '4', '--user', '9'], { db: two() })).toEqual({
      code: 3,
      stdout: '',
      stderr: 'sciatica: There is no user 9.\n',
    }),
  );
  test.each([['0'], ['1.5'], ['x']])('log add --user %s, which is no id', async (id) =>
    expect(await run(['log', 'add', 'piri', '6', '4', '--user', id], { db: two() })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--user must be a whole number, 1 or more') as unknown,
    }),
  );
  test('a SCIATICA_USER that is no id is named', async () =>
    expect(await owner([], { SCIATICA_USER: 'x' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('SCIATICA_USER must be a whole number') as unknown,
    }));

  test.each([[['log', 'add', ...NEW_LOG]], [['pain', '9']], [['logs']], [['summary']], [[]]])(
    'nobody takes the place of a chosen user who is gone: %j',
    async (words) => {
      const db = two();
      await run(['user', 'use', '2'], { db });
      await run(['user', 'rm', '2', '--yes'], { db });
      const { code, stdout, stderr } = await run([...words, '--db', db]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toContain(
        `User 2, chosen with sciatica user use, is gone. Choose another: sciatica user use ID --db ${db}\n`,
      );
      expect(records(db).logs.some(({ userId }) => userId === 1)).toBe(false);
      await run(['user', 'use', '1', '--db', db]);
      expect((await run([...words, '--db', db])).code).toBe(0);
    },
  );
});

describe('show, edit and rm of a log', () => {
  test('show prints every field', async () => {
    const { stdout } = await run(['log', 'show', '1'], { db: logged(1) });
    expect(stdout).toMatch(/^Id {9}1\nUser {7}1 Nora Lind\nDate {7}2026-03-01\n/);
    expect(stdout).toMatch(/^Pain {7}6 → 2 ↓4$/m);
  });

  test.each([
    [['log', 'show', '2', '--json']],
    [['log', 'show', '--json', '2']],
    [['--no-color', 'log', 'show', '--json=id', '2']],
  ])('%j gives the record', async (words) => {
    const { code, stdout } = await run(words, { db: logged() });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: 2 });
  });

  test.each<[string[], number, string]>([
    [
      ['log', 'edit', 'yesterday'],
      2,
      'The id of a log, as sciatica logs shows it, must be a whole number, 1 or more, not "yesterday".',
    ],
    [['log', 'show', '0'], 2, 'The id of a log'],
    [['log', 'show', '99'], 3, 'There is no log 99.'],
    [['log', 'edit', '99', '--after', '3'], 3, 'There is no log 99.'],
    [['log', 'edit', '1'], 2, 'Say what to change, with one or more of --user, --type,'],
    [['log', 'edit', '1', '--name', ''], 2, '--name must be text of 1 to 100 characters'],
    [['log', 'rm', '1', '99', '--yes'], 3, 'There is no log 99.'],
    [['log', 'rm', '1'], 2, 'To do it unasked, add --yes.'],
    [['log', 'show'], 2, '<id> is missing. Usage: sciatica log show [options] <id>'],
    [['user', 'show', '9'], 3, 'There is no user 9.'],
    [['user', 'use', '9'], 3, 'There is no user 9.'],
    [['logs', '--user', '9'], 3, 'There is no user 9.'],
    [['logs', '--user', 'x'], 2, '--user must be a whole number, 1 or more, not "x". See: sciatica users'],
  ])('%j ends with %i', async (words, code, message) => {
    const db = logged(1);
    const before = records(db);
    const result = await run(words, { db });
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).toContain(message);
    expect(records(db)).toEqual(before);
  });

  test('edit changes only what is given', async () => {
    const db = logged(1);
    const { stdout } = await run(
      ['log', 'edit', '1', '--after', '3', '--no-effective', '--date', 'yesterday'],
      { db },
    );
    expect(stdout).toBe(
      'Changed log 1 (after, effective): Piriformis Stretch on Sunday 2026-03-01, 6 → 3 (↓3), did not help. Wrong? sciatica undo 3\n',
    );
    expect(records(db).logs).toEqual([{ ...session, id: 1, painAfter: 3, effective: false }]);
  });

  test('edit says what changed, and of a record that moved whose it is now', async () => {
    const db = prepared((store) => {
      store.users.create(nora);
      store.users.create({ ...nora, firstName: 'Ben' });
      store.logs.create({ ...session, notes: 'sore' });
    });
    const edited = async (...words: string[]) => (await run([...words], { db })).stdout.split(/: | Wrong/)[0];
    expect(await edited('log', 'edit', '1', '--notes', '')).toBe('Changed log 1 (notes) of Nora Lind');
    expect(await edited('log', 'edit', '1', '--user', '2')).toBe('Changed log 1 (user), now of Ben Lind');
    expect((await run(['user', 'edit', '2', '--pain-level', '3'], { db })).stdout).toMatch(
      /^Changed Ben Lind \(user 2\): pain level\. Wrong\?/,
    );
  });

  test('edit that changes nothing says so, and is no change', async () => {
    const db = logged(1);
    const { code, stdout } = await run(['log', 'edit', '1', '--date', '2026-03-01'], { db });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Nothing changed.\n' });
    expect((await run(['user', 'edit', '--age', '44'], { db })).stdout).toBe('Nothing changed.\n');
    expect(JSON.parse((await run(['history', '--json'], { db })).stdout)).toHaveLength(2);
  });

  test('edit with --notes "" empties the notes', async () => {
    const db = logged(1);
    await run(['log', 'edit', '1', '--notes', 'sore'], { db });
    await run(['log', 'edit', '1', '--notes', ''], { db });
    expect(records(db).logs[0]?.notes).toBe('');
  });

  test('rm --yes takes several, once each', async () => {
    const db = logged(4);
    const { code, stdout } = await run(['log', 'rm', '1', '3', '3', '--yes'], { db });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Deleted 2 logs. Wrong? sciatica undo 3\n' });
    expect(records(db).logs.map(({ id }) => id)).toEqual([2, 4]);
  });
});

describe('users', () => {
  test('user add stores what the flags say', async () => {
    const db = one();
    const { code, stdout } = await run(['user', 'add', ...NEW_USER], { db });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Added Nora Lind (user 2). Wrong? sciatica undo 2\n',
    });
    expect(records(db).users[1]).toEqual({ ...nora, id: 2 });
  });

  test('user add lists all that is missing', async () => {
    const { code, stderr } = await run(['user', 'add']);
    expect(code).toBe(2);
    expect(stderr).toContain('7 values are missing or wrong:\n  --first-name is missing');
  });

  test('user show and edit without an id are about the user here', async () => {
    const db = one();
    await run(['user', 'edit', '--pain-level', '3'], { db });
    const { stdout } = await run(['user', 'show', '--json'], { db });
    expect(JSON.parse(stdout)).toEqual({ ...nora, id: 1, painLevel: 3 });
  });

  test('user show without an id needs a choice among several', async () => {
    const { code, stderr } = await run(['user', 'show'], { db: two() });
    expect(code).toBe(2);
    expect(stderr).toContain('There are several users');
  });

  test('user rm says how many logs go too', async () => {
    const db = logged(3);
    const { stderr } = await run(['user', 'rm', '1'], { db });
    expect(stderr).toContain('This would delete Nora Lind (user 1) and 3 logs.');
    const { stdout } = await run(['user', 'rm', '1', '--yes'], { db });
    expect(stdout).toBe('Deleted Nora Lind (user 1) and 3 logs. Wrong? sciatica undo 3\n');
    expect(records(db)).toEqual({ users: [], logs: [] });
  });

  test('user rm counts all that goes too', async () => {
    const db = logged(2);
    await run(['goal', '4'], { db });
    await run(['routine', 'add', 'morning', 'Bird Dog=stretch'], { db });
    const { stderr } = await run(['user', 'rm', '1'], { db });
    expect(stderr).toContain('This would delete Nora Lind (user 1), 2 logs, 1 routine and 1 goal.');
  });

  describe('sorted and limited', () => {
    const ages = (...all: number[]) =>
      prepared((store) => {
        for (const age of all) store.users.create({ ...nora, age });
      });
    test.each<[string[], number[]]>([
      [
        ['--limit', '2'],
        [1, 2],
      ],
      [
        ['--sort', '-age', '--limit', '2'],
        [2, 3],
      ],
      [
        ['--sort', 'age', '--where', 'age>30'],
        [4, 3, 2],
      ],
      [
        ['--limit', '9'],
        [1, 2, 3, 4],
      ],
    ])('%j', async (words, expected) => {
      const db = ages(30, 60, 50, 40);
      const json = await run(['users', '--json', 'id', ...words], { db });
      expect(JSON.parse(json.stdout)).toEqual(expected.map((id) => ({ id })));
      for (const output of [[], ['--csv']]) {
        const { stdout, stderr } = await run(['users', ...words, ...output], { db });
        const ids = stdout.trim().split(/\r?\n/).slice(1).map(Number.parseFloat);
        expect({ ids, stderr }).toEqual({ ids: expected, stderr: '' });
      }
    });

    test.each([
      [1, '1 of 2 users.\n'],
      [2, ''],
    ])('of %i says in a terminal how many there are, if there are more', async (limit, said) => {
      const { stderr } = await run(['users', '--limit', `${limit}`], { db: ages(30, 60), columns: 160 });
      expect(stderr).toBe(said);
    });

    test.each<[string[], string]>([
      [
        ['--sort', 'date'],
        '--sort must name fields of the record (did you mean diagnosisDate?): id, firstName, lastName, ',
      ],
      [['--limit', 'all'], "--limit must be a whole number, 1 or more, not 'all'"],
    ])('%j is refused', async (words, message) => {
      const result = await run(['users', ...words], { db: ages(30) });
      expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    });
  });

  test('users as JSON, CSV and nothing', async () => {
    const db = two();
    expect(JSON.parse((await run(['users', '--json', 'id,firstName'], { db })).stdout)).toEqual([
      { id: 1, firstName: 'Nora' },
      { id: 2, firstName: 'Ole' },
    ]);
    expect((await run(['users', '--csv'], { db })).stdout.split('\r\n')).toHaveLength(4);
    expect((await run(['users', '--json'])).stdout).toBe('[]\n');
    const empty: Result = {
      code: 0,
      stdout: '',
      stderr: 'There is no user yet. Start with: sciatica user add\n',
    };
    expect(await run(['users'])).toEqual(empty);
  });
});

describe('with several users, a confirmation names the one whose record it is', () => {
  const EXERCISE = ['cobra', '6', '4', '--type', 'stretch'];
  const ADDED: [string, string[], string][] = [
    ['log add', EXERCISE, 'Added log 1 for Ole Lind: cobra today'],
    ['pain', ['7'], 'Added pain entry 1 for Ole Lind: pain 7'],
    [
      'routine add',
      ['morning', 'Cobra', '--type', 'stretch'],
      'Added routine 1 for Ole Lind: morning (Cobra)',
    ],
    ['goal', ['4'], 'The goal of Ole Lind is 4'],
  ];

  test.each(ADDED)('%s', async (command, words, said) => {
    const { stdout } = await run([...command.split(' '), ...words, '--user', '2'], { db: two() });
    expect(stdout).toContain(said);
  });

  test.each(ADDED)('but not with one: %s', async (command, words) => {
    const { stdout } = await run([...command.split(' '), ...words], { db: one() });
    expect(stdout).toMatch(command === 'goal' ? /Nora/ : /^(?!.*Nora)./);
  });

  test('of rm, also its question', async () => {
    const db = two();
    for (const user of ['1', '2', '2']) await run(['log', 'add', ...EXERCISE, '--user', user], { db });
    const { stderr } = await run(['log', 'rm', '1'], {
      db,
      answers: [['Delete log 1 of Nora Lind: cobra', 'n\r']],
    });
    expect(stderr).toContain('Nothing was deleted.');
    const removed = await run(['log', 'rm', '1', '2'], {
      db,
      answers: [
        ['log 2 of Ole Lind: cobra', ''],
        ['Delete 2 logs of Nora Lind and Ole Lind?', 'y\r'],
      ],
    });
    expect(removed.stdout).toContain('Deleted 2 logs of Nora Lind and Ole Lind.');
    expect((await run(['log', 'rm', '3', '--yes'], { db })).stdout).toContain(
      'Deleted log 3 of Ole Lind: cobra',
    );
  });
});
