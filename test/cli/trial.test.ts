import { describe, expect, test } from 'vitest';
import { trialStatus } from '../../src/cases/trial.ts';
import { armsOf, trialFields } from '../../src/domain/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, noraWith, run, session, type World } from '../helpers.ts';
import { exampleOf } from '../samples.ts';

/** Noon on a day counted from 2 March 2026. */
const day = (index: number) => new Date(2026, 2, 2 + index, 12);
const db = () => noraWith({ exerciseName: 'Piriformis Stretch' });
const trial = (path: string, words: string[], index = 0, world: World = {}) =>
  run(['trial', ...words], { db: path, now: day(index), ...world });

/** A database with a trial against rest that started on day 0, with a seed that is known. */
async function started(...flags: string[]) {
  const path = db();
  expect((await trial(path, ['start', 'piri', '--against', 'rest', '--yes', ...flags])).code).toBe(0);
  const store = openStore(path);
  const trials = store.of('trial');
  trials.restore({ ...trials.delete(1), seed: 5 });
  store.close();
  return path;
}

const inStore = <T>(path: string, read: (store: ReturnType<typeof openStore>) => T): T => {
  const store = openStore(path);
  try {
    return read(store);
  } finally {
    store.close();
  }
};

test('with several users, questions and confirmations name the one whose trial it is', async () => {
  const path = db();
  inStore(path, (store) => store.users.create({ ...nora, firstName: 'Ben' }));
  const of = (words: string[], question?: string) =>
    trial(path, [...words, '--user', '1'], 0, question ? { answers: [[question, 'y\r']] } : {});
  const { stdout } = await of(['start', 'piri', '--against', 'rest'], 'Start it for Nora Lind?');
  expect(stdout).toContain('Started trial 1 for Nora Lind.');
  expect((await of(['6'])).stdout).toMatch(/^Recorded 2026-03-02 of the trial of Nora Lind: 6/);
  expect((await of(['stop'], 'Give up the trial of Nora Lind?')).stdout).toContain(
    'Gave up the trial of Nora Lind.',
  );
});

