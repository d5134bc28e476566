import { describe, expect, test } from 'vitest';
import { freshServer } from '../http/helpers.ts';
import type { Reply } from './reply.ts';
import { Wire } from './wire.ts';

/** `|` ends a line, `§` is where the service is; then its answers, and what it does with the connection. */
const requests: [request: string, outcome: string][] = [
  ['GET /health HTTP/1.1|Host: §||', '200, open'],
  ['||GET /health HTTP/1.1|Host: §||', '200, open'],
  ['GET /health HTTP/1.1|Host: §|Connection: keep-alive, close||', '200, closed'],

  ['GET /health HTTP/1.1||', '400, open'],
  ['GET /health HTTP/1.1|Host:||', '403, open'],
  ['GET /health HTTP/1.1|Host: §|Host: §||', '400, open'],
  ['GET /health HTTP/1.1|Host: §|Host: evil.example||', '400, open'],
  ['GET /health HTTP/1.1|Host: §|hOST: §||', '400, open'],
  ['GET /health HTTP/1.1|Host: §, evil.example||', '403, open'],
  ['GET /health HTTP/1.1|Host: § evil.example||', '403, open'],
  ['GET /health HTTP/1.1|Host: §/evil||', '403, open'],
  ['GET /health HTTP/1.1|Host: localhost:1||', '403, open'],
  ['GET /health HTTP/1.1|Host: 127.0.0.1||', '403, open'],
  ['GET /health HTTP/1.1|Host: §|Origin: http://127.0.0.1||', '403, open'],
  ['GET /health HTTP/1.1|Host: §|Authorization: Bearer a|AUTHORIZATION: Bearer a||', '400, open'],
  ['GET /health HTTP/1.1|Host: §|Idempotency-Key: a|idempotency-key: a||', '400, open'],
  ['GET /health HTTP/1.1|Host: evil@§||', '403, open'],
  ['GET /health HTTP/1.1|Host : §||', '400, closed'],

  ['GET http://§/health HTTP/1.1|Host: §||', '200, open'],
  ['GET hTTp://LOCALHOST:§§/health HTTP/1.1|Host: §||', '200, open'],
  ['GET http://evil.example/health HTTP/1.1|Host: §||', '403, open'],
  ['GET http://§/health HTTP/1.1|Host: evil.example||', '403, open'],
  ['GET http://evil@§/health HTTP/1.1|Host: §||', '403, open'],
  ['GET https://§/health HTTP/1.1|Host: §||', '403, open'],
  ['GET HTTPS://§/health HTTP/1.1|Host: §||', '403, open'],
  ['GET ftp://§/health HTTP/1.1|Host: §||', '404, open'],
  ['GET http://§ HTTP/1.1|Host: §||', '302, open'],
  ['GET http:\\\\§\\health HTTP/1.1|Host: §||', '400, closed'],
  ['GET //evil.example/health HTTP/1.1|Host: §||', '404, open'],
  ['GET //health HTTP/1.1|Host: §||', '404, open'],
  ['GET /health# HTTP/1.1|Host: §||', '404, open'],
  ['GET health HTTP/1.1|Host: §||', '400, closed'],
  ['GET * HTTP/1.1|Host: §||', '404, open'],
  ['OPTIONS * HTTP/1.1|Host: §||', '204, open'],
  ['CONNECT § HTTP/1.1|Host: §||', '400, closed'],
  ['CONNECT evil.example:443 HTTP/1.1|Host: evil.example:443||', '400, closed'],

  ['GET /users/%31 HTTP/1.1|Host: §||', '200, open'],
  ['GET /%75sers/1 HTTP/1.1|Host: §||', '200, open'],
  ['GET /health/../users/1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /health/%2e%2e/users/1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users%2f1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users/1%00 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users%c0%af1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users\\1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users/1;x=1 HTTP/1.1|Host: §||', '404, open'],
  ['GET /users// HTTP/1.1|Host: §||', '404, open'],
  ['GET /users?__proto__[x]=1 HTTP/1.1|Host: §||', '200, open'],
  ['GET /users?constructor=1 HTTP/1.1|Host: §||', '400, open'],
  ['GET /users?%00 HTTP/1.1|Host: §||', '400, open'],
  ['GET /users?limit=1%00 HTTP/1.1|Host: §||', '400, open'],
  ['GET /users?limit=%c0%b1 HTTP/1.1|Host: §||', '400, open'],
  ['GET /users?limit=1e999 HTTP/1.1|Host: §||', '400, open'],

  ['GET /health\0 HTTP/1.1|Host: §||', '400, closed'],
  ['GET /health\x01 HTTP/1.1|Host: §||', '400, closed'],
  ['GET /health\xe9 HTTP/1.1|Host: §||', '400, closed'],
  ['GET /hea lth HTTP/1.1|Host: §||', '400, closed'],
  ['GET\t/health\tHTTP/1.1|Host: §||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X: a\0b||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X: a\x01b||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X: a\rb||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X\x01: a||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|: a||', '400, closed'],
  ['GET /health HTTP/1.1|Host: §|X: a| b||', '400, closed'],
  ['GET /health HTTP/1.1|Host:| §||', '400, closed'],
  ['GET /health HTTP/1.1| Host: §||', '400, closed'],
  ['GET /health HTTP/1.1\nHost: §\n\n', '400, closed'],
  ['GET /health HTTP/1.1|Host: §\nX: a||', '400, closed'],

  ['GET /health||', '400, closed'],
  ['GET /health HTTP/1.0|Host: §||', '200, closed'],
  ['GET /health HTTP/1.0|Host: §|Connection: keep-alive||', '200, open'],
  ['GET /health HTTP/1.0||', '400, closed'],
  ['GET /health HTTP/1.2|Host: §||', '400, closed'],
  ['GET /health HTTP/9.9|Host: §||', '400, closed'],
  ['GET /health http/1.1|Host: §||', '400, closed'],
  ['GET /health ICE/1.0|Host: §||', '400, closed'],
  ['PRI * HTTP/2.0||SM||', '400, closed'],
  ['\x16\x03\x01\0\xa5\x01\0\0\xa1\x03\x03||', '400, closed'],
  ['hello||', '400, closed'],

  ['get /health HTTP/1.1|Host: §||', '400, closed'],
  ['BREW /health HTTP/1.1|Host: §||', '400, closed'],
  ['PROPFIND /users HTTP/1.1|Host: §||', '405, open'],
  ['TRACE /users HTTP/1.1|Host: §||', '405, open'],
  ['POST /health HTTP/1.1|Host: §|Content-Length: 0||', '405, open'],

  [
    'GET /health HTTP/1.1|Host: §|Connection: Upgrade|Upgrade: websocket|Sec-WebSocket-Version: 13||',
    '200, open',
  ],
  [
    'GET /health HTTP/1.1|Host: §|Connection: Upgrade, HTTP2-Settings|Upgrade: h2c|HTTP2-Settings: AAMAAABk||',
    '200, open',
  ],
  ['GET /health HTTP/1.1|Host: §|Connection: Upgrade|Upgrade: h2c||', '200, open'],
  ['GET /health HTTP/1.1|Host: §|Expect: miracles||', '417, closed'],
  ['GET /health HTTP/1.1|Host: §|Range: bytes=0-1||', '200, open'],
];

