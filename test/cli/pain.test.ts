import { describe, expect, test } from 'vitest';
import { trialFields } from '../../src/domain/trial.ts';
import { openStore } from '../../src/store/store.ts';
import { freshPath, nora, noraWith, prepared, run, session, TODAY, type World } from '../helpers.ts';
import { exampleOf } from '../samples.ts';

const db = () => noraWith();
const entriesOf = (path: string) => {
  const store = openStore(path);
  try {
    return store.of('painEntry').list();
  } finally {
    store.close();
  }
};

const of = (given: object) => ({ id: 1, userId: 1, date: TODAY, ...given });

describe('what is recorded', () => {
  test.each<[string[], object]>([
    [['7'], { pain: 7 }],
    [
      ['7', 'night', '--medication', 'ibuprofen 400', 'could', 'not', 'sleep'],
      { pain: 7, timeOfDay: 'night', medication: 'ibuprofen 400', notes: 'could not sleep' },
    ],
    [['7', '--medication', 'none', '--time', 'none'], { pain: 7 }],
    [['7/10'], { pain: 7 }],
    [['7', 'out', 'of', '10', 'night'], { pain: 7, timeOfDay: 'night' }],
    [['5', '2', 'tablets'], { pain: 5, notes: '2 tablets' }],
    [['seven', 'night'], { pain: 7, timeOfDay: 'night' }],
    [['3', 'NIGHT'], { pain: 3, timeOfDay: 'night' }],
    [['3', 'this', 'Morning', 'fell'], { pain: 3, timeOfDay: 'morning', notes: 'fell' }],
    [['3', 'in', 'the', 'evening'], { pain: 3, timeOfDay: 'evening' }],
    [['3', 'at', 'night'], { pain: 3, timeOfDay: 'night' }],
    [['3', 'tonight'], { pain: 3, timeOfDay: 'night' }],
    [['3', 'noon'], { pain: 3, timeOfDay: 'midday' }],
    [['3', 'this', 'hurts'], { pain: 3, notes: 'this hurts' }],
    [['3', 'even', 'worse'], { pain: 3, notes: 'even worse' }],
    [['3', 'today'], { pain: 3, notes: 'today' }],
    [['3', '--time', 'even'], { pain: 3, timeOfDay: 'evening' }],
    [['5', '--date', 'yesterday'], { pain: 5, date: '2026-03-01' }],
    [['add', '--pain', '5'], { pain: 5 }],
    [['--pain', '5'], { pain: 5 }],
  ])('pain %j', async (words, expected) => {
    const path = db();
    expect(await run(['pain', ...words], { db: path })).toMatchObject({ code: 0, stderr: '' });
    expect(entriesOf(path)).toEqual([of(expected)]);
  });

  test.each(['yesterday', 'yestrday'])('%s behind the pain is a note, and is pointed out', async (notes) => {
    const path = db();
    expect((await run(['pain', 'six', notes], { db: path })).stderr).toBe(
      `Note: ${notes} was kept as a note.\nIf it is the day: sciatica pain edit 1 --date 2026-03-01 --notes ''\n`,
    );
    expect(entriesOf(path)).toEqual([of({ pain: 6, notes })]);
  });

  test('a clock time beside the day stays a note', async () => {
    expect((await run(['pain', '6', 'yesterday', '22:00'], { db: db() })).stderr).toBe(
      "Note: 'yesterday 22:00' was kept as a note.\nIf it is the day: sciatica pain edit 1 --date 2026-03-01 --notes 22:00\n",
    );
  });

  test.each([
    ['evning', 'evening', "''"],
    ['Nigth bad sleep', 'night', "'bad sleep'"],
  ])('%s behind the pain is a note, and the time is pointed out', async (notes, time, rest) => {
    const path = db();
    const [first] = notes.split(' ');
    expect((await run(['pain', '6', ...notes.split(' ')], { db: path })).stderr).toBe(
      `Note: ${first} was kept as a note.\nIf it is the time: sciatica pain edit 1 --time ${time} --notes ${rest}\n`,
    );
    expect(entriesOf(path)).toEqual([of({ pain: 6, notes })]);
  });

  test.each(['right leg', 'tight', 'middle of the back', 'even so', 'night evning'])(
    '%s is a note',
    async (notes) => {
      const { stderr } = await run(['pain', '6', ...notes.split(' ')], { db: db() });
      expect(stderr).toBe('');
    },
  );

  test.each([
    ['yesterday evening', '2026-03-01', 'evening'],
    ['Last night', '2026-03-01', 'night'],
    ['friday morning', '2026-02-27', 'morning'],
    ['the day before yesterday at night', '2026-02-28', 'night'],
  ])('%s behind the pain is pointed out with both', async (notes, day, time) => {
    expect((await run(['pain', '6', ...notes.split(' ')], { db: db() })).stderr).toBe(
      `Note: '${notes}' was kept as a note.\nIf it is the day: sciatica pain edit 1 --date ${day} --time ${time} --notes ''\n`,
    );
  });

  test.each<[number, string, string]>([
    [
      8,
      'night',
      'night of 2026-03-02 is still to come. If it was that of yesterday: sciatica pain edit 1 --date',
    ],
    [0, 'evening', 'evening of 2026-03-02 is still to come'],
    [12, 'night', ''],
    [8, 'morning', ''],
    [8, 'night --date today', ''],
  ])('at %i o’clock, %s may be that of the day before: %j', async (hour, words, note) => {
    const now = new Date(2026, 2, 2, hour);
    const { stderr } = await run(['pain', '5', ...words.split(' ')], { db: db(), now });
    expect(stderr).toMatch(note === '' ? /^$/ : note);
  });

  test.each<[string[], RegExp]>([
    [['11'], /--pain must be a whole number from 1 to 10/],
    [['0'], /--pain must be a whole number from 1 to 10/],
    [['-1'], /unknown option|must be a whole number/],
    [['6.5'], /--pain must be a whole number from 1 to 10/],
    [['6,5'], /--pain must be a whole number from 1 to 10/],
    [
      ['15', 'jan', '6'],
      /^sciatica: '15 jan' is a day: give it with --date, as in sciatica pain 6 --date '15 jan'\n$/,
    ],
    [['yesterday', 'seven', 'sore'], /^sciatica: yesterday is a day: .* --date yesterday\n$/],
    [['shw'], /shw is no pain from 1 to 10.*add, show, edit and rm/],
    [['7', '--pain', '6'], /7 and --pain say the same/],
    [['7', '--medication', 'x'.repeat(201)], /--medication/],
    [['7', '--date', '+9d'], /--date/],
    [['7', '--csv'], /--csv is for the days/],
    [['5', '6'], /^sciatica: '5 6' is pain before and after.*sciatica log add NAME 5 6/],
    [['5', 'to', '6'], /sciatica log add NAME 5 6/],
    [['add'], /--pain is missing/],
  ])('pain %j is refused', async (words, message) => {
    const path = db();
    const { code, stderr } = await run(['pain', ...words], { db: path });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(entriesOf(path)).toEqual([]);
  });

  test('in a terminal, add asks for the pain', async () => {
    const path = db();
    await run(['pain', 'add'], { db: path, answers: [['Pain', '6\r']] });
    expect(entriesOf(path)).toEqual([of({ pain: 6 })]);
  });

  test('edit changes it, an empty text clears, undo brings back', async () => {
    const path = db();
    await run(['pain', '7', 'night', '--medication', 'ibuprofen'], { db: path });
    await run(['pain', 'edit', '1', '--pain', '4', '--medication', ''], { db: path });
    expect(entriesOf(path)).toEqual([of({ pain: 4, timeOfDay: 'night' })]);
    await run(['undo', '--yes'], { db: path });
    expect(entriesOf(path)).toEqual([of({ pain: 7, timeOfDay: 'night', medication: 'ibuprofen' })]);
  });

  test('--help behind words records nothing', async () => {
    const path = db();
    expect((await run(['pain', '7', '--help'], { db: path })).stdout).toContain('sciatica pain 7');
    expect(entriesOf(path)).toEqual([]);
  });
});

