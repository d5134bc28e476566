import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import practice from '../../src/cli/practice.json';
import { run as runProgram } from '../../src/cli/program.ts';
import { widthOf, wrap } from '../../src/cli/terminal/width.ts';
import { kindNames, kindOf } from '../../src/domain/kinds.ts';
import type { Log } from '../../src/domain/log.ts';
import { RED_FLAGS, RED_FLAGS_POINTER } from '../../src/domain/red-flags.ts';
import { addDays } from '../../src/domain/words/day.ts';
import type { Comparison, Summary } from '../../src/insights/shapes.ts';
import { summarize } from '../../src/insights/summary.ts';
import { openStore } from '../../src/store/store.ts';
import {
  freshFolder,
  nora,
  noraWith,
  practiceDb,
  prepared,
  run as runAny,
  session,
  started,
  userFlags,
  type World,
} from '../helpers.ts';
import { comparePeriods } from '../insights/helpers.ts';

/** After the last session of the practice records. */
const LATER = new Date(2026, 10, 2, 12);

let db = '';
beforeAll(async () => {
  db = join(mkdtempSync(join(tmpdir(), 'sciatica-')), 'practice.db');
  await practiceDb(db);
});
afterAll(() => rmSync(dirname(db), { recursive: true, force: true }));

/** Runs a command line on the practice records, unless it is given a database of its own. */
const run = (argv: readonly string[], world: World = {}) => runAny(argv, { db, now: LATER, ...world });
const logs = (userId: number) => (practice.userExerciseLogs as Log[]).filter((log) => log.userId === userId);

const linesOf = (text: string) => text.trimEnd().split('\n');
const widest = (text: string) => Math.max(...linesOf(text).map((line) => widthOf(line)));
const plain = (columns: number) => ({ columns, env: { NO_COLOR: '1' } });
const joined = (text: string) => text.replace(/\s+/g, ' ');

/** A patient whose answer is clear: one exercise helps, one aggravates, one was done twice. */
const clear = () =>
  prepared((store) => {
    store.users.create(nora);
    let day = 0;
    const add = (exerciseName: string, change: number, times: number) => {
      for (let i = 0; i < times; i += 1) {
        const painBefore = 4 + (i % 3);
        const date = new Date(Date.UTC(2025, 11, 1 + day++)).toISOString().slice(0, 10);
        store.logs.create({ ...session, exerciseName, painBefore, painAfter: painBefore + change, date });
      }
    };
    add('Worse', 2, 20);
    add('Twice', -3, 2);
    add('Better', -3, 20);
    add('Neither', 0, 40);
  });

/** A patient with so many sessions of one exercise, all alike. */
const of = (exerciseName: string, painBefore: number, painAfter: number, times: number) =>
  noraWith(
    ...Array.from({ length: times }, (_, i) => ({
      exerciseName,
      painBefore,
      painAfter,
      date: `2026-02-0${i + 1}`,
    })),
  );

const redFlagLines = (width: number) => wrap(RED_FLAGS, { width });

const reopened = (path: string) => {
  const store = openStore(path);
  const waiting = store.settings.texts('formerMarks');
  store.close();
  return waiting;
};

