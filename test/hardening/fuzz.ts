import { Random } from './random.ts';

/** What has broken servers before. */
const NASTY: readonly [string, ...string[]] = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  ';',
  ',',
  '%',
  '%00',
  '%0d%0a',
  '%2e%2e%2f',
  '%c0%af',
  '//',
  '..',
  '\\',
  '#',
  '?',
  '&',
  '=',
  '*',
  '"',
  '{',
  '}',
  '[',
  ']',
  '{"a":',
  '[[[[[[[[',
  '"__proto__":{"x":1},',
  '"constructor":1,',
  'null',
  'true',
  '-1',
  '-0',
  '1e999',
  '1e-999',
  '0x10',
  '9007199254740993',
  '99999999999999999999999',
  '2147483648',
  '\\ud800',
  '\\u0000',
  '\xff',
  '\xed\xa0\x80',
  '\xef\xbb\xbf',
  '\xe2\x80\xae',
  "' OR 1=1 --",
  '<script>',
  '../../etc/passwd',
  '%s%n',
  'A'.repeat(300),
  'A'.repeat(20_000),
  'HTTP/1.1',
  'HTTP/1.0',
  'HTTP/2.0',
  'http://evil.example',
  '\r\nHost: evil.example',
  '\r\nContent-Length: 5',
  '\r\nContent-Length: 70000',
  '\r\nTransfer-Encoding: chunked',
  '\r\nTransfer-Encoding: gzip, chunked',
  '\r\nConnection: close',
  '\r\nConnection: Upgrade',
  '\r\nExpect: 100-continue',
  '\r\nOrigin: null',
  '\r\nAuthorization: Basic Og==',
  '\r\nIf-Match: *',
  '\r\nX-Forwarded-For: ::1',
  '\r\n0\r\n\r\n',
];

const METHODS: readonly [string, ...string[]] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'CONNECT',
  'QUERY',
  'get',
];

type Mutation = (text: string, random: Random, seeds: readonly string[]) => string;

const insert = (text: string, at: number, more: string) => text.slice(0, at) + more + text.slice(at);
const without = (text: string, at: number, count: number) => text.slice(0, at) + text.slice(at + count);

/** Applies `change` to one of the parts of a text. */
function inOne(text: string, separator: string, random: Random, change: (part: string) => string[]): string {
  const parts = text.split(separator);
  const at = random.below(parts.length);
  return [...parts.slice(0, at), ...change(parts[at] ?? ''), ...parts.slice(at + 1)].join(separator);
}

/** Puts a value in the place of one in the JSON, or of a number or word anywhere. */
const replaceToken: Mutation = (text, random) => {
  const tokens = [...text.matchAll(/"[^"\r\n]*"|[\w.-]+/g)];
  const token = tokens[random.below(tokens.length)];
  return token ? insert(without(text, token.index, token[0].length), token.index, random.of(NASTY)) : text;
};

const mutations: readonly [Mutation, ...Mutation[]] = [
  (text, random) => insert(text, random.below(text.length + 1), random.of(NASTY)),
  (text, random) => insert(text, random.below(text.length + 1), String.fromCharCode(random.below(256))),
  (text, random) => {
    const at = random.below(text.length);
    return insert(
      without(text, at, 1),
      at,
      String.fromCharCode(text.charCodeAt(at) ^ (1 << random.below(8))),
    );
  },
  (text, random) => without(text, random.below(text.length), 1 + random.below(8)),
  (text, random) => text.slice(0, random.below(text.length)),
  (text, random) => inOne(text, '\r\n', random, () => []),
  (text, random) => inOne(text, '\r\n', random, (line) => [line, line]),
  (text, random) => inOne(text, '\r\n', random, (line) => [line, `X: ${random.of(NASTY)}`]),
  (text, random) => text.replace(/^\S+/, random.of(METHODS)),
  (text, random) => text.replace(/(?<=Content-Length: )\d+/, (n) => String(Number(n) + random.below(9) - 4)),
  (text, random) => text.replace(/(?<=\r\n)[\da-f]+(?=\r\n)/, () => random.of(NASTY)),
  (text, random) => text.replaceAll('/7', `/${random.below(400)}`),
  (text, random) => {
    const at = random.below(text.length);
    return insert(text, at, text.slice(at, at + 1 + random.below(40)).repeat(1 + random.below(50)));
  },
  (text, random, seeds) => text + (seeds[random.below(seeds.length)] ?? ''),
  (text, random, seeds) => {
    const other = seeds[random.below(seeds.length)] ?? '';
    return text.slice(0, random.below(text.length)) + other.slice(random.below(other.length));
  },
  replaceToken,
  replaceToken,
];

/**
 * A request gone wrong: a good one with one to four mutations.
 * @returns a character per byte; the same for the same number
 */
export function fuzzed(seed: number, seeds: readonly string[]): string {
  const random = new Random(seed);
  let text = seeds[random.below(seeds.length)] ?? '';
  for (let left = 1 + random.below(4); left > 0; left -= 1) {
    text = random.of(mutations)(text, random, seeds) || text;
  }
  return text;
}
