import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDays, localDay } from '../../src/domain/words/day.ts';
import { freshFolder, keys, nora, noraWith, prepared, records, run, session, userFlags } from '../helpers.ts';
import { freshApp } from '../http/helpers.ts';

const ADD = ['log', 'add', 'Bird Dog', '6', '4', '--type', 'stretch'];
const datesIn = (db: string) => records(db).logs.map(({ date }) => date);

describe('a day on which it cannot have been', () => {
  it.each([
    ['2062-03-02', 'is after tomorrow'],
    ['1926-03-02', 'is before the birth that age 44 implies'],
  ])('%s is refused, unless it is right anyway', async (day, why) => {
    const db = noraWith({});
    for (const argv of [
      [...ADD, '--date', day],
      ['log', 'again', '5', '4', '--date', day],
      ['log', 'edit', '1', '--date', day],
      ['user', 'edit', '1', '--diagnosis-date', day],
      ['user', 'add', ...userFlags({ diagnosisDate: day })],
      ['pain', '5', '--user', '1', '--date', day],
      ['pain', 'edit', '1', '--date', day],
      ['trial-day', 'add', '--user', '1', '--first', '5', '--done', '--date', day],
    ]) {
      const refused = await run(argv, { db });
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`${day} ${why}. If the day is right: --anyway`),
      ]);
      expect((await run([...argv, '--anyway'], { db })).code).toBe(0);
    }
    expect(datesIn(db)).toEqual([day, day, day]);
  });

  it.each([
    [['user', 'edit', '1', '--age', '20', '--diagnosis-date', '1990-03-02']],
    [['log', 'edit', '1', '--user', '2', '--date', '1990-03-02']],
  ])('%j is of the age that the person has then', async (argv) => {
    const db = noraWith({});
    await run(['user', 'add', ...userFlags({ firstName: 'Ole', age: 20 })], { db });
    const { code, stderr } = await run(argv, { db });
    expect([code, stderr]).toEqual([2, expect.stringContaining('before the birth that age 20 implies')]);
  });

  it.each(['tomorrow', '2026-03-03'])('%s is taken: somewhere it is that day', async () => {
    const db = noraWith();
    const { code, stderr } = await run([...ADD, '--date', '2026-03-03'], { db });
    expect([code, stderr]).toEqual([0, expect.stringContaining('Note: 2026-03-03 is in the future.')]);
  });

  it('is refused for a routine too', async () => {
    const db = noraWith();
    await run(['routine', 'add', 'morning', 'Bird Dog=stretch'], { db });
    const argv = ['log', 'routine', 'morning', '--set', 'Bird Dog=6,4', '--date', '2062-01-01'];
    expect((await run(argv, { db })).code).toBe(2);
    expect((await run([...argv, '--anyway'], { db })).code).toBe(0);
  });

  it('is asked for again where it was an answer, and nothing else that was answered is lost', async () => {
    const db = prepared((store) => store.users.create(nora));
    const given = ['--name', 'Bird Dog', '--type', 'stretch', '--before', '6', '--effective', '--notes', 'x'];
    const { stderr } = await run(['log', 'add', ...given], {
      db,
      answers: [
        ['Day of the exercise', `2062-01-01${keys.enter}`],
        ['Pain after', `4${keys.enter}`],
        ['2062-01-01 is after tomorrow.', ''],
        ['Day of the exercise', keys.enter],
      ],
    });
    expect([datesIn(db), stderr.includes('after tomorrow')]).toEqual([['2026-03-02'], true]);
  });

  it.each([
    ['y', ['2010-03-02']],
    ['n', []],
  ])('long ago is asked about in a terminal: %s', async (answer, dates) => {
    const db = noraWith();
    const { stderr } = await run([...ADD, '--date', '2010-03-02'], {
      db,
      answers: [['2010-03-02 is 16 years ago. Is the year right?', `${answer}${keys.enter}`]],
    });
    expect([datesIn(db), stderr.includes('Nothing was recorded')]).toEqual([dates, answer === 'n']);
  });
});

