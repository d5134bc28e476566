import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEADLINE_MS } from '../deadline.mts';
import { freshFolder, nora, noraWith, prepared, records, run, session, TODAY } from '../helpers.ts';

const HEADER = 'userId,exerciseType,exerciseName,date,painBefore,painAfter,effective,notes';

/** Imports CSV into Nora's diary. @param rows cells from the date on */
async function imported(rows: readonly string[], ...flags: string[]) {
  const db = noraWith();
  const stdin = [HEADER, ...rows.map((row) => `1,stretch,Cobra,${row}`)].join('\n');
  const { code, stderr } = await run(['import', '-', ...flags], { db, stdin });
  return { code, stderr, logs: records(db).logs };
}

const daysOf = async (days: readonly string[], ...flags: string[]) => {
  const { code, stderr, logs } = await imported(
    days.map((day, i) => `${day},5,3,true,${i}`),
    ...flags,
  );
  return code === 0 ? logs.map(({ date }) => date) : [code, stderr.trim().split('\n')[0]];
};

it.each([
  [
    'sep=;\nuserId;exerciseType;exerciseName;date;painBefore;painAfter;effective;notes',
    '1; Stretch ;Cobra;2026-01-02; 5;3 ; TRUE ;',
  ],
  [`${HEADER},,`, '1,STRETCH,Cobra,2026-01-02,5,3,true,,,'],
  [`${HEADER}`, '1,stretch,Cobra,2026-01-02,5,3,true,,,,'],
])('%j and %j as spreadsheets save them', async (header, row) => {
  const db = noraWith();
  const { stderr } = await run(['import', '-'], { db, stdin: `${header}\n${row}\n` });
  expect(stderr).not.toContain('line');
  expect(records(db).logs).toMatchObject([
    { exerciseType: 'stretch', date: '2026-01-02', painBefore: 5, painAfter: 3, effective: true, notes: '' },
  ]);
});

describe('days in a CSV of another language', () => {
  it.each<[string[], string[], string[]]>([
    [['05.11.2025'], [], ['2025-11-05']],
    [['5.1.2026', '2026-02-03'], [], ['2026-01-05', '2026-02-03']],
    [['5/11/2025', '13/11/2025'], [], ['2025-11-05', '2025-11-13']],
    [['5/11/2025', '11/13/2025'], [], ['2025-05-11', '2025-11-13']],
    [['05-11-2025', '31-10-2025'], [], ['2025-11-05', '2025-10-31']],
    [['5/5/2025'], [], ['2025-05-05']],
    [['5/11/2025'], ['--dates', 'dmy'], ['2025-11-05']],
    [
      ['5/11/2025', '5/5/2025'],
      ['--dates', 'mdy'],
      ['2025-05-11', '2025-05-05'],
    ],
    [['05.11.2025'], ['--dates', 'mdy'], ['2025-05-11']],
    [['5.11.25'], [], ['2025-11-05']],
    [
      ['2026/2/03', ' 2026-1-2 00:00:00 ', '2026-01-03T00:00'],
      [],
      ['2026-02-03', '2026-01-02', '2026-01-03'],
    ],
    [['5.11.2025 0:00'], [], ['2025-11-05']],
  ])('%j %j', async (days, flags, expected) => expect(await daysOf(days, ...flags)).toEqual(expected));

  const OPEN = 'date can mean two days, and so can every other of the file: say --dates dmy or --dates mdy';

  it.each<[string[], string[], string]>([
    [['5/11/2025', '2026-01-02', '6/11/2025'], [], `line 2: ${OPEN}`],
    [['12/1/2025'], [], `line 2: ${OPEN}`],
    [['13.11.2025', '5/11/2025'], [], `line 3: ${OPEN}`],
    [['13/11/2025', '11/13/2025'], [], 'line 3: date has no month 13 in the order of line 2'],
    [['11/13/2025'], ['--dates', 'dmy'], 'line 2: date has no month 13 in the order of --dates dmy'],
    [['11.13.2025'], [], 'line 2: date has no month 13 in the order of day.month.year'],
    [['11.13.2025'], ['--dates', 'dmy'], 'line 2: date has no month 13 in the order of --dates dmy'],
    [['30.2.2025'], [], 'line 2: date must be a calendar day as YYYY-MM-DD'],
    [
      ['46300'],
      [],
      'line 2: date is a day as a spreadsheet counts them, probably 2026-10-05: show the column as dates there, and save it again',
    ],
    [['5/11/25'], [], 'line 2: date must be a calendar day as YYYY-MM-DD'],
    [['2026-01-02 10:30'], [], 'line 2: date must be a calendar day as YYYY-MM-DD'],
    [['5/11.2025'], [], 'line 2: date must be a calendar day as YYYY-MM-DD'],
  ])('%j %j is refused as a whole', async (days, flags, fault) =>
    expect(await daysOf(days, ...flags)).toEqual([2, fault]),
  );

  it('the last of many rows says what the first means, in their order', async () => {
    const days = [...Array(3000).fill('1/2/2025'), '13/2/2025'];
    const { logs } = await imported(days.map((day, i) => `${day},5,3,true,${i}`));
    expect(logs.map(({ notes }) => Number(notes))).toEqual(days.map((_, i) => i));
    expect(new Set(logs.slice(0, -1).map(({ date }) => date))).toEqual(new Set(['2025-02-01']));
  });
});

