import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeIssue, SciaticaError } from '../../src/domain/errors.ts';
import { kindNames, kindOf } from '../../src/domain/kinds.ts';
import { csvOf } from '../../src/exchange/csv.ts';
import { parseJson } from '../../src/exchange/json.ts';
import { readRecords } from '../../src/exchange/read.ts';
import type { Format } from '../../src/exchange/records.ts';

/** What a file brings: each record as its place and noun, each fault as a line; an error as its message. */
async function outcome(
  content: string | Uint8Array,
  format?: Format,
  size = Number.POSITIVE_INFINITY,
): Promise<string[]> {
  const found: string[] = [];
  try {
    const reading = await readRecords(piecesOf(Buffer.from(content), size), { format });
    for await (const items of reading.batches)
      for (const item of items) {
        const at = reading.where(item.at, item.kind);
        found.push(item.fault ? describeIssue({ ...item.fault, at }) : `${at} ${item.kind}`);
      }
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
    found.push(...(error.issues.length > 0 ? error.issues.map(describeIssue) : [error.message]));
  }
  return found;
}

/** A file as it arrives, in pieces of so many bytes. */
async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let start = 0; start < Math.max(bytes.length, 1); start += size)
    yield bytes.subarray(start, start + size);
}

/** The keys of the lists in a JSON document. */
const LISTS = kindNames.map((kind) => kindOf(kind).path.slice(1)).join(', ');

const USER = '{"id":1,"firstName":"Nora"}';
const LOG = '{"id":1,"userId":1}';
const HEADER = 'userId,exerciseType,exerciseName,date,painBefore,painAfter,effective,notes';
const ROW = '1,stretch,Cobra,2026-03-02,5,3,true';

it.each(kindNames)(
  'a %s is told from the other kinds, with all its fields and without those it may lack',
  async (kind) => {
    const fields = Object.entries(kindOf(kind).fields);
    const exampleOf = (some: typeof fields) =>
      Object.fromEntries(some.map(([name, { example }]) => [name, example]));
    for (const record of [exampleOf(fields), exampleOf(fields.filter(([, { optional }]) => !optional))]) {
      expect(await outcome(JSON.stringify(record), 'ndjson')).toEqual([`line 1 ${kind}`]);
      expect(await outcome([...csvOf(Object.keys(record), [record])].join(''))).toEqual([`line 2 ${kind}`]);
    }
  },
);

describe('records are found where they stand', () => {
  it.each([
    [
      `{"users":[${USER}],"userExerciseLogs":[${LOG},${LOG}]}`,
      ['users[0] user', 'userExerciseLogs[0] log', 'userExerciseLogs[1] log'],
    ],
    [`{"userExerciseLogs":[${LOG}]}`, ['userExerciseLogs[0] log']],
    [`{"$schema":"x","users":[]}`, []],
    ['{}', []],
    ['[]', []],
    [`[${LOG},${USER},3]`, ['[0] log', '[1] user', '[2]: must be a JSON object']],
    [`${USER}\r\n\r\n${LOG}\n`, ['line 1 user', 'line 3 log']],
    [USER, ['line 1 user']],
    [
      `\n\n${LOG}\n{"origin":{}}`,
      [
        'line 3 log',
        expect.stringMatching(
          /^line 4: is no record of sciatica: a user has firstName and email, a log userId and exerciseName, a routine exercises, /,
        ),
      ],
    ],
    [
      `${LOG}\n{"userId":1,\n{"id":1,"id":1}`,
      [
        'line 1 log',
        'line 2: this is not valid JSON: expected a key in double quotes at column 13',
        'line 3: the same key stands twice in one object at column 9',
      ],
    ],
    [`${HEADER}\n${ROW},\n${ROW},"a\nb"\n\n${ROW},`, ['line 2 log', 'line 3 log', 'line 6 log']],
    [`${HEADER}\r${ROW},\r${ROW},`, ['line 2 log', 'line 3 log']],
    [
      `${HEADER}\n${ROW}\n${ROW},a,b`,
      ['line 2: has 7 cells, the header has 8', 'line 3: has 9 cells, the header has 8'],
    ],
    [HEADER, []],
  ])('%j', async (content, expected) => {
    expect(await outcome(content)).toEqual(expected);
    expect(await outcome(content, undefined, 3)).toEqual(expected);
  });

  it('whatever a piece of the file begins with', async () => {
    const start = `${HEADER}\n${ROW},`;
    expect(await outcome(`${start}age-encryption.org/`, undefined, start.length)).toEqual(['line 2 log']);
  });
});

