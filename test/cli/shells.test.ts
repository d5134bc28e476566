import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forBash, wordsOf } from '../../src/cli/commands/completion.ts';
import { openStore } from '../../src/store/store.ts';
import { nora, records, session } from '../helpers.ts';
import { hasScript, KILL, typeInto } from '../pseudo-terminal.ts';

/** Completion in real shells, in a pseudo-terminal. `npm test` builds the program first. */

const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));
const has = (program: string) => !spawnSync(program, ['--version']).error;

const NAMES = ['Piriformis Stretch', "Child's Pose", 'Squat: wall', '$(touch pwned)', '背中 stretch'];

interface Shell {
  command: string;
  /** Written into its start-up file, with the line of docs/patient.md. */
  rc: string;
  setup: string;
}

/** As docs/patient.md says, in a home where nothing else is set up. */
const shells: Readonly<Record<string, Shell>> = {
  bash: {
    command: 'bash --noprofile -i',
    rc: '.bashrc',
    setup: 'PS1="READY> "\nbind "set enable-bracketed-paste off"\nsource <(sciatica completion bash)\n',
  },
  zsh: {
    command: 'zsh -i',
    rc: '.zshrc',
    setup: 'PS1="READY> "\nunset zle_bracketed_paste\nsource <(sciatica completion zsh)\n',
  },
  fish: {
    command: 'fish -i',
    rc: '.config/fish/config.fish',
    setup:
      'function fish_prompt; echo -n "READY> "; end\nset -g fish_greeting\nset -g fish_autosuggestion_enabled 0\nsciatica completion fish | source\n',
  },
};

const missing = Object.keys(shells).filter((shell) => !has(shell));
if (missing.length > 0 || !hasScript)
  console.warn(
    `Not here: ${[...missing, ...(hasScript ? [] : ['script(1)'])].join(', ')}. Completion is not tested in them.`,
  );

/** For all sessions: they run at once, and hooks of a single test cannot. */
let home = '';
let sessions = 0;
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'sciatica-'));
  const store = openStore(join(home, 'names.db'));
  store.users.create(nora);
  for (const exerciseName of NAMES) store.logs.create({ ...session, exerciseName });
  store.close();
});
afterAll(() => rmSync(home, { recursive: true, force: true, maxRetries: 5 }));

/**
 * Types into a shell, each text once the screen shows the one before it. Its database has a log of each name.
 * @returns the screen, the folder that the shell was in, and the database
 */
async function typed(
  { command, rc, setup }: Shell,
  keys: readonly (readonly [shown: string | RegExp, typed: string])[],
): Promise<{ screen: string; folder: string; db: string }> {
  const folder = join(home, String(sessions++));
  const path = join(folder, 'bin');
  mkdirSync(path, { recursive: true });
  const db = join(folder, 'test.db');
  copyFileSync(join(home, 'names.db'), db);
  symlinkSync(bin, join(path, 'sciatica'));
  mkdirSync(dirname(join(folder, rc)), { recursive: true });
  writeFileSync(join(folder, rc), setup);
  // Where this is missing, fish fills it in the background, also after the test.
  mkdirSync(join(folder, '.local/share/fish/generated_completions'), { recursive: true });
  const work = join(folder, 'work');
  mkdirSync(work);
  writeFileSync(join(work, 'diary.json'), '[]');
  const env = { HOME: folder, PATH: `${path}:${process.env['PATH']}`, SCIATICA_DB: db };
  const screen = await typeInto(command, keys, { cwd: work, env: { ...env, SHELL: command.split(' ')[0] } });
  return { screen, folder: work, db };
}

const END = 'exit\r';