describe('a start', () => {
  test('says first what it can find, asks, and fixes the question', async () => {
    const path = db();
    const { stderr } = await trial(path, ['start', 'piri', '--against', 'rest'], 0, {
      columns: 80,
      answers: [['Start it?', 'y\r']],
    });
    expect(stderr).toMatch(/find a difference of 1 in \d+ of 100 cases,\s+of 1.5 in \d+/);
    expect(stderr).toContain('Tell your');
    expect(inStore(path, (store) => store.of('trial').list())).toMatchObject([
      {
        exerciseName: 'Piriformis Stretch',
        against: 'rest',
        outcome: 'hour',
        question: 'either',
        start: '2026-03-02',
        days: 28,
        difference: 1,
        state: 'running',
      },
    ]);
  });

  test.each<[string[], number, RegExp]>([
    [['--days', '13'], 2, /--days must be a whole number from 14 to 84/],
    [['--start', 'yesterday'], 2, /--start must be today or later, and 2026-03-01 has passed/],
    [['--start', '1 dec'], 2, /2025-12-01 has passed: write the year, as in 2026-03-09/],
    [['--against', 'piri'], 2, /given twice/],
    [['--outcome', 'never'], 2, /--outcome must be one of/],
  ])('with %j is refused', async (flags, code, message) => {
    const path = db();
    const result = await trial(path, ['start', 'piri', '--against', 'rest', '--yes', ...flags]);
    expect([result.code, result.stderr]).toEqual([code, expect.stringMatching(message)]);
    expect(inStore(path, (store) => store.of('trial').count())).toBe(0);
  });

  test.each([
    ['piri', 'Piriformis Stretch'],
    ['Yoga', 'yoga'],
  ])('of %s against %s is refused', async (name, against) => {
    const { code, stderr } = await trial(db(), ['start', name, '--against', against, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('something else than the exercise itself')]);
  });

  test.each([
    ['piriformes', 'rest', 'Note: piriformes is new (did you mean Piriformis Stretch?).\n'],
    ['piri', 'rst', 'Note: rst is new (did you mean rest?).\n'],
    ['piri', 'Bird Dog', ''],
  ])('of %s against %s, in a script', async (name, against, note) => {
    const { stderr } = await trial(db(), ['start', name, '--against', against, '--yes']);
    expect(stderr.match(/Note: .*\n/)?.[0] ?? '').toBe(note);
  });

  test('asks about a name that is close to a word', async () => {
    const path = db();
    await trial(path, ['start', 'piri', '--against', 'rst'], 0, {
      answers: [
        ['Did you mean rest?', '\r'],
        ['Start it?', 'y\r'],
      ],
    });
    expect(inStore(path, (store) => store.of('trial').list())).toMatchObject([{ against: 'rest' }]);
  });

  test('against itself is refused', async () => {
    const { code, stderr } = await trial(db(), ['start', 'piri', '--against', 'piri', '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('something else')]);
  });

  test('beside one that runs is refused, and after its end goes on', async () => {
    const path = await started();
    const again = ['start', 'piri', '--against', 'usual', '--yes'];
    expect(await trial(path, again, 5)).toMatchObject({ code: 4 });
    expect(await trial(path, again, 40)).toMatchObject({ code: 0 });
    expect(inStore(path, (store) => store.of('trial').list()).map(({ state }) => state)).toEqual([
      'finished',
      'running',
    ]);
  });

  test('of an exercise that was clearly followed by more pain needs --anyway', async () => {
    const path = noraWith(
      ...Array.from({ length: 40 }, (_, i) => ({
        exerciseName: 'Toe Touch',
        date: `2026-01-${String(1 + (i % 28)).padStart(2, '0')}`,
        painBefore: 3,
        painAfter: 7,
        effective: false,
      })),
      ...Array.from({ length: 40 }, (_, i) => ({
        exerciseName: 'Bird Dog',
        date: `2026-01-${String(1 + (i % 28)).padStart(2, '0')}`,
        painBefore: 6,
        painAfter: 4,
      })),
    );
    const words = ['start', 'toe', '--against', 'rest', '--yes'];
    const refused = await trial(path, words, 0, { columns: 80 });
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('emergency department')]);
    expect((await trial(path, ['start', 'bird', '--against', 'toe', '--yes'])).code).toBe(4);
    expect((await trial(path, [...words, '--anyway'])).code).toBe(0);
  });

  test.each([
    [['x'.repeat(101), '--against', 'rest'], /exerciseName is 101 characters long/],
    [['piri', '--against', 'x'.repeat(101)], /--against is 101 characters long/],
  ])('%j: the fault is named as it was given', async (words, message) => {
    const { code, stderr } = await trial(noraWith(), ['start', ...words, '--yes']);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(stderr).not.toMatch(/--(exercise|other)\b/);
  });

  test.each([
    [[6, 9], 4],
    [[6, 2], 0],
  ])('of an exercise of which a trial found %j ends with %i', async ([before, after], code) => {
    const path = await started();
    for (let n = 0; n < 28; n++) {
      const isDone = (await trial(path, [], n)).stdout.includes(': Piriformis Stretch.');
      await trial(path, [String(before), String(isDone ? after : before)], n);
    }
    const again = ['start', 'piri', '--against', 'usual', '--yes'];
    expect((await trial(path, again, 40)).code).toBe(code);
    expect((await trial(path, [...again, '--anyway'], 40)).code).toBe(code === 4 ? 0 : 4);
  });

  test.each([
    ['6 3 yesterday', '2026-03-01'],
    ['6 the day before yesterday at night', '2026-02-28'],
  ])('%s: a day behind the pain is no note', async (words, said) => {
    const path = await started();
    const { code, stderr } = await trial(path, words.split(' '));
    const pains = words.replace(/ [a-z].*/, '');
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(
        new RegExp(`${said} is a day: .*trial ${pains} --date ${said}\\. .*trial ${pains} --notes `),
      ),
    ]);
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
    expect((await trial(path, ['6', '3', '--notes', 'yesterday'])).code).toBe(0);
  });

  test('takes nothing from the records of another user', async () => {
    const [alone, beside] = [db(), db()];
    inStore(beside, (store) => {
      const { id: userId } = store.users.create(nora);
      for (let i = 0; i < 30; i++) store.logs.create({ ...session, userId, painAfter: i % 2 ? 10 : 1 });
      store.of('trialDay').create({ userId, date: '2026-03-02', first: 5, done: true });
    });
    const words = ['start', 'piri', '--against', 'rest', '--yes', '--user', '1'];
    const told = async (path: string) => (await trial(path, words)).stderr.replace(/: [\w ]+\.\n$/, '');
    expect(await told(beside)).toBe(await told(alone));
  });
});

