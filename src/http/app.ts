import type { Store } from '../store/store.ts';
import type { Visit } from './guard/audit-trail.ts';
import type { Gate } from './guard/gate.ts';
import { type Access, checkAccess, corsHeaders, preflightHeaders } from './guard/origins.ts';
import type { Feed } from './handlers/feed.ts';
import type { Desk, Writes } from './handlers/records.ts';
import { Problem, problemResponse } from './problem.ts';
import { allowed, match } from './routes.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from './wire/message.ts';

export interface Service {
  store: Store;
  writer: Writes;
  access: Access;
  feed: Feed;
  /** Asks callers for their token; without it whoever reaches the service may do everything. */
  gate?: Gate | undefined;
  /** Told of what was not foreseen: what is thrown that carries no message for a person. */
  onError?: (error: unknown) => void;
}

export type App = (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;

/** Health data: only the caller may keep it, and only to ask whether it is still current. */
const EVERY_RESPONSE: HttpHeaders = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};

/** The service as a function from a request to a response; it never throws. */
export function createApp(service: Service): App {
  return (request) => {
    const visit: Visit | undefined = service.gate && { id: 0, search: '', token: null, onlyUser: null };
    const finished = (response: HttpResponse) => {
      const last = finish(response, request, service);
      if (visit) service.gate?.audit.note(visit, request, last, service);
      return last;
    };
    try {
      const response = answer(request, service, visit);
      if (!(response instanceof Promise)) return finished(response);
      return response.catch(failed(service)).then(finished);
    } catch (error) {
      return finished(failed(service)(error));
    }
  };
}

const failed = (service: Service) => (error: unknown) => {
  const response = problemResponse(error);
  if (response.status === 500) service.onError?.(error);
  return response;
};

function finish(response: HttpResponse, request: HttpRequest, { access }: Service): HttpResponse {
  const { vary } = response.headers;
  Object.assign(response.headers, EVERY_RESPONSE, corsHeaders(request, access));
  if (vary !== undefined)
    response.headers['vary'] = access.allowOrigins.length > 0 ? `${vary}, Origin` : vary;
  return request.method === 'HEAD' ? withoutBody(response) : response;
}

function answer(
  request: HttpRequest,
  service: Service,
  visit: Visit | undefined,
): HttpResponse | Promise<HttpResponse> {
  checkAccess(request, service.access);
  const { path, search } = split(request.target);
  const found = match(path);
  if (!found) throw new Problem(404, 'There is nothing at this path.');
  const route = found.routes.get(request.method === 'HEAD' ? 'GET' : request.method);
  if (route) {
    const seen = visit && Object.assign(visit, { route, id: found.id, search });
    const desk: Desk = (seen && service.gate?.admit(request, seen, service)) ?? service;
    const { store, writer, caller, recheck } = desk;
    const response = route.handle({
      request,
      id: found.id,
      search,
      store,
      writer,
      caller,
      recheck,
      feed: service.feed,
    });
    if (recheck && !(response instanceof Promise) && typeof response.body === 'object')
      response.body = whileAdmitted(response.body, recheck);
    return response;
  }
  const allow = allowed(found);
  if (request.method !== 'OPTIONS') throw new Problem(405, `This path takes ${allow}.`, { allow });
  return { status: 204, headers: { allow, ...preflightHeaders(request, allow) } };
}

/** A long answer ends where its caller's token is taken back. */
async function* whileAdmitted(
  chunks: Exclude<HttpResponse['body'], string | undefined>,
  recheck: () => void,
): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    recheck();
    yield chunk;
  }
}

/** The path and the query string of a target in origin form or absolute form (RFC 9112, 3.2). */
function split(target: string): { path: string; search: string } {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const question = origin.indexOf('?');
  return question < 0
    ? { path: origin, search: '' }
    : { path: origin.slice(0, question), search: origin.slice(question + 1) };
}

function withoutBody({ status, headers, body }: HttpResponse): HttpResponse {
  if (typeof body === 'string') headers['content-length'] = String(Buffer.byteLength(body));
  else body?.return(undefined);
  return { status, headers };
}