describe.concurrent.each(Object.entries(shells))('%s', (name, shell) => {
  const testIn = test.skipIf(missing.includes(name) || !hasScript);

  testIn('--name START Tab is a name in one word', async () => {
    const starts = ['Pir', 'pir', 'Child', 'Squ', "'Pir", '"Pir', '背'];
    const keys = starts.flatMap(
      (start, i) =>
        [
          [i === 0 ? 'READY> ' : `Added log ${i + 5}`, `sciatica log add --name ${start}\t`],
          [/tretch|ose|wall/, ' --before 6 --after 4 --effective\r'],
        ] as const,
    );
    const { db } = await typed(shell, [...keys, [`Added log ${starts.length + 5}`, END]]);
    const names = records(db).logs.slice(NAMES.length);
    expect(names.map(({ exerciseName }, i) => [starts[i], exerciseName])).toEqual([
      ['Pir', 'Piriformis Stretch'],
      ['pir', 'Piriformis Stretch'],
      ['Child', "Child's Pose"],
      ['Squ', 'Squat: wall'],
      ["'Pir", 'Piriformis Stretch'],
      ['"Pir', 'Piriformis Stretch'],
      ['背', '背中 stretch'],
    ]);
  });

  testIn('evaluates nothing that is typed, nor a name', async () => {
    // zsh itself runs a finished $(…) at the cursor, before any completion.
    const end = name === 'zsh' ? ' ' : '';
    const lines = [
      `sciatica logs --$(touch pwned)${end}`,
      `sciatica logs --name $(touch pwned)${end}`,
      `sciatica logs --name "$(touch pwned)"${end}`,
      `sciatica log \`touch pwned\`${end}`,
      'sciatica logs --name $(touch',
      'sciatica <(touch pwned) ',
      "sciatica logs --name '$(touch pwned)",
      "sciatica logs --name ';touch pwned;'",
    ];
    // Without Ctrl-C, which would throw away what the shell has not read yet.
    const keys = lines.map((line, i) => [i === 0 ? 'READY> ' : /./, `${line}\t\t\u0005\u0015`] as const);
    const { folder } = await typed(shell, [...keys, [/./, KILL]]);
    expect(readdirSync(folder)).toEqual(['diary.json']);
  });

  testIn('completes commands, flags, choices, ids and files', async () => {
    const { screen } = await typed(shell, [
      ['READY> ', 'sciatica und\t --y\t\u0015'],
      [/--yes/, 'sciatica logs --type stren\t\u0015'],
      [/strengthening/, 'sciatica import dia\t\u0015'],
      [/diary\.json/, 'sciatica log add --notes x --db dia\t\u0015'],
      [/diary\.json/, `\u0015${END}`],
    ]);
    expect(screen).toContain('sciatica');
  });

  testIn('says nothing when it is loaded twice', async () => {
    const again =
      name === 'fish' ? 'sciatica completion fish | source' : `source <(sciatica completion ${name})`;
    const { screen } = await typed({ ...shell, setup: `${shell.setup}${again}\n` }, [
      ['READY> ', 'sciatica log add --name Pir\t'],
      [/tretch/, `\u0015${END}`],
    ]);
    expect(
      screen.split('READY>')[0]?.replace(/\u001b\][^\u0007]*\u0007|\u001b\[[\d;?]*[a-zA-Z]|\s/g, ''),
    ).not.toMatch(/[a-z]{4}/i);
  });
});

describe.concurrent('zsh', () => {
  test.skipIf(missing.includes('zsh') || !hasScript).each([
    ['after it', 'autoload -Uz compinit; compinit -u\n'],
    ['again', 'autoload -Uz compinit; compinit -u; compinit -u\n'],
  ])('completes with compinit %s', async (_, more) => {
    const { zsh } = shells;
    if (!zsh) throw new Error('There is no zsh');
    await typed({ ...zsh, setup: zsh.setup + more }, [
      ['READY> ', 'sciatica log add --name Pir\t'],
      [/tretch/, `\u0015${END}`],
    ]);
  });
});

describe('the words of a line', () => {
  test.each<[string, string[]]>([
    ['', ['']],
    ['a b', ['a', 'b']],
    ['a ', ['a', '']],
    ["a 'b c", ['a', 'b c']],
    ['"a\\"b" c\\ d', ['a"b', 'c d']],
    ['"a\\n"', ['a\\n']],
    ["'a\\'", ['a\\']],
    ['$(x y) `z`', ['$(x', 'y)', '`z`']],
  ])('%j', (line, words) => expect(wordsOf(line).map(({ text }) => text)).toEqual(words));

  test.each([
    ['Pir', 'Piriformis Stretch', 'Piriformis\\ Stretch'],
    ["'Pir", 'Piriformis Stretch', 'Piriformis Stretch'],
    ["'Chi", "Child's Pose", "Child'\\''s Pose"],
    ['"$', '$(x)', '\\$(x)'],
    ['--name=Pir', '--name=Piriformis Stretch', 'Piriformis\\ Stretch'],
    ['Squat:', 'Squat: wall', '\\ wall'],
    ['Squat\\:', 'Squat: wall', 'Squat\\:\\ wall'],
    ['x', '背中 s', '背中\\ s'],
  ])('bash puts for %j and %j %j', (raw, value, text) => {
    const word = wordsOf(raw, ' \t\n"\'><=;|&(:').at(-1);
    expect(word && forBash(value, word)).toBe(text);
  });
});
