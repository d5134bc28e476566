import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/terminal/width.ts';
import { exerciseTypes } from '../../src/domain/exercise-types.ts';
import { logRecord } from '../../src/domain/log.ts';
import { nora, noraWith, prepared, run, session } from '../helpers.ts';

const filled = (count: number) =>
  prepared((store) => {
    store.users.create(nora);
    store.users.create({ ...nora, firstName: '佐藤' });
    store.change(() => {
      for (let i = 0; i < count; i++)
        store.logs.create({
          ...session,
          userId: (i % 2) + 1,
          exerciseType: i % 3 ? 'stretch' : 'strengthening',
          date: `2026-01-${String((i % 28) + 1).padStart(2, '0')}`,
          painAfter: (i % 10) + 1,
          effective: i % 2 === 0,
          notes: i % 5 ? '' : 'A long note that says how it went, and 背中が痛い as well',
        });
    });
  });

const ids = async (words: string[], db: string) => {
  const { stdout } = await run(['logs', '--json', 'id', ...words], { db });
  return (JSON.parse(stdout) as { id: number }[]).map(({ id }) => id);
};

describe('filters', () => {
  test.each<[string[], number[]]>([
    [[], [1, 2, 3, 4, 5, 6]],
    [
      ['--user', '2'],
      [2, 4, 6],
    ],
    [
      ['--user', 'all'],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      ['--type', 'strengthening'],
      [1, 4],
    ],
    [
      ['--type', 'Strength'],
      [1, 4],
    ],
    [['--effective'], [1, 3, 5]],
    [['--no-effective'], [2, 4, 6]],
    [
      ['--since', '2026-01-05'],
      [5, 6],
    ],
    [['--until=2026-01-02'], [1, 2]],
    [
      ['--since', '-60d'],
      [1, 2, 3, 4, 5, 6],
    ],
    [
      ['--since', '-59d'],
      [2, 3, 4, 5, 6],
    ],
    [
      ['--name', 'Piriformis Stretch', '--limit', '2'],
      [6, 5],
    ],
    [
      ['--limit', '9'],
      [6, 5, 4, 3, 2, 1],
    ],
    [
      ['--sort', 'painAfter', '--limit', '2'],
      [1, 2],
    ],
    [['--name', 'piriformis'], []],
    [
      ['--sort', '-painAfter'],
      [6, 5, 4, 3, 2, 1],
    ],
    [['--sort', '-date,-id', '--limit', '1'], [6]],
  ])('%j', async (words, expected) => expect(await ids(words, filled(6))).toEqual(expected));

  test.each<[string[], string]>([
    [['--type', 'yoga'], `--type must be one of ${exerciseTypes.join(', ')}`],
    [['--since', 'soon'], '--since must be a calendar day'],
    [['--since', 'last mnth'], '--since is no day (did you mean last month?)'],
    [['--until', 'ths yer'], '--until is no day (did you mean this year?)'],
    [
      ['--since', 'march', '--until', '2026-02-28'],
      '--since begins an empty period: from 2026-03-01 to 2026-02-28, which is earlier',
    ],
    [['--sort', 'pain'], '--sort must name fields of the record'],
    [['--limit', '0'], '--limit must be a whole number, 1 or more'],
    [['--limit', '3', '--all'], '--all and --limit cannot both be given'],
    [['--json', '--csv'], '--csv and --json cannot both be given'],
    [['--json', 'painafter'], 'did you mean painAfter?'],
    [['--type', 'stretch', '--type', 'stretch'], '--type is given twice.'],
    [['--effective', '--no-effective'], '--effective and --no-effective cannot both be given.'],
    [['--name', '--type', 'stretch'], '--name needs a value, and --type is a flag.'],
    [['--tpye', 'stretch'], "unknown option '--tpye' (did you mean --type?)"],
    [['3'], 'logs takes no words after it'],
  ])('%j is refused', async (words, message) => {
    const { code, stdout, stderr } = await run(['logs', ...words], { db: filled(1) });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(message);
  });
});

