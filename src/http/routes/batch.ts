import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { kindOfRight, may } from '../../domain/access.ts';
import { type Issue, invalid, issue, MOST_NAMED } from '../../domain/errors.ts';
import type { Fault } from '../../domain/fault.ts';
import { type HistoryEntry, usersOf } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import { MOST_AT_ONCE } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';
import type { DoneRequest, RepeatableRequest } from '../../store/records/requests.ts';
import type { Store } from '../../store/store.ts';
import { IDEMPOTENCY_KEY, type Json, object, ok, REPLAYED, ref, taken } from '../openapi/parts.ts';
import { REPEATABLE } from '../openapi/problems.ts';
import { readJson } from '../protocol/body.ts';
import { recordsOf, type StoredRecord } from '../protocol/collection.ts';
import { disclosedRecord, together } from '../protocol/disclosure.ts';
import { etagOf } from '../protocol/etag.ts';
import { firstRequest, repeatable, replayed } from '../protocol/idempotency.ts';
import { allowed, type Match, type RequestContext, type Route } from '../protocol/route.ts';
import { type HttpResponse, json, MAX_BATCH_BYTES, MAX_BODY_BYTES } from '../wire/message.ts';
import { Problem, problemResponse } from '../wire/problem.ts';
import { tooLarge } from '../wire/request.ts';

const REQUEST = { method: 'PATCH', url: '/userExerciseLogs/1', body: { painAfter: 3 } };

const batchSchemas: Record<string, Json> = {
  BatchRequest: {
    type: 'object',
    required: ['method', 'url'],
    additionalProperties: false,
    properties: {
      method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
      url: {
        type: 'string',
        description: 'Path of the record or the list',
        examples: ['/userExerciseLogs/1'],
      },
      headers: {
        type: 'object',
        additionalProperties: false,
        properties: { 'If-Match': { type: 'string', description: 'Entity tag that the record must have' } },
      },
      body: {
        type: 'object',
        description: 'As the path takes it; none for DELETE',
        additionalProperties: true,
      },
    },
    examples: [REQUEST],
  },
  BatchResponse: object({
    status: {
      type: 'integer',
      description: 'As the request would have had alone',
      examples: [200],
    },
    headers: { type: 'object', additionalProperties: { type: 'string' } },
    body: { description: 'As the request would have had alone; null for a record that was erased since' },
  }),
};

/** The failure of one request, and with it of the whole batch. */
class BatchFailure extends Error {
  constructor(
    readonly index: number,
    override readonly cause: unknown,
  ) {
    super(`request ${index} of a batch failed`);
  }
}

/** What a batch needs of routes/index.ts, which imports this file. */
interface Router {
  match(target: string): Match | undefined;
  nothingAt(target: string): Problem;
}

/**
 * POST of several writes as one transaction, all or none (as https://pocketbase.io/docs/api-batch/ has it). Each needs the
 * right that it would need alone. Repeated with its `Idempotency-Key`, it gets the first response.
 */
export const batchRoute = (router: Router): Route => ({
  method: 'POST',
  path: '/batch',
  right: 'send batch',
  errors: ['NotFound', 'PreconditionFailed', ...REPEATABLE],
  tag: 'Changes',
  id: 'writeBatch',
  summary: 'Do several writes, all or none',
  description:
    'In order, as one change. Each needs the right that it would need alone. When one fails, nothing is saved, and the problem has its status and its `index`. `/batch`, `/undo` and `restore` cannot be inside.',
  headers: [IDEMPOTENCY_KEY],
  body: taken(
    {
      type: 'object',
      required: ['requests'],
      additionalProperties: false,
      properties: {
        requests: { type: 'array', minItems: 1, maxItems: MOST_AT_ONCE, items: ref('BatchRequest') },
      },
    },
    { requests: [REQUEST] },
  ),
  success: {
    '200': ok(
      'The responses, in order',
      { type: 'array', maxItems: MOST_AT_ONCE, items: ref('BatchResponse') },
      REPLAYED,
    ),
  },
  schemas: () => batchSchemas,
  handle: async (context) => {
    const { request, store } = context;
    const sent = await readJson(request, MAX_BATCH_BYTES);
    const requests = checkBatch(sent.value, router);
    const repeat = repeatable(context, sent);
    const offloaded = isLong(requests, repeat, context) && context.workers?.write(context, sent.text);
    if (offloaded) return offloaded;
    const run = (): HttpResponse => {
      const first = repeat && firstRequest(store, repeat);
      if (first) return replayed(answered(replay(store, requests, first)));
      const responses = requests.map((one, index) => {
        try {
          return write(one, context, router);
        } catch (error) {
          throw new BatchFailure(index, error);
        }
      });
      if (repeat) store.requests.add(repeat);
      return answered(responses);
    };
    for (const route of new Set(requests.map(routeOf))) await route?.write?.ready?.(store);
    try {
      return await store.submit(run);
    } catch (error) {
      if (!(error instanceof BatchFailure)) throw error;
      const { status, headers, body } = problemResponse(error.cause);
      // Thrown on, so that an unforeseen error is logged as any other.
      if (status === 500) throw error.cause;
      const problem = { ...(JSON.parse(String(body)) as object), index: error.index };
      return { status, headers, body: JSON.stringify(problem) };
    }
  },
});