describe('a day', () => {
  test.each<[string, [number, string[]][], object[]]>([
    ['at once', [[0, ['6', '3']]], [{ date: '2026-03-02', first: 6, second: 3, done: true }]],
    ['as a scale of ten', [[0, ['6/10', '→', '3/10', 'better']]], [{ first: 6, second: 3, notes: 'better' }]],
    [
      'with flags, as a scale of ten',
      [[0, ['add', '--first', '6/10', '--second', 'three']]],
      [{ first: 6, second: 3 }],
    ],
    [
      'one after the other',
      [
        [0, ['6']],
        [0, ['3', 'better']],
      ],
      [{ first: 6, second: 3, notes: 'better' }],
    ],
    [
      'missed, then the next',
      [
        [0, ['6', '3']],
        [2, ['5', '5', '--no-done']],
      ],
      [{ date: '2026-03-02' }, { date: '2026-03-04', first: 5, second: 5, done: false }],
    ],
    [
      'corrected',
      [
        [0, ['6', '3']],
        [1, ['--date', 'yesterday', '--second', '4']],
      ],
      [{ date: '2026-03-02', first: 6, second: 4 }],
    ],
  ])('%s', async (_, said, expected) => {
    const path = await started();
    for (const [index, words] of said)
      expect((await trial(path, words, index)).stderr).not.toMatch(/must|no /);
    expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject(expected);
  });

  test('whose outcome is the next morning is completed on the next day', async () => {
    const path = await started('--outcome', 'morning');
    await trial(path, ['6'], 0);
    expect((await trial(path, [], 1)).stdout).toContain('How much does it hurt now? sciatica trial PAIN');
    await trial(path, ['4'], 1);
    await trial(path, ['7'], 1);
    expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject([
      { date: '2026-03-02', first: 6, second: 4 },
      { date: '2026-03-03', first: 7 },
    ]);
  });

  test('is completed after midnight, and it is said which day that is', async () => {
    const path = await started('--outcome', 'bedtime');
    const at = (index: number, hour: number) => ({ now: new Date(2026, 2, 2 + index, hour, 30) });
    await trial(path, ['6'], 0, at(0, 23));
    const night = (await trial(path, [], 0, at(1, 0))).stdout;
    expect(night).toMatch(/^Monday 2026-03-02, day 1 of 28: .*\nHow much does it hurt now, after\?/);
    expect((await run([], { db: path, ...at(1, 0) })).stdout).toContain('Monday 2026-03-02, day 1 of 28: ');
    const done = await trial(path, ['4'], 0, at(1, 0));
    expect(done.stdout).toMatch(/^Recorded 2026-03-02 of the trial: 6 → 4\./);
    expect(done.stderr).not.toContain('still to come');
    expect((await trial(path, [], 0, at(1, 0))).stdout).toMatch(/^Today, day 2 of 28: .*\n.* before\?/);
    await trial(path, ['7'], 0, at(1, 8));
    expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject([
      { date: '2026-03-02', first: 6, second: 4 },
      { date: '2026-03-03', first: 7 },
    ]);
  });

  test('that is the last can be completed after midnight', async () => {
    const path = await started('--days', '14');
    await trial(path, ['6'], 13, { now: new Date(2026, 2, 15, 23) });
    const late = { now: new Date(2026, 2, 16, 1) };
    expect(await trial(path, ['stop'], 0, late)).toMatchObject({ code: 2 });
    const another = ['start', 'piri', '--against', 'rest', '--yes'];
    expect(await trial(path, another, 0, late)).toMatchObject({ code: 4 });
    expect(await trial(path, ['4'], 0, late)).toMatchObject({ code: 0 });
    expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject([{ first: 6, second: 4 }]);
    expect(inStore(path, (store) => store.of('trial').get(1).state)).toBe('finished');
  });

  test('has no pain of tomorrow morning yet', async () => {
    const path = await started('--outcome', 'morning');
    const { code, stderr } = await trial(path, ['6', '4'], 0);
    expect([code, stderr]).toEqual([2, expect.stringContaining('as in sciatica trial 6')]);
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
    await trial(path, ['6'], 0);
    await trial(path, ['4'], 1);
    expect((await trial(path, ['7', '3'], 1)).code).toBe(2);
  });

  test.each<[string[], number, RegExp]>([
    [['11', '3'], 0, /--first must be/],
    [['foo'], 0, /foo is no pain/],
    [['6', '3', '--date', '2026-03-05'], 0, /still to come|in the future/],
    [['6', '3', '--date', '2026-03-01'], 1, /no day of the trial/],
    [['--second', '3'], 0, /--first is missing/],
  ])('%j is refused', async (words, index, message) => {
    const path = await started();
    const { code, stderr } = await trial(path, words, index);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
  });
});

