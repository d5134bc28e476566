import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Log } from '../../src/domain/log.ts';
import { logRecord } from '../../src/domain/log.ts';
import { checksOf } from '../../src/domain/schema.ts';
import { userRecord } from '../../src/domain/user.ts';
import { csvOf } from '../../src/exchange/csv.ts';
import { readRecords } from '../../src/exchange/read.ts';
import { documentOf, linesOf, listOf } from '../../src/exchange/write.ts';

/** Bytes in pieces of a given length, so that pieces end anywhere. */
async function* pieces(bytes: Uint8Array, length: number): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length);
}

async function read(
  text: string,
  options: Parameters<typeof readRecords>[1] & { piece?: number } = {},
): Promise<unknown[]> {
  const reading = await readRecords(pieces(Buffer.from(text), options.piece ?? 7), options);
  const records: unknown[] = [];
  for await (const items of reading.batches)
    for (const item of items) {
      if (item.fault) throw new Error(`${reading.where(item.at, item.kind)}: ${item.fault.message}`);
      records.push(item.value);
    }
  return records;
}

/** Text as hard as it can be, and still a record's. */
const hard = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        '""',
        "'",
        "''",
        '\n',
        '\r',
        '\r\n',
        '\t',
        ',',
        ';',
        '=',
        '+',
        '-',
        '@',
        ' ',
        '\\',
        '\u2028',
        '\ufeff',
        '\u{1F9D8}',
        '＝',
        '\u0001',
        '\u007f',
        'null',
        '007',
        'é',
      ),
      fc
        .string({ unit: 'binary', minLength: 1, maxLength: 3 })
        .filter((text) => !text.includes('\0') && text.isWellFormed()),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));
const name = hard.filter((text) => text.trim() !== '' && [...text].length <= 100);
const scale = fc.integer({ min: 1, max: 10 });
const day = fc
  .date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const id = fc.integer({ min: 1, max: 999_999_999_999_999 });

const logs = fc.array(
  fc.record({
    id,
    userId: id,
    exerciseType: fc.constantFrom('stretch', 'strengthening'),
    exerciseName: name,
    date: day,
    painBefore: scale,
    painAfter: scale,
    effective: fc.boolean(),
    notes: hard,
  }),
  { minLength: 1, maxLength: 5 },
);
const users = fc.array(
  fc.record({
    id,
    firstName: name,
    lastName: name,
    email: fc.constantFrom("'=a@example.org", '+a@example.org', '=1@example.org', 'a@b.ch'),
    age: fc.integer({ min: 0, max: 130 }),
    painLocation: fc.constantFrom('calf-left', 'glute-right'),
    painLevel: scale,
    diagnosisDate: day,
  }),
  { minLength: 1, maxLength: 5 },
);

const texts = (records: object[]) => [records.map((record) => JSON.stringify(record))];

describe('every valid record comes back as it was, wherever the pieces end', () => {
  const piece = fc.integer({ min: 1, max: 40 });
  it('JSON', () =>
    fc.assert(
      fc.asyncProperty(users, logs, piece, async (someUsers, someLogs, piece) => {
        for (const user of someUsers) checksOf('user').record(user);
        for (const log of someLogs) checksOf('log').record(log);
        const text = [...documentOf({ users: texts(someUsers), userExerciseLogs: texts(someLogs) })].join('');
        expect(await read(text, { piece })).toEqual([...someUsers, ...someLogs]);
        expect(await read([...listOf(texts(someLogs))].join(''), { piece })).toEqual(someLogs);
      }),
    ));

  it('NDJSON', () =>
    fc.assert(
      fc.asyncProperty(users, logs, piece, async (someUsers, someLogs, piece) => {
        const text = [...linesOf([...texts(someUsers), ...texts(someLogs)])].join('');
        expect(await read(text, { piece })).toEqual([...someUsers, ...someLogs]);
      }),
    ));

  it.each([false, true])('CSV, raw: %s', (raw) =>
    fc.assert(
      fc.asyncProperty(users, logs, piece, async (someUsers, someLogs, piece) => {
        for (const [fields, records] of [
          [Object.keys(userRecord), someUsers],
          [Object.keys(logRecord), someLogs],
        ] as const)
          expect(
            await read([...csvOf(fields, records, { raw })].join(''), { raw, piece, format: 'csv' }),
          ).toEqual(records);
      }),
    ),
  );
});

