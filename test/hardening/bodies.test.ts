import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../src/http/wire/message.ts';
import { freshServer, nora } from '../http/helpers.ts';
import { Wire, withBody } from './wire.ts';

/** Bodies of PATCH /users/1 as text: the status, and the fields that are named in `errors`. */
const texts: [body: string, status: number, fields?: string[]][] = [
  ['', 400],
  [' \t\r\n', 400],
  ['{', 400],
  ['{"age": 40', 400],
  ['{"age": 40}}', 400],
  ['{"age": 40} {"age": 41}', 400],
  ['{"age": 40}\0', 400],
  ["{'age': 40}", 400],
  ['{age: 40}', 400],
  ['{"age": 40,}', 400],
  ['{"age": 040}', 400],
  ['{"age": NaN}', 400],
  ['{"age": 40} // so', 400],
  ['\ufeff{}', 200],
  ['\u00a0{}', 400],
  ['null', 400, ['body']],
  ['[]', 400, ['body']],
  ['"age"', 400, ['body']],
  ['[{"age": 40}]', 400, ['body']],

  ['{"age": 40, "age": 41}', 400],
  ['{"age": 40, "\\u0061ge": 41}', 400],
  ['{"\\u0061ge": 40}', 200],
  ['{"age": {"a": 1, "a": 2}}', 400],

  ['{"__proto__": {"painLevel": 3}}', 400, ['__proto__']],
  ['{"__proto__": null}', 400, ['__proto__']],
  ['{"\\u005f_proto__": {"x": 1}}', 400, ['__proto__']],
  ['{"constructor": {"prototype": {"x": 1}}}', 400, ['constructor']],
  ['{"prototype": {"x": 1}}', 400, ['prototype']],
  ['{"firstName": {"__proto__": {"x": 1}}}', 400, ['firstName']],
  ['{"firstName": {"toString": "Nora", "length": 4}}', 400, ['firstName']],
  ['{"id": {"__proto__": {"x": 1}}}', 200],
  ['{"": 1}', 400, ['']],

  ['{"age": 1e999}', 400, ['age']],
  ['{"age": -1e999}', 400, ['age']],
  ['{"age": 1e-999}', 200],
  ['{"age": -0}', 200],
  ['{"age": 4e1}', 200],
  ['{"age": 40.00000000000000000001}', 200],
  ['{"age": 9007199254740993}', 400, ['age']],
  ['{"age": 99999999999999999999999999}', 400, ['age']],
  ['{"age": "40"}', 400, ['age']],
  ['{"age": [40]}', 400, ['age']],
  ['{"age": null}', 400, ['age']],

  ['{"firstName": "\\ud800"}', 400, ['firstName']],
  ['{"firstName": "\\udc00\\ud800"}', 400, ['firstName']],
  ['{"firstName": "\\ud83e\\uddd8"}', 200],
  ['{"firstName": "a\\u0000"}', 400, ['firstName']],
  ['{"firstName": "a\0"}', 400],
  ['{"\\ud800": 1}', 400, ['\ufffd']],
];

/** As above, for what is no text or too long for a name. */
const others: [name: string, body: Uint8Array, status: number, fields?: string[]][] = [
  ['a surrogate as CESU-8', Buffer.from('{"firstName": "\xed\xa0\x80"}', 'latin1'), 400],
  ['a pair of surrogates as CESU-8', Buffer.from('{"firstName": "\xed\xa0\xbe\xed\xb7\x98"}', 'latin1'), 400],
  ['an overlong quotation mark', Buffer.from('{"firstName": "a\xc0\xa2}', 'latin1'), 400],
  ['Latin-1', Buffer.from('{"firstName": "Zo\xeb"}', 'latin1'), 400],
  ['a character cut in two', Buffer.from('{"firstName": "Zo\xc3', 'latin1'), 400],
  ['UTF-16', Buffer.from('\ufeff{"age": 40}', 'utf16le'), 400],
  ['UTF-16 without a mark', Buffer.from('{"age": 40}', 'utf16le'), 400],
  ['compressed', gzipSync('{"age": 40}'), 400],
  ['60,000 levels of lists, open', Buffer.from('['.repeat(60_000)), 400],
  ['30,000 levels of lists', Buffer.from('['.repeat(30_000) + ']'.repeat(30_000)), 400, ['body']],
  ['10,000 levels of objects', nested(10_000), 400, ['a']],
  ['10,000 levels in a field', Buffer.from(`{"age": ${nested(10_000)}}`), 400, ['age']],
  ['100,000 levels of lists', Buffer.from('['.repeat(100_000)), 413],
  ['100,000 levels of objects', nested(100_000), 413],
  [
    '5,000 fields',
    Buffer.from(`{${Array.from({ length: 5_000 }, (_, i) => `"a${i}": 1`)}}`),
    400,
    Array.from({ length: 10 }, (_, i) => `a${i}`),
  ],
  [
    'a string of 60,000 backslashes',
    Buffer.from(`{"firstName": "${'\\'.repeat(60_000)}"}`),
    400,
    ['firstName'],
  ],
  ['64 KiB', padded(MAX_BODY_BYTES), 200],
  ['64 KiB and a byte', padded(MAX_BODY_BYTES + 1), 413],
];

function nested(levels: number): Buffer {
  return Buffer.from(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
}

function padded(length: number): Buffer {
  return Buffer.from('{"age": 40}'.padEnd(length));
}

async function sent(body: string | Uint8Array) {
  const { server, store } = await freshServer();
  const before = store.users.list();
  const wire = new Wire(server.port);
  const head = `PATCH /users/1 HTTP/1.1\r\nHost: localhost:${server.port}`;
  const [reply] = await wire.send(withBody(head, body)).until(({ length }) => length > 0);
  expect(wire.isClosed).toBe(false);
  wire.socket.destroy();
  // Object.prototype is as it was: what a body says did not get there.
  expect(Object.keys({}.constructor.prototype)).toEqual([]);
  expect('x' in {}).toBe(false);
  if (reply?.status !== 200) expect(store.users.list()).toEqual(before);
  const answer = JSON.parse(Buffer.from(reply?.body ?? '', 'latin1').toString()) as {
    errors?: { field: string }[];
  };
  return { status: reply?.status, answer, fields: answer.errors?.map(({ field }) => field) };
}

test.each(texts)('%j', async (body, status, fields) => {
  const got = await sent(body);
  expect([got.status, got.fields]).toEqual([status, fields]);
});

test.each(others)('%s', async (_, body, status, fields) => {
  const got = await sent(body);
  expect([got.status, got.fields]).toEqual([status, fields]);
});

test.each([
  ['-0', 0],
  ['1e-999', 0],
  ['4e1', 40],
  ['40.00000000000000000001', 40],
])('an age of %s is kept as %s', async (age, kept) => {
  expect((await sent(`{"age": ${age}}`)).answer).toEqual({ id: 1, ...nora, age: kept });
});