describe('one bad year in an import', () => {
  const days = ['2026-02-20', '2026-02-22', '2026-02-24', '2026-02-26', '2026-03-01'];
  const good = days.map((date, i) => ({ date, painBefore: 6, painAfter: 5 - (i % 2) }));

  const SENTENCE = String.raw`(?:1 record is|[23] records are) left out: the day is after today, or before the birth that the age\s+implies\.`;
  const LEFT_OUT = new RegExp(` · ${SENTENCE}|^${SENTENCE}\\n|^Left out   3 records.*\\n`, 'm');

  it.each(['2062-02-24', '1926-02-24'])('%s is taken, and changes no other figure', async (date) => {
    const [clean, dirty] = [noraWith(...good), noraWith(...good)];
    for (const db of [clean, dirty]) await run(['pain', '7', '--date', '2026-02-25'], { db });
    const path = join(freshFolder(), 'bad.ndjson');
    const bad = { ...records(dirty).logs[0], id: undefined, date, painBefore: 10, painAfter: 1 };
    const badPain = { userId: 1, date, timeOfDay: 'night', pain: 10 };
    const badDay = { userId: 1, date, first: 10, done: true };
    writeFileSync(path, [bad, badPain, badDay].map((record) => `${JSON.stringify(record)}\n`).join(''));
    expect((await run(['import', path], { db: dirty })).code).toBe(0);
    expect(datesIn(dirty)).toContain(date);
    for (const argv of [
      ['summary', '--json'],
      ['compare', '--json'],
      ['compare', '--before', '2026-02-24', '--json'],
      ['summary', '--user', 'all', '--json'],
    ]) {
      const of = async (db: string) => JSON.parse((await run(argv, { db })).stdout);
      // Of pain entries and trial days nothing is said by place.
      expect(await of(dirty)).toEqual({ ...(await of(clean)), leftOut: argv.includes('all') ? 1 : 3 });
    }
    const telling = [
      [],
      ['summary'],
      ['summary', '--details'],
      ['summary', '--user', 'all'],
      ['compare'],
      ['report', '--format', 'md'],
      ['report', '--format', 'html'],
    ];
    const silent = [['pain', '--csv'], ['pain', '--json'], ['goal']];
    for (const argv of [...telling, ...silent])
      for (const columns of [undefined, 80]) {
        const words = argv[0] === 'report' ? [...argv, '-o', '-'] : argv;
        const of = (db: string) => run(words, columns ? { db, columns } : { db });
        const [without, withBad] = [await of(clean), await of(dirty)];
        expect(without.stdout).not.toMatch(LEFT_OUT);
        if (telling.includes(argv)) expect(withBad.stdout).toMatch(LEFT_OUT);
        expect({ ...withBad, stdout: withBad.stdout.replace(LEFT_OUT, '') }).toEqual(without);
      }
  });

  it.each(['2062-02-24', '1926-02-24'])(
    '%s over HTTP is taken, and changes no other figure',
    async (date) => {
      const [clean, dirty] = [freshApp(), freshApp()];
      for (const { call } of [clean, dirty])
        for (const given of good)
          await call('POST', '/userExerciseLogs', { body: { ...session, userId: 1, ...given } });
      const body = { ...session, userId: 1, date, painBefore: 10, painAfter: 1 };
      expect((await dirty.call('POST', '/userExerciseLogs', { body })).status).toBe(201);
      await dirty.call('POST', '/painEntries', { body: { userId: 1, date, timeOfDay: 'night', pain: 10 } });
      for (const path of ['summary', 'compare?before=2026-02-24']) {
        const of = async ({ call }: typeof clean) => (await call('GET', `/users/1/${path}`)).body as object;
        expect(await of(dirty)).toEqual({ ...(await of(clean)), leftOut: 2 });
      }
      const overviews = async ({ call }: typeof clean) => (await call('GET', '/overviews')).body as [object];
      expect(await overviews(dirty)).toEqual([{ ...(await overviews(clean))[0], leftOut: 2 }]);
      const report = async ({ call }: typeof clean) => (await call('GET', '/users/1/report')).text;
      expect((await report(dirty)).replace(LEFT_OUT, '')).toBe(await report(clean));
    },
  );
});

describe('a diary of which only days to come are known', () => {
  const db = (kind: 'log' | 'painEntry' | 'trialDay') =>
    prepared((store) => {
      const at = { userId: store.users.create(nora).id, date: '2026-03-03' };
      if (kind === 'log') store.logs.create({ ...session, ...at });
      if (kind === 'painEntry') store.of('painEntry').create({ ...at, pain: 10 });
      if (kind === 'trialDay') store.of('trialDay').create({ ...at, first: 10, done: true });
    });
  const SENTENCE = '1 record is left out: the day is after today, or before the birth that the age implies.';

  it.each([
    ['log', ['summary']],
    ['log', ['summary', '--user', 'all']],
    ['log', ['compare']],
    ['log', ['pain']],
    ['painEntry', ['summary']],
    ['painEntry', ['compare']],
    ['painEntry', ['pain']],
    ['painEntry', ['report', '--format', 'md', '-o', '-']],
    ['trialDay', ['summary']],
    ['trialDay', ['compare']],
    ['trialDay', ['pain']],
    ['trialDay', ['report', '--format', 'md', '-o', '-']],
  ] as const)('a %s: %j says that it is left out', async (kind, argv) => {
    for (const columns of [undefined, 100]) {
      const { stdout, stderr } = await run([...argv], { db: db(kind), ...(columns && { columns }) });
      expect(`${stdout}${stderr}`).toContain(SENTENCE);
      expect(stderr).not.toMatch(/Nothing is recorded|No log matches/);
    }
  });

  it.each(['log', 'painEntry', 'trialDay'] as const)('a %s: users --summary says so', async (kind) => {
    const path = db(kind);
    const { stdout: json } = await run(['users', '--summary', '--json', 'sessions,redEntries,leftOut'], {
      db: path,
    });
    expect(json).toBe('[{"sessions":0,"redEntries":0,"leftOut":1}]\n');
    const { stdout, stderr } = await run(['users', '--summary'], { db: path, columns: 80 });
    expect(stdout).toMatch(/Red +Left out\n.* 0 +1\n$/);
    expect(stderr.replace(/\s+/g, ' ')).toContain(
      'Left out: records after today, or before the birth that the age implies.',
    );
    expect((await run([], { db: path })).stdout).toContain('Left out   1 record after today');
  });
});

