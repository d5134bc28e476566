import type { HttpHeaders, HttpRequest } from '../wire/message.ts';
import { Problem } from '../wire/problem.ts';

/** The Host names that the service answers to, and the web pages that may call it. */
export interface Origins {
  /** Allowed values of the Host header, in lower case. */
  hosts: ReadonlySet<string>;
  /** Origins of web pages that may call from a browser, as `--allow-origin` has them. */
  allowOrigins: readonly string[];
  /** Whether TLS is on, here or at a proxy. */
  isSecure: boolean;
}

const LOCAL_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/**
 * The origins of a service on this machine.
 * @param allowHosts further Host names, `name` or `name:port`, in lower case
 * @param ownNames further Host names of the listening address, which need the port
 */
export function originsAt(
  port: number,
  allowHosts: readonly string[],
  allowOrigins: readonly string[],
  isSecure = false,
  ownNames: readonly string[] = [],
): Origins {
  const own = [...LOCAL_NAMES, ...ownNames];
  // Clients leave out the default port of http and https.
  const bare = port === 80 || port === 443 ? own : [];
  const withPort = [...own, ...allowHosts].map((name) => `${name}:${port}`);
  return {
    hosts: new Set([...withPort, ...allowHosts, ...bare]),
    allowOrigins,
    isSecure,
  };
}

const EXPOSED =
  'ETag, Idempotency-Replayed, Link, Location, Retry-After, WWW-Authenticate, X-Last-Seq, X-Total-Count';

/**
 * Refuses requests that a foreign web page can make a browser send: another Host (DNS rebinding), a foreign
 * Origin, a request of another site, for writes of another origin too (https://fetch.spec.whatwg.org, Sec-Fetch-Site).
 * @throws Problem 400 without exactly one Host (RFC 9112, 3.2), 403 otherwise
 */
export function checkOrigin({ method, hosts, headers, target }: HttpRequest, origins: Origins): void {
  if (hosts.length !== 1) throw new Problem(400, 'A request needs exactly one Host header.');
  const [, scheme, authority] =
    (target.startsWith('/') ? undefined : /^(https?):\/\/([^/?#]*)/i.exec(target)) ?? [];
  if (!isOurs(hosts[0] ?? '', origins) || (authority !== undefined && !isOurs(authority, origins)))
    throw foreign('This service does not answer to that Host name; --allow-host adds one.');
  // RFC 9110, 7.4
  if (scheme?.toLowerCase() === 'https' && !origins.isSecure) throw foreign('This is not reached by https.');
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin(origin, origins))
    throw foreign('Requests from that origin are not allowed; --allow-origin adds one.');
  // Another service on this machine is the same site to a browser.
  const foreignSites = ['GET', 'HEAD'].includes(method) ? ['cross-site'] : ['cross-site', 'same-site'];
  if (origin === undefined && foreignSites.includes(headers['sec-fetch-site'] ?? ''))
    throw foreign('Requests from another site are not allowed; --allow-origin adds one.');
}

const foreign = (detail: string) => new Problem(403, detail, {}, 'foreign-caller');

/** The address of the service as the caller of a request that passed `checkOrigin` wrote it, in lower case. */
export function baseOf({ hosts }: HttpRequest, { isSecure }: Origins): string {
  return `http${isSecure ? 's' : ''}://${hosts[0]?.toLowerCase()}`;
}

/** CORS headers, which let an allowed web page read the response (https://fetch.spec.whatwg.org). */
export function corsHeaders({ headers }: HttpRequest, origins: Origins): HttpHeaders {
  const { origin } = headers;
  if (origin === undefined || !origins.allowOrigins.includes(origin)) return { vary: 'Origin' };
  return {
    vary: 'Origin',
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  };
}

/**
 * The headers that answer a preflight request (OPTIONS with Access-Control-Request-Method); none for another request. A page
 * that is allowed may send any header, as to json-server: apps and what measures them add their own.
 */
export function preflightHeaders({ headers }: HttpRequest, allow: string): HttpHeaders {
  if (headers['access-control-request-method'] === undefined) return {};
  return {
    'access-control-allow-methods': allow,
    'access-control-allow-headers':
      headers['access-control-request-headers'] ?? 'Authorization, Content-Type',
    'access-control-max-age': '600',
  };
}

function isOurs(host: string, { hosts }: Origins): boolean {
  return hosts.has(host) || hosts.has(host.toLowerCase());
}

function isAllowedOrigin(origin: string, origins: Origins): boolean {
  if (origins.allowOrigins.includes(origin)) return true;
  const scheme = /^https?:\/\/(.+)$/.exec(origin);
  return scheme?.[1] !== undefined && isOurs(scheme[1], origins);
}