/** As above, with bodies; `¶` stands for the headers Host and Content-Type. */
const uploads: [request: string, outcome: string][] = [
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2||{}', '200, open'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 002||{}', '200, open'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2|Connection: Upgrade|Upgrade: h2c||{}', '200, open'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2|Expect: 100-continue||{}', '100 200, open'],
  ['PATCH /users/1 HTTP/1.0|¶Content-Length: 2|Expect: 100-continue||{}', '200, closed'],
  ['PATCH /health HTTP/1.1|¶Content-Length: 2|Expect: 100-continue||', '405, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 70000|Expect: 100-continue||', '413, closed'],
  ['GET /health HTTP/1.1|¶Content-Length: 2||{}', '200, open'],
  ['DELETE /users/77 HTTP/1.1|¶Content-Length: 2||{}', '404, open'],

  ['PATCH /users/1 HTTP/1.1|¶|{}', '400 400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length:||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: -2||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: +2||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 0x2||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2.0||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2, 2||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 18446744073709551616||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2|Content-Length: 2||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2|Content-Length: 3||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Content-Length: 2|Transfer-Encoding: chunked||0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked|Content-Length: 2||0||', '400, closed'],

  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||2|{}|0||', '200, open'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: CHUNKED||2;a=b;c="d"|{}|0;e||', '200, open'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||2|{}|0|Host: evil.example||', '200, open'],
  ['PATCH /users/1 HTTP/1.0|¶Transfer-Encoding: chunked||2|{}|0||', '200, closed'],
  ['PATCH /users/1 HTTP/1.0|¶Connection: keep-alive|Transfer-Encoding: chunked||2|{}|0||', '200, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: gzip, chunked||2|{}|0||', '400, open'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked, gzip||2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked, chunked||2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: gzip||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: identity||{}', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: xchunked||2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: \x0bchunked||2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding : chunked||2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||fffffffffffffffff|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||-2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||0x2|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||1|{}|0||', '400, closed'],
  ['PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||2\n{}\n0\n\n', '400, closed'],
];

