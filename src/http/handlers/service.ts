import type { Handler } from '../route.ts';
import { json } from '../wire/message.ts';
import { tagged } from './etag.ts';
import { parseQuery } from './query.ts';

/** GET of whether the service can read its records. */
export const health: Handler = ({ search, store }) => {
  parseQuery(search, {});
  store.users.has(1);
  return json(200, '{"status":"ok"}');
};

/** GET of the OpenAPI document. */
export function document(openApi: (base: string) => string): Handler {
  return ({ request, search, base }) => {
    parseQuery(search, {});
    return tagged(request, openApi(base()));
  };
}

/** GET of the root: people find the documentation. */
export const root: Handler = ({ search }) => {
  parseQuery(search, {});
  return { status: 302, headers: { location: '/docs' }, body: '' };
};

/** Most pages that are kept, one for each address that the service has. */
const MOST_PAGES = 8;

/** GET of the OpenAPI document as an HTML page with examples for the address that was asked, rendered on its first request. */
export function docs(openApi: (base: string) => string): Handler {
  const pages = new Map<string, string>();
  return async ({ request, search, base }) => {
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
  };
}

/** GET of what the caller is: name, role and users of the token; without authentication the open state; and which database it is. */
export const me: Handler = ({ request, search, store, caller }) => {
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
};