describe.each([
  ['a terminal', 200],
  ['a pipe', undefined],
])('in %s', (_, columns) => {
  const world = (count: number) => ({ db: filled(count), ...(columns && { columns }) });

  test('of 30 all are shown, and nothing is said', async () => {
    const { stdout, stderr } = await run(['logs'], world(30));
    expect([stdout.trimEnd().split('\n').length, stderr]).toEqual([31, '']);
  });

  test('the latest 30 are shown, with how many there are', async () => {
    const { stdout, stderr } = await run(['logs'], world(40));
    expect(stdout.trimEnd().split('\n')).toHaveLength(31);
    const ids = stdout.split('\n').map((line) => Number.parseInt(line, 10));
    // By day, and within a day the latest first.
    expect(ids.slice(1, -1)).toEqual([
      ...Array.from({ length: 16 }, (_, i) => 28 - i),
      ...Array.from({ length: 7 }, (_, i) => [40 - i, 12 - i]).flat(),
    ]);
    expect(stderr).toBe('30 of 40 logs. For more: --limit N or --all.\n');
  });

  test('everything is shown with --all', async () => {
    const { stdout, stderr } = await run(['logs', '--all'], world(1200));
    expect(stdout.trimEnd().split('\n')).toHaveLength(1201);
    expect(stderr).toBe('');
  });
});

describe('tab-separated lines', () => {
  const header = `${Object.keys(logRecord).join('\t')}\n`;

  test('have a header of field names, and the values of CSV', async () =>
    expect((await run(['logs', '--limit', '1'], { db: filled(6) })).stdout).toBe(
      `${header}6\t2\tstretch\tPiriformis Stretch\t2026-01-06\t6\t6\tfalse\tA long note that says how it went, and 背中が痛い as well\t\n`,
    ));

  test.each([
    ['a\tb', 'a\\tb'],
    ['a\nb\r\nc', 'a\\nb\\r\\nc'],
    ['C:\\new', 'C:\\\\new'],
    ['\u001b[31m', '\\u001b[31m'],
    ['\u202eevil', '\\u202eevil'],
    ['=1+1', '=1+1'],
    ['x'.repeat(10_000), 'x'.repeat(10_000)],
    ['', ''],
  ])('%j is one value', async (notes, shown) => {
    const db = noraWith({ notes });
    const { stdout } = await run(['logs'], { db });
    expect(stdout.split('\n')[1]?.split('\t')[8]).toBe(shown);
  });

  test('of users and of an order that was asked for', async () => {
    const db = filled(3);
    const { stdout } = await run(['users'], { db });
    expect(stdout.split('\n')[2]).toBe('2\t佐藤\tLind\tnora@example.org\t44\tglute-left\t6\t2026-01-15');
    const sorted = (await run(['logs', '--sort', 'id'], { db })).stdout.split('\n');
    expect(sorted.map((line) => line.split('\t')[0])).toEqual(['id', '1', '2', '3', '']);
  });
});

