import type { Paging } from '../../domain/sort.ts';
import type { Handler, RequestContext } from '../route.ts';
import type { HttpHeaders, HttpResponse } from '../wire/message.ts';
import { disclosedRange } from './disclosure.ts';
import { etagOfList, tagged } from './etag.ts';
import { arrayOf } from './json-array.ts';
import type { ListQuery } from './list-query.ts';
import type { Resource } from './resource.ts';
import { pageLinks } from './slice.ts';

/** A list that the store calls long, or with more characters of JSON, is sent in chunks. */
const MOST_CHARACTERS = 1024 * 1024;

/** GET of a list: the whole of it, a page with `limit`, or a part as json-server cuts it. */
export function list<F extends Paging, I, P>(resource: Resource<F, I, P>): Handler {
  return (context) => {
    const { filter, slice } = resource.read(context.search);
    if (slice) return part(resource, { filter, slice }, context);
    if (filter.limit !== undefined) return page(resource, filter, filter.limit, context);
    return whole(resource, filter, {}, context);
  };
}

/** The records that match, up to the limit of the filter. */
function whole<F extends Paging, I, P>(
  resource: Resource<F, I, P>,
  filter: F,
  headers: HttpHeaders,
  { request, search, store, caller }: RequestContext,
): HttpResponse {
  const verbs = resource.verbs(store);
  const { json, next, revision, ids } = verbs.shortPage(filter, caller !== undefined);
  if (next === undefined && json.length <= MOST_CHARACTERS) {
    const etag = etagOfList(json, store, resource.path, search, revision);
    const response = tagged(request, json, headers, etag);
    response.disclosed = disclosedRange(resource, ids);
    return response;
  }
  return {
    status: 200,
    headers: { 'content-type': 'application/json', ...headers },
    body: arrayOf(verbs.jsonChunks(filter), ({ ids }) => disclosedRange(resource, ids)),
  };
}

function part<F extends Paging, I, P>(
  resource: Resource<F, I, P>,
  { filter, slice }: Required<ListQuery<F>>,
  context: RequestContext,
): HttpResponse {
  const { search, store } = context;
  return store.read(() => {
    const total = resource.verbs(store).count(filter);
    const headers: HttpHeaders = { 'x-total-count': String(total) };
    const links = slice && pageLinks(`${context.base()}${resource.path}`, search, slice, total);
    if (links !== undefined) headers['link'] = links;
    return whole(resource, filter, headers, context);
  });
}

function page<F extends Paging, I, P>(
  resource: Resource<F, I, P>,
  filter: F,
  limit: number,
  { request, search, store }: RequestContext,
): HttpResponse {
  const verbs = resource.verbs(store);
  const { json, next, ids, total } = store.read(() => ({
    ...verbs.page(filter, limit),
    total: verbs.count(filter),
  }));
  const headers: HttpHeaders = { 'x-total-count': String(total) };
  if (next !== undefined) {
    const parameters = new URLSearchParams(search);
    parameters.set('cursor', next);
    headers['link'] = `<${resource.path}?${parameters}>; rel="next"`;
  }
  const response = tagged(request, json, headers);
  response.disclosed = disclosedRange(resource, ids);
  return response;
}