describe('summary', () => {
  it('of six exercises says on one screen what to do more of, what to ask about, what is not known', async () => {
    const changes: Record<string, readonly number[]> = {
      'Bird Dog': [-3, -2, -2, -3],
      'Hamstring Stretch': [2, 3, 2, 2],
      'Dead Bug': [0, 0, 0, 1],
      'Glute Bridge': [-2, 2, -1, 1],
      'Cobra Stretch': [0, -1, 0, 1],
    };
    const six = prepared((store) => {
      store.users.create(nora);
      const add = (exerciseName: string, day: number, change: number) => {
        const date = new Date(Date.UTC(2025, 8, 1 + day)).toISOString().slice(0, 10);
        const painBefore = 4 + (Math.floor(day / 5) % 3);
        store.logs.create({ ...session, exerciseName, date, painBefore, painAfter: painBefore + change });
      };
      for (let round = 0; round < 24; round += 1)
        for (const [i, [name, those]] of Object.entries(changes).entries())
          add(name, 5 * round + i, those[round % those.length] as number);
      add('Nerve Glide', 121, -2);
    });
    const { stdout } = await run(['summary'], { db: six, ...plain(80) });
    expect(linesOf(stdout).length, stdout).toBeLessThanOrEqual(16);
    expect(widest(stdout)).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/^LESS PAIN AFTER.*\n {2}✔ Bird Dog/m);
    expect(stdout).toMatch(/^MORE PAIN AFTER.*\n {2}✖ Hamstring Stretch.*\n.*physiotherapist/m);
    expect(stdout).toMatch(/^STILL OPEN +Glute Bridge|^NO NOTICEABLE DIFFERENCE/m);
    expect(stdout).toMatch(/^TOO FEW +Nerve Glide \(1 session\)/m);
  });

  it.each([80, 100, 200])('is one screen of %i columns', async (columns) => {
    const { code, stdout, stderr } = await run(['summary', '--user', '3'], plain(columns));
    expect([code, stderr]).toEqual([0, '']);
    expect(linesOf(stdout).length).toBeLessThanOrEqual(24);
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
  });

  it.each([50, 40, 30])('fits a terminal of %i columns', async (columns) => {
    for (const argv of [['3'], ['3', '--details'], ['all']]) {
      const { stdout } = await run(['summary', '--user', ...argv], plain(columns));
      // A command stays whole, so that it can be copied.
      expect(widest(stdout.replace(/^sciatica .*$/gm, ''))).toBeLessThanOrEqual(columns);
      expect(joined(stdout)).toContain(RED_FLAGS_POINTER);
    }
  });

  it('answers in words and groups, the pointer to the red flags last', async () => {
    const { stdout } = await run(['summary'], { db: clear(), ...plain(80) });
    expect(linesOf(stdout)).toEqual([
      'Nora Lind: 82 sessions, December 2025 to February 2026, 7 a week.',
      '',
      'LESS PAIN AFTER                                        change  sessions',
      '  ✔ Better       strong, more relief than your others    −3.0        20',
      'MORE PAIN AFTER',
      '  ✖ Worse        strong                                  +2.0        20',
      '    Mention ✖ to your physiotherapist.',
      'NO NOTICEABLE DIFFERENCE',
      '    Neither 0.0',
      'TOO FEW     Twice (2 sessions)',
      '',
      'Pain before exercise: 4.9 in December 2025, 5.0 in February 2026. No clear',
      'direction.',
      'The figures behind this: sciatica summary --details',
      '',
      RED_FLAGS_POINTER,
    ]);
  });

  it.each([
    ['16', ', 1 a week.'],
    ['17', '.'],
  ])('from %s February to 1 March says how many a week, if that is two weeks', async (day, end) => {
    const db = noraWith({ date: `2026-02-${day}` }, { date: '2026-03-01' });
    const [first] = (await run(['summary'], { db, columns: 100 })).stdout.split('\n');
    expect(first).toBe(`Nora Lind: 2 sessions, ${day} February to 1 March 2026${end}`);
  });

  it('says the same at 50 columns, the words under the names', async () => {
    const { stdout } = await run(['summary', '--user', '3'], plain(50));
    expect(linesOf(stdout).slice(0, 22)).toEqual([
      'Nora Patel: 62 sessions, January to October 2026,',
      '1.5 a week.',
      '',
      'LESS PAIN AFTER                   change  sessions',
      '  ✔ Piriformis Stretch              −2.3         8',
      '    strong, more relief than your others',
      'MORE PAIN AFTER',
      '  ✖ Straight Leg Raise              +1.2        12',
      '    noticeable',
      '  · Hamstring Stretch               +1.4         8',
      '    slight',
      '    Mention ✖ to your physiotherapist.',
      'SO FAR',
      '  ~ Sciatic Nerve Glide             −2.0         3',
      '    likely less, few sessions',
      '  ~ Bird Dog                        −1.0         8',
      '    likely less',
      'STILL OPEN  Glute Bridge −0.8, Cobra Stretch −0.6,',
      '            Dead Bug −0.1',
      '',
      'Pain before exercise: 8.2 in January, 5.1 in',
      'October. Falling.',
    ]);
  });

  it('of eight sessions from 6 to 4 says that pain was clearly less', async () => {
    const { stdout } = await run(['summary'], { db: of('Cobra Stretch', 6, 4, 8), ...plain(80) });
    expect(stdout).toMatch(/^LESS PAIN AFTER .*\n {2}· Cobra Stretch +strong +−2\.0 +8$/m);
  });

  it.each([
    [1, '1 session, 1 February 2026', 'Pain before exercise: 6.'],
    [2, '2 sessions, 1 to 2 February 2026', 'Pain before exercise: 6.0 on average.'],
  ])('of %i sessions says what there is and when more can be said', async (n, head, pain) => {
    const { stdout } = await run(['summary'], { db: of('Cobra Stretch', 6, 4, n), ...plain(80) });
    expect(linesOf(stdout)).toEqual([
      `Nora Lind: ${head}.`,
      '',
      `TOO FEW     Cobra Stretch (${head.slice(0, head.indexOf(','))})`,
      '',
      pain,
      'From 3 sessions of one exercise on, this says which way pain went after it;',
      'about 8 are often enough to be clear.',
      '',
      RED_FLAGS_POINTER,
    ]);
  });

  it('tells once, in a terminal, why a mark of the version before is gone', async () => {
    const db = of('Cobra Stretch', 6, 4, 8);
    const store = openStore(db);
    store.settings.set('formerMarks', '["1","2"]');
    store.close();
    const told = async (argv: string[] = [], columns?: number) => {
      const { stderr } = await run(['summary', '--user', '1', ...argv], { db, ...(columns && { columns }) });
      return joined(stderr);
    };
    expect([await told(), await told(['--since', '2026-02-01'], 80)]).toEqual(['', '']);
    expect(await told([], 80)).toMatch(/New in this version.* Cobra Stretch had one and has none now/);
    expect(await told([], 80)).toBe('');
    expect(reopened(db)).toEqual(['2']);
  });

  it('of one exercise alone says that nothing tells it from bad days that pass', async () => {
    const { stdout } = await run(['summary'], { db: of('Cobra Stretch', 6, 4, 8), ...plain(80) });
    expect(stdout).toContain("Whether that is the exercise or bad days passing, these figures can't show.");
  });

  it('prescribes nothing, and leaves the statistics to --details', async () => {
    const { stdout } = await run(['summary', '--user', '3']);
    expect(stdout).not.toMatch(/\bp\b|interval|rule|default|radicular|should|recover|stop|effective/i);
    const details = joined((await run(['summary', '--user', '3', '--details'], plain(80))).stdout);
    for (const figure of ['95 % interval', 'Sessions Response', 'response in 26 %', '▁ 1, █ 10', 'a week'])
      expect(details).toContain(figure);
    expect(details).toContain('at least 2 points or 30 %. Pain is on a scale');
    expect(details).toContain('no value for “no pain”');
    expect(details).toContain('Piriformis Stretch −2.1 (−3.3 to −0.8, more relief)');
  });

  it('--details of a few days says once from when on it tells whether the pain falls', async () => {
    const { stdout } = await run(['summary', '--details'], {
      db: of('Cobra Stretch', 6, 4, 3),
      ...plain(80),
    });
    expect(joined(stdout).match(/whether it falls or rises/g)).toHaveLength(1);
  });

  it('of many exercises names some', async () => {
    const many = noraWith(...Array.from({ length: 14 }, (_, i) => ({ exerciseName: `Number ${i}` })));
    const { stdout } = await run(['summary'], { db: many, ...plain(80) });
    expect(joined(stdout)).toContain('Number 5 (1 session) and 4 more');
  });

  it.each([80, 50, 30])('fits %i columns whatever the names are', async (columns) => {
    const long = prepared((store) => {
      store.users.create(nora);
      for (const [name, painAfter, n] of [
        ['clear', 4, 8],
        ['worse', 8, 8],
        ['likely', 4, 3],
        ['open', 6, 4],
        ['few', 4, 1],
      ] as const)
        for (let i = 0; i < n; i += 1)
          store.logs.create({ ...session, painAfter, exerciseName: `${name}${'ß'.repeat(90)}` });
    });
    for (const argv of [['summary'], ['summary', '--details'], ['summary', '--user', 'all'], ['compare']]) {
      const { stdout } = await run(argv, { db: long, ...plain(columns) });
      expect([argv, widest(stdout)]).toEqual([argv, Math.min(columns, widest(stdout))]);
    }
  });

  it('stands in columns whatever script the names are in', async () => {
    const mixed = prepared((store) => {
      store.users.create(nora);
      for (const exerciseName of ['ブリッジ運動', 'Kobra-Streckung', 'x'.repeat(100)])
        for (let i = 0; i < 8; i += 1) store.logs.create({ ...session, exerciseName });
    });
    const { stdout } = await run(['summary'], { db: mixed, ...plain(80) });
    const rows = linesOf(stdout).filter((line) => line.startsWith('  ·'));
    expect(rows).toHaveLength(3);
    expect(new Set(rows.map((row) => widthOf(row))).size).toBe(1);
    expect(stdout).toContain(`${'x'.repeat(29)}…`);
  });

  it('colours what is clear, in a terminal only', async () => {
    const world = { db: clear() };
    const { stdout } = await run(['summary'], { ...world, columns: 80 });
    expect(stdout).toContain('\u001b[32m✔');
    expect(stdout).toContain('\u001b[31m✖');
    const piped = (await run(['summary'], world)).stdout;
    expect(piped).not.toContain('\u001b');
    expect(piped).toBe((await run(['summary'], { ...world, ...plain(80) })).stdout);
    const details = (await run(['summary', '--details'], { ...world, columns: 80 })).stdout;
    expect(details).toContain('\u001b[32mclear less');
    expect(details).toContain('\u001b[31mclear more');
  });

  it('as JSON gives the figures of the insights, the same each time', async () => {
    const { stdout } = await run(['summary', '--user', '3', '--json']);
    expect(JSON.parse(stdout)).toEqual(summarize(logs(3)));
    expect((await run(['summary', '--user', '3', '--json'])).stdout).toBe(stdout);
    const { exercises } = JSON.parse(stdout) as Summary;
    expect(Object.keys(exercises[0] ?? {})).toEqual(
      expect.arrayContaining(
        'exerciseName exerciseType sessions meanChange medianChange interval responded effective'.split(' '),
      ),
    );
  });

  it('takes period, type, rule and target', async () => {
    const argv =
      'summary --user 3 --since 2026-02-01 --until 2026-08-31 --type stretch --rule radicular --target 1'.split(
        ' ',
      );
    const { stdout } = await run([...argv, '--json']);
    const stretches = logs(3).filter(({ exerciseType }) => exerciseType === 'stretch');
    const [since, until] = ['2026-02-01', '2026-08-31'];
    const asked = { since, until, target: { perWeek: 1, counts: 'sessions' } as const };
    expect(JSON.parse(stdout)).toMatchObject({
      since,
      until,
      rule: { name: 'radicular' },
      sessions: summarize(stretches, asked).sessions,
      rhythm: summarize(stretches, asked).rhythm,
    });
    const screen = (await run([...argv, '--details'], plain(80))).stdout;
    expect(joined(screen)).toContain('1.75 points or 23.5 % (rule radicular)');
    expect(screen).toMatch(/^Target of 1 a week: \d+ of 30 whole weeks up to 2026-08-30\.$/m);
  });

  it('can be shown without the name', async () => {
    const { stdout } = await run(['summary', '--user', '3', '--anonymous']);
    expect(stdout).toMatch(/^User 3: 62 sessions/);
    expect(stdout).not.toMatch(/Nora|Patel/);
  });

  it.each([1, 3, 9])('shows no control character of an exercise with %i sessions', async (n) => {
    const hostile = prepared((store) => {
      store.users.create(nora);
      for (const [painAfter, mark] of [
        [3, 'b'],
        [5, '\u202e'],
      ] as const)
        for (let i = 0; i < n; i += 1)
          store.logs.create({
            ...session,
            painBefore: 5,
            painAfter,
            exerciseName: `a\u001b[31m\n${mark}${painAfter}`,
          });
    });
    for (const argv of [['summary'], ['summary', '--details'], ['compare']])
      expect((await run(argv, { db: hostile, ...plain(80) })).stdout).not.toMatch(/[\u001b\u202e]/);
  });

  it('of everybody goes by pain location', async () => {
    const { stdout } = await run(['summary']);
    expect(stdout).toContain('glute-left: 1 patient, 62 sessions');
    expect(joined(stdout)).toContain('Too few patients to say');
    const json = JSON.parse((await run(['summary', '--user', 'all', '--type', 'stretch', '--json'])).stdout);
    expect(Object.keys(json)).toEqual(['since', 'until', 'rule', 'places', 'leftOut']);
    expect(json.places).toHaveLength(6);
    expect(json.places[0].exercises).toHaveLength(4);
  });

  it('of many ranks what enough of them did', async () => {
    const many = prepared((store) => {
      for (let i = 0; i < 12; i += 1) {
        const { id: userId } = store.users.create(nora);
        for (const painAfter of [2, 3, 3]) store.logs.create({ ...session, userId, painAfter });
      }
    });
    const { stdout } = await run(['summary', '--user', 'all'], { db: many, ...plain(80) });
    expect(stdout).toContain('glute-left: 12 patients, 36 sessions');
    expect(stdout).toMatch(/^Piriformis Stretch +12 +12 of 12 +−3\.3 .* clear less$/m);
  });

  it('of pain entries alone says how the pain is, what is missing, and where the red flags are', async () => {
    const only = noraWith();
    for (const [i, level] of [6, 6, 7, 9].entries())
      await run(['pain', String(level), '--date', `2026-02-0${i + 1}`], { db: only });
    const { stdout, stderr } = await run(['summary'], { db: only, ...plain(80) });
    expect([stdout, stderr]).toEqual([
      `Nora Lind: pain recorded on 4 days, 1 to 4 February 2026, no session.

Pain: 7.0 on average. From 8 days of records over six weeks on, this says
whether it falls or rises.
From 3 sessions of one exercise on, this says which way pain went after it;
about 8 are often enough to be clear.
To record one: sciatica log add

${RED_FLAGS_POINTER}
`,
      '',
    ]);
    expect((await run(['summary', '--details'], { db: only, ...plain(80) })).stdout).toContain(
      'mean 7.0, median 6.5, 4 days',
    );
    for (const columns of [50, 30])
      expect(
        widest((await run(['summary', '--details'], { db: only, ...plain(columns) })).stdout),
      ).toBeLessThanOrEqual(columns);
    const { stdout: report } = await run(['report', '--format', 'md'], { db: only });
    expect(report).toContain('**Pain recorded on 4 days. No sessions in this period.**');
  });

  it('of nothing says what to do', async () => {
    const empty = prepared(() => {});
    const { code, stderr, stdout } = await run(['summary'], { db: empty });
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toBe('Nothing is recorded yet. Start with: sciatica user add, then sciatica log add\n');
    expect((await run(['summary', '--user', '3', '--until', '2020-01-01'])).stderr).toBe('No log matches.\n');
    const { stdout: json } = await run(['summary', '--user', '3', '--until', '2020-01-01', '--json']);
    expect(JSON.parse(json)).toMatchObject({ sessions: 0, exercises: [] });
  });
});

