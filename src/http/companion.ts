import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { etagOf } from './protocol/etag.ts';
import { decodedTag } from './wire/encoding.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from './wire/message.ts';

/** The companion page: files that the build made, served under /app/ by their exact names and no others. */

/** The files by their paths. */
export type CompanionFiles = ReadonlyMap<
  string,
  Pick<HttpResponse, 'charset'> & { headers: HttpHeaders; text: string }
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

/** Nothing but its own files and this service; no script but those, no text as markup (https://www.w3.org/TR/trusted-types/). */
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
 * @param folder that the build made
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
        etag: etagOf(text),
        'content-security-policy': POLICY,
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      };
      return [`/app/${name === 'index.html' ? '' : name}`, { headers, text, charset }];
    }),
  );
}

/** The response to a request for one of the files; undefined for any other path. */
export function companionResponse(
  files: CompanionFiles,
  { method, target, headers: asked }: HttpRequest,
): HttpResponse | undefined {
  const path = target.replace(/[?#].*$/s, '');
  if (path === '/app') return { status: 301, headers: { location: '/app/' }, body: '' };
  const file = files.get(path);
  if (!file || (method !== 'GET' && method !== 'HEAD')) return undefined;
  const headers = { ...file.headers };
  if (asked['if-none-match'] !== undefined && decodedTag(asked['if-none-match']) === headers['etag'])
    return { status: 304, headers };
  return { status: 200, headers, body: file.text, charset: file.charset };
}
