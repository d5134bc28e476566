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
export function document(openApi: () => string): Handler {
  return ({ request, search }) => {
    parseQuery(search, {});
    return tagged(request, openApi());
  };
}

/** GET of the OpenAPI document as an HTML page, rendered on the first request. */
export function docs(openApi: () => string): Handler {
  let page: string | undefined;
  return async ({ request, search }) => {
    parseQuery(search, {});
    const { docsHtml, docsPolicy } = await import('../docs/page.ts');
    page ??= docsHtml(JSON.parse(openApi()));
    return tagged(request, page, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': docsPolicy(),
      'referrer-policy': 'no-referrer',
    });
  };
}