describe('the red flags', () => {
  const add = ['user', 'add', ...userFlags()];

  it('say what is an emergency and what is for today', () => {
    expect(RED_FLAGS).toMatch(
      /ambulance.*emergency department now.*saddle.*new trouble with bladder, bowel or sexual function.*weakness or numbness in both legs/,
    );
    expect(RED_FLAGS).toMatch(/today for new or worsening weakness of one leg/);
  });

  it('are told to a person who begins', async () => {
    const { stderr } = await runAny(add, { columns: 50 });
    expect(stderr.trimEnd().endsWith(redFlagLines(50).join('\n'))).toBe(true);
    expect((await runAny(add)).stderr).toBe('Next, record an exercise: sciatica log add\n');
  });

  it('are wrapped for the terminal in which they are read, while stdout is a pipe', async () => {
    const { context, written } = started({ columns: 50 });
    Object.assign(context.stdout, { isTTY: false, columns: undefined });
    await runProgram(add, context);
    expect(written().stderr.trimEnd().endsWith(redFlagLines(50).join('\n'))).toBe(true);
  });

  it.each([
    ['nerve 3 10 numb between legs and cannot pee', true],
    ['nerve 3 6 fine', true],
    ['nerve 3 5 cannot pee', false],
    ['nerve 9 8', true],
    ['nerve 8 8', false],
  ])('are told after %s, whatever the notes say: %s', async (words, told) => {
    const db = noraWith({ exerciseName: 'Sciatic Nerve Glide' });
    const { stderr } = await runAny(['log', 'add', ...words.split(' ')], { db });
    expect(joined(stderr).includes(RED_FLAGS)).toBe(told);
    const routine = ['routine', 'add', 'morning', 'nerve'];
    await runAny(routine, { db });
    const [, before, after] = words.split(' ');
    const set = `nerve=${before},${after}`;
    const { stderr: together } = await runAny(['log', 'routine', 'morning', '--set', set], { db });
    expect(joined(together).includes(RED_FLAGS)).toBe(told);
  });

  it.each([
    ['painAfter', 'painBefore 3, painAfter 6', ['--after', '6'], true],
    ['painBefore', 'pain of 9', ['--before', '9'], true],
    ['painAfter', 'no rise of 3', ['--after', '5'], false],
    ['notes', 'notes only', ['--notes', 'cannot pee'], false],
  ])('are told after a change of %s: %s', async (_, __, flags, told) => {
    const db = noraWith({ painBefore: 3, painAfter: 3 });
    const { stderr } = await runAny(['log', 'edit', '1', ...flags], { db });
    expect(joined(stderr).includes(RED_FLAGS)).toBe(told);
  });

  it.each([
    ['an older session only', ['2026-02-27'], [], true],
    ['a session of this week', ['2026-02-27', '2026-03-02'], [], false],
    ['none at all', [], ['--type', 'stretch'], false],
    ['an older one, and a session of last week', ['2026-02-27'], ['--date', '2026-03-01'], false],
  ])('are told with the first session of a week, in a terminal: %s', async (_, dates, flags, told) => {
    const again = () =>
      prepared((store) => {
        store.users.create(nora);
        for (const date of dates) store.logs.create({ ...session, date, painBefore: 4 });
      });
    const argv = ['log', 'add', session.exerciseName, '5', '4', ...flags];
    const { stderr } = await runAny(argv, { db: again(), columns: 80 });
    expect(joined(stderr).includes(RED_FLAGS)).toBe(told);
    expect((await runAny(argv, { db: again() })).stderr).not.toContain('ambulance');
  });

  it.each(['log add'])('stand in the help of %s', async (command) => {
    const { stdout } = await runAny([...command.split(' '), '--help'], plain(50));
    expect(joined(stdout)).toContain(RED_FLAGS);
    expect(widest(stdout.slice(stdout.indexOf('Call an ambulance')))).toBeLessThanOrEqual(50);
  });
});