it.each([999, 1000, 1001, 2500])('all of %i records of a list, which are read in batches', async (n) => {
  expect(await outcome(`[${Array(n).fill(LOG).join()}]`)).toEqual(
    Array.from({ length: n }, (_, i) => `[${i}] log`),
  );
});

describe('what is no such file is refused', () => {
  it.each([
    ['', ['It is empty.']],
    [' \n\n', ['It is empty.']],
    ['\ufeff', ['It is empty.']],
    [
      'hello',
      [
        'It is neither JSON nor CSV of sciatica, the first line of which holds the names of the fields, such as userId,exerciseName,date.',
      ],
    ],
    ['{"users":{}}', ['users must be a list of records']],
    ['{"user":[]}', [`user is none of ${LISTS} (did you mean users?)`]],
    ['{"users":[\n', ['This is not valid JSON: expected a value or ] at the end, line 2, column 1.']],
    ['{"users":[],"users":[]}', ['The same key stands twice in one object at line 1, column 13.']],
    [`${HEADER},pain_after\n`, ['header: pain_after is not a field of a log (did you mean painAfter?)']],
    ['userId,date,pain,time\n', ['header: time is not a field of a pain entry (did you mean timeOfDay?)']],
    [
      'date,exercise,type,painBefore,painAfter,effective,notes,userId,user\n',
      [
        'header: exercise is not a field of a log (did you mean exerciseName?)',
        'header: type is not a field of a log (did you mean exerciseType?)',
        'header: user is not a field of a log (did you mean userId?)',
      ],
    ],
    [`${HEADER},notes\n`, ['header: notes is there twice']],
    [`,${HEADER}\n`, ['header: column 1 has no name']],
    [`${HEADER},\n${ROW},x,y\n`, ['line 2: has 9 cells, the header has 8']],
    [
      'User,Exercise,Pain before\n',
      expect.arrayContaining(['header: Pain before is not a field of a log (did you mean painBefore?)']),
    ],
    [
      'id,userId,exerciseName',
      ['exerciseType', 'date', 'painBefore', 'painAfter', 'effective', 'notes'].map(
        (name) => `header: ${name} is missing`,
      ),
    ],
    [`${HEADER}\n${ROW},"x`, ['A quote is opened and never closed.']],
    [
      `${HEADER}\n${ROW},"x"y\n`,
      ['A quote near line 2 is in the wrong place: inside a quoted cell, write "" for ".'],
    ],
    [
      `${HEADER}\n${ROW},x"y"\n`,
      ['A quote near line 2 is in the wrong place: inside a quoted cell, write "" for ".'],
    ],
    ['a\0b', ['It holds a NUL character: this is not a text file.']],
  ])('%j', async (content, expected) => {
    expect(await outcome(content)).toEqual(expected);
  });

  const utf16 = 'It is UTF-16. Save it as UTF-8 (in Excel: "CSV UTF-8") and try again.';
  it.each([
    ['UTF-16 with a mark', Buffer.from('\ufeffid,notes', 'utf16le'), utf16],
    ['UTF-16 without', Buffer.from('id,notes', 'utf16le'), utf16],
    ['UTF-16, big endian', Buffer.from('id,notes', 'utf16le').swap16(), utf16],
    [
      'Latin-1',
      Buffer.from('[1,\n"\u00e9"]', 'latin1'),
      'It is not valid UTF-8, in line 1 or after it. Save it as UTF-8 and try again.',
    ],
    [
      'cut in a character',
      Buffer.from('{"users":"é').subarray(0, -1),
      'It is not valid UTF-8, at its end. Save it as UTF-8 and try again.',
    ],
    [
      'a database',
      Buffer.from('SQLite format 3\0\x10\0\x02\x02', 'latin1'),
      'It is a database. Write its records to a file first: sciatica export --db FILE -o export.json',
    ],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'It is compressed. Unpack it first: gunzip FILE'],
    [
      'an encrypted backup',
      Buffer.from('age-encryption.org/v1\n-> X25519 '),
      'It is encrypted with age. Decrypt it first.',
    ],
    [
      'FHIR',
      Buffer.from('{"resourceType":"Bundle","type":"collection","entry":[]}'),
      'It is FHIR, which sciatica writes and does not read. Import what sciatica export writes as JSON.',
    ],
    [
      'a workbook',
      Buffer.from('PK\u0003\u0004'),
      'It is a workbook or a ZIP file. Save it as CSV UTF-8 and try again.',
    ],
  ])('%s', async (_, bytes, message) => {
    expect(await outcome(bytes)).toEqual([message]);
  });

  it('Latin-1 further on', async () => {
    const [found] = await outcome(Buffer.from('[1,\n2,\n"\u00e9"]', 'latin1'), undefined, 4);
    expect(found).toContain('in line 3 or after it');
  });

  it('a line or a record without end', async () => {
    expect(await outcome(`${LOG}\n${'x'.repeat(3_000_000)}`)).toEqual([
      'line 1 log',
      'line 2: is too long for a record',
    ]);
    expect((await outcome(`${HEADER}\n${ROW},"${'x'.repeat(3_000_000)}`)).join()).toContain('too long');
  });
});