describe('the table', () => {
  test('names the user when it is everybody’s, and only then', async () => {
    const world = { db: filled(2), columns: 120 };
    expect((await run(['logs'], world)).stdout).toContain('2 佐藤 Lind');
    expect((await run(['logs', '--user', '2'], world)).stdout).not.toContain('佐藤');
  });

  test.each([200, 100, 80, 60, 50, 40, 30, 24])('fits %i columns', async (columns) => {
    const { stdout } = await run(['logs', '--user', '1'], { db: filled(40), columns });
    const lines = stripVTControlCharacters(stdout).split('\n');
    for (const line of lines) expect(width(line)).toBeLessThanOrEqual(columns);
    expect(lines.filter((line) => line.includes('2026-01-'))).toHaveLength(20);
  });

  test.each([
    [140, ['Id', 'Date', 'Type', 'Exercise', 'Pain', 'Effective', 'Notes'], ''],
    [80, ['Id', 'Date', 'Type', 'Exercise', 'Pain', 'Effective', 'Notes'], ''],
    [72, ['Id', 'Date', 'Type', 'Exercise', 'Pain', 'Helped'], 'Too narrow for Notes.\n'],
    [60, ['Id', 'Date', 'Exercise', 'Pain', 'Helped'], 'Too narrow for Notes, Type.\n'],
    [50, ['Id', 'Date', 'Exercise', 'Pain'], 'Too narrow for Notes, Type, Helped.\n'],
  ])('at %i columns names whole columns and whole exercises', async (columns, titles, said) => {
    const { stdout, stderr } = await run(['logs', '--user', '1'], { db: filled(40), columns });
    const [header, ...lines] = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(header?.trim().split(/ +/)).toEqual(titles);
    expect(lines.filter((line) => line.includes('Piriformis Stretch'))).toHaveLength(20);
    expect(stderr).toBe(said);
  });

  test.each([
    [100, ['Id', 'First name', 'Last name', 'E-mail', 'Age', 'Pain location', 'Pain level', 'Diagnosed']],
    [75, ['Id', 'First name', 'Last name', 'Age', 'Pain location', 'Pain level', 'Diagnosed']],
    [65, ['Id', 'First name', 'Last name', 'Age', 'Pain location', 'Pain level']],
    [50, ['Id', 'First name', 'Last name', 'Age', 'Pain level']],
  ])('of users at %i columns has whole titles', async (columns, titles) => {
    const { stdout } = await run(['users'], { db: filled(0), columns });
    expect(stdout.split('\n')[0]?.trim().split(/ {2,}/)).toEqual(titles);
  });

  test('never cuts a title', async () => {
    const db = filled(4);
    for (let columns = 24; columns <= 120; columns += 4)
      for (const words of [['users'], ['logs'], ['logs', '--user', '1']])
        expect((await run(words, { db, columns })).stdout.split('\n')[0], `${columns}`).not.toContain('…');
  });

  test('cuts notes with an ellipsis', async () => {
    const { stdout } = await run(['logs', '--user', '1', '--sort', 'id'], { db: filled(6), columns: 80 });
    expect(stripVTControlCharacters(stdout).split('\n')[1]).toMatch(/ strength\. .* yes +A long note…$/);
  });

  test('keeps its columns in line over many rows', async () => {
    const { stdout } = await run(['logs', '--user', '1', '--all'], { db: filled(500), columns: 80 });
    const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
    expect(lines).toHaveLength(251);
    expect(new Set(lines.map((line) => line.search(/2026-01-|Date/)))).toEqual(new Set([5]));
    expect(new Set(lines.slice(1).map((line) => line.search(/ (yes|no)( |$)/)))).toHaveProperty('size', 1);
  });

  // Terminals draw these as wide as Unicode 16 says, joined and with their marks.
  test.each([
    ['Arabic', 'مَرْحَبًا بِكَ فِي التَّمْرِينِ'],
    ['Hebrew', 'שָׁלוֹם עֲלֵיכֶם'],
    ['Chinese', '背中が痛いときの体操と背中が痛いときの体操'],
    ['an emoji newer than the library', '🫠🫠🫠🫠🫠🫠🫠🫠🫠🫠'],
    ['joined emoji', '👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧'],
    ['flags', '🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷🇩🇪🇫🇷'],
    ['combining marks', 'e\u0301'.repeat(40)],
    ['Thai', 'กำลังกำลังกำลังกำลังกำลังกำลัง'],
  ])('keeps rows with %s within the width and in line', async (_, exerciseName) => {
    const db = noraWith({ exerciseName, notes: exerciseName }, {});
    for (const columns of [160, 80, 60, 45, 36]) {
      const { stdout } = await run(['logs'], { db, columns });
      const lines = stripVTControlCharacters(stdout).trimEnd().split('\n');
      if (columns === 160) expect(lines[2]).toContain(`  ${exerciseName}  `);
      for (const line of lines) expect(widthOf(line), line).toBeLessThanOrEqual(columns);
      const [plain, other] = lines.slice(1).map((line) => widthOf(line.split(/6 → 4/)[0] ?? ''));
      expect(other).toBe(plain);
      expect(stdout).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/);
    }
  });

  test('says relief and aggravation in colour, in a terminal', async () => {
    const db = filled(10);
    const { stdout } = await run(['logs'], { db, columns: 100 });
    expect(stdout).toContain('\u001b[32m6 → 1 ↓5\u001b[39m');
    expect(stdout).toContain('\u001b[31m6 → 10 ↑4\u001b[39m');
  });

  test.each<[string, string[], Record<string, string>, boolean, number | undefined]>([
    ['NO_COLOR', [], { NO_COLOR: '1' }, false, 100],
    ['--no-color', ['--no-color'], {}, false, 100],
    ['--no-color before FORCE_COLOR', ['--no-color'], { FORCE_COLOR: '1' }, false, 100],
    ['an empty NO_COLOR', [], { NO_COLOR: '' }, true, 100],
    ['TERM=dumb', [], { TERM: 'dumb' }, false, 100],
    ['no terminal', [], {}, false, undefined],
    ['FORCE_COLOR without a terminal', [], { FORCE_COLOR: '1' }, false, undefined],
    ['FORCE_COLOR=0', [], { FORCE_COLOR: '0' }, false, 100],
    ['FORCE_COLOR=false', [], { FORCE_COLOR: 'false' }, false, 100],
    ['NO_COLOR before FORCE_COLOR', [], { NO_COLOR: '1', FORCE_COLOR: '1' }, false, 100],
  ])('colour with %s', async (_, words, env, coloured, columns) => {
    const world = { db: filled(10), env, ...(columns ? { columns } : {}) };
    const { stdout } = await run(['logs', ...words], world);
    expect(stdout.includes('\u001b[')).toBe(coloured);
  });
});