const get = (more: string) => `GET /health HTTP/1.1|Host: §|${more}|`;

/** What is too long for a name. */
const large: [name: string, request: string, outcome: string][] = [
  ['a target of 15,000 bytes', `GET /${'a'.repeat(15_000)} HTTP/1.1|Host: §||`, '404, open'],
  ['a target of 17,000 bytes', `GET /${'a'.repeat(17_000)} HTTP/1.1|Host: §||`, '431, closed'],
  ['a target of 1,000,000 bytes', `GET /${'a'.repeat(1_000_000)} HTTP/1.1|Host: §||`, '431, closed'],
  ['2,000 parameters', `GET /users?${'a=b&'.repeat(2_000)} HTTP/1.1|Host: §||`, '400, open'],
  ['5,000 parameters to ignore', `GET /users?${'_&'.repeat(5_000)} HTTP/1.1|Host: §||`, '200, open'],
  ['a header of 40,000 bytes', get(`X: ${'x'.repeat(40_000)}|`), '431, closed'],
  ['2,000 headers', get('A: b|'.repeat(2_000)), '200, open'],
  ['a Host behind 2,100 headers', `GET /health HTTP/1.1|${'A:|'.repeat(2_100)}Host: §||`, '200, open'],
  ['a second Host behind 2,100 headers', get(`${'A:|'.repeat(2_100)}Host: evil.example|`), '400, open'],
  ['a method of 5,000 bytes', `${'A'.repeat(5_000)} /health HTTP/1.1|Host: §||`, '400, closed'],
  [
    'a chunk extension of 100,000 bytes',
    `PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||2;${'a'.repeat(100_000)}|{}|0||`,
    '400, closed',
  ],
  [
    'a body over 64 KiB',
    `PATCH /users/1 HTTP/1.1|¶Content-Length: 70000||${' '.repeat(70_000)}`,
    '413, open',
  ],
  [
    'chunks over 64 KiB',
    `PATCH /users/1 HTTP/1.1|¶Transfer-Encoding: chunked||11170|${' '.repeat(70_000)}|0||`,
    '413, open',
  ],
];

/** Nothing else is answered with 204 and Allow. */
const LAST = 'OPTIONS /health HTTP/1.1|Host: §||';

/** Sends a request, then one more on the same connection. @returns what comes of the first */
async function outcomeOf(request: string): Promise<string> {
  const { server, store } = await freshServer();
  const bytes = (text: string) =>
    text
      .replace('¶', 'Host: §|Content-Type: application/json|')
      .replaceAll('§§', String(server.port))
      .replaceAll('§', `localhost:${server.port}`)
      .replaceAll('|', '\r\n');
  const records = () => JSON.stringify([store.users.list(), store.logs.list()]);
  const before = records();
  const wire = new Wire(server.port).send(bytes(request));
  await wire.until((replies) => replies.some(({ status }) => status >= 200));
  const replies = await wire.send(bytes(LAST)).until((all) => all.some(isLast));
  for (const { status, headers } of replies)
    if (status >= 400) expect(headers.get('content-type')).toBe('application/problem+json');
  expect(records()).toBe(before);
  if (wire.isClosed) expect(replies.at(-1)?.headers.get('connection')).toBe('close');
  const statuses = replies.filter((reply) => !isLast(reply)).map(({ status }) => status);
  return `${statuses.join(' ')}, ${wire.isClosed ? 'closed' : 'open'}`;
}

const isLast = ({ status, headers }: Reply) => status === 204 && headers.has('allow');

describe('a request', () => {
  test.each(requests)('%j', async (request, outcome) => expect(await outcomeOf(request)).toBe(outcome));
});

describe('a request with a body', () => {
  test.each(uploads)('%j', async (request, outcome) => expect(await outcomeOf(request)).toBe(outcome));
});

test.each(large)('%s', async (_, request, outcome) => expect(await outcomeOf(request)).toBe(outcome));