test.each<[string, string[], string[], string]>([
  ['both are known', ['6', '3'], ['4'], '6 → 3'],
  ['the other comes next morning', ['6'], ['4'], '6'],
  ['both are known, of a day that is named', ['6', '3'], ['4', '--date', 'today'], '6 → 3'],
])('one pain replaces none where %s', async (_, before, words, known) => {
  const path = await started(...(before.length === 1 ? ['--outcome', 'morning'] : []));
  await trial(path, before);
  expect(await trial(path, words)).toEqual({
    code: 2,
    stdout: '',
    stderr: `sciatica: 2026-03-02 is recorded already: ${known}. To correct it, say which pain 4 is, with --first or --second.\n`,
  });
  expect((await trial(path, ['--first', '4'])).code).toBe(0);
});

test('two pains on the morning after do not replace the first of the day before', async () => {
  const path = await started('--outcome', 'morning');
  await trial(path, ['6'], 0);
  expect(await trial(path, ['3', '7'], 1)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('2026-03-02 is recorded already: 6. To correct it, say which pain 3 is'),
  });
  expect((await trial(path, ['6', '3'], 1)).code).toBe(0);
  expect((await trial(path, ['5', '3', '--date', 'yesterday'], 1)).code).toBe(0);
  expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject([{ first: 5, second: 3 }]);
});

test('what was felt on a day of a trial is the pain of the day on the home screen, and for the therapist', async () => {
  const path = await started();
  await trial(path, ['9', '7']);
  const home = await run([], { db: path, now: day(0) });
  expect(home.stdout).toContain('Pain today 9, 7');
  expect(home.stdout).toContain('6 → 9, before or without exercise');
  const { stdout } = await run(['users', '--summary', '--json'], { db: path, now: day(0) });
  expect(stdout).toContain('"pain":7.5');
});

test('a day that another machine recorded for a trial of its own is still to be recorded', async () => {
  const path = await started();
  const theirs = { userId: 1, date: '2026-03-02', first: 9, second: 9, done: true, trialSeed: 77 };
  inStore(path, (store) => store.of('trialDay').restore({ id: 1, ...theirs }));
  expect((await trial(path, [])).stdout).toContain('How much does it hurt, before?');
  const { trialSeed, ...said } = JSON.parse((await trial(path, ['6', '3', '--json'])).stdout);
  expect([trialSeed, said]).toEqual([
    5,
    { id: 2, userId: 1, date: '2026-03-02', first: 6, second: 3, done: true },
  ]);
  expect((await trial(path, [])).stdout).toMatch(/ 1 of 1 day\s+recorded, 1 as drawn\./);
});

