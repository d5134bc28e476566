import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '../store/store.ts';
import { type CompanionFiles, companionResponse } from './companion.ts';
import type { Gate, Refusal } from './guard/gate.ts';
import { baseOf, checkOrigin, corsHeaders, type Origins, preflightHeaders } from './guard/origins.ts';
import type { Feed } from './protocol/feed.ts';
import { allowed, type Match, type RequestContext, type Session, type Workers } from './protocol/route.ts';
import { match, nothingAt } from './routes/index.ts';
import { encodedTag, isCompressible, preferredEncoding } from './wire/encoding.ts';
import type { Chunk, Chunks, Encoding, HttpHeaders, HttpRequest, HttpResponse } from './wire/message.ts';
import { Problem, problemResponse } from './wire/problem.ts';

export interface Service {
  /** The view of all records, which attributes changes to the API. */
  store: Store;
  origins: Origins;
  feed: Feed;
  /** Worker threads for requests that may take long; without them, all run in the main thread. */
  workers?: Workers | undefined;
  /** Authenticates and authorizes callers; without it every caller may do everything. */
  gate?: Gate | undefined;
  /** Whether phones can be paired with it. */
  isPairing?: boolean;
  /** The files of the page for phones, where it is served. */
  companion?: CompanionFiles | undefined;
  /** Receives every error that is answered with 500. */
  onError?: (error: unknown) => void;
}

export type App = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Health data: no shared cache may keep it, and a private one has to revalidate it. */
const EVERY_RESPONSE: HttpHeaders = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** Delay of a response with 429 or 503, in milliseconds. */
const REFUSAL_MS = 100;

type Matched = Pick<RequestContext, 'request' | 'route' | 'id' | 'search'>;

/** The service as a function from a request to a response; it never throws. */
export function createApp(service: Service): App {
  return (request) => {
    try {
      checkOrigin(request, service.origins);
      if (request.repeated !== undefined)
        throw new Problem(400, `The header ${request.repeated} is sent twice: send it once.`);
      const page = service.companion && companionResponse(service.companion, request);
      if (page) return companionAnswer(page, request, service);
      // A question about the service as a whole, to test whether it answers (RFC 9110, 9.3.7).
      if (request.method === 'OPTIONS' && request.target === '*')
        return finish({ status: 204, headers: {} }, request, service);
      const found = match(request.target);
      if (!found) throw nothingAt(request.target);
      const { methods, id, search } = found;
      const route = methods.get(request.method === 'HEAD' ? 'GET' : request.method);
      return route
        ? answer({ request, route, id, search }, service)
        : finish(withoutRoute(request, methods), request, service);
    } catch (error) {
      return finish(failure(error, service), request, service);
    }
  };
}

/** Admits a request, runs its handler, and audits the response. */
function answer(matched: Matched, service: Service): HttpResponse | Promise<HttpResponse> {
  const { gate } = service;
  const admission = gate ? gate.admit(matched.request, matched.route) : service;
  const response =
    'error' in admission ? failure(admission.error, service) : metered(matched, admission, service);
  return response instanceof Promise
    ? response.then((settled) => unhurried(audited(settled, matched, admission, service)))
    : unhurried(audited(response, matched, admission, service));
}

/** Delays a 429 or 503: a client that retries at once would otherwise take processor time from all others. */
function unhurried(response: HttpResponse): HttpResponse | Promise<HttpResponse> {
  const { status } = response;
  return status === 429 || status === 503 ? pause(REFUSAL_MS, response) : response;
}

/** Handles a request, and charges what it stores to the quota of its token. */
function metered(matched: Matched, session: Session, service: Service): HttpResponse | Promise<HttpResponse> {
  const { gate } = service;
  const { method } = matched.request;
  if (!gate || !session.caller || method === 'GET' || method === 'HEAD')
    return handle(matched, session, service);
  const { caller } = session;
  const { request, store, settle } = gate.metered(matched, { ...session, caller });
  return Promise.resolve(handle({ ...matched, request }, { ...session, store }, service)).then((response) => {
    settle(response);
    return response;
  });
}

