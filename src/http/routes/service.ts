import { hostname } from 'node:os';
import { roles } from '../../domain/access.ts';
import { conditional, ETAG, header, object, ok, POLICY } from '../openapi/parts.ts';
import { tagged } from '../protocol/etag.ts';
import type { Route } from '../protocol/route.ts';
import { json } from '../wire/message.ts';

/** The members of routes that are open to everybody. */
const OPEN_GET = { method: 'GET', right: null, tag: 'Service' } as const;

/** GET of whether the service can read its records. */
export const healthRoute: Route = {
  ...OPEN_GET,
  path: '/health',
  id: 'getHealth',
  summary: 'Whether the service can read its records',
  description: 'For a monitor: 503 when they cannot be read now.',
  success: { '200': ok('It can', object({ status: { type: 'string', const: 'ok' } })) },
  handle: ({ store }) => {
    store.users.has(1);
    return json(200, '{"status":"ok"}');
  },
};

const ME = object({
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
  createdAt: {
    type: ['string', 'null'],
    format: 'date-time',
    description: 'When the token was made, or renewed',
  },
  expiresAt: { type: ['string', 'null'], format: 'date-time', description: 'null: never' },
  database: {
    type: 'string',
    format: 'uuid',
    description: 'Identity of the database: ids of records are unique together with it',
  },
  machine: { type: 'string', description: 'The host name of the machine that it is on' },
});

/** GET of the caller's token (name, role, users), or that there is no authentication, and of the identity of the database. */
export const meRoute: Route = {
  method: 'GET',
  path: '/me',
  right: 'read self',
  tag: 'Service',
  id: 'getMe',
  summary: 'Who the caller is, and whose records it sees',
  description: 'Without authentication all is open, and the rest is null.',
  ...conditional(ok('The token', ME, ETAG)),
  handle: ({ request, store, caller }) => {
    const token = caller && store.tokens.get(caller.id);
    const isoOf = (at: number | null = null) => (at === null ? null : new Date(at).toISOString());
    const body = {
      authentication: token !== undefined,
      name: token?.name ?? null,
      role: token?.role ?? null,
      users: token?.users ?? null,
      createdAt: isoOf(token?.createdAt),
      expiresAt: isoOf(token?.expiresAt),
      database: store.id,
      machine: hostname(),
    };
    return tagged(request, JSON.stringify(body));
  },
};

/** GET of the OpenAPI document. @param openApi renders it for a base URL */
export const documentRoute = (openApi: (base: string) => string): Route => ({
  ...OPEN_GET,
  path: '/openapi.json',
  id: 'getOpenApi',
  summary: 'The OpenAPI document of the service',
  description: 'Its server is the address that it was asked at.',
  ...conditional(ok('The document', { type: 'object', additionalProperties: true }, ETAG)),
  handle: ({ request, base }) => {
    return tagged(request, openApi(base()));
  },
});

/** GET of the root: redirects to the documentation. */
export const rootRoute: Route = {
  ...OPEN_GET,
  path: '/',
  id: 'getRoot',
  summary: 'Leads to the documentation',
  description: 'For people who open the address of the service in a browser.',
  success: {
    '302': {
      description: 'To the documentation',
      headers: { Location: header('/docs') },
    },
  },
  handle: () => ({ status: 302, headers: { location: '/docs' }, body: '' }),
};

/** GET of the OpenAPI document as an HTML page, rendered on the first request. Its examples have the base URL of the request. */
export function docsRoute(openApi: (base: string) => string): Route {
  let page: string | undefined;
  return {
    ...OPEN_GET,
    path: '/docs',
    id: 'getDocs',
    summary: 'The documentation of the service, to be read',
    description: 'The OpenAPI document as one HTML page that loads and runs nothing.',
    ...conditional({
      description: 'The page',
      headers: { ...ETAG, ...POLICY },
      content: { 'text/html': { schema: { type: 'string' } } },
    }),
    handle: async ({ request, base }) => {
      const { BASE, docsHtml, docsPolicy } = await import('../docs/page.ts');
      page ??= docsHtml(JSON.parse(openApi(BASE)));
      return tagged(request, page.replaceAll(BASE, base()), {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': docsPolicy(),
        'referrer-policy': 'no-referrer',
      });
    },
  };
}
