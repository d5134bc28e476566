import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { freshFolder, noraWith, records } from '../helpers.ts';
import { hasScript, typeInto } from '../pseudo-terminal.ts';

/** The real program in a pseudo-terminal of 24 × 80. `npm test` builds it first. */

const bin = fileURLToPath(new URL('../../bin/sciatica.js', import.meta.url));

if (!hasScript) console.warn('Not here: script(1). What only a real terminal shows is not tested.');

const filled = (count = 1) => noraWith(...Array<object>(count).fill({}));

/** Runs a line of bash in which `sciatica` is the program. @returns the screen */
async function inTerminal(
  db: string,
  line: string,
  keys: readonly (readonly [string | RegExp, string])[] = [],
  more: Record<string, string> = {},
): Promise<string> {
  const folder = freshFolder();
  symlinkSync(bin, join(folder, 'sciatica'));
  const PATH = `${folder}:${process.env['PATH']}`;
  const env = { HOME: folder, PATH, SCIATICA_DB: db, SHELL: 'bash', ...more };
  writeFileSync(join(folder, 'run'), `set -m\nstty rows 24 cols 80\n${line}\n`);
  return typeInto('bash --norc run', keys, { cwd: folder, env });
}

/** A program in the place of less: says how it was called, and prints the beginning of what it gets. */
const PAGER = `sh -c 'echo "LESS=$LESS"; head -5; echo END'`;

describe.skipIf(!hasScript)('a pager', () => {
  const paged = (line: string, env: Record<string, string> = {}, count = 40) =>
    inTerminal(filled(count), `${line}; echo "code $?"`, [], { PAGER, ...env });

  test.each([
    'logs',
    'logs --limit 23',
    'logs --json',
    'history',
    '--help',
    'log add --help',
    'help',
    'export logs --format csv',
  ])('gets %s, with the options of less as git has them', async (words) => {
    const screen = await paged(`sciatica ${words}`);
    expect(screen).toContain('LESS=FRX');
    expect(screen).toMatch(/END\r\n[\s\S]*code 0/);
  });

  test.each<[string, string, Record<string, string>]>([
    ['output of a line less than the screen', 'sciatica logs --limit 22', {}],
    ['--no-pager', 'sciatica --no-pager logs', {}],
    ['--no-pager before help', 'sciatica log add --help --no-pager', {}],
    ['--no-input', 'sciatica --no-input logs', {}],
    ['a pipe', 'sciatica logs | cat', {}],
    ['PAGER=cat', 'sciatica logs', { PAGER: 'cat' }],
    ['an empty PAGER', 'sciatica logs', { PAGER: '' }],
    ['a PAGER that is not there', 'sciatica logs', { PAGER: 'no-such-pager -x' }],
    ['TERM=dumb', 'sciatica logs', { TERM: 'dumb' }],
  ])('is not started for %s', async (_, line, env) => {
    const screen = await paged(line, env);
    expect(screen).not.toMatch(/LESS=|END/);
    expect(screen).toMatch(/Piriformis|Usage/);
    expect(screen).toContain('code 0');
  });

  test('keeps the LESS of the person', async () =>
    expect(await paged('sciatica logs', { LESS: 'S' })).toContain('LESS=S'));

  test('is left early, quietly, and messages come after it', async () => {
    const screen = await paged('sciatica export --format ndjson', {}, 5000);
    expect(screen).toMatch(/END\r\ncode 0\r\n$/);
    expect(await paged('sciatica logs')).toMatch(/END\r\n30 of 40 logs[\s\S]*code 0\r\n$/);
    expect(await paged('sciatica logs --limit 3')).toMatch(/Piriformis.*\r\n3 of 40 logs[\s\S]*code 0\r\n$/);
  });

  test('errors are seen', async () =>
    expect(await paged('sciatica logs --json colour')).toMatch(/"colour" is not a field[\s\S]*code 2/));

  test('less itself shows a screenful, and q goes back', async ({ skip }) => {
    skip(!existsSync('/usr/bin/less'), 'less is not here');
    const screen = await inTerminal(filled(40), 'unset PAGER; sciatica logs; echo "code $?"', [[/:/, 'q']]);
    expect(screen).toMatch(/30 of 40 logs[\s\S]*code 0/);
  });
});

