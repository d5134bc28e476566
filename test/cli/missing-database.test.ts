import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { freshFolder, run } from '../helpers.ts';

/** Commands that read, or change what is there, in words that would be right. */
const READING = [
  '',
  'logs',
  'logs --json',
  'log show 1',
  'log edit 1 --after 3',
  'log rm 1 --yes',
  'log again 4 3',
  'log routine morning',
  'users',
  'users --csv',
  'users --summary',
  'user show 1',
  'user edit 1 --age 50',
  'user rm 1 --yes',
  'user erase 1 --yes',
  'user merge 1 --into 2 --yes',
  'user use 1',
  'pain',
  'pain 5',
  'pain add 6',
  'pain show 1',
  'pain edit 1 --pain 3',
  'pain rm 1 --yes',
  'pains',
  'pains --json',
  'trial',
  'trial 5 3',
  'trial show',
  'trial add 6 3',
  'trial start Bird --against rest --yes',
  'trial stop --yes',
  'trials',
  'trial-day show 1',
  'trial-day add --date yesterday --first 6 --done',
  'trial-day edit 1 --notes x',
  'trial-day rm 1 --yes',
  'trial-days',
  'routine add morning Bird=stretch',
  'routines',
  'routine show 1',
  'routine edit 1 --name x',
  'routine rm 1 --yes',
  'exercises',
  'exercise rename Bird Dog',
  'goal',
  'goal 4',
  'summary',
  'summary --user all',
  'compare',
  'report',
  'report --format md',
  'history',
  'undo --yes',
  'redo --yes',
  'export',
  'export logs --format csv',
  'export logs --format csv --excel',
  'export --format fhir',
  'import FILE --dry-run',
  'sync',
  'sync home',
  'sync http://localhost:9 --dry-run',
  'pair',
  'token add phone --role patient --user 1',
  'remotes',
  'remote rm desk',
  'remote key desk',
  'backup',
  'doctor',
  'identity',
  'identity new --yes',
  'token ls',
  'token rm 1',
  'audit',
  'audit prune --before 2026-01-01',
];

/** Commands that make a database, or need none. */
const OTHERS = [
  'backup key',
  'completion',
  'demo',
  'fields',
  'log add',
  'remote add',
  'restore',
  'serve',
  'user add',
];

const argvOf = (line: string, folder: string) =>
  line
    .split(' ')
    .filter(Boolean)
    .map((word) => (word === 'FILE' ? join(folder, 'empty.json') : word));

/** Every folder of a person's in which something might be made, all in one. */
const homeIn = (folder: string) =>
  Object.fromEntries(
    ['HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME'].map((name) => [
      name,
      folder,
    ]),
  );

/** A folder with files beside which the database is missing. */
function folderWith(...names: string[]): string {
  const folder = freshFolder();
  writeFileSync(join(folder, 'empty.json'), '{"users":[],"userExerciseLogs":[]}');
  for (const name of names) writeFileSync(join(folder, name), '');
  return folder;
}

