import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { freshFolder, nora, prepared, run, session } from '../helpers.ts';

/** A C1 control, which a terminal takes for ESC [, then bidi controls, a bell and a carriage return. */
const HOSTILE = 'a\u009b31mb\u061cc\u202ed\u2066e\u0007f\rg\ufeffh\ni';

const db = () =>
  prepared((store) => {
    store.users.create({ ...nora, lastName: `L${HOSTILE}` });
    store.logs.create({ ...session, notes: HOSTILE });
  });

/** What a terminal would act upon. Line ends are expected. */
const ACTS = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

const commands = [
  'logs --json',
  'logs --json id,notes',
  'log show 1 --json',
  'users --json',
  'user show 1 --json',
  'history --json',
  'logs --csv',
  'users --csv',
  'export',
  'export --format ndjson',
  'export logs --format csv',
  'export --format fhir',
].map((line) => [line]);

describe('in a terminal, no stored text is acted upon:', () => {
  test.each(commands)('%s', async (line) => {
    const { code, stdout } = await run([...line.split(' '), '--no-color'], { db: db(), columns: 80 });
    expect(code).toBe(0);
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(ACTS);
    expect(stdout).toContain('\\u009b31mb\\u061cc\\u202ed');
    if (line.includes('--json'))
      expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(HOSTILE).slice(1, -1));
  });
});

describe('in a pipe and a file, the bytes are as they are:', () => {
  test.each(commands)('%s', async (line) => {
    const { stdout } = await run(line.split(' '), { db: db() });
    expect(stdout).toContain('a\u009b31mb\u061cc\u202ed');
  });

  test('export -o from a terminal', async () => {
    const file = `${freshFolder()}/out.json`;
    const path = db();
    await run(['export', '-o', file], { db: path, columns: 80 });
    expect(readFileSync(file, 'utf8')).toBe((await run(['export'], { db: path })).stdout);
  });
});

describe('a message that is wider than the terminal', () => {
  const wrong = 'log add --type yoga --name Cat-Cow --before 0 --after 4 --effective'.split(' ');

  test('is broken between words, its indent kept', async () => {
    expect((await run(wrong, { db: db(), columns: 40 })).stderr).toBe(
      [
        'sciatica: 2 values are missing or wrong:',
        '  --type must be one of stretch,',
        '  strengthening',
        '  --before must be a whole number from 1',
        '  to 10',
        '',
      ].join('\n'),
    );
  });

  test('keeps a command whole', async () => {
    const { stdout } = await run(['undo', '--yes'], { db: db(), columns: 40 });
    expect(stdout).toBe('Undid change 2. To have it back:\nsciatica undo 3\n');
    // A column more than there are.
    const { stderr } = await run(['token', 'ls'], { db: db(), columns: 50 });
    expect(stderr).toBe('There is no token yet. Make one:\nsciatica token add\n');
  });

  test('is one line in a pipe', async () => {
    expect((await run(wrong, { db: db() })).stderr).toContain(
      '--before must be a whole number from 1 to 10\n',
    );
  });
});