describe('a JSON document is read as a whole text would be, wherever it is cut into pieces', () => {
  const record = fc.oneof(
    fc.constantFrom<unknown>({ userId: 1 }, { email: 'x' }, {}, 3, null, [], 'a"]b'),
    fc.jsonValue(),
  );
  const list = fc.array(record, { maxLength: 4 });
  const document = fc.oneof(
    list,
    fc.record({ users: list, userExerciseLogs: list }, { requiredKeys: [] }),
    fc.record({ $schema: fc.jsonValue(), users: record, user: record }, { requiredKeys: [] }),
    fc.jsonValue(),
  );
  const text = fc
    .tuple(document, fc.constantFrom(0, 1, '\n\t'))
    .map(([value, space]) => JSON.stringify(value, null, space));
  const damage = fc.constantFrom('', '§', '"', '\\', ',', '{', ']', '}', ':', '\n', '1', '"users":[],', '[');

  /** What the whole text says: its fault, if it is not strict JSON. */
  function faultOf(whole: string): string | undefined {
    try {
      parseJson(whole);
      return undefined;
    } catch (error) {
      return (error as SciaticaError).message;
    }
  }

  it.each(['', 'damaged'])('%s', async (how) => {
    await fc.assert(
      fc.asyncProperty(
        text,
        damage,
        fc.nat(),
        fc.integer({ min: 1, max: 9 }),
        async (json, what, n, size) => {
          const at = n % (json.length + 1);
          const whole = how === '' ? json : json.slice(0, at) + what + json.slice(at + 1);
          fc.pre(whole.trim() !== '');
          const fault = faultOf(whole);
          const found = await outcome(whole, 'json', size);
          const last = found.at(-1) ?? '';
          // Of two faults the first counts: a doubled key may stand before what is no JSON.
          const mayDiffer = fault?.startsWith('This is') && last.startsWith('The same key');
          if (fault !== undefined) expect(mayDiffer ? fault : last).toBe(fault);
          else expect(found).toEqual(await outcome(whole, 'json'));
          if (fault === undefined) expect(found.join()).not.toContain('JSON:');
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('a record without end', async () => {
    expect(await outcome(`[${LOG},"${'x'.repeat(3_000_000)}"]`, 'json', 65_536)).toEqual([
      'The record [1] is too long.',
    ]);
    expect(await outcome(`{"user":"${'x'.repeat(3_000_000)}"}`, 'json', 65_536)).toEqual([
      `user is none of ${LISTS} (did you mean users?)`,
    ]);
  });
});

it('a format that is named counts', async () => {
  expect(await outcome(USER, 'json')).toEqual(
    [`firstName is none of ${LISTS}`].flatMap((fault) => [`id is none of ${LISTS}`, fault]),
  );
  expect(await outcome('hello', 'ndjson')).toEqual([
    'line 1: this is not valid JSON: expected a value at column 1',
  ]);
});

it('a line without an end is read no further than a record can be long', async () => {
  let read = 0;
  async function* endless() {
    for (; read < 100; read++) yield Buffer.alloc(1024 * 1024, ' {');
  }
  const { batches } = await readRecords(endless(), { format: 'ndjson' });
  const items = [];
  for await (const batch of batches) items.push(...batch);
  expect(items).toMatchObject([{ fault: { message: 'is too long for a record' } }]);
  expect(read).toBeLessThan(5);
});
