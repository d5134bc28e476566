import { roles } from '../../domain/access.ts';
import { invalid } from '../../domain/errors.ts';
import { pairFields } from '../../domain/pairing.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { isTokenName, TOKEN_NAME } from '../../domain/token.ts';
import {
  ETAG,
  exampleOf,
  IF_NONE_MATCH,
  type Json,
  NOT_MODIFIED,
  ok,
  POLICY,
  schemaJson,
  taken,
} from '../openapi/parts.ts';
import { BODY, OPEN, PAIR, READ } from '../openapi/problems.ts';
import { readJson } from '../protocol/body.ts';
import { tagged } from '../protocol/etag.ts';
import { parseQuery } from '../protocol/query.ts';
import type { Route } from '../protocol/route.ts';
import { json } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

const HEALTH: Json = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
};

/** GET of whether the service can read its records. */
export const healthRoute: Route = {
  method: 'GET',
  path: '/health',
  right: null,
  errors: OPEN,
  operation: {
    tag: 'Service',
    id: 'getHealth',
    summary: 'Whether the service can read its records',
    description: 'For a monitor: 503 when they cannot be read now.',
    success: { '200': ok('It can', HEALTH) },
  },
  handle: ({ search, store }) => {
    parseQuery(search, {});
    store.users.has(1);
    return json(200, '{"status":"ok"}');
  },
};

const ME: Json = {
  type: 'object',
  required: ['authentication', 'name', 'role', 'users', 'expiresAt', 'database'],
  properties: {
    authentication: {
      type: 'boolean',
      description: 'false when the service runs without --auth: all is open',
    },
    name: { type: ['string', 'null'], description: 'Name of the token' },
    role: { type: ['string', 'null'], description: `${roles.join(', ')}: what the token may do` },
    users: {
      type: ['array', 'null'],
      description: 'Ids of the users whose records the token covers; null for all',
      items: { type: 'integer' },
    },
    expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
    database: {
      type: 'string',
      format: 'uuid',
      description: 'Identity of the database: ids of records are unique together with it',
    },
  },
};

/** GET of what the caller is: name, role and users of the token; without authentication the open state; and which database it is. */
export const meRoute: Route = {
  method: 'GET',
  path: '/me',
  right: 'read self',
  errors: READ,
  operation: {
    tag: 'Service',
    id: 'getMe',
    summary: 'Who the caller is, and whose records it sees',
    description: 'Without authentication all is open, and the rest is null.',
    headers: [IF_NONE_MATCH],
    success: { '200': ok('The token', ME, ETAG), '304': NOT_MODIFIED },
  },
  handle: ({ request, search, store, caller }) => {
    parseQuery(search, {});
    const token = caller && store.tokens.get(caller.id);
    const expiresAt = token?.expiresAt ?? null;
    const body = {
      authentication: token !== undefined,
      name: token?.name ?? null,
      role: token?.role ?? null,
      users: token?.users ?? null,
      expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
      database: store.id,
    };
    return tagged(request, JSON.stringify(body));
  },
};

/** GET of the OpenAPI document. @param openApi renders it for the address of the service */
export const documentRoute = (openApi: (base: string) => string): Route => ({
  method: 'GET',
  path: '/openapi.json',
  right: null,
  errors: OPEN,
  operation: {
    tag: 'Service',
    id: 'getOpenApi',
    summary: 'The OpenAPI document of the service',
    description: 'Its server is the address that it was asked at.',
    headers: [IF_NONE_MATCH],
    success: {
      '200': ok('The document', { type: 'object', additionalProperties: true }, ETAG),
      '304': NOT_MODIFIED,
    },
  },
  handle: ({ request, search, base }) => {
    parseQuery(search, {});
    return tagged(request, openApi(base()));
  },
});

/** GET of the root: people find the documentation. */
export const rootRoute: Route = {
  method: 'GET',
  path: '/',
  right: null,
  errors: OPEN,
  operation: {
    tag: 'Service',
    id: 'getRoot',
    summary: 'Leads to the documentation',
    description: 'For people who open the address of the service in a browser.',
    success: {
      '302': {
        description: 'To the documentation',
        headers: { Location: { description: '/docs', schema: { type: 'string' } } },
      },
    },
  },
  handle: ({ search }) => {
    parseQuery(search, {});
    return { status: 302, headers: { location: '/docs' }, body: '' };
  },
};