describe('red flags', () => {
  const emergency = 'emergency department';
  test.each<[string[], boolean]>([
    [['8', 'numb', 'between', 'legs'], false],
    [['9', 'fine'], true],
    [['10'], true],
  ])('after pain %j: %s', async (words, said) => {
    expect((await run(['pain', ...words], { db: db(), columns: 80 })).stderr.includes(emergency)).toBe(said);
    expect((await run(['pain', ...words], { db: db() })).stderr.includes(emergency)).toBe(said);
  });

  test('after a change to 9', async () => {
    const path = db();
    await run(['pain', '3'], { db: path });
    const { stderr } = await run(['pain', 'edit', '1', '--pain', '9'], { db: path, columns: 80 });
    expect(stderr).toContain(emergency);
  });
});

/** Pain on some days before NOW, a session, and a tablet. */
const diary = () =>
  prepared((store) => {
    store.users.create(nora);
    const entries = store.of('painEntry');
    for (const [date, pain] of [
      ['2025-12-03', 9],
      ['2025-12-02', 10],
      ['2026-01-15', 4],
      ['2026-03-01', 6],
    ] as const)
      entries.create({ userId: 1, date, pain });
    entries.create({ userId: 1, date: '2026-03-02', pain: 2, timeOfDay: 'night', medication: 'para' });
    entries.create({ userId: 1, date: '2026-03-02', pain: 5, timeOfDay: 'morning' });
    store.logs.create({
      userId: 1,
      exerciseType: 'stretch',
      exerciseName: 'Bird Dog',
      date: '2026-03-02',
      painBefore: 6,
      painAfter: 8,
      effective: false,
      notes: '',
    });
  });

