import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
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
  'user show 1',
  'user edit 1 --age 50',
  'user rm 1 --yes',
  'user erase 1 --yes',
  'user use 1',
  'routines',
  'routine show 1',
  'exercises',
  'goal',
  'goal 4',
  'summary',
  'compare',
  'report',
  'history',
  'undo --yes',
  'redo --yes',
  'export',
  'export logs --format csv',
  'export --format fhir',
  'import FILE --dry-run',
  'remotes',
  'backup',
  'doctor',
  'identity',
  'token ls',
  'audit',
];

const argvOf = (line: string, folder: string) =>
  line
    .split(' ')
    .filter(Boolean)
    .map((word) => (word === 'FILE' ? join(folder, 'empty.json') : word));

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
    expect(stderr).toBe(`sciatica: There is no database ${path}. In that folder: practice.db.\n`);
    expect(readdirSync(folder)).toEqual(before);
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
    const { code } = await run(argvOf(line, folder), { env: { XDG_DATA_HOME: home } });
    expect([0, 1, 2, 3]).toContain(code);
    expect(readdirSync(home)).toEqual([]);
  });
});

const hasStrace = spawnSync('strace', ['-V']).status === 0;

it.skipIf(!hasStrace)('opens nothing to create it, as strace sees it (skipped without strace)', () => {
  const folder = folderWith();
  const trace = join(folder, 'trace');
  for (const named of [[], ['--db', join(folder, 'none', 'x.db')]]) {
    const argv = ['-f', '-qq', '-e', 'trace=openat,mkdir,mkdirat', '-o', trace];
    const words = [...argv, process.execPath, 'bin/sciatica.js', 'logs', ...named];
    const env = { ...process.env, XDG_DATA_HOME: join(folder, 'data'), SCIATICA_DB: undefined };
    spawnSync('strace', words, { env });
    const calls = execFileSync('cat', [trace], { encoding: 'utf8' }).split('\n');
    expect(calls.filter((call) => /O_CREAT|mkdir/.test(call) && call.includes(folder))).toEqual([]);
    expect(calls.length).toBeGreaterThan(10);
  }
});