test('two pains replace both', async () => {
  const path = await started();
  for (const words of [
    ['6', '3'],
    ['5', '2'],
  ])
    await trial(path, words);
  expect(inStore(path, (store) => store.of('trialDay').list())).toMatchObject([{ first: 5, second: 2 }]);
});

const arms = armsOf(5, 28);

/** Lives days of a trial: what the exercise makes of the pain, but for days that are missed. */
async function live(path: string, until: number, effect: number, missed: readonly number[] = []) {
  let last = '';
  for (let index = 0; index < until; index++) {
    if (missed.includes(index)) continue;
    const second = 6 + (arms[index] === 'a' ? effect : 0) + ((index * 7) % 3) - 1;
    last = (await trial(path, ['6', String(second)], index)).stdout;
    if (/On \d+ days/.test(last)) break;
  }
  return last;
}

test.each<[string[], boolean]>([
  [['8', '6'], false],
  [['9'], true],
  [['3', '6'], true],
])('the red flags are told after the pain of a day %j: %s', async (words, said) => {
  const { stderr } = await trial(await started(), words);
  expect(stderr.includes('emergency department')).toBe(said);
});

test('a second record of a day is refused without other days to type', async () => {
  const path = db();
  const add = () =>
    run(['trial-day', 'add', '--date', '2026-03-02', '--first', '5', '--done'], { db: path, now: day(0) });
  await add();
  expect(await add()).toMatchObject({ code: 2, stderr: 'sciatica: --date has a trial day already\n' });
});

test('the note of a day is in the report of its period', async () => {
  const path = await started();
  await trial(path, ['add', '6', '3', '--no-done', 'was', 'away']);
  const report = async (...flags: string[]) =>
    (await run(['report', '--format', 'md', ...flags], { db: path, now: day(3) })).stdout;
  expect(await report()).toContain('2026-03-02 · trial, not as drawn · 6 → 3\n\n> was away\n');
  expect(await report('--since', '2026-03-03')).not.toContain('was away');
});

describe('a month', () => {
  test('with a strong effect stops early, and stays as it ended', async () => {
    const path = await started();
    expect(await live(path, 28, -4, [3, 9])).toMatch(
      /On \d+ days with it pain an hour later was \d\.\d lower/,
    );
    const end = (await trial(path, [], 25, { columns: 50 })).stdout;
    expect(end).toMatch(/with it +[. \d]+\nwithout +[. \d]+\n/);
    expect(end).toContain('you knew which day it was');
    for (const line of end.split('\n')) expect(line.length).toBeLessThanOrEqual(50);
    expect((await trial(path, ['6', '3'], 25)).stderr).toContain('The trial is over');
    expect(inStore(path, (store) => store.of('trial').get(1).state)).toBe('finished');
    const report = async (since: string) =>
      (await run(['report', '--format', 'md', '--since', since], { db: path, now: day(40) })).stdout;
    expect(await report('2026-03-29')).toContain('Trial: ');
    expect(await report('2026-03-30')).not.toContain('Trial: ');
  });

  test('without an effect goes to its end, and says no more than the days left before', async () => {
    const path = await started();
    await live(path, 20, 0);
    const { stdout } = await trial(path, [], 20, { columns: 80 });
    expect(stdout).toBe(
      `Today, day 21 of 28: ${arms[20] === 'a' ? 'Piriformis Stretch' : 'rest'}.\nHow much does it hurt, before? sciatica trial PAIN\n8 days left of the trial of Piriformis Stretch against rest. 20 of 20 days\nrecorded, 20 as drawn.\n`,
    );
    expect((await trial(path, [], 30)).stdout).toMatch(/no clear difference/);
  });

  test('is what the home names next, with no exercise that it may leave out today, until it ends', async () => {
    const path = await started();
    const next = async () => (await run([], { db: path, now: day(1) })).stdout.split('\nNext: ')[1];
    expect(await next()).toBe('sciatica trial\n      sciatica log add\n      sciatica summary\n');
    await trial(path, ['stop', '--yes'], 1);
    expect(await next()).toMatch(/^sciatica log again\n/);
  });

  test.each([50, 80])(
    'stands in the home with all its words, and with none of its result (%i columns)',
    async (columns) => {
      const path = await started();
      const home = async (index: number) =>
        (await run([], { db: path, now: day(index), columns })).stdout.replace(/\n +(?! )/g, ' ');
      expect(await home(0)).toMatch(/Trial +Today, day 1 of 28: (?:Piriformis Stretch|rest)\.\n/);
      await live(path, 28, 0);
      inStore(path, (store) => store.of('trial').update(1, { state: 'running' }));
      expect(await home(40)).toMatch(/Trial +It has ended\. What it has shown: sciatica trial\n/);
    },
  );

  test('is told by a hint that records nothing where it is pasted', async () => {
    const path = await started();
    const [, hint = ''] = /before\? sciatica (trial .*)/.exec((await trial(path, [], 0)).stdout) ?? [];
    expect((await run(hint.split(' '), { db: path, now: day(0) })).code).toBe(2);
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
  });

  test('can be given up, and its days are kept', async () => {
    const path = await started();
    await live(path, 3, 0);
    await trial(path, ['stop', '--yes'], 3);
    expect((await trial(path, [], 3)).stdout).toContain('was given up. 3 of 3 days recorded');
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(3);
    await run(['undo', '--yes'], { db: path, now: day(3) });
    expect((await trial(path, [], 3)).stdout).toContain('Today, day 4 of 28');
  });
});

