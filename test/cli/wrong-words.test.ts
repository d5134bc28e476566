import { describe, expect, it } from 'vitest';
import { keys, noraWith, records, run } from '../helpers.ts';

/** What hurried hands type after `sciatica`; no word of it is ever to become an exercise. */
const WRONG = [
  'log add 6 4',
  'log add 6',
  'log add 6-4',
  'log add 6->4',
  'log add 6→4',
  'log add 6,4',
  'log add 6/4',
  'log add 7/10',
  'log add 7/10 4/10',
  'log add 6 to 4',
  'log add six four',
  'log add six to four',
  'log add pain 6 4',
  'log add pain before 6 after 4',
  'log add today 6 4',
  'log add yesterday 6 4',
  'log add strengthening 6 4',
  'log add exercise 6 4',
  'log add same 6 4',
  'log add again 6 4',
  'log add yes',
  'log add ok 6 4',
  'log add ? 6 4',
  'log add ... 6 4',
  'log add 12:30',
  'log add log add 6 4',
  'log add help',
  'log add 🙂 6 4',
  'log add 6–4',
  'log add 4.',
  'log add 10/10/2026 6 4',
  'log add -3',
  'log add 1e3 6 4',
  'log add 0x5 6 4',
  'log add 3x10 6 4',
  'log add 5th 6 4',
  'log add ٣ ٢',
  'log add ６ ４',
  'log add ½ 4',
  'log add NaN 6 4',
  'log add undefined 6 4',
  'log add --5',
  'log add -- --5',
  'log add 5 pain',
  'log add pain 5',
  'log add monday 6 4',
  'log add today',
  'log add piri ½ 4',
  'log add piri 1e3 4',
  'log add piri -3 4',
  'log 4.',
  'log 10/10/2026',
  'log -3',
  'log 1e3',
  'log ½',
  'log NaN',
  'log pain 5',
  'log today',
  'log help',
  'log 6 4',
  'log 6->4',
  '6 4',
  'note stiff',
];

describe('wrong words', () => {
  it.each(WRONG)('sciatica %s offers and records no exercise', async (line) => {
    const db = noraWith({});
    const [, command = '', rest = ''] = /^(log add )?(.*)$/s.exec(line) ?? [];
    for (const typeFlags of command ? ['', '--type stretch '] : ['']) {
      const { code, stderr } = await run(`${command}${typeFlags}${rest}`.split(' '), { db });
      expect([code, stderr]).toEqual([
        2,
        expect.not.stringMatching(/new exercise|log add (?!NAME)\S+ 6 4|did you mean \S*(?:remote|again)/),
      ]);
    }
    expect(records(db).logs).toHaveLength(1);
  });

  it.each(['log add six four', 'log add 6-4', 'log add 7/10 4/10'])(
    'in a terminal, sciatica %s asks which exercise it was',
    async (line) => {
      const db = noraWith({});
      const { code } = await run(line.split(' '), { db, answers: [['Name of the exercise', keys.enter]] });
      expect([code, records(db).logs.length]).toEqual([0, 2]);
    },
  );

  it.each([
    'log show １',
    'log edit １ --before ７',
    'logs --limit １',
    'logs --since -３d',
    'logs --where painAfter>=１',
    'goal ４',
    'user edit 1 --age ４２',
    'summary --target ٤',
  ])('full-width and Arabic digits are read as such in sciatica %s', async (line) =>
    expect(await run(line.split(' '), { db: noraWith({}) })).toMatchObject({ code: 0, stderr: '' }),
  );

  it.each([
    ['log 6 4', 'sciatica log again 6 4'],
    ['6 4', 'sciatica log add NAME 6 4'],
    ['note stiff', 'log edit --notes'],
  ])('sciatica %s says what is right: %s', async (line, right) => {
    expect((await run(line.split(' '), { db: noraWith({}) })).stderr).toContain(right);
  });

  it.each([
    ['delete log 3 --db d.db', 'sciatica log rm --db d.db?'],
    ['notes --user 2 --db=d.db', 'sciatica logs --user 2 --db d.db?'],
    ['stats --user=2', 'sciatica summary --user 2?'],
    ['user 3 --user 3 --db d.db', 'sciatica user show 3 --db d.db?'],
    ['logs add --user 2', 'sciatica log add --user 2?'],
    [
      'log 6 4 --user 2',
      'sciatica log add NAME 6 4 --user 2. The last one once more: sciatica log again 6 4 --user 2',
    ],
    ['log piri 6 4 --db d.db --user 2', 'sciatica log add piri 6 4 --user 2 --db d.db)'],
    ['log piri --user 2', 'sciatica log add piri 6 4 --user 2)'],
  ])('what is right after sciatica %s has its --user and --db: %s', async (line, right) => {
    expect((await run(line.split(' '), {})).stderr).toContain(right);
  });

  it.each(['--user 2 summary', 'log --user 2 add piri 6 4', 'user --yes rm 2'])(
    'sciatica %s has its option in front of the command, and is told so',
    async (line) =>
      expect((await run(line.split(' '), {})).stderr).toContain('(the options of a command come after it)'),
  );

  it.each(['pain 7 --foo', 'trial --foo', 'log add --foo', 'summary --foo'])(
    'sciatica %s has it in its place',
    async (line) => expect((await run(line.split(' '), {})).stderr).not.toContain('come after'),
  );

  it('--name is taken as it is', async () => {
    const db = noraWith({});
    const argv = ['log', 'add', '--name', '7/10', '6', '4', '--type', 'stretch'];
    expect((await run(argv, { db })).code).toBe(0);
    expect(records(db).logs[1]?.exerciseName).toBe('7/10');
  });
});

it('log again names its exercise before it asks', async () => {
  const { stderr } = await run(['log', 'again'], {
    db: noraWith({ exerciseName: 'Bird Dog' }),
    answers: [
      ['Bird Dog', ''],
      ['Pain before', `6${keys.enter}`],
      ['Pain after', `4${keys.enter}`],
    ],
  });
  expect(stderr.indexOf('Bird Dog')).toBeLessThan(stderr.indexOf('Pain before'));
});