describe('a database that is named and missing', () => {
  it.each(READING)('sciatica %s: exit 1, the path and near names, and nothing is made', async (line) => {
    const folder = folderWith('practice.db', 'notes.txt');
    const path = join(folder, 'pratice.db');
    const before = readdirSync(folder);
    const { code, stdout, stderr } = await run([...argvOf(line, folder), '--db', path]);
    expect([code, stdout]).toEqual([1, '']);
    const rest = stderr.replace(/^(?!sciatica:).*\n/gm, '');
    expect(rest).toBe(`sciatica: There is no database ${path}. In that folder: practice.db.\n`);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('can be begun, where nothing of a like name is there', async () => {
    const path = join(freshFolder(), 'my diary.db');
    const { code, stderr } = await run(['--db', path]);
    expect([code, stderr]).toEqual([
      1,
      `sciatica: There is no database ${path}. To begin one: sciatica user add --db '${path}'\n`,
    ]);
  });

  it('may be in a folder that is missing too', async () => {
    const folder = freshFolder();
    const { code, stderr } = await run(['logs'], { db: join(folder, 'none', 'x.db') });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`There is no folder ${folder}/none either.`)]);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leaves the file that an export would have replaced', async () => {
    const folder = folderWith();
    const file = join(folder, 'last-week.json');
    writeFileSync(file, 'last week');
    const { code } = await run(['export', '-o', file, '--force'], { db: join(folder, 'x.db') });
    expect([code, readFileSync(file, 'utf8')]).toEqual([1, 'last week']);
  });

  it.each([
    [
      'user add --first-name A --last-name B --email a@b.org --age 3 --pain-location calf-left --pain-level 3 --diagnosis-date today',
    ],
    ['import FILE'],
  ])('%s makes it', async (line) => {
    const folder = folderWith();
    const db = join(folder, 'new', 'x.db');
    expect((await run(argvOf(line, folder), { db })).code).toBe(0);
    expect(existsSync(db)).toBe(true);
  });
});

describe('without a diary and with none named', () => {
  it.each(READING)('sciatica %s makes no file and no folder', async (line) => {
    const folder = folderWith();
    const home = freshFolder();
    const { code } = await run(argvOf(line, folder), { env: homeIn(home) });
    expect([0, 1, 2, 3]).toContain(code);
    expect(readdirSync(home)).toEqual([]);
  });
});

it('is every command but those that make a database or need none', async () => {
  const { program } = await import('../docs/blocks.ts');
  const leaves = (command: Command): Command[] => [command, ...command.commands.flatMap(leaves)];
  const names = leaves(program)
    .filter((command) => command.commands.length === 0)
    .map((command) => `${command.parent?.parent ? `${command.parent.name()} ` : ''}${command.name()}`);
  const isRead = (name: string) => READING.some((line) => `${line} `.startsWith(`${name} `));
  const others = names.filter((name) => !isRead(name)).toSorted();
  expect(others, 'a command that finds no database: a line of READING, or one of OTHERS').toEqual(OTHERS);
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;

it.skipIf(!hasStrace)(
  'none opens anything to create it, as strace sees it (skipped without strace)',
  () => {
    const folder = folderWith();
    const trace = join(folder, 'trace');
    const env = { ...process.env, ...homeIn(join(folder, 'home')), SCIATICA_DB: undefined };
    const lines = READING.map((line, i) => {
      const named = i % 2 === 0 ? ['--db', join(folder, 'none', 'x.db')] : [];
      const words = [process.execPath, 'bin/sciatica.js', ...argvOf(line, folder), ...named];
      return words.map((word) => `'${word}'`).join(' ');
    });
    const argv = ['-f', '--seccomp-bpf', '-qq', '-e', 'trace=openat,mkdir,mkdirat', '-o', trace];
    spawnSync('strace', [...argv, 'sh', '-c', `exec </dev/null\n${lines.join('\n')}`], { env });
    const calls = readFileSync(trace, 'utf8').split('\n');
    expect(calls.filter((call) => /O_CREAT|mkdir/.test(call) && !call.includes('/dev/'))).toEqual([]);
    expect(calls.length).toBeGreaterThan(10 * lines.length);
  },
  180_000,
);

it.each([
  [['logs', '--db='], undefined, '--db is empty: give it a file.'],
  [['--db', ''], undefined, '--db is empty: give it a file.'],
  [['--db='], undefined, '--db is empty: give it a file.'],
  [['logs'], '', 'SCIATICA_DB is empty: set it to a file, or unset it.'],
  [[], '', 'SCIATICA_DB is empty: set it to a file, or unset it.'],
])('an empty path says where it is from: %j', async (words, db, message) => {
  const { code, stderr } = await run(words, db === undefined ? {} : { db });
  expect([code, stderr]).toEqual([2, `sciatica: ${message}\n`]);
});