describe('values in a CSV of another language', () => {
  it.each([
    ['TRUE', true],
    ['FALSE', false],
    ['WAHR', true],
    ['FALSCH', false],
    ['VRAI', true],
    ['faux', false],
    ['True', true],
    ['yes', true],
    ['No', false],
    ['ja', true],
    ['Nein', false],
    ['oui', true],
    ['non', false],
  ])('%s', async (word, effective) =>
    expect((await imported([`${TODAY},5,3,${word},`])).logs).toMatchObject([{ effective }]),
  );

  it.each(['5.0', '"5,0"', '"5,00"'])('%s is 5', async (cell) =>
    expect((await imported([`${TODAY},${cell},3,true,`])).logs).toMatchObject([{ painBefore: 5 }]),
  );

  it.each(['"5,5"', '"5,000"', '5.000', 'ja'])('%s is no level of pain', async (cell) =>
    expect((await imported([`${TODAY},${cell},3,true,`])).code).toBe(2),
  );
});

/** What Excel would make a number, a date, a truth value or a formula of, and what it could lose. */
const TEXTS = [
  '3/4',
  '6-4',
  '1e5',
  '0012',
  '+5',
  '=1+1',
  '50 %',
  '5 Nov',
  'März 3',
  'TRUE',
  'wahr',
  '12:30',
  '1.5',
  "'3/4",
  "''x",
  'a;b',
  'a,b',
  '"quoted"',
  'two\nlines',
  ' blanks  ',
  'Ömer 佐藤 🙂',
  '2026-03-02',
  '12345678901234567890',
  "'90s music",
  '3 sets of 10',
  '',
];

const diary = () => noraWith(...TEXTS.map((notes) => ({ notes, exerciseName: notes.trim() || 'Cobra' })));

async function exported(db: string, ...flags: string[]): Promise<string> {
  const path = join(freshFolder(), 'logs.csv');
  expect((await run(['export', 'logs', ...flags, '-o', path], { db })).code).toBe(0);
  return path;
}

async function readBack(path: string): Promise<unknown> {
  const db = prepared((store) => void store.users.create(nora));
  const { code, stderr } = await run(['import', path], { db });
  return code === 0 ? records(db).logs : stderr;
}

describe('export --excel', () => {
  it('begins with a byte order mark, separates by semicolons, and protects what Excel would convert', async () => {
    const db = noraWith({ notes: '3/4' }, { notes: 'a;b', exerciseName: 'März' });
    expect(readFileSync(await exported(db, '--excel'), 'utf8')).toBe(
      `\ufeffid;userId;exerciseType;exerciseName;date;painBefore;painAfter;effective;notes;medication;position\r
1;1;stretch;Piriformis Stretch;2026-03-01;6;4;true;'3/4;;1\r
2;1;stretch;März;2026-03-01;6;4;true;"a;b";;2\r
`,
    );
  });

  it.each([[['--excel']], [[]], [['--format', 'csv']]])('%j loses nothing', async (flags) => {
    const db = diary();
    expect(await readBack(await exported(db, ...flags))).toEqual(records(db).logs);
  });

  it('writes users too, and what it cannot go with is refused', async () => {
    const db = noraWith({});
    const { stdout } = await run(['export', 'users', '--excel', '--format', 'csv'], { db });
    expect(stdout).toContain('\r\n1;Nora;Lind;');
    for (const flags of [
      ['--format', 'json'],
      ['--format', 'csv', '--raw'],
    ])
      expect((await run(['export', 'logs', '--excel', ...flags], { db })).code).toBe(2);
  });

  it('what a German Excel saves of it comes back', async () => {
    const db = noraWith({}, { effective: false, painAfter: 7 });
    const path = await exported(db, '--excel');
    const saved = readFileSync(path, 'utf8')
      .replaceAll('2026-03-01', '01.03.2026')
      .replaceAll('true', 'WAHR')
      .replaceAll('false', 'FALSCH');
    writeFileSync(path, saved);
    expect(await readBack(path)).toEqual(records(db).logs);
  });
});

