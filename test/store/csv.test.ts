import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Log, type LogFilter, logRecord, POSITION } from '../../src/domain/log.ts';
import { csvLinesOf } from '../../src/exchange/csv.ts';
import { freshStore, log, user } from './helpers.ts';

/** Lines that SQLite renders, against those that the program renders of the same records. */

const part = fc.constantFrom(
  '"',
  "'",
  '\n',
  '\r',
  '\t',
  ',',
  ';',
  '=',
  '+',
  '-',
  '@',
  ' ',
  '\ufeff',
  '＝',
  'é',
  '7',
  'x',
  'A',
  'Z',
  '[',
  '`',
  'z',
  '{',
  '~',
);
const COLUMNS = [...Object.keys(logRecord), POSITION];

const text = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(''));

/** @param all the logs among which a position counts, by id */
const withPositions = (records: readonly Log[], all: readonly Log[]) =>
  records.map((record) => {
    const { id, userId, date } = record;
    const day = all.filter((each) => each.userId === userId && each.date === date);
    return { ...record, position: 1 + day.findIndex((each) => each.id === id) };
  });

test.each([false, true])('the bytes are the same, raw: %s', (raw) => {
  const store = freshStore();
  store.users.create(user());
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text, fc.boolean()), { maxLength: 8 }), (sessions) => {
      store.change(() => {
        for (const { id } of store.logs.list()) store.logs.delete(id);
        for (const [name, notes, effective] of sessions)
          store.logs.create(log({ exerciseName: `${name}.`, notes, effective }));
      });
      const lines = [...store.logs.csvLines({}, raw)].map(({ text }) => text).join('');
      const records = store.logs.list().map((record, i) => ({ ...record, position: i + 1 }));
      const wanted = [...csvLinesOf(COLUMNS, records, { raw })].join('');
      expect(lines).toBe(wanted);
    }),
    { numRuns: 60 },
  );
});

test.each<LogFilter>([
  {},
  { limit: 251 },
  { limit: 250 },
  { limit: 3, cursor: 'next' },
  { sort: '-date' },
  { sort: '-painAfter,id', limit: 600 },
  { userId: 2 },
  { userId: 3 },
])('a list of %j, as lines of CSV and of JSON, has the records of the same list', (asked) => {
  const store = freshStore();
  for (const _ of [1, 2, 3]) store.users.create(user());
  store.change(() => {
    for (let i = 0; i < 620; i++)
      store.logs.create(
        log({ userId: 1 + (i % 2), painAfter: 1 + (i % 10), date: `2026-01-${10 + (i % 20)}` }),
      );
  });
  const { next } = store.logs.page({}, 300);
  const filter = asked.cursor && next ? { ...asked, cursor: next } : asked;
  const lines = [...store.logs.csvLines(filter, false)];
  const records = [...store.logs.chunks(filter)].flat();
  expect(lines.map(({ text }) => text).join('')).toBe(
    [...csvLinesOf(COLUMNS, withPositions(records, [...store.logs.chunks()].flat()))].join(''),
  );
  const json = [...store.logs.jsonLines(filter, '\n')];
  expect(json.map(({ text }) => text).join('\n')).toBe(
    records.map((record) => JSON.stringify(record)).join('\n'),
  );
  for (const all of [lines, json])
    expect(all.reduce((sum, { count }) => sum + count, 0)).toBe(records.length);
});