const shown = async (world: World, ...flags: string[]) => (await run(['pain', ...flags], world)).stdout;

describe('the last 90 days', () => {
  test.each([80, 50])('at %i columns fit, in at most 12 lines', async (columns) => {
    const lines = (await shown({ db: diary(), columns })).trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns);
    expect(lines.join('\n')).toMatchSnapshot();
  });

  test('are drawn in ASCII where the locale or the terminal says so', async () => {
    const LC_CTYPE = 'en_GB.UTF-8';
    for (const env of [{ LANG: 'C' }, { TERM: 'dumb' }, { LC_ALL: 'POSIX', LC_CTYPE, LANG: LC_CTYPE }])
      expect(await shown({ db: diary(), columns: 50, env })).toMatch(/^[\x20-\x7e\n]*$/);
  });

  test('are drawn day by day where there is room', async () => {
    const text = await shown({ db: diary(), columns: 100 });
    expect(text).not.toContain('days a column');
    expect(text.split('\n')[6]).toBe(`   └${'─'.repeat(90)}`);
  });

  test('are lines in a pipe, JSON and CSV', async () => {
    const path = diary();
    expect(await shown({ db: path })).toBe(
      'date\tpain\tsessions\tmedication\n2025-12-03\t9\t0\t\n2026-01-15\t4\t0\t\n2026-03-01\t6\t0\t\n2026-03-02\t8\t1\tpara\n',
    );
    expect(JSON.parse(await shown({ db: path }, '--json', 'date,pain')).at(-1)).toEqual({
      date: '2026-03-02',
      pain: 8,
    });
    expect(await shown({ db: path }, '--csv')).toContain('\r\n2026-03-02,8,1,para\r\n');
  });

  test('hold what was felt on the days of a trial, a morning outcome on the morning after', async () => {
    const path = db();
    const store = openStore(path);
    store.of('trial').create({
      ...exampleOf(trialFields),
      userId: 1,
      start: '2026-02-27',
      outcome: 'morning',
      state: 'running',
    });
    const day = { userId: 1, date: '2026-02-28', first: 3, second: 7, done: true };
    store.of('trialDay').create(day);
    store.of('trialDay').create({ userId: 1, date: '2026-03-02', first: 2, done: true });
    store.close();
    expect(await shown({ db: path })).toBe(
      'date\tpain\tsessions\tmedication\n2026-02-28\t3\t0\t\n2026-03-01\t7\t0\t\n2026-03-02\t2\t0\t\n',
    );
  });

  test('without any, say how to record one', async () => {
    expect(await run(['pain'], { db: db() })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('sciatica pain add'),
    });
  });
});

