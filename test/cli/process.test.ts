import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import * as module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, nora, noraWith, records, session, userFlags } from '../helpers.ts';

/** The real program, as a process of its own. `npm test` builds it first. */
const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));
const environment = (more: Record<string, string> = {}) => ({ PATH: process.env['PATH'], ...more });

function start(words: string[], env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
    env: environment(env),
    encoding: 'utf8',
    timeout: DEADLINE_MS,
    maxBuffer: 64 * 1024 * 1024,
    input: '',
  });
  return { code: status, stdout, stderr };
}

const bash = (script: string, env: Record<string, string> = {}) => {
  const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    env: environment({ NODE: process.execPath, BIN: bin, ...env }),
    encoding: 'utf8',
    timeout: DEADLINE_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  return { code: status, stdout, stderr };
};

const filled = (count: number) => noraWith(...Array<object>(count).fill({}));

test('the first run, in an empty home', () => {
  const HOME = freshFolder();
  // Newer versions of Node keep compiled code in the cache folder.
  expect(start(['logs'], { HOME, XDG_CACHE_HOME: freshFolder() })).toMatchObject({ code: 0, stdout: '' });
  expect(readdirSync(HOME)).toEqual([]);
  expect(start(['user', 'add', ...userFlags()], { HOME })).toMatchObject({ code: 0 });
  const db = join(HOME, '.local/share/sciatica/sciatica.db');
  expect(statSync(db).mode & 0o777).toBe(0o600);
  expect(statSync(join(HOME, '.local/share/sciatica')).mode & 0o777).toBe(0o700);
});

test('a list of logs loads no module of Node that takes time and is not needed', () => {
  const hook = join(freshFolder(), 'hook.cjs');
  writeFileSync(hook, "process.on('exit', () => console.error(process.moduleLoadList.join('\\n')));");
  const { code, stderr } = start(['logs'], { SCIATICA_DB: filled(1), NODE_OPTIONS: `--require ${hook}` });
  expect([code, stderr]).toEqual([0, expect.stringContaining('NativeModule fs\n')]);
  expect(stderr).not.toMatch(/^NativeModule (child_process|crypto|http|worker_threads)$/m);
});

describe('compiled code', () => {
  const keeps = 'enableCompileCache' in module;
  const cacheOf = (folder: string) => join(folder, 'sciatica/compiled');

  test.skipIf(!keeps)('is kept in the cache folder of the person', () => {
    const HOME = freshFolder();
    const XDG_CACHE_HOME = freshFolder();
    start(['logs'], { HOME });
    start(['logs'], { HOME, XDG_CACHE_HOME });
    const folders = [cacheOf(join(HOME, '.cache')), cacheOf(XDG_CACHE_HOME)];
    expect(folders.map((folder) => readdirSync(folder).length)).toEqual([1, 1]);
  });

  test.each<[string, Record<string, string>]>([
    ['without a home', {}],
    ['in a home that is not there', { HOME: '/proc/nowhere' }],
    ['in a home that cannot be written to', { HOME: '/proc' }],
  ])('a command works %s', (_, env) => {
    expect(start(['users'], { ...env, SCIATICA_DB: filled(0) })).toMatchObject({ code: 0, stderr: '' });
  });
});

