import type { Issue } from '../../domain/errors.ts';
import { isLoopback } from '../../lib/machine.ts';
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
 * @param ownNames further Host names of this machine; accepted with the port only, unless it is a default port
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
  'Accept-Encoding, ETag, Idempotency-Replayed, Link, Location, Retry-After, WWW-Authenticate, X-Last-Seq, X-Total-Count';

/**
 * Refuses requests that a foreign web page can make a browser send: with an unknown Host (DNS rebinding), a foreign Origin, or
 * from another site, for writes also from another origin of the same site (https://fetch.spec.whatwg.org, Sec-Fetch-Site).
 * @throws Problem 400 without exactly one Host (RFC 9112, 3.2), 403 otherwise
 */
export function checkOrigin({ method, hosts, headers, target }: HttpRequest, origins: Origins): void {
  if (hosts.length !== 1) throw new Problem(400, 'A request needs exactly one Host header.');
  const [, scheme, authority] =
    (target.startsWith('/') ? undefined : /^(https?):\/\/([^/?#]*)/i.exec(target)) ?? [];
  if (!isOurs(hosts[0] ?? '', origins) || (authority !== undefined && !isOurs(authority, origins)))
    throw foreign('This service does not answer to that Host name; --allow-host adds one.');
  // https for a service without TLS is misdirected (RFC 9110, 7.4).
  if (scheme?.toLowerCase() === 'https' && !origins.isSecure) throw foreign('This is not reached by https.');
  const { origin } = headers;
  if (origin !== undefined && !isAllowedOrigin(origin, origins))
    throw foreign('Requests from that origin are not allowed; --allow-origin adds one.');
  // To a browser, another service on this machine is the same site.
  const foreignSites = ['GET', 'HEAD'].includes(method) ? ['cross-site'] : ['cross-site', 'same-site'];
  if (origin === undefined && foreignSites.includes(headers['sec-fetch-site'] ?? ''))
    throw foreign('Requests from another site are not allowed; --allow-origin adds one.');
}

const foreign = (detail: string) => new Problem(403, detail, {}, 'foreign-caller');

/** The base URL of the service as the caller addressed it, in lower case. Only for a request that passed `checkOrigin`. */
export function baseOf({ hosts }: HttpRequest, { isSecure }: Origins): string {
  return `http${isSecure ? 's' : ''}://${hosts[0]?.toLowerCase()}`;
}

/** CORS headers, which let an allowed web page read the response (https://fetch.spec.whatwg.org). */
export function corsHeaders({ headers }: HttpRequest, origins: Origins): HttpHeaders {
  const { origin } = headers;
  if (origin === undefined || !origins.allowOrigins.includes(origin)) return {};
  return {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': EXPOSED,
    'cross-origin-resource-policy': 'cross-origin',
  };
}

/**
 * The headers that answer a preflight request (OPTIONS with Access-Control-Request-Method); none for any other. A page that is
 * allowed may send any header, as with json-server: apps and monitoring libraries add their own.
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

/** Who can reach the service: the flags of `sciatica serve`. */
export interface DoorOptions {
  host: string;
  allowHost: string[];
  allowOrigin: string[];
  auth?: true;
  tlsCert?: string;
  tlsKey?: string;
  behindProxy?: true;
  pairing?: true;
  authority?: true;
  app: boolean;
  rate?: number;
  burst?: number;
  /** MiB an hour. */
  quota?: number;
}

/** The faults of the flags. Without tokens only this machine may call; over a network, tokens need TLS, here or at a proxy. */
export function doorFaults(options: DoorOptions): Issue[] {
  const { host, tlsCert, tlsKey, behindProxy, pairing, rate, burst, quota } = options;
  const { allowHost, allowOrigin } = options;
  const issues: Issue[] = [];
  const refuse = (field: string, message: string) => issues.push({ field, message });
  const auth = options.auth || pairing;
  const isHere = isLoopback(host);
  if (!isHere && !auth)
    refuse(
      '--host',
      'must be 127.0.0.1, localhost or ::1: without authentication (--auth) only this machine may reach the records',
    );
  if (!isHere && auth && !tlsCert && !behindProxy && !pairing)
    refuse(
      '--host',
      'needs --tls-cert and --tls-key, or --behind-proxy: others on the network could read along',
    );
  if ((tlsCert === undefined) !== (tlsKey === undefined))
    refuse('--tls-cert', 'and --tls-key need each other');
  if (pairing && (tlsCert || behindProxy) && allowHost.length === 0)
    refuse('--allow-host', 'is needed: it says by which name phones call the service');
  if (options.authority && (!pairing || tlsCert || behindProxy || !options.app))
    refuse(
      '--authority',
      'needs --pairing, without --tls-cert, --behind-proxy and --no-app: it signs the certificate that the service makes itself, and the page for phones brings it',
    );
  for (const [flag, value] of Object.entries({ 'behind-proxy': behindProxy, rate, burst, quota }))
    if (value !== undefined && !auth) refuse(`--${flag}`, 'needs --auth');
  for (const name of allowHost)
    if (!/^[\w.-]+(:\d{1,5})?$|^\[[\da-f:]+\](:\d{1,5})?$/i.test(name))
      refuse('--allow-host', 'must be a host name such as tracker.local or 10.0.2.2');
  for (const origin of allowOrigin) {
    const message = originFault(origin.toLowerCase());
    if (message !== undefined) refuse('--allow-origin', message);
  }
  return issues;
}

/** Why no app or page has an origin, in lower case (https://www.rfc-editor.org/rfc/rfc6454#section-6.2); undefined if any has. */
function originFault(origin: string): string | undefined {
  const wanted = 'must be an origin such as http://localhost:5173 or capacitor://localhost';
  if (origin.includes('*')) return `${wanted}: it is compared as a whole, and * stands for nothing`;
  const [, scheme = '', host = ''] =
    /^([a-z][a-z\d+.-]*):\/\/((?:[a-z\d._-]+|\[[\da-f:]+\])(?::\d{1,5})?)$/.exec(origin) ?? [];
  if (host === '') return wanted;
  if (scheme === 'file') return `${wanted}: pages of files have none`;
  if (scheme !== 'http' && scheme !== 'https') return undefined;
  const sent = URL.canParse(origin) ? new URL(origin).origin : undefined;
  return sent === origin ? undefined : `${wanted}${sent ? `: browsers send ${sent}` : ''}`;
}

/** Warnings for a service behind a proxy, whose configuration cannot be checked from here. */
export function proxyWarnings(host: string): string[] {
  const replaced =
    'Callers are told apart by the last address in X-Forwarded-For. Whether the proxy replaces this header cannot be seen from here: it has to, or callers choose their address (docs/companion-app.md).';
  if (isLoopback(host)) return [replaced];
  return [
    replaced,
    `Who reaches ${host} past the proxy can send any X-Forwarded-For: let only the proxy in, or listen on 127.0.0.1.`,
  ];
}