describe.skipIf(!hasScript)('--edit', () => {
  const editor = (script: string) => `sh -c '${script}' editor`;
  const add = (env: Record<string, string>, words = 'log add piri 6 4 --edit') => {
    const db = filled();
    return inTerminal(db, `sciatica ${words}; echo "code $?"`, [], env).then((screen) => ({ screen, db }));
  };

  test.each<[string, Record<string, string>, string]>([
    ['$VISUAL with arguments', { VISUAL: editor('echo "tight  hip" > "$1"'), EDITOR: 'false' }, 'tight  hip'],
    ['$EDITOR where there is no $VISUAL', { EDITOR: editor('echo x > "$1"') }, 'x'],
    ['several lines', { EDITOR: editor('printf "a\\n\\nb\\n\\n" > "$1"') }, 'a\n\nb\n'],
    ['an empty file', { EDITOR: editor(': > "$1"') }, ''],
  ])('takes the notes from %s', async (_, env, notes) => {
    const { screen, db } = await add(env);
    expect(screen).toContain('code 0');
    expect(records(db).logs[1]).toMatchObject({ notes, painBefore: 6 });
  });

  test.each([
    ['fails', 'false', /The editor \(false\) failed: nothing was recorded\.\r\ncode 1/],
    ['leaves no text', editor('printf "\\377" > "$1"'), /The notes are not valid UTF-8 text\.\r\ncode 2/],
  ])('an editor that %s records nothing', async (_, EDITOR, said) => {
    const { screen, db } = await add({ EDITOR });
    expect(screen).toMatch(said);
    expect(records(db).logs).toHaveLength(1);
  });

  test('begins with the notes there are', async () => {
    const db = filled();
    await inTerminal(db, 'sciatica log edit 1 --notes old; sciatica log edit 1 --edit', [], {
      EDITOR: editor('echo new >> "$1"'),
    });
    expect(records(db).logs[0]).toMatchObject({ notes: 'old\nnew' });
  });
});

describe.skipIf(!hasScript)('an editor that is left as it was opened', () => {
  test('keeps notes that were changed elsewhere meanwhile', async () => {
    const db = filled();
    const screen = await inTerminal(db, 'sciatica log edit 1 --edit; echo "code $?"', [], {
      EDITOR: `sh -c 'sciatica log edit 1 --notes newer' editor`,
    });
    expect(screen).toMatch(/Nothing changed\.\r\ncode 0/);
    expect(records(db).logs[0]).toMatchObject({ notes: 'newer' });
  });
});

describe.skipIf(!hasScript)('at a prompt', () => {
  test('Ctrl-Z stops, and fg goes on', async () => {
    const db = filled();
    const line = 'sciatica log add piri; echo back; fg; echo "code $?"';
    const screen = await inTerminal(db, line, [
      ['Pain before', '\u001a'],
      ['back', '6\r'],
      ['Pain after', '4\r'],
    ]);
    expect(screen).toContain('code 0');
    expect(screen.slice(screen.indexOf('back\r\n'))).toMatch(/Pain before[^\n]*6/);
    expect(records(db).logs[1]).toMatchObject({ painBefore: 6, painAfter: 4 });
  });

  test('what is typed ahead, two quick Enters among it, answers the next questions', async () => {
    const db = filled();
    await inTerminal(db, 'sciatica log add --name "Piriformis Stretch"', [['Day of', '\r6\r4\r\r\r']]);
    expect(records(db).logs[1]).toMatchObject({ painBefore: 6, painAfter: 4, effective: true, notes: '' });
  });

  test('all that is typed before the first question answers them', async () => {
    const db = filled();
    const line = 'sleep 1; sciatica log add';
    await inTerminal(db, `echo ready; ${line}`, [['ready', 'piri\r\r6\r4\r\r\r']]);
    expect(records(db).logs[1]).toMatchObject({ painBefore: 6, painAfter: 4, effective: true, notes: '' });
  });

  test('several pasted lines are one note', async () => {
    const db = filled();
    const line = 'sciatica log add --name "Piriformis Stretch" --date today --before 6 --after 4';
    await inTerminal(db, line, [
      ['Did it help', '\r'],
      ['Notes', 'first\r\nsecond\r\nthird'],
      ['third', '\r'],
    ]);
    expect(records(db).logs[1]?.notes).toBe('first\nsecond\nthird');
  });

  test('a terminal without cursor keys corrects a value', async () => {
    const db = filled();
    const keys = [
      ['Pain before', '77\u007f\r'],
      ['Pain after', '44\r'],
      ['It must be a whole number from 1 to 10', '4\r'],
    ] as const;
    const screen = await inTerminal(db, 'sciatica log add piri; echo "code $?"', keys, { TERM: 'dumb' });
    expect(screen).toContain('code 0');
    // No control sequence is sent.
    expect(screen).not.toContain('\u001b');
    expect(records(db).logs[1]).toMatchObject({ painBefore: 7, painAfter: 4 });
  });

  test('Ctrl-C during an import says on a line of its own that nothing was imported', async () => {
    const db = filled();
    const before = records(db);
    const screen = await inTerminal(
      db,
      'sciatica export --format ndjson > x; mkfifo slow.ndjson; (cat x; sleep 0.5; echo READY > /dev/tty; sleep 60) > slow.ndjson & sciatica import slow.ndjson; echo "code $?"; kill %1',
      [['READY', '\u0003']],
    );
    expect(screen).toMatch(/(^|\n)Nothing was imported\.\r\n[\s\S]*code 130/);
    expect(records(db)).toEqual(before);
  });
});