/** Most pages that are kept, one for each address that the service has. */
const MOST_PAGES = 8;

/** GET of the OpenAPI document as an HTML page with examples for the address that was asked, rendered on its first request. */
export function docsRoute(openApi: (base: string) => string): Route {
  const pages = new Map<string, string>();
  return {
    method: 'GET',
    path: '/docs',
    right: null,
    errors: OPEN,
    operation: {
      tag: 'Service',
      id: 'getDocs',
      summary: 'The documentation of the service, to be read',
      description: 'The OpenAPI document as one HTML page that loads and runs nothing.',
      headers: [IF_NONE_MATCH],
      success: {
        '200': {
          description: 'The page',
          headers: { ...ETAG, ...POLICY },
          content: { 'text/html': { schema: { type: 'string' } } },
        },
        '304': NOT_MODIFIED,
      },
    },
    handle: async ({ request, search, base }) => {
      parseQuery(search, {});
      const { docsHtml, docsPolicy } = await import('../docs/page.ts');
      const page = pages.get(base()) ?? docsHtml(JSON.parse(openApi(base())), base());
      // Only names that the service answers to get here, in any case of their letters.
      if (pages.size >= MOST_PAGES) pages.clear();
      pages.set(base(), page);
      return tagged(request, page, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': docsPolicy(),
        'referrer-policy': 'no-referrer',
      });
    },
  };
}

/** Largest body, in bytes: anybody may send one. */
const MOST_BYTES = 1024;

const closed = () => new Problem(404, 'There is nothing at this path.');

/** POST of a one-time code, for a token. The path is there only while a code is open. */
export const pairRoute: Route = {
  method: 'POST',
  path: '/pair',
  right: 'pair',
  errors: [...PAIR, ...BODY],
  operation: {
    tag: 'Service',
    id: 'pair',
    summary: 'Exchange a one-time code for a token',
    description:
      'For a phone that was shown the code by `sciatica pair`. 404 unless the service runs with `--pairing` and a code is open: for ten minutes, for one use, until five wrong codes have come.',
    body: taken(schemaJson(objectOf(pairFields)), exampleOf(pairFields)),
    success: {
      '201': ok('The token; it cannot be had again', {
        type: 'object',
        required: ['token', 'name', 'role', 'users', 'expiresAt'],
        properties: {
          token: { type: 'string', description: 'For `Authorization: Bearer`' },
          name: {
            type: 'string',
            description: 'Name of the token, which the history shows',
            examples: ['phone'],
          },
          role: { type: 'string', const: 'patient' },
          users: {
            type: 'array',
            description: 'The id of the user',
            maxItems: 1,
            items: { type: 'integer' },
          },
          expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
        },
      }),
    },
  },
  handle: async ({ request, search, store, isPairing }) => {
    const { pairing } = store.tokens;
    if (!isPairing || !pairing.isOpen) throw closed();
    parseQuery(search, {});
    const { code, name } = check(objectOf(pairFields), await readJson(request, MOST_BYTES));
    if (name !== undefined && !isTokenName(name))
      throw invalid([{ field: 'name', message: `must be ${TOKEN_NAME}` }]);
    const given = await store.submitUpkeep(() => pairing.exchange(code, name));
    if (given === 'closed') throw closed();
    if (given === 'wrong')
      throw new Problem(403, 'The code is wrong. After five wrong ones it is closed.', {}, 'wrong-code');
    const { user, token: made } = given;
    const { id, token, role, users, expiresAt } = made;
    const expires = expiresAt === null ? null : new Date(expiresAt).toISOString();
    const body = JSON.stringify({ token, name: made.name, role, users, expiresAt: expires });
    const disclosed = [
      { record: 'user', first: user, last: user, count: 1, userId: user, token: id },
    ] as const;
    return { ...json(201, body), disclosed };
  },
};