describe('compare', () => {
  const json = async (...argv: string[]) =>
    JSON.parse((await run(['compare', '--user', '3', ...argv, '--json'])).stdout) as Comparison;
  const periods = ({ first, second }: Comparison) => [first.since, first.until, second.since, second.until];

  it.each([
    [[], ['2026-09-01', '2026-09-28', '2026-09-29', '2026-10-26']],
    [
      ['--until', '2026-06-30'],
      ['2026-05-06', '2026-06-02', '2026-06-03', '2026-06-30'],
    ],
    [
      ['--since', '2026-03-01', '--until', '2026-03-31'],
      ['2026-01-29', '2026-02-28', '2026-03-01', '2026-03-31'],
    ],
    [
      ['--before', '2026-06-01'],
      ['2026-01-01', '2026-05-31', '2026-06-01', '2026-10-26'],
    ],
    [
      ['--before', '2026-10-28'],
      ['2026-01-01', '2026-10-27', '2026-10-28', '2026-10-28'],
    ],
    [
      ['--before', '2025-01-01'],
      ['2024-12-31', '2024-12-31', '2025-01-01', '2026-10-26'],
    ],
  ])('%j lays these periods side by side', async (argv, expected) => {
    const comparison = await json(...argv);
    expect(periods(comparison)).toEqual(expected);
    const [a = '', b = '', c = '', d = ''] = expected;
    expect(comparison).toEqual(comparePeriods(logs(3), { since: a, until: b }, { since: c, until: d }));
  });

  it.each([80, 50, 30])('fits %i columns', async (columns) => {
    const { code, stdout } = await run(['compare', '--user', '3'], plain(columns));
    expect(code).toBe(0);
    expect(widest(stdout)).toBeLessThanOrEqual(columns);
    expect(joined(stdout).includes('95 % interval')).toBe(columns === 80);
    if (columns === 80) expect(linesOf(stdout).length).toBeLessThan(29);
  });

  it('says which way each figure went', async () => {
    const { stdout } = await run(['compare', '--user', '3', '--before', '2026-06-01'], plain(80));
    expect(stdout).toMatch(/^Pain before +7\.3 +5\.9 +−1\.4 \(−\d\.\d to −\d\.\d\) +lower$/m);
    expect(joined(stdout)).toContain('2026-01-01 to 2026-05-31 (then) and 2026-06-01 to 2026-10-26 (now)');
  });

  it('calls pain with days without exercise among them that of the day', async () => {
    const db = noraWith({ date: '2026-02-01' }, { date: '2026-03-01' });
    await run(['pain', '9', '--date', '2026-02-28'], { db });
    const { stdout } = await run(['compare'], { db, ...plain(80) });
    expect(stdout).toMatch(/^Pain of the day /m);
    expect(joined(stdout)).toContain(
      'in brackets the sessions. Pain before or without exercise; of each exercise',
    );
  });

  it('of nothing says so', async () => {
    const empty = prepared((store) => store.users.create(nora));
    expect(await run(['compare'], { db: empty })).toEqual({
      code: 0,
      stdout: '',
      stderr: 'Nothing is recorded yet. Start with: sciatica log add\n',
    });
    const { stdout } = await run(['compare', '--json'], { db: empty });
    expect(JSON.parse(stdout)).toMatchObject({ first: { sessions: 0 }, second: { sessions: 0 } });
  });
});

