import { parseQuery } from './query.ts';
import { type Handler, tagged } from './records.ts';

/** GET of an OpenAPI document as a page to be read, made when it is first asked for. */
export function docs(document: () => string): Handler {
  let page: string | undefined;
  return async ({ request, search }) => {
    parseQuery(search, {});
    const { docsHtml, docsPolicy } = await import('../docs/page.ts');
    page ??= docsHtml(JSON.parse(document()));
    return tagged(request, page, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': docsPolicy(),
      'referrer-policy': 'no-referrer',
    });
  };
}