describe('days that have not come, on a Wednesday', () => {
  const now = new Date(2026, 10, 25, 12);
  const days = ['2026-11-02', '2026-11-04', '2026-11-23', '2026-11-25'];
  const db = () => noraWith(...days.map((date) => ({ date })));
  const flags = (until: string) => ['--since', '2026-11-02', '--until', until, '--target', '2'];
  const said = async (path: string, ...argv: string[]) => (await run(argv, { db: path, now })).stdout;

  it.each(['2026-11-30', '2026-12-31', '9999-12-31'])(
    'are in no figure of a period up to %s',
    async (until) => {
      const path = db();
      const target = { perWeek: 2, counts: 'sessions', weeks: 3, weeksReached: 1 };
      expect(JSON.parse(await said(path, 'summary', '--json', ...flags(until)))).toMatchObject({
        until: '2026-11-25',
        asOf: '2026-11-25',
        rhythm: { sessionsPerWeek: 1.1667, daysSinceLast: 0, target },
      });
      for (const argv of [
        ['summary', '--details'],
        ['summary', '--json'],
        ['report', '--format', 'md'],
      ])
        expect(await said(path, ...argv, ...flags(until))).toBe(
          await said(path, ...argv, ...flags('2026-11-25')),
        );
      const compare = ['compare', '--since', '2026-11-02', '--json', '--until'];
      expect(await said(path, ...compare, until)).toBe(await said(path, ...compare, '2026-11-25'));
      const places = ['summary', '--user', 'all', '--json', '--until'];
      expect(await said(path, ...places, until)).toBe(await said(path, ...places, '2026-11-25'));
    },
  );

  it('have no figures of their own, and no last report', async () => {
    const path = db();
    const period = ['--since', '2026-12-01', '--until', '2026-12-31'];
    expect(JSON.parse(await said(path, 'summary', '--json', ...period))).toMatchObject({
      ...{ since: '2026-12-01', until: '2026-12-31', sessions: 0, rhythm: null, pain: null },
    });
    expect(await said(path, 'report', '--format', 'md', ...period)).toContain('No sessions in this period.');
    const { code, stderr } = await run(['report', '--until', '2026-12-31', '--previous', '2026-12-01'], {
      db: path,
      now,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining('up to 2026-11-25')]);
  });

  it('are in no figure of the service either', async () => {
    const { call } = freshApp();
    const [today, later] = [localDay(new Date()), addDays(localDay(new Date()), 40)];
    await call('POST', '/userExerciseLogs', { body: { ...session, userId: 1, date: addDays(today, -9) } });
    for (const path of ['summary', 'compare', 'report']) {
      const of = async (until: string) =>
        (await call('GET', `/users/1/${path}?since=${addDays(today, -20)}&until=${until}`)).text;
      expect(await of(later)).toBe(await of(today));
    }
  });
});

it('log again does not repeat a session of a day to come', async () => {
  const db = noraWith({ exerciseName: 'Bird Dog' }, { exerciseName: 'Cat-Cow', date: '2062-02-24' });
  expect((await run(['log', 'again', '5', '4'], { db })).stdout).toContain('Bird Dog');
});

describe('whether a session helped, once its pain is changed', () => {
  const effectiveIn = (db: string) => records(db).logs[0]?.effective;

  it.each([
    ['was derived', [5, 6, false], ['--after', '3'], true],
    ['was derived', [6, 4, true], ['--before', '4'], false],
    ['is said', [5, 6, false], ['--after', '3', '--no-effective'], false],
    ['was said', [6, 4, false], ['--after', '3'], false],
    ['was derived, and the note is changed', [5, 6, false], ['--notes', 'x'], false],
  ] as const)('%s: %j and %j give %s', async (_, [painBefore, painAfter, effective], flags, wanted) => {
    const db = noraWith({ painBefore, painAfter, effective });
    const { stdout } = await run(['log', 'edit', '1', ...flags], { db });
    expect([effectiveIn(db), stdout]).toEqual([
      wanted,
      expect.stringContaining(wanted ? 'helped' : 'did not help'),
    ]);
  });

  it('is asked where it was said otherwise than the pain', async () => {
    const db = noraWith({ painBefore: 6, painAfter: 4, effective: false });
    await run(['log', 'edit', '1', '--after', '3'], { db, answers: [['Did it help?', `y${keys.enter}`]] });
    expect(effectiveIn(db)).toBe(true);
  });
});
