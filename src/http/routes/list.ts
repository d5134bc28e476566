import { invalid, issue } from '../../domain/errors.ts';
import type { ListFilter } from '../../domain/sort.ts';
import {
  content,
  ETAG_IF_SHORT,
  header,
  IF_NONE_MATCH,
  type Json,
  many,
  notModified,
  ref,
  termsOf,
} from '../openapi/parts.ts';
import type { Collection } from '../protocol/collection.ts';
import { disclosedRange } from '../protocol/disclosure.ts';
import { etagOf, tagged } from '../protocol/etag.ts';
import { chunksOf, formatOf, type ListFormat, listTypes, wholeOf } from '../protocol/formats.ts';
import { keepList, keptList, type ShortList } from '../protocol/kept-lists.ts';
import type { ListQuery } from '../protocol/list-query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { pageLinks, type SliceOf } from '../protocol/slice.ts';
import { preferredType } from '../wire/accept.ts';
import type { HttpHeaders, HttpResponse } from '../wire/message.ts';

/** A list with more characters of JSON, or of more than the store's first chunk, is sent in chunks. */
const MOST_CHARACTERS = 1024 * 1024;

/** GET of a list: the whole list, a page with `limit`, or a slice by the parameters of json-server. */
export function listRoute(collection: Collection): Route {
  const { name, kind, read, parameters, filters } = collection;
  const { tag, schema, many: several } = termsOf(kind);
  return {
    method: 'GET',
    path: kind.path,
    right: `read ${name}`,
    errors: ['NotAcceptable'],
    tag,
    id: `list${pluralOf(kind)}`,
    summary: `List ${several}`,
    description:
      'Without `limit` the whole list is sent. With `fields`, records have those fields only. The parameters of json-server work too: see docs/http.md.',
    query: parameters,
    filters,
    shared: schema,
    sortable: kind.fields,
    headers: [IF_NONE_MATCH],
    success: {
      '200': {
        description: `The ${several}`,
        headers: { ...ETAG_IF_SHORT, ...PART_HEADERS },
        content: {
          ...content(many(ref(schema))),
          'application/x-ndjson': { schema: { type: 'string', description: 'A record per line' } },
          'text/csv': { schema: { type: 'string', description: 'RFC 4180, the names of the fields first' } },
        },
      },
      '304': notModified(PART_HEADERS),
    },
    handle: (context) => listResponse(collection, read(context.search), kind.path, context),
  };
}

/** Operation ids that were released before there was a rule for them. */
const released: Partial<Record<Collection['name'], string>> = { log: 'listLogsOfUser' };

/** GET of the list of what belongs to the user in the path. */
export function listOfUserRoute(collection: Collection): Route {
  const { name, kind, read } = collection;
  return {
    ...listRoute(collection),
    path: `/users/{id}${kind.path}`,
    filters: Object.fromEntries(
      Object.entries(collection.filters).filter(([, { column }]) => column !== 'userId'),
    ),
    id: released[name] ?? `listUser${pluralOf(kind)}`,
    summary: `List the ${kind.described.many} of a user`,
    handle: (context) => {
      const { id, search, store } = context;
      const { filter, ...rest } = read(search);
      requireNoOwner(filter);
      // 404 for a missing user: the filter alone would give an empty list.
      store.users.json(id);
      const path = `/users/${id}${kind.path}`;
      return listResponse(collection, { filter: { ...filter, userId: id }, ...rest }, path, context);
    },
    isOwner: true,
  };
}

/** The path names the user. @throws SciaticaError `invalid` for a filter on `userId` */
function requireNoOwner({ userId, where = [] }: ListFilter): void {
  if (userId !== undefined || where.some(({ field }) => field === 'userId'))
    throw invalid([issue('userId', 'is said by the path: leave it out', 'in-conflict')]);
}

const PART_HEADERS: Json = {
  Link: header('With limit: the next page, rel="next"; with _page: first, prev, next, last'),
  'X-Total-Count': header('Of a part of the list: how many match in all', 'integer'),
};

/** `PainEntries` for `/painEntries`. */
const pluralOf = ({ path }: Collection['kind']): string => path.charAt(1).toUpperCase() + path.slice(2);

function listResponse(
  collection: Collection,
  { filter, slice, etags = false }: ListQuery,
  path: string,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { store, workers } = context;
  const offloaded = workers && collection.verbs(store).isLong(filter) && workers.answer(context);
  if (offloaded) return offloaded;
  const type = preferredType(context.request.headers.accept, listTypes);
  const format = formatOf(type, filter.fields ?? Object.keys(collection.kind.fields), etags);
  const asked = { collection, filter, format, path };
  if (slice) return partResponse(asked, slice, context);
  if (filter.limit !== undefined) return pageResponse(asked, filter.limit, context);
  return wholeResponse(asked, {}, context);
}

interface Asked {
  collection: Collection;
  filter: ListFilter;
  format: ListFormat;
  path: string;
}

const headersOf = ({ type }: ListFormat): HttpHeaders => ({ 'content-type': type, vary: 'Accept' });

/** The response with all records that match, up to the limit of the filter. */
function wholeResponse(
  { collection, filter, format, path }: Asked,
  further: HttpHeaders,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { request, search, store, caller } = context;
  const verbs = collection.verbs(store);
  const headers = { ...headersOf(format), ...further };
  const answer = ({ body, etag, ids }: ShortList): HttpResponse => {
    const response = tagged(request, body, headers, etag);
    response.disclosed = disclosedRange(collection.name, ids);
    return response;
  };
  const key = `${format.type} ${path}?${search}`;
  const kept = keptList(store, key);
  if (kept) return answer(kept);
  const { json, next, revision, ids } = verbs.shortPage(filter, caller !== undefined);
  if (next === undefined && json.length <= MOST_CHARACTERS) {
    const body = wholeOf(format, json);
    const list: ShortList = { body, etag: etagOf(body), ids };
    keepList(store, key, revision, list);
    return answer(list);
  }
  const { workers } = context;
  const offloaded = workers && next !== undefined && verbs.isLong(filter, true) && workers.answer(context);
  if (offloaded) return offloaded;
  return {
    status: 200,
    headers,
    body: chunksOf(format, verbs.jsonChunks(filter), ({ ids }) => disclosedRange(collection.name, ids)),
  };
}

function partResponse(
  asked: Asked,
  slice: SliceOf,
  context: RequestContext,
): HttpResponse | Promise<HttpResponse> {
  const { collection, filter, path } = asked;
  const { search, store } = context;
  return store.read(() => {
    const total = collection.verbs(store).total(filter);
    const headers: HttpHeaders = { 'x-total-count': String(total) };
    const links = pageLinks(`${context.base()}${path}`, search, slice, total);
    if (links !== undefined) headers['link'] = links;
    return wholeResponse(asked, headers, context);
  });
}

function pageResponse(
  { collection, filter, format, path }: Asked,
  limit: number,
  { request, search, store }: RequestContext,
): HttpResponse {
  const verbs = collection.verbs(store);
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
  const response = tagged(request, wholeOf(format, json), headers);
  response.disclosed = disclosedRange(collection.name, ids);
  return response;
}