/** Whether the batch would block other requests: by what it deletes or, if it is repeated, by rebuilding its first response. */
function isLong(
  requests: readonly BatchRequest[],
  repeat: RepeatableRequest | undefined,
  { store }: RequestContext,
): boolean {
  const done = repeat && store.requests.changeOf(repeat.key);
  if (done !== undefined) return store.history.isLong(done);
  return requests.some((one) => routeOf(one)?.write?.isLong?.(store, one.found?.id ?? 0));
}

/** Does one of the requests, inside the transaction. */
function write(one: BatchRequest, { store, caller }: RequestContext, { nothingAt }: Router): HttpResponse {
  const { url, headers, body, found } = one;
  if (!found) throw nothingAt(url);
  const route = routeOf(one);
  if (!route?.write) throw new Problem(405, `This path takes ${allowed(found.methods)}.`);
  if (caller && route.right !== null && !may(caller.role, route.right))
    throw new Problem(403, `A token with the role ${caller.role} may not do this.`);
  if (body !== undefined && sizeOf(body) > MAX_BODY_BYTES) throw tooLarge(MAX_BODY_BYTES);
  const { id, search } = found;
  return route.write.begin({ store, id, search, headers })(body)();
}

/** The bytes of a body as JSON. @throws Problem 400 for one with too many levels, which no record has */
function sizeOf(body: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(body));
  } catch {
    throw new Problem(400, 'The body is nested too deeply.');
  }
}

/** Combines the responses into one, which discloses the records of all. */
function answered(responses: readonly HttpResponse[]): HttpResponse {
  const texts = responses.map(({ status, headers: { 'content-type': _, ...headers }, body }) => {
    return `{"status":${status},"headers":${JSON.stringify(headers)},"body":${body}}`;
  });
  return json(200, `[${texts}]`, {}, together(responses.flatMap(({ disclosed = [] }) => disclosed)));
}

const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Checks the form of a batch. @throws SciaticaError `invalid` with every fault of it */
function checkBatch(value: unknown, { match }: Router): BatchRequest[] {
  const { requests, ...others } = isObject(value) ? value : {};
  const issues: Issue[] = Object.keys(others)
    .slice(0, MOST_NAMED)
    .map((name) =>
      issue(name.slice(0, 60).toWellFormed(), 'is not a field here: a batch has requests', 'unknown'),
    );
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MOST_AT_ONCE)
    issues.push({
      field: 'requests',
      message: `must be an array of 1 to ${MOST_AT_ONCE} requests`,
      fault: Array.isArray(requests)
        ? { code: 'out-of-range', minimum: 1, maximum: MOST_AT_ONCE }
        : { code: requests === undefined ? 'missing' : 'wrong-type' },
    });
  else
    for (const [i, one] of requests.entries()) issues.push(...faultsOfRequest(one, `requests[${i}]`, match));
  if (issues.length > 0) throw invalid(issues);
  return (requests as Omit<BatchRequest, 'found'>[]).map((one) => ({
    ...one,
    found: match(one.url),
    headers: Object.fromEntries(
      Object.entries(one.headers ?? {}).map(([name, text]) => [name.toLowerCase(), text]),
    ) as IncomingHttpHeaders,
  }));
}

function faultsOfRequest(one: unknown, place: string, match: Router['match']): Issue[] {
  const expected = 'must be an object with method, url and body';
  if (!isObject(one)) return [issue(place, expected, 'wrong-type')];
  const issues: Issue[] = [];
  const say = (name: string, message: string, fault: Fault = { code: 'invalid' }) =>
    issues.push({ field: `${place}.${name}`, message, fault });
  const { method, url, headers = {}, body, ...others } = one;
  for (const name of Object.keys(others).slice(0, MOST_NAMED))
    say(name.slice(0, 60).toWellFormed(), 'is not a field here: there are method, url, headers, body', {
      code: 'unknown',
    });
  if (!METHODS.includes(method as string))
    say('method', `must be one of ${METHODS.join(', ')}`, { code: 'not-a-choice', values: METHODS });
  if (typeof url !== 'string' || !url.startsWith('/'))
    say('url', 'must be a path such as /userExerciseLogs/1');
  else {
    const found = match(url);
    if (found && ![...found.methods.values()].some((route) => route.write))
      say('url', 'takes no writes in a batch');
  }
  if (method === 'DELETE' && body != null) say('body', 'is not taken by DELETE', { code: 'unknown' });
  if (!isObject(headers)) say('headers', 'must be an object', { code: 'wrong-type' });
  else {
    const sent = Object.entries(headers);
    if (
      sent.length > 1 ||
      sent.some(([name, text]) => name.toLowerCase() !== 'if-match' || typeof text !== 'string')
    )
      say('headers', 'may hold If-Match once, with a text, and nothing else', { code: 'unknown' });
  }
  return issues;
}