function handle(
  { request, route, id, search }: Matched,
  { store, caller, recheck }: Session,
  service: Service,
): HttpResponse | Promise<HttpResponse> {
  try {
    const base = () => baseOf(request, service.origins);
    const { feed, workers, isPairing = false } = service;
    // Named one by one: to spread an object into another takes as long as the rest of a small read.
    const response = route.handle({
      request,
      route,
      id,
      search,
      store,
      caller,
      recheck,
      base,
      feed,
      workers,
      isPairing,
    });
    if (!(response instanceof Promise)) return revocable(response, recheck);
    return response
      .then((settled) => revocable(settled, recheck))
      .catch((error: unknown) => failure(error, service));
  } catch (error) {
    return failure(error, service);
  }
}

/** Finishes a response and, where there is an audit, records it. */
function audited(
  response: HttpResponse,
  { request, route: { path, right, isOwner }, id, search }: Matched,
  { caller }: Session | Refusal,
  service: Service,
): HttpResponse {
  const finished = finish(response, request, service);
  if (!service.gate || right === null) return finished;
  const [about, owner] = isOwner ? [0, id] : [id, undefined];
  return service.gate.audit.recorded({ request, path, right, id: about, owner, search, caller }, finished);
}

/** Answers with a file of the companion page: needs no token, within the rate limit of an address for open routes. */
function companionAnswer(page: HttpResponse, request: HttpRequest, service: Service): HttpResponse {
  const admission = service.gate?.admit(request, { right: null });
  if (admission && 'error' in admission) return finish(failure(admission.error, service), request, service);
  const cached = page.headers['cache-control'];
  const response = finish(page, request, service);
  if (cached !== undefined) response.headers['cache-control'] = cached;
  return response;
}

/** Answers OPTIONS, and refuses a method that the path does not take. */
function withoutRoute(request: HttpRequest, methods: Match['methods']): HttpResponse {
  const allow = allowed(methods);
  if (request.method !== 'OPTIONS') throw new Problem(405, `This path takes ${allow}.`, { allow });
  return { status: 204, headers: { allow, ...preflightHeaders(request, allow) } };
}

function failure(error: unknown, { onError }: Service): HttpResponse {
  const response = problemResponse(error);
  if (response.status === 500) onError?.(error);
  return response;
}

/** Adds the headers of every response, chooses its content coding, and leaves out the body for HEAD. */
function finish(response: HttpResponse, request: HttpRequest, { origins }: Service): HttpResponse {
  const { status, headers, body } = response;
  const vary = headers['vary'] === undefined ? [] : [headers['vary']];
  Object.assign(headers, EVERY_RESPONSE);
  const isPacked = isCompressible(response);
  // A 304 has the Vary of its 200 (RFC 9110, 15.4.5).
  if (isPacked || status === 304) vary.push('Accept-Encoding');
  if (isPacked) {
    response.encoding = preferredEncoding(request.headers['accept-encoding']);
    if (response.encoding) markEncoded(headers, response.encoding);
  }
  if (origins.allowOrigins.length > 0) {
    Object.assign(headers, corsHeaders(request, origins));
    vary.push('Origin');
  }
  if (vary.length > 0) headers['vary'] = vary.join(', ');
  if (request.method !== 'HEAD') return response;
  if (typeof body === 'string' && !response.encoding)
    headers['content-length'] = String(Buffer.byteLength(body, response.charset));
  return { status, headers };
}

function markEncoded(headers: HttpHeaders, encoding: Encoding): void {
  headers['content-encoding'] = encoding;
  if (headers['etag'] !== undefined) headers['etag'] = encodedTag(headers['etag'], encoding);
}

/** A response whose streamed body ends when the caller's token is revoked. */
function revocable(response: HttpResponse, recheck: Session['recheck']): HttpResponse {
  // An event stream rechecks the token by itself, and sends why it ends.
  return recheck &&
    typeof response.body === 'object' &&
    response.headers['content-type'] !== 'text/event-stream'
    ? { ...response, body: whileAdmitted(response.body, recheck) }
    : response;
}

async function* whileAdmitted(chunks: Chunks, recheck: () => void): AsyncGenerator<Chunk> {
  for await (const chunk of chunks) {
    recheck();
    yield chunk;
  }
}
