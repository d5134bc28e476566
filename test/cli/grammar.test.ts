import { existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { logFields } from '../../src/domain/log.ts';
import { userFields } from '../../src/domain/user.ts';
import {
  freshFolder,
  freshPath,
  nora,
  noraWith,
  prepared,
  records,
  run,
  session,
  userFlags,
} from '../helpers.ts';

const COMMANDS = [
  'user',
  'user add',
  'user show',
  'user edit',
  'user rm',
  'user use',
  'users',
  'log',
  'log add',
  'log show',
  'log edit',
  'log rm',
  'logs',
  'import',
  'export',
  'serve',
  'demo',
  'completion',
];

describe('help', () => {
  test.each([[['help']], [['--help']], [['-h']]])('%j shows the first steps', async (words) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('First steps:\n  $ sciatica user add');
    for (const command of COMMANDS) expect(stdout).toContain(`\n  ${command.split(' ')[0]}`);
  });

  test.each(COMMANDS)('of %s is the same however it is asked for, with an example', async (command) => {
    const words = command.split(' ');
    const { code, stdout } = await run([...words, '--help']);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: sciatica ${command} `));
    expect((await run(['help', ...words])).stdout).toBe(stdout);
    if (!['user', 'log'].includes(command)) expect(stdout).toContain(`Examples:\n  $ `);
    // Each flag's and each argument's own words, not those of the code.
    expect(stdout).not.toMatch(/^ {2}\S+(?: <\S+>)? {2,}[a-z]|\(default: \[\]\)/m);
  });

  test.each(COMMANDS.flatMap((command) => [80, 60, 50].map((columns) => [command, columns] as const)))(
    'of %s fits %i columns',
    async (command, columns) => {
      const { stdout } = await run(['help', ...command.split(' ')], { columns });
      const options = stdout.split('\nExamples:')[0] ?? '';
      for (const line of options.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    },
  );

  test.each([
    ['log add', logFields],
    ['log edit', logFields],
    ['user add', userFields],
    ['user edit', userFields],
  ])('of %s names the flag of every field', async (command, fields) => {
    const { stdout } = await run(['help', ...command.split(' ')]);
    for (const { flag, help } of Object.values(fields)) {
      expect(stdout).toContain(`  --${flag}`);
      expect(stdout.replace(/\s+/g, ' ')).toContain(help);
    }
  });
});

describe('mistakes', () => {
  test.each<[string[], string, string]>([
    [['lgos'], "unknown command 'lgos' (did you mean logs?)", 'sciatica --help'],
    [
      ['log', 'edit', '1', '--painAfter', '3'],
      "unknown option '--painAfter' (did you mean --after?)",
      'sciatica log edit --help',
    ],
    [
      ['user', 'edit', '--pain_level=3'],
      "unknown option '--pain_level=3' (did you mean --pain-level?)",
      'sciatica user edit --help',
    ],
    [
      ['logs', '--exercise-type', 'stretch'],
      "unknown option '--exercise-type' (did you mean --type?)",
      'sciatica logs --help',
    ],
    [
      ['logs', 'last', 'friday'],
      "logs takes no words after it (did you mean --since 'last friday'?)",
      'sciatica logs --help',
    ],
    [['hlep'], "unknown command 'hlep' (did you mean help?)", 'sciatica --help'],
    [['halp', 'log'], "unknown command 'halp' (did you mean help?)", 'sciatica --help'],
    [['--db', 'x.db', 'help', 'lgos'], "unknown command 'lgos' (did you mean logs?)", 'sciatica --help'],
    [
      ['-q', '--db', 'log', 'user', 'use'],
      '<id> is missing. Usage: sciatica user use',
      'sciatica user use --help',
    ],
    [['lgos', '--help'], "unknown command 'lgos' (did you mean logs?)", 'sciatica --help'],
    [['help', 'lgos'], "unknown command 'lgos' (did you mean logs?)", 'sciatica --help'],
    [
      ['log', 'piri', '6', '4'],
      "unknown command 'piri' (to record an exercise: sciatica log add piri 6 4)",
      'sciatica log --help',
    ],
    [
      ['piri', '6', '4'],
      "unknown command 'piri' (to record an exercise: sciatica log add piri 6 4)",
      'sciatica --help',
    ],
    [
      ['--quiet', "Child's Pose", '7/10', '5/10', '--date', 'last friday'],
      "unknown command 'Child's Pose' (to record an exercise: sciatica log add 'Child'\\''s Pose' 7/10 5/10 --date 'last friday')",
      'sciatica --help',
    ],
    [['lgo', 'add', 'piri', '6', '4'], "unknown command 'lgo' (did you mean log?)", 'sciatica --help'],
    [
      ['log', 'agian', 'piri', '6', '4'],
      "unknown command 'agian' (did you mean again?)",
      'sciatica log --help',
    ],
    [['pian', '6', '4'], "unknown command 'pian' (did you mean ", 'sciatica --help'],
    [['log', 'ad'], "unknown command 'ad' (did you mean add?)", 'sciatica log --help'],
    [['help', 'log', 'ad'], "unknown command 'ad' (did you mean add?)", 'sciatica log --help'],
    [
      ['log', 'add', '--nmae', 'x'],
      "unknown option '--nmae' (did you mean --name?)",
      'sciatica log add --help',
    ],
    [['log', 'add', '--name'], '--name needs a value: --name <text>', 'sciatica log add --help'],
    [['user', 'use'], '<id> is missing. Usage: sciatica user use [options] <id>', 'sciatica user use --help'],
    [
      ['completion', 'tcsh'],
      "<shell> must be one of bash, zsh, fish, not 'tcsh'",
      'sciatica completion --help',
    ],
    [['log', 'list'], "there is no command 'list' here (did you mean sciatica logs?)", 'sciatica log --help'],
    [['add'], "there is no command 'add' here (did you mean sciatica log add?)", 'sciatica --help'],
    [['add', 'user'], "there is no command 'add' here (did you mean sciatica user add?)", 'sciatica --help'],
    [
      ['delete', 'logs', '3'],
      "there is no command 'delete' here (did you mean sciatica log rm?)",
      'sciatica --help',
    ],
    [['list', 'pains'], "there is no command 'list' here (did you mean sciatica pains?)", 'sciatica --help'],
    [
      ['users', 'add'],
      'users takes no words after it (did you mean sciatica user add?)',
      'sciatica users --help',
    ],
    [['logs', '--all', 'rm', '3'], 'logs takes no words after it\n', 'sciatica logs --help'],
    [
      ['user', '1'],
      "there is no command '1' here (did you mean sciatica user show 1?)",
      'sciatica user --help',
    ],
    [['new'], "there is no command 'new' here (did you mean sciatica log add?)", 'sciatica --help'],
    [
      ['user', 'delete'],
      "there is no command 'delete' here (did you mean sciatica user rm?)",
      'sciatica user --help',
    ],
    [
      ['token', 'list'],
      "there is no command 'list' here (did you mean sciatica token ls?)",
      'sciatica token --help',
    ],
    [['tokens'], "there is no command 'tokens' here (did you mean sciatica token ls?)", 'sciatica --help'],
    [['constructor'], "unknown command 'constructor'", 'sciatica --help'],
    [['token', 'update'], "unknown command 'update'", 'sciatica token --help'],
    [['exercise', 'edit'], "unknown command 'edit'", 'sciatica exercise --help'],
    [['-v'], "unknown option '-v' (did you mean -V?)", 'sciatica --help'],
    [
      ['--user', '3', 'logs'],
      "unknown option '--user' (the options of a command come after it)",
      'sciatica --help',
    ],
    ...['-y', '-f', '-rf', '--force'].map((flag): [string[], string, string] => [
      ['log', 'rm', '3', flag],
      `unknown option '${flag}' (did you mean --yes?)`,
      'sciatica log rm --help',
    ]),
    [['logs', '-f'], "unknown option '-f'\n", 'sciatica logs --help'],
    [['logs', '-n', '3'], "unknown option '-n'\n", 'sciatica logs --help'],
    [
      ['logs', '--format', 'json'],
      "unknown option '--format' (did you mean --json?)",
      'sciatica logs --help',
    ],
    [['users', '--format=csv'], "unknown option '--format' (did you mean --csv?)", 'sciatica users --help'],
    [
      ['export', 'logs', '--csv'],
      "unknown option '--csv' (did you mean --format csv?)",
      'sciatica export --help',
    ],
    [['undo', '--format', 'json'], "unknown option '--format'\n", 'sciatica undo --help'],
    [
      ['user', 'rm', '--yes'],
      '<id> is missing. Usage: sciatica user rm [options] <id>',
      'sciatica user rm --help',
    ],
    [['--db'], '--db needs a value: --db <file>', 'sciatica --help'],
    [['--quiet', '--db'], '--db needs a value: --db <file>', 'sciatica --help'],
    [['version'], "there is no command 'version' here (did you mean sciatica --version?)", 'sciatica --help'],
    [
      ['log', 'show', '1', '2'],
      'show takes 1 word only (quote a name with spaces). Usage: sciatica log show [options] <id>',
      'sciatica log show --help',
    ],
    [['logs', '--limit', '0'], "--limit must be a whole number, 1 or more, not '0'", 'sciatica logs --help'],
    [
      ['export', '--format', 'yaml'],
      "--format must be one of json, ndjson, csv, fhir, not 'yaml'",
      'sciatica export --help',
    ],
    [['report', '-o'], '--output needs a value: --output <file>', 'sciatica report --help'],
    [['logs', '--csv', '--json', 'id'], '--csv and --json cannot both be given', 'sciatica logs --help'],
    [['token', 'add', 'x'], '--role is missing: say --role <role>', 'sciatica token add --help'],
    [['users', '3'], 'users takes no words after it', 'sciatica users --help'],
    [['\u001b[31m'], "unknown command '\\u001b[31m'", 'sciatica --help'],
  ])('%j', async (words, message, help) => {
    const { code, stdout, stderr } = await run(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`sciatica: ${message}`);
    expect(stderr).toContain(`See: ${help}\n`);
  });
});

describe('options of every command', () => {
  test.each<[string[]]>([
    [[]],
    [['log', 'add', 'piri', '6', '4']],
    [['log', 'add', '--name', 'Piriformis Strech', '--type', 'stretch', '6', '4']],
    [['undo', '--yes']],
    [['goal']],
    [['routine', 'add', 'x', 'piri']],
    [['user', 'add', ...userFlags()]],
    [['remote', 'add', 'home', 'http://127.0.0.1:1']],
  ])('%j with --db says --db in each command to go on with', async (words) => {
    const db = noraWith({});
    const { code, stdout, stderr } = await run([...words, '--db', db], { db: freshPath() });
    const commands = `${stdout}${stderr}`.match(/sciatica \w.*/g) ?? [];
    expect(code).toBe(0);
    expect(commands).not.toHaveLength(0);
    for (const command of commands) expect(command).toMatch(/ --db \S+test\.db$/);
  });

  test.each([[['log', 'add', 'piri', '6', '4']], [['pain', '6']]])(
    '%j says it where nobody is yet',
    async (words) => {
      const { stderr } = await run([...words, '--db', prepared(() => {})], { db: freshPath() });
      expect(stderr).toMatch(
        /^sciatica: There is no user yet\. Start with: sciatica user add --db \S+test\.db$/m,
      );
    },
  );

  test.each<[string[], RegExp]>([
    [['sync', 'work'], /There is no remote "work"\. See: sciatica remotes --db \S+test\.db$/m],
    [['remote', 'add', 'home', 'http://127.0.0.1:1'], /or: sciatica remote rm home --db \S+test\.db$/m],
    [['routine', 'show', 'x'], /no routine yet\. To add one: sciatica routine add --db \S+test\.db$/m],
    [['exercise', 'rename', 'x', 'y'], /no exercise "x"\. See: sciatica exercises --db \S+test\.db$/m],
    [['undo', 'x.csv'], /see the changes: sciatica history --db \S+test\.db$/m],
    [['token', 'ls'], /Make one: sciatica token add --db \S+test\.db$/m],
    [['backup', '--auto', 'on'], /To stop: sciatica backup --auto off --db \S+test\.db$/m],
    [['doctor'], /turn them on again:\s+sciatica backup --auto on --db \S+test\.db$/m],
    [['log', 'add', '15', 'jan', '6', '4'], /NAME 6 4 --date '15 jan' --db \S+test\.db$/m],
    [['log', 'add', 'piri', 'yesterday', '6', '4'], /NAME 6 4 --date yesterday --db \S+test\.db\. If it is/],
    [['log', 'add', '6', '4'], /as in sciatica log add NAME 6 4 --db \S+test\.db$/m],
    [['pain', '15', 'jan', '6'], /as in sciatica pain 6 --date '15 jan' --db \S+test\.db$/m],
    [['log', 'edit'], /To see them: sciatica logs --db \S+test\.db$/m],
    [['routine', 'add', 'x'], /Those done so far: sciatica exercises --db \S+test\.db$/m],
  ])('%j says it where something is missing', async (words, message) => {
    const named = ['--db', noraWith({})];
    await run(['remote', 'add', 'home', 'http://127.0.0.1:1', ...named]);
    await run(['backup', '--auto', 'off', ...named]);
    const { stdout, stderr } = await run([...words, ...named], { db: freshPath() });
    expect(`${stdout}${stderr}`).toMatch(message);
  });

  test.each<[string[], RegExp]>([
    [['goal'], /choose for good: sciatica user use ID --db \S+test\.db$/m],
    [
      ['log', 'add', 'Plank', '6', '4', '--type', 'stretch'],
      /for good: sciatica user use ID --db \S+test\.db\)$/m,
    ],
    [['user', 'show'], /See: sciatica users --db \S+test\.db$/m],
    [['logs', '--user', '2'], /Start with: sciatica log add --user 2 --db \S+test\.db$/m],
  ])('%j says it where there are several users', async (words, message) => {
    const db = prepared(({ users }) => [nora, nora].forEach((user) => void users.create(user)));
    expect((await run([...words, '--db', db], { db: freshPath() })).stderr).toMatch(message);
  });

  test('a summary of nobody says it too', async () => {
    const { stderr } = await run(['users', '--summary', '--db', prepared(() => {})], { db: freshPath() });
    expect(stderr).toMatch(/^There is no user yet\. Start with: sciatica user add --db \S+test\.db$/m);
  });

  test.each([
    [(db: string) => ['--db', db, 'users', '--json']],
    [(db: string) => ['users', '--db', db, '--json']],
    [(db: string) => ['users', '--json', `--db=${db}`]],
  ])('--db %#', async (words) => {
    const db = prepared((store) => void store.users.create(nora));
    const { stdout } = await run(words(db), { db: freshPath() });
    expect(JSON.parse(stdout)).toHaveLength(1);
  });

  test('an empty --db is refused', async () =>
    expect(await run(['users', '--db', ''])).toMatchObject({ code: 2, stdout: '' }));

  test.each([[['--version']], [['-V']], [['logs', '--version']]])('%j', async (words) => {
    const { code, stdout } = await run(words);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});

describe('errors', () => {
  test('a file that is not ours: one line, exit 1', async () => {
    const { code, stderr } = await run(['logs'], { db: '/dev/null' });
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'sciatica: /dev/null is not a file.\n' });
  });

  test('DEBUG=sciatica shows where', async () => {
    const { stderr } = await run(['logs'], { db: '/dev/null', env: { DEBUG: 'sciatica' } });
    expect(stderr).toMatch(/\n {4}at /);
  });
});

describe('home', () => {
  const filled = () =>
    prepared((store) => {
      store.users.create(nora);
      for (const [date, painBefore, painAfter] of [
        ['2026-02-23', 8, 3],
        ['2026-02-28', 6, 3],
        ['2026-03-02', 5, 3],
        ['2026-03-02', 4, 10],
      ] as const)
        store.logs.create({ ...session, date, painBefore, painAfter });
    });

  test('shows today, the week, the last session and the pain', async () => {
    const db = filled();
    const { code, stdout, stderr } = await run([], { db });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Nora Lind (user 1), Monday 2026-03-02

Today      2 sessions: Piriformis Stretch
This week  2 sessions on 1 day
Last       Piriformis Stretch today, 4 → 10 (↑6), helped
Pain       ▇▅▄ 8 → 5, before the first exercise, last 14 days
           ▂▂█ 3 → 10, after the last exercise of each day
How is it today? sciatica pain add

Next: sciatica log again
      sciatica log add
      sciatica summary
`);
    for (const words of [
      ['--db', db],
      [`--db=${db}`, '--no-color'],
    ])
      expect((await run(words, { db: freshPath() })).stdout.replaceAll(` --db ${db}`, '')).toBe(stdout);
  });

  test('shows the week against the goal, and proposes the routine of the last session', async () => {
    const db = filled();
    await run(['goal', '4'], { db });
    await run(['routine', 'add', 'evening', 'Cobra=stretch'], { db });
    expect((await run([], { db })).stdout).not.toContain('log routine');
    await run(['routine', 'add', 'my morning', 'Piriformis Stretch'], { db });
    const { stdout } = await run([], { db });
    expect(stdout).toContain('This week  2 of 4 sessions on 1 day\n');
    expect(stdout).toContain("      sciatica log routine 'my morning'\n");
    await run(['goal', '1'], { db });
    expect((await run([], { db })).stdout).toContain('2 of 1 session on');
  });

  test.each([30, 50, 140])('fits %i columns, and loses no word', async (columns) => {
    const db = filled();
    const { stdout } = await run([], { db, columns });
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    const words = (text: string) => text.split(/\s+/);
    expect(words(stdout)).toEqual(words((await run([], { db })).stdout));
  });

  test('of a user without logs, and of several users', async () => {
    const db = prepared((store) => void store.users.create(nora));
    expect((await run([], { db })).stdout).toContain('Today      nothing yet\n');
    const both = prepared((store) => void [1, 2].map(() => store.users.create(nora)));
    expect((await run([], { db: both })).stdout).toContain('2 users and 0 logs.');
    await run(['goal', '4', '--user', '2'], { db: both });
    expect((await run([], { db: both })).stdout).toContain('2 users, 0 logs and 1 goal.');
  });

  test('of a file that is not ours is an error', async () =>
    expect((await run([], { db: '/dev/null' })).code).toBe(1));
});