describe('JSON and CSV', () => {
  test('JSON is what the records are, in the order of ids', async () => {
    const { stdout, stderr } = await run(['logs', '--json'], { db: filled(600) });
    const logs = JSON.parse(stdout) as { id: number }[];
    expect(logs).toHaveLength(600);
    expect(logs.map(({ id }) => id)).toEqual(logs.map((_, i) => i + 1));
    expect(stdout).toMatch(/^\[\{"id":1,"userId":1,.*\}\]\n$/);
    expect(stderr).toBe('');
  });

  test('JSON is indented in a terminal', async () => {
    const { stdout } = await run(['logs', '--json', 'id,date'], { db: filled(2), columns: 80 });
    expect(stdout).toBe(
      `${JSON.stringify(
        [
          { id: 1, date: '2026-01-01' },
          { id: 2, date: '2026-01-02' },
        ],
        null,
        2,
      )}\n`,
    );
  });

  test('the fields come in the order they were asked for', async () => {
    const { stdout } = await run(['logs', '--json=painAfter,id', '--limit', '1'], { db: filled(2) });
    expect(stdout).toBe('[{"painAfter":2,"id":2}]\n');
  });

  test('CSV has a header and every record', async () => {
    const { stdout } = await run(['logs', '--csv'], { db: filled(3) });
    expect(stdout.split('\r\n')[0]).toBe(Object.keys(logRecord).join(','));
    expect(stdout.split('\r\n')).toHaveLength(5);
  });

  test('nothing matches: an empty list, without a word', async () => {
    const result = await run(['logs', '--json', '--name', 'x'], { db: filled(1) });
    expect(result).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });
});