test('one that has ended is not given up: it keeps its result', async () => {
  const path = await started();
  for (let n = 0; n < 14; n++) await trial(path, ['6', '4'], n);
  expect(await trial(path, ['stop', '--yes'], 40)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('its result is kept'),
  });
  expect((await trial(path, [], 40)).stdout).toMatch(/^On \d+ days with it/);
  expect(inStore(path, (store) => store.of('trial').list()).map(({ state }) => state)).toEqual(['finished']);
});

test.each([[['--json', 'id']], [['show', '--json', 'zzz']]])(
  '%j: how it stands has no fields to choose',
  async (words) => {
    expect(await trial(await started(), words)).toMatchObject({ code: 2, stdout: '' });
  },
);

test('a calendar has a name of its own on each machine, and none is of a trial that is over', async () => {
  const names = [await started(), await started()].map(
    async (path) => /^UID:.*$/m.exec((await trial(path, ['--ics'])).stdout)?.[0],
  );
  const [one, other] = await Promise.all(names);
  expect([one, one === other]).toEqual([expect.stringMatching(/^UID:trial-1@[0-9a-f-]{36}$/), false]);
  const path = await started();
  expect((await trial(path, ['--ics'], 29)).code).toBe(2);
  await trial(path, ['stop', '--yes'], 2);
  expect(await trial(path, ['--ics'], 3)).toMatchObject({ code: 2, stdout: '' });
});

test('a trial that was given up misses no more days', async () => {
  const path = await started();
  await trial(path, ['6', '3'], 0);
  await trial(path, ['5'], 1);
  await trial(path, ['stop', '--yes'], 2);
  expect((await trial(path, [], 20)).stdout).toContain('2 of 2 days');
});

test('what is recorded beside a calendar is refused, not left out', async () => {
  const path = await started();
  expect(await trial(path, ['6', '3', '--ics'])).toMatchObject({ code: 2 });
  expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
});

test.each([
  ['trial-day add --date 2026-03-02 --first 3 --second 10 --done', true],
  ['trial-day add --date 2026-03-02 --first 3 --second 4 --done', false],
  ['trial-day edit 1 --second 10', true],
])('%s: when to get help is said: %s', async (words, isSaid) => {
  const path = await started();
  if (words.includes('edit')) await trial(path, ['3', '3']);
  const { stderr } = await run(words.split(' '), { db: path, now: day(0) });
  expect(stderr.includes('ambulance')).toBe(isSaid);
});