describe('text that a spreadsheet would run as a formula is guarded', () => {
  const line = (notes: string, raw = false) =>
    [...csvOf(['notes', 'painAfter'], [{ notes, painAfter: -1 }], { raw })]
      .join('')
      .split('\r\n')
      .slice(1)
      .join('\r\n');
  it.each([
    ['=1+1', "'=1+1,-1\r\n"],
    [' =1+1', "' =1+1,-1\r\n"],
    ['\ufeff=1+1', "'\ufeff=1+1,-1\r\n"],
    ['\u00a0\u200b\u2060＝1', "'\u00a0\u200b\u2060＝1,-1\r\n"],
    [" '=1", "' '=1,-1\r\n"],
    [' 1=1', ' 1=1,-1\r\n'],
    ['+1', "'+1,-1\r\n"],
    ['-1', "'-1,-1\r\n"],
    ['@A1', "'@A1,-1\r\n"],
    ['\tx', "'\tx,-1\r\n"],
    ['\rx', '"\'\rx",-1\r\n'],
    ["'x", "''x,-1\r\n"],
    ["it's = fine", "it's = fine,-1\r\n"],
    ['say "no"', '"say ""no""",-1\r\n'],
    ['', ',-1\r\n'],
  ])('%j', (notes, csv) => {
    expect(line(notes)).toBe(csv);
  });
  it('and it comes off again, whatever stands before the sign', async () => {
    const start = fc.string({
      unit: fc.constantFrom(' ', '\ufeff', '\t', '\u00a0', '\u200b', "'"),
      maxLength: 5,
    });
    const sign = fc.constantFrom('=', '+', '-', '@', '＝', "'", '\r', 'a', '');
    await fc.assert(
      fc.asyncProperty(start, sign, hard, async (before, char, after) => {
        const notes = before + char + after;
        const columns = Object.keys(logRecord);
        const record = Object.fromEntries(columns.map((column) => [column, column === 'notes' ? notes : 1]));
        const text = [...csvOf(columns, [record])].join('');
        expect(await read(text, { format: 'csv' })).toMatchObject([{ notes }]);
        if (/^[=+\-@＝]/.test(char)) expect(text).toContain(`'${notes.replaceAll('"', '""')}`);
      }),
    );
  });

  it('not with raw', () => {
    expect(line('=1+1', true)).toBe('=1+1,-1\r\n');
  });
});

it('gives the header alone for no records', () => {
  expect([...csvOf(['id', 'notes'], [])]).toEqual(['id,notes\r\n']);
});

const sample: Log = {
  id: 1,
  userId: 2,
  exerciseType: 'stretch',
  exerciseName: 'Cobra',
  date: '2026-03-02',
  painBefore: 5,
  painAfter: 3,
  effective: true,
  notes: 'a\nb',
};

it.each([
  ['comma', ',', '\r\n'],
  ['semicolon', ';', '\r\n'],
  ['tab', '\t', '\n'],
])('reads CSV separated by %s', async (_, separator, end) => {
  const header = Object.keys(sample).join(separator);
  const cells = Object.values(sample).map((cell) =>
    cell === 'a\nb' ? '"a\nb"' : cell === true ? 'TRUE' : cell,
  );
  const text = `\ufeff${header}${end}${cells.join(separator)}${end}${end}${separator.repeat(8)}${end}`;
  expect(await read(text)).toEqual([sample]);
});
