import type { Caller } from '../../domain/access.ts';
import { check, checkEach, objectOf } from '../../domain/schema.ts';
import type { Store } from '../../store/store.ts';
import { type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { readJson, readJsonText } from './body.ts';
import { etagOf, etagOfList, isKnown, precondition } from './etag.ts';
import type { Feed } from './feed.ts';
import { firstAnswer, repeatable } from './idempotency.ts';
import { parseQuery } from './query.ts';
import type { Resource } from './resource.ts';

/** Runs a change durably; resolves once it is on disk. */
export interface Writes {
  write<T>(work: () => T): Promise<T>;
}

/** What a handler gets to work with. */
export interface Desk {
  /** The records that the caller may see, as if there were no others. */
  store: Store;
  writer: Writes;
  /** Who calls, where callers are asked for their token. */
  caller?: Caller | undefined;
  /** @throws Problem 401 once the caller's token is not valid any more */
  recheck?: (() => void) | undefined;
}

/** A request that has found its route. */
export interface Call extends Desk {
  request: HttpRequest;
  /** The id in the path; 0 where the path has none. */
  id: number;
  /** The query string, without its question mark. */
  search: string;
  feed: Feed;
}

export type Handler = (call: Call) => HttpResponse | Promise<HttpResponse>;

/** A list that is longer is sent in pieces, whatever its number of records. */
const MOST_WHOLE = 1024 * 1024;

interface ListFilter {
  sort?: string;
  limit?: number;
  cursor?: string;
}

/** GET of a list: the whole of it, or with `limit` one page. */
export function list(resource: Resource): Handler {
  const schema = objectOf(resource.parameters).partial();
  return ({ request, search, store }) => {
    const filter = check(schema, parseQuery(search, resource.parameters)) as ListFilter;
    if (filter.limit !== undefined)
      return page(resource, { ...filter, limit: filter.limit }, request, search, store);
    const verbs = resource.verbs(store);
    const { json, next, revision } = verbs.shortPage(filter);
    if (next === undefined && json.length <= MOST_WHOLE)
      return tagged(request, json, {}, etagOfList(json, store, `${resource.path}?${search}`, revision));
    return {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: arrayOf(verbs.jsonRows(filter)),
    };
  };
}

function page(
  resource: Resource,
  filter: ListFilter & { limit: number },
  request: HttpRequest,
  search: string,
  store: Store,
): HttpResponse {
  const verbs = resource.verbs(store);
  const { json, next, total } = store.read(() => ({
    ...verbs.page(filter, filter.limit),
    total: verbs.count(filter),
  }));
  const headers: HttpHeaders = { 'x-total-count': String(total) };
  if (next !== undefined) {
    const parameters = new URLSearchParams(search);
    parameters.set('cursor', next);
    headers['link'] = `<${resource.path}?${parameters}>; rel="next"`;
  }
  return tagged(request, json, headers);
}

/** A long list as the text of one JSON array, in pieces. */
export function* arrayOf(chunks: Generator<string[]>): Generator<string> {
  let before = '[';
  for (const rows of chunks) {
    yield before + rows.join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** GET of one record. */
export function read(resource: Resource): Handler {
  return ({ request, id, search, store }) => {
    parseQuery(search, {});
    return tagged(request, resource.verbs(store).json(id));
  };
}

/** POST of a new record, or of an array of them: all or none. A request that comes again gets the first answer. */
export function create(resource: Resource): Handler {
  return async ({ request, search, store, writer, caller }) => {
    parseQuery(search, {});
    const { text, value } = await readJsonText(request);
    const repeat = repeatable(request, resource.path, caller, text);
    const earlier = repeat && firstAnswer(store, repeat);
    if (earlier) return created(resource, value, earlier);
    const checkOne = (one: unknown) => resource.check(store, one);
    const inputs = Array.isArray(value) ? checkEach(value, checkOne) : [checkOne(value)];
    const createAll = () => {
      // It may have come twice at once.
      const first = repeat && firstAnswer(store, repeat);
      if (first) return first;
      const verbs = resource.verbs(store);
      const records = Array.isArray(value)
        ? verbs.createAll(inputs)
        : inputs.map((input) => verbs.create(input));
      if (repeat) store.requests.add(repeat);
      return records;
    };
    return created(resource, value, await writer.write(createAll));
  };
}

function created(resource: Resource, sent: unknown, records: readonly { id: number }[]): HttpResponse {
  if (Array.isArray(sent)) return json(201, JSON.stringify(records));
  const [record] = records;
  const body = JSON.stringify(record);
  return json(201, body, { location: `${resource.path}/${record?.id}`, etag: etagOf(body) });
}

/** PUT of a whole record. */
export const replace = (resource: Resource): Handler => write(resource, 'check', 'replace');

/** PATCH of some fields. */
export const patch = (resource: Resource): Handler => write(resource, 'checkPatch', 'update');

function write(resource: Resource, checked: 'check' | 'checkPatch', verb: 'replace' | 'update'): Handler {
  return async ({ request, id, search, store, writer }) => {
    parseQuery(search, {});
    const verbs = resource.verbs(store);
    verbs.json(id);
    const input = resource[checked](store, await readJson(request));
    const guard = precondition(request.headers);
    const body = JSON.stringify(await writer.write(() => verbs[verb](id, input, guard)));
    return json(200, body, { etag: etagOf(body) });
  };
}

/** DELETE of a record. */
export function remove(resource: Resource): Handler {
  return async ({ request, id, search, store, writer }) => {
    parseQuery(search, {});
    const verbs = resource.verbs(store);
    const guard = precondition(request.headers);
    await writer.write(() => verbs.delete(id, guard));
    return json(200, '{}');
  };
}

/** A short body with its entity tag, or 304 for a caller who has it already. */
export function tagged(
  request: HttpRequest,
  body: string,
  headers: HttpHeaders = {},
  etag = etagOf(body),
): HttpResponse {
  if (isKnown(request.headers, etag)) return { status: 304, headers: { etag, ...headers } };
  return json(200, body, { etag, ...headers });
}