describe('report', () => {
  const target = () => join(freshFolder(), 'report.html');

  it('goes to stdout where that is no terminal, the same bytes each time', async () => {
    const first = await run(['report', '--user', '3', '--previous', '2026-08-01']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(/^<!doctype html>/);
    expect(first.stdout).toContain('What changed since 2026-08-01');
    expect((await run(['report', '--user', '3', '--previous', '2026-08-01'])).stdout).toBe(first.stdout);
  });

  it('writes a private file, quietly, and leaves nothing beside it', async () => {
    const path = target();
    expect(await run(['report', '--user', '3', '-o', path])).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toBe((await run(['report', '--user', '3'])).stdout);
    expect(readdirSync(dirname(path))).toEqual(['report.html']);
  });

  it('tells a person where it is', async () => {
    const path = target();
    const { stdout, stderr } = await run(['report', '--user', '3', '-o', path], { columns: 200 });
    expect([stdout, stderr]).toEqual(['', `Wrote ${path}.\n`]);
  });

  it('replaces a file with --force only', async () => {
    const path = target();
    writeFileSync(path, 'old');
    const refused = await run(['report', '--user', '3', '-o', path]);
    expect([refused.code, readFileSync(path, 'utf8')]).toEqual([4, 'old']);
    expect((await run(['report', '--user', '3', '-o', path, '--force'])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toContain('Nora Patel');
  });

  it('is Markdown where the name of the file or --format says so', async () => {
    const path = join(freshFolder(), 'report.md');
    await run(['report', '--user', '3', '-o', path]);
    const { stdout } = await run(['report', '--user', '3', '--format', 'md']);
    expect(readFileSync(path, 'utf8')).toBe(stdout);
    expect(stdout).toMatch(/^# Exercise and pain: Nora Patel\n/);
  });

  it.each([
    ['report.pdf', 'A report is HTML or Markdown: write it as .html, and print it to a PDF from a browser.'],
    ['report.docx', 'report.docx: a report is html or md. Say which with --format.'],
  ])('is not written to %s', async (name, message) => {
    const path = join(freshFolder(), name);
    const refused = await run(['report', '--user', '3', '-o', path]);
    expect(refused).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
    expect(existsSync(path)).toBe(false);
    expect((await run(['report', '--user', '3', '-o', path, '--format', 'md'])).code).toBe(0);
  });

  it.each(['report.HTM', 'report', 'report.2026-11'])('is HTML in %s', async (name) => {
    const path = join(freshFolder(), name);
    expect((await run(['report', '--user', '3', '-o', path])).code).toBe(0);
    expect(readFileSync(path, 'utf8')).toMatch(/^<!doctype html>/);
  });

  it('can leave out the name', async () => {
    for (const format of ['html', 'md']) {
      const { stdout } = await run(['report', '--user', '3', '--anonymous', '--format', format]);
      expect(stdout).toContain('Patient 3');
      expect(stdout).not.toMatch(/Nora|Patel|patient3@/);
    }
  });

  it('takes period, rule and target', async () => {
    const argv =
      'report --user 3 --format md --since 2026-02-01 --until 2026-05-31 --rule radicular --target 2';
    const { stdout } = await run(argv.split(' '));
    expect(stdout).toContain('\n2026-02-01 to 2026-05-31\n');
    expect(stdout).toContain('1.75 points or 23.5 %');
    expect(stdout).toContain('Target of 2 a week');
  });
});

describe('report --full', () => {
  it('shows every note', async () => {
    const notes = async (...argv: string[]) =>
      (await run(['report', '--user', '3', ...argv])).stdout.match(/class="note"/g)?.length;
    const written = logs(3).filter(({ notes }) => notes.trim() !== '').length;
    expect(await notes()).toBe(20);
    expect(written).toBeGreaterThan(20);
    expect(await notes('--full')).toBe(written);
  });
});

describe('fields', () => {
  it('explains every field, as JSON too', async () => {
    const { stdout } = await run(['fields', '--json']);
    const entries = JSON.parse(stdout) as { record: string; name: string; flag: string | null }[];
    expect(entries.map(({ record, name }) => `${record}.${name}`)).toEqual([
      ...kindNames.flatMap((kind) =>
        Object.keys(kindOf(kind).fields).map(
          (name) => `${kind === 'log' ? 'userExerciseLog' : kind}.${name}`,
        ),
      ),
    ]);
    expect(entries).toContainEqual({
      record: 'userExerciseLog',
      name: 'painAfter',
      type: 'integer',
      takes: 'a whole number from 1 to 10',
      minimum: 1,
      maximum: 10,
      required: true,
      flag: '--after',
      description: 'Pain after the exercise, 1 to 10',
      example: 4,
    });
    const text = (await run(['fields'], plain(50))).stdout;
    for (const { name, flag } of entries)
      expect(text).toContain(flag ? `  ${name}  ${flag}\n` : `  ${name}\n`);
    expect(widest(text)).toBeLessThanOrEqual(50);
  });
});

describe('export', () => {
  const anonymous = async (...argv: string[]) => (await run(['export', '--anonymous', ...argv])).stdout;

  it('--anonymous leaves out who it is, in every format', async () => {
    const formats = [[], ['--format', 'ndjson'], ['users', '--format', 'csv'], ['--format', 'fhir']];
    for (const argv of formats) {
      const text = await anonymous(...argv);
      expect(text).not.toMatch(/firstName|lastName|email|Nora|Kowalska|@example\.org/);
      expect(text).toContain('glute');
    }
    expect(await anonymous('users', '--format', 'csv')).toMatch(
      /^id,age,painLocation,painLevel,diagnosisDate\r\n1,67,/,
    );
    const { users } = JSON.parse(await anonymous()) as { users: object[] };
    expect(users[2]).toEqual({
      id: 3,
      age: 61,
      painLocation: 'glute-left',
      painLevel: 6,
      diagnosisDate: '2024-03-01',
    });
  });

  it('--anonymous leaves the logs as they are', async () => {
    for (const format of ['json', 'ndjson', 'csv'])
      expect(await anonymous('logs', '--format', format)).toBe(
        (await run(['export', 'logs', '--format', format])).stdout,
      );
  });

  it('as FHIR has each patient concerned, and takes the filters', async () => {
    const argv = ['export', '--user', '3', '--type', 'stretch', '--format', 'fhir'];
    const { stdout } = await run(argv);
    const { entry } = JSON.parse(stdout) as { entry: { resource: { resourceType: string } }[] };
    const stretches = logs(3).filter(({ exerciseType }) => exerciseType === 'stretch').length;
    expect(entry.filter(({ resource }) => resource.resourceType === 'Patient')).toHaveLength(1);
    expect(entry).toHaveLength(3 + 3 * stretches);
    expect((await run(argv)).stdout).toBe(stdout);
  });

  interface Entry {
    resource: { resourceType: string; content: { attachment: { data: string } }[] };
    request?: { method: string; ifNoneExist: string };
  }

  it('as FHIR for a server creates what it does not have, and brings the report that report writes', async () => {
    const period = ['--user', '3', '--since', '2026-03-01', '--until', '2026-08-31'];
    const { stdout } = await run([
      'export',
      ...period,
      '--type',
      'stretch',
      '--format',
      'fhir',
      '--bundle',
      'transaction',
      '--with-report',
    ]);
    const { type, entry } = JSON.parse(stdout) as { type: string; entry: Entry[] };
    expect(type).toBe('transaction');
    for (const { request } of entry) expect(request?.ifNoneExist).toMatch(/^identifier=urn:uuid:[^|]+\|/);
    const [document, ...others] = entry.filter(
      ({ resource }) => resource.resourceType === 'DocumentReference',
    );
    expect(others).toEqual([]);
    const page = Buffer.from(document?.resource.content[0]?.attachment.data ?? '', 'base64').toString();
    expect(page).toBe((await run(['report', ...period])).stdout);
  });

  it('as FHIR with reports of everybody names nobody where it should not', async () => {
    const { entry } = JSON.parse(await anonymous('--format', 'fhir', '--with-report')) as { entry: Entry[] };
    const pages = entry.flatMap(({ resource }) =>
      resource.resourceType === 'DocumentReference'
        ? [Buffer.from(resource.content[0]?.attachment.data ?? '', 'base64').toString()]
        : [],
    );
    expect(pages).toHaveLength(6);
    expect(pages.join('')).not.toMatch(/Nora|Kowalska|@example\.org/);
  });
});

describe('is refused', () => {
  it.each([
    ['summary --user 99', 3, 'There is no user 99'],
    ['summary --user x', 2, '--user must be a whole number'],
    ['summary --rule strict', 2, '--rule must be one of default, radicular'],
    ['summary --target 0 --since 1', 2, '2 values are missing or wrong'],
    ['summary --target 3', 2, '--target is for one user'],
    ['summary --user 3 --since -1d --since -2d', 2, '--since is given twice'],
    ['compare', 2, 'There are several users'],
    ['compare --user all', 2, '--user must be a whole number'],
    ['compare --user 99', 3, 'There is no user 99'],
    ['compare --user 3 --before 2026-03-01 --since 2026-01-01', 2, 'leave out --since and --until'],
    [
      'compare --user 3 --since 2026-03-02 --until 2026-03-01',
      2,
      'begins an empty period: from 2026-03-02 to 2026-03-01',
    ],
    [
      'compare --user 3 --since 2030-01-01',
      2,
      '--since begins after the latest record, which was on 2026-10-26',
    ],
    ['report --user 3 --since 2026-06-01 --previous 2026-05-01', 2, '--previous must be a day of the report'],
    ['report', 2, 'There are several users'],
    ['report --user 99', 3, 'There is no user 99'],
    ['report --user 3 --format pdf', 2, '--format must be one of html, md'],
    ['report --user 3 -o /', 1, 'is a folder'],
    ['report --user 3 -o /proc/nowhere/x.html', 1, 'there is no folder'],
    ['export logs --format fhir', 2, 'leave out logs'],
    ['export --bundle transaction', 2, '--bundle and --with-report are for --format fhir'],
    ['export --format ndjson --with-report', 2, '--bundle and --with-report are for --format fhir'],
    ['export logs -o logs.tsv', 2, 'logs.tsv: that is none of the formats there are'],
    ['export logs -o logs.xml', 2, 'logs.xml: that is none of the formats there are'],
    ['export --format fhir --bundle history', 2, '--bundle must be one of collection, transaction'],
  ])('%s', async (line, code, message) => {
    const result = await run(line.split(' '));
    expect([result.code, result.stdout]).toEqual([code, '']);
    expect(result.stderr).toContain(message);
  });
});

it.each([
  ['2026-11-28', 'From 2026-11-28: mean 6.0, median 6, 1 day.'],
  ['-28d', 'Last 4 weeks (from 2026-11-01): mean 6.0, median 6, 28 days.'],
  ['2026-10-04', 'mean 6.0, median 6, 28 days. The 4 before: mean 6.0, median 6, 28 days. Difference'],
])('figures since %s say nothing of weeks before', async (since, said) => {
  const days = Array.from({ length: 90 }, (_, i) => ({ date: addDays('2026-11-28', -i) }));
  const world = { db: noraWith(...days), now: new Date(2026, 10, 28, 12) };
  for (const argv of [
    ['summary', '--details'],
    ['report', '--format', 'md'],
  ]) {
    const { stdout } = await run([...argv, '--since', since], world);
    const text = joined(stdout);
    expect(text).toContain(said);
    expect(text.includes('The 4 before')).toBe(said.includes('The 4 before'));
  }
});

test('an exercise that was recorded under two types is never told as one', async () => {
  const twice = prepared(({ users, logs }) => {
    users.create(nora);
    for (const day of [2, 3, 4, 5, 6, 7])
      for (const exerciseType of ['stretch', 'strengthening'] as const)
        logs.create({ ...session, exerciseName: 'Bird Dog', exerciseType, date: `2026-10-0${day}` });
  });
  const told = /Bird Dog \((?:stretch|strengthening)\)/g;
  const markdown = join(dirname(twice), 'report.md');
  await run(['report', '-o', markdown, '--force'], { db: twice });
  const [inShort = ''] = readFileSync(markdown, 'utf8').split('## Pain over time');
  const texts = [inShort];
  for (const command of ['summary', 'summary --details', 'summary --user all', 'compare'])
    texts.push((await run(command.split(' '), { db: twice })).stdout);
  for (const text of texts.map((lines) => lines.replace(/\s+/g, ' '))) {
    expect(new Set(text.match(told))).toHaveLength(2);
    expect(text).not.toMatch(/Bird Dog(?! \()/);
  }
});
