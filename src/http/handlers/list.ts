import { type FilterOf, kinds, type OwnedKindName } from '../../domain/kinds.ts';
import type { Paging } from '../../domain/lists/sort.ts';
import type { Handler, RequestContext } from '../route.ts';
import { preferredType } from '../wire/accept.ts';
import type { HttpHeaders, HttpResponse } from '../wire/message.ts';
import { disclosedRange } from './disclosure.ts';
import { etagOf, etagOfList, tagged } from './etag.ts';
import { formatOf, type ListFormat, listTypes } from './formats.ts';
import type { ListQuery } from './list-query.ts';
import type { Lists } from './resource.ts';
import { pageLinks, type SliceOf } from './slice.ts';

/** A list that the store calls long, or with more characters of JSON, is sent in chunks. */
const MOST_CHARACTERS = 1024 * 1024;

/** GET of a list: the whole of it, a page with `limit`, or a part as json-server cuts it. */
export function list<F extends Paging>(resource: Lists<F>): Handler {
  return (context) => answer(resource, resource.read(context.search), resource.path, context);
}

/** GET of the list of what belongs to the user in the path. */
export function listOfUser<F extends FilterOf<OwnedKindName>>(resource: Lists<F>): Handler {
  return (context) => {
    const { id, search, store } = context;
    const { filter, slice } = resource.read(search);
    // A missing user has no list, where a filter would find none.
    store.users.json(id);
    const path = `/users/${id}${resource.path}`;
    return answer(resource, { filter: { ...filter, userId: id }, slice }, path, context);
  };
}

function answer<F extends Paging>(
  resource: Lists<F>,
  { filter, slice }: ListQuery<F>,
  path: string,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { store, workers } = context;
  const away = workers && resource.verbs(store).isLong(filter) && workers.answer(context);
  if (away) return away;
  const type = preferredType(context.request.headers.accept, listTypes);
  const format = formatOf(type, filter.fields ?? Object.keys(kinds[resource.noun].fields));
  const as = { resource, filter, format, path };
  if (slice) return part(as, slice, context);
  if (filter.limit !== undefined) return page(as, filter.limit, context);
  return whole(as, {}, context);
}

interface Asked<F extends Paging> {
  resource: Lists<F>;
  filter: F;
  format: ListFormat;
  path: string;
}

const headersOf = ({ type }: ListFormat): HttpHeaders => ({ 'content-type': type, vary: 'Accept' });

/** The records that match, up to the limit of the filter. */
function whole<F extends Paging>(
  { resource, filter, format, path }: Asked<F>,
  further: HttpHeaders,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { request, search, store, caller } = context;
  const verbs = resource.verbs(store);
  const headers = { ...headersOf(format), ...further };
  const { json, next, revision, ids } = verbs.shortPage(filter, caller !== undefined);
  if (next === undefined && json.length <= MOST_CHARACTERS) {
    const body = format.whole(json);
    const etag = body === json ? etagOfList(json, store, path, search, revision) : etagOf(body);
    const response = tagged(request, body, headers, etag);
    response.disclosed = disclosedRange(resource, ids);
    return response;
  }
  const { workers } = context;
  const away = workers && next !== undefined && verbs.isLong(filter, true) && workers.answer(context);
  if (away) return away;
  return {
    status: 200,
    headers,
    body: format.chunks(verbs.jsonChunks(filter), ({ ids }) => disclosedRange(resource, ids)),
  };
}

function part<F extends Paging>(
  asked: Asked<F>,
  slice: SliceOf,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { resource, filter, path } = asked;
  const { search, store } = context;
  return store.read(() => {
    const total = resource.verbs(store).total(filter);
    const headers: HttpHeaders = { 'x-total-count': String(total) };
    const links = pageLinks(`${context.base()}${path}`, search, slice, total);
    if (links !== undefined) headers['link'] = links;
    return whole(asked, headers, context);
  });
}

function page<F extends Paging>(
  { resource, filter, format, path }: Asked<F>,
  limit: number,
  { request, search, store }: RequestContext,
): HttpResponse {
  const verbs = resource.verbs(store);
  const { json, next, ids, total } = store.read(() => ({
    ...verbs.page(filter, limit),
    total: verbs.total(filter),
  }));
  const headers: HttpHeaders = { ...headersOf(format), 'x-total-count': String(total) };
  if (next !== undefined) {
    const parameters = new URLSearchParams(search);
    parameters.set('cursor', next);
    headers['link'] = `<${path}?${parameters}>; rel="next"`;
  }
  const response = tagged(request, format.whole(json), headers);
  response.disclosed = disclosedRange(resource, ids);
  return response;
}