describe('nothing to show', () => {
  test('in a new database', async () => {
    const { code, stdout, stderr } = await run(['logs']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe('Nothing is recorded yet. Start with: sciatica user add, then sciatica log add\n');
  });

  test.each(['logs', 'summary', 'exercises', 'logs --user 1'])(
    'of sessions, %s says which other days are recorded',
    async (line) => {
      const db = prepared((store) => {
        for (const email of ['1@example.org', '2@example.org']) store.users.create({ ...nora, email });
        store.settings.set('user', '1');
        store.logs.create({ ...session, userId: 2 });
        for (const date of ['2026-03-01', '2026-03-02'])
          store.of('trialDay').create({ userId: 1, date, first: 5, done: true });
      });
      const toldOf = async () => (await run(line.split(' '), { db })).stderr;
      const whose = line.includes('--user') ? ' --user 1' : '';
      const next = `To record one: sciatica log add${whose}\n`;
      expect(await toldOf()).toBe(
        `No session is recorded yet, only 2 trial days (sciatica trial-days${whose}). ${next}`,
      );
      if (line === 'summary') return;
      await run(['pain', '6'], { db });
      expect(await toldOf()).toBe(
        `No session is recorded yet, only 1 pain entry (sciatica pains${whose}) and 2 trial days (sciatica trial-days${whose}). ${next}`,
      );
    },
  );

  test.each<[string, string]>([
    ['piriformis strech', "Did you mean --name 'Piriformis Stretch'?\n"],
    ['piri', "Did you mean --name 'Piriformis Stretch'?\n"],
    ['stretch', "Did you mean --name 'Piriformis Stretch' or --name 'Calf Stretch'?\n"],
    ['Calf Stretch', ''],
    ['yoga', ''],
  ])('of the name %s', async (name, meant) => {
    const db = noraWith({ exerciseName: 'Calf Stretch' }, {});
    const { stderr } = await run(['logs', '--since', 'today', '--name', name], { db });
    expect(stderr).toBe(`No log matches.\n${meant}`);
  });
});

/** C0 and C1 controls, and every control of the bidirectional algorithm (UAX #9). */
const controls = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, i) => 0x7f + i),
  0x061c,
  0x200e,
  0x200f,
  ...Array.from({ length: 5 }, (_, i) => 0x202a + i),
  ...Array.from({ length: 4 }, (_, i) => 0x2066 + i),
]
  .filter((code) => code > 0)
  .map((code) => [code.toString(16).padStart(4, '0'), String.fromCharCode(code)] as const);

test.each<[string[], number | undefined]>([
  [['logs', '--all'], 100],
  [['logs', '--all', '--user', 'all'], 30],
  [['logs', '--all'], undefined],
  [['log', 'show', '1'], 80],
  [['log', 'rm', 'ALL'], undefined],
  [['users'], 1000],
  [['users'], undefined],
  [['history', '--limit', '100'], 80],
  [['history', '--limit', '100'], undefined],
  [['summary'], 80],
])('%j at %s columns sends no control character of a record', async (words, columns) => {
  const db = prepared((store) => {
    store.users.create({ ...nora, firstName: `${controls.map(([, character]) => character).join('')}x` });
    store.change(() => {
      for (const [, character] of controls) {
        const text = `a${character}b`;
        store.logs.create({ ...session, exerciseName: text, notes: text });
      }
    });
  });
  const ids = controls.map((_, i) => String(i + 1));
  const argv = words.flatMap((word) => (word === 'ALL' ? ids : [word]));
  const { stdout, stderr } = await run(argv, { db, env: { NO_COLOR: '1' }, ...(columns && { columns }) });
  const lines = (stdout + stderr).split(/(?<!a)\n|\n(?!b)/);
  const raw = controls.filter(([code, character]) =>
    lines.some((line) => line.includes(code === '0009' ? `a${character}b` : character)),
  );
  expect(raw).toEqual([]);
  expect(stdout + stderr).toContain('\\u061c');
});

test('what a terminal would obey is shown, not sent', async () => {
  const db = prepared((store) => {
    store.users.create({ ...nora, firstName: '\u001b[31mRed' });
    store.logs.create({ ...session, exerciseName: '\u202eevil\u0007', notes: 'one\ntwo\r\u009b1m' });
  });
  for (const words of [
    ['logs'],
    ['log', 'show', '1'],
    ['users'],
    ['user', 'show'],
    ['user', 'edit', '--age', '3'],
  ]) {
    const { stdout, stderr } = await run(words, { db, env: { NO_COLOR: '1' }, columns: 100 });
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
  expect((await run(['logs'], { db })).stdout).toContain('\\u202eevil\\u0007');
  expect((await run(['logs'], { db })).stdout).toContain('one\\ntwo\\r\\u009b1m');
});

/** Two columns for each CJK character, one for the rest. */
function width(line: string): number {
  return [...line].reduce((sum, character) => sum + (character > '\u3000' ? 2 : 1), 0);
}
