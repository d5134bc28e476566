import { Problem } from '../problem.ts';
import type { HttpHeaders, HttpRequest } from '../wire/message.ts';

/** Who may call: by which name the service is addressed, and from which web pages. */
export interface Access {
  /** The values that a Host header may have, in lower case. */
  hosts: ReadonlySet<string>;
  /** Origins of web pages that may call from a browser. */
  allowOrigins: readonly string[];
  /** Whether requests come through TLS, here or at a proxy. */
  isSecure: boolean;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The access to a service on this machine.
 * @param allowHosts further Host names, `name` or `name:port`, in lower case
 */
export function accessAt(
  port: number,
  allowHosts: readonly string[],
  allowOrigins: readonly string[],
  isSecure = false,
): Access {
  const names = [...LOCAL_NAMES, ...allowHosts];
  // A client leaves out the port that http or https has anyway.
  const bare = port === 80 || port === 443 ? LOCAL_NAMES : [];
  return {
    hosts: new Set([...names.map((name) => `${name}:${port}`), ...allowHosts, ...bare]),
    allowOrigins,
    isSecure,
  };
}

const EXPOSED = 'ETag, Link, Location, Retry-After, WWW-Authenticate, X-Last-Seq, X-Total-Count';

/**
 * Refuses what a web page elsewhere could make a browser send: a Host that is not ours (DNS rebinding), a
 * foreign Origin, a cross-site request (https://fetch.spec.whatwg.org, Sec-Fetch-Site).
 * @throws Problem 400 without exactly one Host (RFC 9112, 3.2), 403 otherwise
 */
export function checkAccess({ hosts, headers, target }: HttpRequest, access: Access): void {
  if (hosts.length !== 1) throw new Problem(400, 'A request needs exactly one Host header.');
  const [, scheme, authority] =
    (target.startsWith('/') ? undefined : /^(https?):\/\/([^/?#]*)/i.exec(target)) ?? [];
  if (!isOurs(hosts[0] ?? '', access) || (authority !== undefined && !isOurs(authority, access)))
    throw new Problem(403, 'This service does not answer to that Host name; --allow-host adds one.');
  // RFC 9110, 7.4
  if (scheme?.toLowerCase() === 'https' && !access.isSecure)
    throw new Problem(403, 'This is not reached by https.');
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin(origin, access))
    throw new Problem(403, 'Requests from that origin are not allowed; --allow-origin adds one.');
  if (origin === undefined && headers['sec-fetch-site'] === 'cross-site')
    throw new Problem(403, 'Requests from another site are not allowed; --allow-origin adds one.');
}

/** The headers that let an allowed web page read a response (https://fetch.spec.whatwg.org, CORS). */
export function corsHeaders({ headers }: HttpRequest, access: Access): HttpHeaders {
  if (access.allowOrigins.length === 0) return {};
  const { origin } = headers;
  if (origin === undefined || !access.allowOrigins.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  };
}

/** What a preflight request asks for (OPTIONS with Access-Control-Request-Method); nothing for another request. */
export function preflightHeaders({ headers }: HttpRequest, allow: string): HttpHeaders {
  if (headers['access-control-request-method'] === undefined) return {};
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      'Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID',
    'access-control-max-age': '600',
  };
}

function isOurs(host: string, { hosts }: Access): boolean {
  return hosts.has(host) || hosts.has(host.toLowerCase());
}

function isAllowedOrigin(origin: string, access: Access): boolean {
  if (access.allowOrigins.includes(origin)) return true;
  const scheme = /^https?:\/\/(.+)$/.exec(origin);
  return scheme?.[1] !== undefined && isOurs(scheme[1], access);
}