describe('demo', () => {
  const own = (HOME: string) => ({ db: join(HOME, 'diary.db'), env: { HOME, XDG_DATA_HOME: HOME } });

  test('makes a database of its own, and says how to look into it', async () => {
    const HOME = freshFolder();
    const path = join(HOME, 'sciatica/practice.db');
    const first = await run(['demo'], own(HOME));
    expect(first).toMatchObject({
      code: 0,
      stdout: `Made a practice database of 6 users and 400 logs: ${path}\n`,
    });
    expect(first.stderr).toContain(`Now try:\n  sciatica summary --user 3 --db ${path}\n`);
    expect(records(path).logs).toHaveLength(400);
    expect(readdirSync(HOME)).toEqual(['sciatica']);
    expect(await run(['demo'], own(HOME))).toMatchObject({
      code: 0,
      stdout: `The practice database is there: ${path}\n`,
    });
    // As sciatica serve --pairing --authority makes them.
    for (const kind of ['pairing', 'authority']) writeFileSync(`${path}.${kind}.pem`, '');
    expect((await run(['demo', '--remove'], own(HOME))).stdout).toBe('Removed the practice database.\n');
    expect(readdirSync(join(HOME, 'sciatica'))).toEqual([]);
    expect((await run(['demo', '--remove'], own(HOME))).stdout).toBe('There is no practice database.\n');
  });

  test('--db makes it there, if nothing is there', async () => {
    const HOME = freshFolder();
    const path = join(HOME, 'practice.db');
    expect((await run(['demo', '--db', path], own(HOME))).code).toBe(0);
    expect(await run(['demo', '--db', path], own(HOME))).toMatchObject({ code: 4, stdout: '' });
    expect((await run(['demo', '--db', path, '--remove'], own(HOME))).code).toBe(2);
    expect(records(path).logs).toHaveLength(400);
  });

  test('never goes into the own diary', async () => {
    const HOME = freshFolder();
    symlinkSync(HOME, join(HOME, 'link'));
    for (const db of [
      join(HOME, 'diary.db'),
      join(HOME, 'link/diary.db'),
      join(HOME, 'sciatica/sciatica.db'),
    ]) {
      const { code, stderr } = await run(['demo', '--db', db], own(HOME));
      expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining('is your own database') });
      expect(existsSync(db)).toBe(false);
    }
  });
});