test('eight first runs at once make one database', async () => {
  const HOME = freshFolder();
  const runs = Array.from({ length: 8 }, async (_, i) => {
    const words = ['user', 'add', ...userFlags({ firstName: `N${i}`, email: `n${i}@example.org` })];
    const child = spawn(process.execPath, [bin, ...words], {
      env: environment({ HOME }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (data) => {
      said += data;
    });
    const [code] = await once(child, 'close');
    return { code, said: said.replace(/^Next, .*\n|^To record .*\n/gm, '') };
  });
  for (const run of await Promise.all(runs)) expect(run).toEqual({ code: 0, said: '' });
  expect(JSON.parse(start(['users', '--json'], { HOME }).stdout)).toHaveLength(8);
});

test('nothing is asked where stdin is no terminal', () => {
  const result = start(['user', 'add'], { HOME: freshFolder() });
  expect(result).toMatchObject({ code: 2, stdout: '' });
});

describe('pipes', () => {
  let long = '';
  beforeAll(() => {
    const store = openStore(join(mkdtempSync(join(tmpdir(), 'sciatica-')), 'test.db'));
    long = store.path;
    store.change(() => {
      store.users.create(nora);
      for (let i = 0; i < 20_000; i++) store.logs.create(session);
    });
    store.close();
  });
  afterAll(() => rmSync(dirname(long), { recursive: true }));

  test.each(['logs --all', 'logs --json', 'logs --csv', 'users', '--help'])(
    '%s | head -1 ends quietly',
    (words) => {
      const { code, stderr } = bash(`set -o pipefail; "$NODE" "$BIN" ${words} | head -1 >/dev/null`, {
        SCIATICA_DB: long,
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    },
  );

  test('a long list arrives whole', () => {
    const { stdout } = bash('"$NODE" "$BIN" logs --json | cat', { SCIATICA_DB: long });
    expect(JSON.parse(stdout)).toHaveLength(20_000);
  });

  test.skipIf(!existsSync('/dev/full')).each([
    ['logs', ''],
    ['log show 1', ''],
    ['log edit 1 --after 3 --json', ' The change is saved all the same: change 3.'],
  ])('a full disk is an error: %s', (words, saved) => {
    const { code, stderr } = bash(`"$NODE" "$BIN" ${words} > /dev/full`, { SCIATICA_DB: filled(1) });
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `sciatica: the output could not be written (ENOSPC).${saved}\n`,
    });
  });
});

describe('completion', () => {
  const complete = (words: string[], db = filled(1)) =>
    start(['complete', 'zsh', '--', ...words], { SCIATICA_DB: db })
      .stdout.split('\n')
      .slice(1)
      .map((line) => line.split('\t')[0])
      .filter(Boolean);

  test.each<[string[], string[]]>([
    [['l'], ['log', 'logs']],
    [
      ['logs', '--type', ''],
      ['stretch', 'strengthening'],
    ],
    [
      ['log', 'add', '--type', 'stre'],
      ['stretch', 'strengthening'],
    ],
    [['log', 'add', '--name', 'P'], ['Piriformis Stretch']],
    [['logs', '--user', ''], ['1']],
    [['user', 'use', ''], ['1']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['log', ''],
      ['add', 'again', 'routine', 'show', 'edit', 'rm'],
    ],
    [['logs', '--si'], ['--since']],
    [['logs', '--name=Pi'], ['--name=Piriformis Stretch']],
    [['log', 'add', 'pi'], ['Piriformis Stretch']],
    [['log', 'add', 'piri', ''], []],
    [['log', 'rm', ''], ['1']],
    [
      ['undo', ''],
      ['2', '1'],
    ],
    [['nothing', ''], []],
  ])('%j', (words, expected) => expect(complete(words)).toEqual(expected));

  test('creates no database, and is silent about a bad one', () => {
    const db = join(freshFolder(), 'none.db');
    expect(complete(['logs', '--name', ''], db)).toEqual([]);
    expect(existsSync(db)).toBe(false);
    expect(
      start(['complete', 'zsh', '--', 'logs', '--name', ''], { SCIATICA_DB: '/dev/null' }),
    ).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  test.each(['bash', 'zsh', 'fish'])('the script for %s is one that it accepts', (shell) => {
    const { code, stdout } = start(['completion', shell], {});
    expect(code).toBe(0);
    expect(stdout).toContain(`sciatica complete ${shell}`);
    const file = join(freshFolder(), 'script');
    writeFileSync(file, stdout);
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (checked.error) console.warn(`No ${shell} here: its script is not checked.`);
    else expect({ code: checked.status, stderr: checked.stderr }).toEqual({ code: 0, stderr: '' });
  });
});

const hasScript = spawnSync('script', ['--version']).status === 0;
if (!hasScript) console.warn('No script(1) here: prompts are not tested in a real terminal.');

describe.skipIf(!hasScript)('in a real terminal', () => {
  /** Types each text once the terminal shows the one before it. @returns the exit code and the screen */
  const inTerminal = (words: string, db: string, answers: [shown: string, typed: string][] = []) =>
    new Promise<{ code: number | null; screen: string }>((resolve) => {
      const command = `"${process.execPath}" "${bin}" ${words}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        env: environment({ SCIATICA_DB: db, TERM: 'xterm' }),
        timeout: DEADLINE_MS,
        killSignal: 'SIGKILL',
      });
      let screen = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        screen += text;
        if (!answers[0] || !screen.includes(answers[0][0])) return;
        child.stdin.write(answers.shift()?.[1]);
      });
      child.on('close', (code) => resolve({ code, screen }));
    });

  test('the table is in colour', async () => {
    const { code, screen } = await inTerminal('logs', filled(2));
    expect(code).toBe(0);
    expect(screen).toContain('\u001b[32m6 → 4 ↓2\u001b[39m');
  });

  test('Ctrl-C ends a question with 130, and nothing is written', async () => {
    const db = filled(0);
    const { code } = await inTerminal('log add', db, [['Name of the exercise', '\u0003']]);
    expect(code).toBe(130);
    expect(records(db).logs).toEqual([]);
  });

  test('a log is recorded', async () => {
    const db = filled(0);
    const flags = '--name Walk --type stretch --before 6 --after 4 --effective';
    await inTerminal(`user rm 1`, db, [['Delete Nora Lind', 'n\r']]);
    const { code } = await inTerminal(`log add ${flags}`, db);
    expect(code).toBe(0);
    expect(records(db).logs).toHaveLength(1);
  });
});

describe('from cron: no terminal, nothing on stdin, and an environment without HOME, TERM and LANG', () => {
  const cron = (db: string, ...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words, '--db', db], {
      env: {},
      cwd: '/',
      encoding: 'utf8',
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return { code: status, stdout, stderr };
  };

  test.each<[string[], RegExp]>([
    [['log', 'add', 'piri', '6', '4', '-q'], /^$/],
    [['log', 'again', '6', '4'], /^Added log 3: Piriformis Stretch today, 6 → 4 \(↓2\), helped\./],
    [['logs', '--limit', '1'], /^id\tuserId\t.*\n2\t1\tstretch\t.*\n$/],
    [['logs', '--limit', '1', '--csv'], /^id,userId,.*\r?\n2,1,stretch,/],
    [['export', '--format', 'ndjson'], /"exerciseName":"Piriformis Stretch"/],
    [['summary'], /^Nora Lind: 2 sessions/],
    [['log', 'add', '--help'], /^Usage: sciatica log add/],
    [[], /^Nora Lind \(user 1\), /],
  ])('%j', (words, text) => {
    const { code, stdout, stderr } = cron(filled(2), ...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(text);
    expect(stdout).not.toContain('\u001b');
  });

  test.each([
    [['log', 'add']],
    [['log', 'rm', '1']],
    [['undo']],
    [['user', 'rm', '1']],
    [['routine', 'add']],
  ])('%j asks nothing: exit 2', (words) =>
    expect(cron(filled(2), ...words)).toMatchObject({ code: 2, stdout: '' }),
  );
});