test('home asks how it is until it is told', async () => {
  const path = db();
  expect((await run([], { db: path })).stdout).toContain('How is it today? sciatica pain add');
  await run(['pain', '4'], { db: path });
  const { stdout } = await run([], { db: path });
  expect(stdout).toContain('Pain today 4');
  expect(stdout).toMatch(/Pain +▃ 4, before or without exercise, last 14 days\n/);
  expect(stdout).not.toContain('How is it');
});

test('home and users --summary have the pain of days with and without exercise, as the summary counts it', async () => {
  const path = prepared((store) => {
    store.users.create(nora);
    const entry = { userId: 1, date: '2026-03-01' };
    store.of('painEntry').create({ ...entry, pain: 8 });
    store.of('painEntry').create({ ...entry, date: TODAY, pain: 3, timeOfDay: 'morning' });
    store.logs.create({ ...session, date: TODAY, painBefore: 6, painAfter: 5 });
    store.logs.create({ ...session, date: TODAY, painBefore: 5, painAfter: 2 });
  });
  expect((await run([], { db: path })).stdout).toContain(
    `Pain       ▇▅ 8 → 6, before or without exercise, last 14 days
           ▁ 2, after the last exercise of each day
`,
  );
  const { stdout } = await run(['summary', '--json'], { db: path });
  expect(JSON.parse(stdout)).toMatchObject({ level: { mean: 7 } });
  const { stdout: list } = await run(['users', '--summary', '--json', 'pain'], { db: path });
  expect(JSON.parse(list)).toEqual([{ pain: 7 }]);
});

test('what another user says is in no figure', async () => {
  const path = prepared((store) => {
    for (let id = 1; id <= 2; id++) store.users.create(nora);
    store.logs.create(session);
  });
  const figures = () =>
    Promise.all(
      [['pain', '--json'], ['summary', '--json'], ['report']].map(
        async (words) => (await run([...words, '--user', '1'], { db: path })).stdout,
      ),
    );
  const before = await figures();
  await run(['pain', '9', '--user', '2'], { db: path });
  expect(await figures()).toEqual(before);
});

test('several are counted and named in words', async () => {
  const path = db();
  for (const pain of ['3', '4']) await run(['pain', pain], { db: path });
  expect((await run(['doctor'], { db: path })).stdout).toContain('2 pain entries');
  expect((await run(['pain', 'show', '7'], { db: path })).stderr).toContain('There is no pain entry 7.');
  expect((await run(['pains', '--since', 'yesterday', '--json'], { db: path })).stdout).toBe(
    `${JSON.stringify([of({ pain: 3 }), of({ id: 2, pain: 4 })])}\n`,
  );
  expect((await run(['pains', '--until', 'yesterday', '--json'], { db: path })).stdout).toBe('[]\n');
});

test('a column that no row fills is left out of a table', async () => {
  const path = noraWith({});
  expect((await run(['logs'], { db: path, columns: 100 })).stdout).not.toContain('Medication');
  await run(['log', 'edit', '1', '--medication', 'ibuprofen'], { db: path });
  expect((await run(['logs'], { db: path, columns: 100 })).stdout).toContain('ibuprofen');
});

test('a pain entry of no database yet', async () => {
  expect(await run(['pain', '7'], { db: freshPath() })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('There is no database'),
  });
});