test.each([
  ['Bird Dog', 'Bird Dog'],
  [undefined, 'another exercise'],
])('an undo says what it takes back: a trial against %s is one against %s', async (otherExercise, named) => {
  const path = noraWith();
  const against = { against: 'exercise' as const, ...(otherExercise && { otherExercise }) };
  // Without a name it comes from a file.
  inStore(path, (store) =>
    store
      .of('trial')
      .restore({ ...exampleOf(trialFields), ...against, id: 1, userId: 1, exerciseName: 'Piri' }),
  );
  const { stderr } = await run(['undo', '--yes'], { db: path, now: day(0) });
  expect(stderr.replace(/\s+/g, ' ')).toContain(`Piri against ${named}, 28 days`);
});

test('on the last day one day is left', async () => {
  const path = await started();
  expect((await trial(path, [], 27)).stdout).toContain('1 day left');
});

describe('while a question stands, another process', () => {
  const setState = (path: string, state: 'finished' | 'given-up') => () => {
    inStore(path, (store) => store.of('trial').update(1, { state }));
    return 'y\r';
  };
  const stateOf = (path: string) => inStore(path, (store) => store.of('trial').get(1).state);

  test('may finish the trial: it is not given up then', async () => {
    const path = await started();
    const { code } = await trial(path, ['stop'], 3, {
      answers: [['Give up the trial?', setState(path, 'finished')]],
    });
    expect([code, stateOf(path)]).toEqual([2, 'finished']);
  });

  test('may give up the trial: it is not finished then', async () => {
    const path = await started();
    await live(path, 27, 0);
    const { code } = await trial(path, ['start', 'piri', '--against', 'rest'], 40, {
      answers: [['Start it?', setState(path, 'given-up')]],
    });
    expect([code, stateOf(path)]).toEqual([0, 'given-up']);
  });
});

test.each([
  ['hour', ['6'], true, true],
  ['morning', ['6'], true, false],
  ['hour', ['6', '3'], false, false],
  ['hour', ['add', '6', '--date', 'yesterday'], false, false],
])(
  'outcome %s, %j: says what is drawn, so that nobody has to know before: %s',
  async (outcome, words, isTold, isDue) => {
    const path = await started('--outcome', outcome);
    const { stderr } = await trial(path, words, words[0] === 'add' ? 1 : 0);
    expect(stderr.includes(`Today, day 1 of 28: ${arms[0] === 'a' ? 'Piriformis Stretch' : 'rest'}.\n`)).toBe(
      isTold,
    );
    expect(stderr.includes('The second pain is still to come: sciatica trial PAIN')).toBe(isDue);
  },
);

