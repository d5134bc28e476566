import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { etagOf, tagged } from './protocol/etag.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from './wire/message.ts';
import { partsOf } from './wire/request.ts';

/** The companion page: files that the build made, served under /app/ by their exact names and no others. */

/** The files by their paths. */
export type CompanionFiles = ReadonlyMap<
  string,
  Pick<HttpResponse, 'charset'> & { headers: HttpHeaders; text: string; etag: string }
>;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  txt: 'text/plain; charset=utf-8',
  webmanifest: 'application/manifest+json',
  crt: 'application/x-x509-ca-cert',
};

/** Allows only the page's own files and calls to this service; no text as markup (https://www.w3.org/TR/trusted-types/). */
const POLICY = [
  "default-src 'none'",
  ...['script', 'style', 'img', 'connect', 'manifest', 'worker'].map((kind) => `${kind}-src 'self'`),
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types companion',
].join('; ');

/**
 * Reads the files of the page.
 * @param folder the one that the build made
 * @param authority a certificate for phones to install, as PEM: /app/authority.crt
 */
export function companionFiles(folder: string, authority?: string): CompanionFiles {
  const built = readdirSync(folder).map((name) => {
    const charset = name.endsWith('.png') ? ('latin1' as const) : undefined;
    return [name, readFileSync(join(folder, name), charset ?? 'utf8'), charset] as const;
  });
  const files =
    authority === undefined ? built : [...built, ['authority.crt', authority, undefined] as const];
  return new Map(
    files.map(([name, text, charset]) => {
      const isHashed = /-[\da-f]{12}\.\w+$/.test(name);
      const headers = {
        'content-type': TYPES[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream',
        'cache-control': isHashed ? 'public, max-age=31536000, immutable' : 'no-cache',
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      };
      return [`/app/${name === 'index.html' ? '' : name}`, { headers, text, charset, etag: etagOf(text) }];
    }),
  );
}

/** The response to a request for one of the files; undefined for any other path. */
export function companionResponse(files: CompanionFiles, request: HttpRequest): HttpResponse | undefined {
  const { method, target } = request;
  const { path } = partsOf(target);
  if (path === '/app') return { status: 301, headers: { location: '/app/' }, body: '' };
  const file = files.get(path);
  if (!file || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const { headers, text, charset, etag } = file;
  return { ...tagged(request, text, headers, etag), charset };
}