interface BatchRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body?: unknown;
  /** The routes of the URL; undefined if there are none. */
  found: Match | undefined;
}

const routeOf = ({ method, found }: BatchRequest) => found?.methods.get(method);

type State = HistoryEntry['before'];

/** The record that a request is about. With `isOwner`, it is the one of a user, or a new one of a user. */
interface Place {
  kind: KindName;
  /** Id of the record, or of its owner; 0 for a new one. */
  id: number;
  isOwner: boolean;
}

/**
 * Rebuilds the responses to a batch that was done before from the history of its change. Responses are not stored, so that an
 * erasure leaves nothing in them: that of an erased record has null for a body.
 * @param done the batch as it was done
 */
function replay(
  store: Store,
  requests: readonly BatchRequest[],
  { entries, seq }: DoneRequest,
): HttpResponse[] {
  const left = [...entries];
  const states = new Map<string, State>();
  return requests.map((request) => {
    const { method, body } = request;
    const place = placeOfRequest(request);
    const key = JSON.stringify(place);
    const take = (entry: HistoryEntry | undefined): State => {
      if (entry) left.splice(left.indexOf(entry), 1);
      for (const isOwner of [true, false]) if (entry) states.set(placeOfEntry(entry, isOwner), entry.after);
      return entry?.after ?? null;
    };
    const isOf = (entry: HistoryEntry) =>
      method === 'POST' && !place.isOwner
        ? entry.record === place.kind
        : placeOfEntry(entry, place.isOwner) === key;
    if (method === 'DELETE') {
      take(left.find((entry) => isOf(entry) && entry.action === 'delete'));
      return json(200, '{}');
    }
    if (method === 'POST') {
      const made = (entry: HistoryEntry) => entry.action === 'create' && isResultOf(body, place, entry);
      return stateResponse(201, place.kind, take(left.find((entry) => isOf(entry) && made(entry))));
    }
    const next = left.find(isOf);
    if (next && isResultOf(body, place, next))
      return stateResponse(next.action === 'create' ? 201 : 200, place.kind, take(next));
    // It changed nothing: the record stayed as it was before the batch, or as an earlier request left it.
    if (!states.has(key)) states.set(key, next?.before ?? stateAfter(store, place, seq));
    return stateResponse(200, place.kind, states.get(key) ?? null);
  });
}

function placeOfRequest(request: BatchRequest): Place {
  const { right, isOwner = false } = routeOf(request) ?? {};
  return { kind: right ? kindOfRight(right) : 'log', id: request.found?.id ?? 0, isOwner };
}

/** The `Place` of the record of an entry, as JSON. */
function placeOfEntry(entry: HistoryEntry, isOwner: boolean): string {
  const id = isOwner ? (usersOf(entry)[0] ?? 0) : entry.id;
  return JSON.stringify({ kind: entry.record, id, isOwner } satisfies Place);
}

/** Whether an entry can be the result of a body: all fields are as the body has them after it, and not all were before it. */
function isResultOf(body: unknown, { isOwner }: Place, { before, after }: HistoryEntry): boolean {
  const ignored = ['id', 'etag', ...(isOwner ? ['userId'] : [])];
  const sent = Object.entries(body ?? {})
    .filter(([name]) => !ignored.includes(name))
    // JSON has a -0, records do not.
    .map(([name, value]) => [name, Object.is(value, -0) ? 0 : value] as const);
  const isAs = (state: State) => {
    const fields = state as Record<string, unknown> | null;
    return fields !== null && sent.every(([name, value]) => isDeepStrictEqual(fields[name] ?? null, value));
  };
  return isAs(after) && !isAs(before);
}

/** Entries of the history that are read at once. */
const MOST_ENTRIES = 1000;

/** A record as it was after the entry `seq`. */
function stateAfter(store: Store, { kind, id, isOwner }: Place, seq: number): State {
  if (!isOwner) {
    const [later] = store.historyOf(kind, id, seq);
    return later ? later.before : (store.of(kind).find(id) ?? null);
  }
  for (let at = seq; ; ) {
    const entries = store.history.after(at, MOST_ENTRIES, [id]);
    const later = entries.find((entry) => entry.record === kind);
    if (later) return later.before;
    const last = entries.at(-1);
    if (!last) return (recordsOf(store, kind).list({ userId: id })[0] as State | undefined) ?? null;
    at = last.seq;
  }
}

function stateResponse(status: number, kind: KindName, state: State): HttpResponse {
  if (state === null) return json(status, 'null');
  const body = JSON.stringify(state);
  const { path, place } = kindOf(kind);
  const isLocated = status === 201 && place !== 'one-per-user';
  const headers = { ...(isLocated && { location: `${path}/${state.id}` }), etag: etagOf(body) };
  return json(status, body, headers, disclosedRecord(kind, state as StoredRecord));
}