describe('the place of a session in its day', () => {
  const positions = (csv: string) =>
    csv
      .trim()
      .split('\r\n')
      .map((line) => line.split(/[,;]/).at(-1));

  it.each([
    [[], ['1', '1', '2', '3', '1']],
    [['--excel'], ['1', '1', '2', '3', '1']],
    [['--sort=-id'], ['1', '3', '2', '1', '1']],
    // Of all sessions of the day, not only of those that are written.
    [
      ['--name', 'Cobra'],
      ['2', '1'],
    ],
    [
      ['--name', 'Cobra', '--excel'],
      ['2', '1'],
    ],
  ])('%j', async (flags, expected) => {
    const db = prepared((store) => {
      for (const userId of [1, 2]) {
        store.users.create(nora);
        for (const exerciseName of ['Bridge', 'Cobra', 'Bridge'].slice(userId === 1 ? 2 : 0))
          store.logs.create({ ...session, userId, exerciseName });
      }
      store.logs.create({ ...session, userId: 2, exerciseName: 'Cobra', date: TODAY });
    });
    const { stdout } = await run(['export', 'logs', '--format', 'csv', ...flags], { db });
    expect(positions(stdout)).toEqual(['position', ...expected]);
  });

  it('is not read: it follows from the records', async () => {
    const path = join(freshFolder(), 'logs.csv');
    writeFileSync(
      path,
      `${HEADER},position\n1,stretch,Cobra,${TODAY},5,3,true,,7\n1,stretch,Cobra,${TODAY},5,3,true,,x\n`,
    );
    expect(await readBack(path)).toMatchObject([{ id: 1 }, { id: 2 }]);
  });

  it('stands in exports only: other CSV has the fields of a log', async () => {
    const { stdout } = await run(['logs', '--csv'], { db: noraWith({}) });
    expect(stdout.split('\r\n')[0]).toBe(`id,${HEADER},medication`);
  });
});

const hasOffice = !spawnSync('soffice', ['--version'], { timeout: DEADLINE_MS }).error;
if (!hasOffice)
  console.warn('LibreOffice (apt-get install libreoffice-calc-nogui) is missing: no round trips.');

/** Locale ids of Windows, as LibreOffice takes them. */
const LANGUAGES = { German: 1031, French: 1036, English: 1033 };

const hasR = !spawnSync('Rscript', ['--version'], { timeout: DEADLINE_MS }).error;
if (!hasR) console.warn('R (apt-get install r-base-core) is missing: what it reads is not tested.');

it.skipIf(!hasR)(
  'R reads effective as logical',
  async () => {
    const path = await exported(noraWith({}, { effective: false, painAfter: 7 }));
    const code = `logs <- read.csv("${path}"); cat(class(logs$effective), logs$effective, logs$position)`;
    const { stdout } = spawnSync('Rscript', ['-e', code], { timeout: DEADLINE_MS, encoding: 'utf8' });
    expect(stdout).toBe('logical TRUE FALSE 1 2');
  },
  DEADLINE_MS,
);

it.skipIf(!hasR)(
  'what R writes is read',
  async () => {
    const db = noraWith({}, { effective: false, painAfter: 7 });
    const [path, written] = [await exported(db), join(freshFolder(), 'written.csv')];
    const code = `write.csv(read.csv("${path}"), "${written}", row.names = FALSE, na = "")`;
    spawnSync('Rscript', ['-e', code], { timeout: DEADLINE_MS, encoding: 'utf8' });
    expect(readFileSync(written, 'utf8')).toContain('FALSE');
    expect(await readBack(written)).toEqual(records(db).logs);
  },
  DEADLINE_MS,
);

it.skipIf(!hasOffice)(
  'LibreOffice reads effective as logical',
  async () => {
    const path = await exported(noraWith({}, { effective: false, painAfter: 7 }));
    const folder = freshFolder();
    const { status } = spawnSync(
      'soffice',
      [
        `-env:UserInstallation=file://${freshFolder()}`,
        '--headless',
        '--infilter=CSV:44,34,76,1,,1033',
        '--convert-to',
        'fods',
        '--outdir',
        folder,
        path,
      ],
      { timeout: DEADLINE_MS },
    );
    expect(status).toBe(0);
    const sheet = readFileSync(join(folder, 'logs.fods'), 'utf8');
    const read = [...sheet.matchAll(/office:boolean-value="(\w+)"/g)].map(([, value]) => value);
    expect(read).toEqual(['true', 'false']);
  },
  DEADLINE_MS,
);

describe.skipIf(!hasOffice)('opened and saved by a spreadsheet, nothing is lost:', () => {
  it.each(Object.entries(LANGUAGES))(
    '%s',
    async (_, language) => {
      const db = noraWith(...TEXTS.map((notes) => ({ ...session, notes })), { effective: false });
      const [path, folder] = [await exported(db, '--excel'), freshFolder()];
      // Separator ;, quote ", UTF-8, from line 1 on; the language; special numbers are detected, cells saved as shown.
      const filter = `59,34,76,1,,${language},false,true`;
      const { stderr, status } = spawnSync(
        'soffice',
        [
          `-env:UserInstallation=file://${freshFolder()}`,
          '--headless',
          `--infilter=CSV:${filter}`,
          '--convert-to',
          `csv:Text - txt - csv (StarCalc):${filter},true`,
          '--outdir',
          folder,
          path,
        ],
        { timeout: DEADLINE_MS, encoding: 'utf8' },
      );
      expect([status, stderr]).toEqual([0, expect.anything()]);
      expect(await readBack(join(folder, 'logs.csv'))).toEqual(records(db).logs);
    },
    DEADLINE_MS,
  );
});