test('with --quiet, the last day says nothing', async () => {
  const path = await started('--days', '14');
  await live(path, 13, 0);
  expect(await run(['-q', 'trial', '6', '6'], { db: path, now: day(13) })).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test.each([
  ['--second', ''],
  ['--notes', ''],
])('%s takes away what was recorded of a day', async (flag, none) => {
  const path = await started();
  await trial(path, ['6', '3', 'was', 'away']);
  await trial(path, ['add', flag, none, '--date', 'today']);
  const [record] = inStore(path, (store) => store.of('trialDay').list());
  expect(record).not.toHaveProperty(flag.slice(2));
  expect(record).toMatchObject({ first: 6, done: true });
});

test('on another machine the order is the same', async () => {
  const [path, other] = [await started(), noraWith()];
  await live(path, 2, 0);
  const file = `${other}.json`;
  expect((await run(['export', '-o', file], { db: path })).code).toBe(0);
  await run(['user', 'rm', '1', '--yes'], { db: other });
  expect(await run(['import', file], { db: other })).toMatchObject({ code: 0 });
  const shown = async (db: string) => (await run(['trial', '--user', '1'], { db, now: day(2) })).stdout;
  const there = inStore(other, (store) => store.of('trial').list()[0]?.userId);
  expect((await run(['trial', '--user', String(there)], { db: other, now: day(2) })).stdout).toBe(
    await shown(path),
  );
});

test('what is to come is on no screen', async () => {
  const path = await started();
  const shown = [
    (await trial(path, [])).stdout,
    (await trial(path, ['show', '--json'])).stdout,
    (await run([], { db: path, now: day(0) })).stdout,
    (await trial(path, ['--ics'])).stdout,
  ].join('\n');
  expect(shown).not.toContain('seed');
  expect(shown.match(/Today, day 1 of 28/g)).toHaveLength(2);
  expect(shown).toContain('RRULE:FREQ=DAILY;COUNT=28');
});

describe('after a trial that was given up', () => {
  const again = ['start', 'piri', '--against', 'usual', '--yes'];

  test('a day that is recorded is none of the next', async () => {
    const path = await started();
    await live(path, 3, 0);
    await trial(path, ['stop', '--yes'], 2);
    const { code, stderr } = await trial(path, [...again, '--start', 'today'], 2);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('2026-03-04 is recorded for the trial before'),
    ]);
    expect((await trial(path, again, 2)).stderr).toContain('28 days from 2026-03-05');
    expect((await trial(path, [], 2)).stdout).toBe('It starts on Thursday 2026-03-05.\n');
  });

  test('the days of the next are none of the first', async () => {
    const path = await started();
    await live(path, 3, 0);
    await trial(path, ['stop', '--yes'], 2);
    await trial(path, again, 3);
    await trial(path, ['6', '3'], 3);
    const [first, second] = inStore(path, (store) =>
      store
        .of('trial')
        .list({ sort: 'id' })
        .map((one) => trialStatus(store, one, '2026-03-05').recorded),
    );
    expect([first, second]).toEqual([3, 1]);
  });
});

test('FHIR has the trial and its days', async () => {
  const path = await started();
  await trial(path, ['6', '3']);
  const { stdout } = await run(['export', '--format', 'fhir'], { db: path });
  const { entry } = JSON.parse(stdout) as {
    entry: { resource: { resourceType: string; basedOn?: object; valueInteger?: number } }[];
  };
  const resources = entry.map(({ resource }) => resource);
  expect(resources.filter(({ resourceType }) => resourceType === 'CarePlan')).toHaveLength(1);
  expect(resources.filter(({ basedOn }) => basedOn).map(({ valueInteger }) => valueInteger)).toEqual([6, 3]);
});

describe('days', () => {
  test('a trial may start tomorrow', async () => {
    const path = db();
    const { code, stderr } = await trial(path, [
      'start',
      'piri',
      '--against',
      'rest',
      '--yes',
      '--start',
      'tomorrow',
    ]);
    expect([code, stderr.includes('28 days from 2026-03-03')]).toEqual([0, true]);
    expect((await trial(path, [])).stdout).toContain('It starts on Tuesday 2026-03-03.');
  });

  test('a day that waits for its outcome is one of those that can be recorded', async () => {
    const path = await started('--outcome', 'morning');
    await trial(path, ['5'], 0);
    await trial(path, ['4'], 1);
    await trial(path, ['5'], 1);
    expect((await trial(path, [], 1)).stdout).toMatch(/2 of 2 days\s+recorded/);
  });

  test.each([
    ['tomorrow', 'must be a calendar day'],
    ['2026-03-03', 'is still to come'],
    ['2026-02-01', 'is no day of the trial'],
  ])('nothing is recorded for %s', async (day, message) => {
    const path = await started();
    const { code, stderr } = await trial(path, ['6', '3', '--date', day]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(inStore(path, (store) => store.of('trialDay').count())).toBe(0);
  });
});

test('in 80 columns a list of trials says when each began and how it stands', async () => {
  const path = await started();
  const { stdout } = await run(['trials'], { db: path, now: day(0), columns: 80 });
  expect(stdout).toMatch(/Start .*State/);
  expect(stdout).toMatch(/2026-03-02 .*running/);
});
