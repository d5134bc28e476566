import { type Issue, invalid, tried } from '../../domain/errors.ts';
import { checkEach, MOST_AT_ONCE } from '../../domain/schema.ts';
import { isObject } from '../../lib/strict-json.ts';
import { checkSent, faultsBeyond } from '../../store/records/checks.ts';
import { idsOf } from '../../store/records/lists/rows.ts';
import type { Store } from '../../store/store.ts';
import {
  CREATED_HEADERS,
  conditional,
  ETAG,
  GONE,
  IDEMPOTENCY_KEY,
  IF_MATCH,
  many,
  ok,
  REPLAYED,
  ref,
  sureHeader,
  taken,
  termsOf,
} from '../openapi/parts.ts';
import { REPEATABLE } from '../openapi/problems.ts';
import { readJson, readOneOrMany } from '../protocol/body.ts';
import type { Collection, StoredRecord } from '../protocol/collection.ts';
import { disclosedRange, disclosedRecord } from '../protocol/disclosure.ts';
import { etagOf, precondition, tagged, withSentTag } from '../protocol/etag.ts';
import { firstRequest, goneSince, type Repeat, repeatable, replayed } from '../protocol/idempotency.ts';
import { batchable, type RequestContext, type Route, type Write } from '../protocol/route.ts';
import { type HttpResponse, json } from '../wire/message.ts';

/** Creates records that were checked; to be called inside a transaction. */
type Creation = () => readonly StoredRecord[];

function creationOf(collection: Collection, store: Store, value: unknown): Creation {
  const input = checkSent(store.users, collection.name, 'input', value);
  return () => [collection.verbs(store).create(input)];
}

function creationOfAll(collection: Collection, store: Store, values: readonly unknown[]): Creation {
  const inputs = checkEach(values, (value) => {
    const one = checkSent(store.users, collection.name, 'input', value);
    // A missing user is a fault to report with those of other records, so it is not left to the creation.
    const faults = faultsBeyond(store.users, collection.name, one);
    if (faults.length > 0) throw invalid(faults);
    return one;
  });
  return () => collection.verbs(store).createAll(inputs);
}

/**
 * POST of a new record, or of an array of them: all or none. A request repeated with its `Idempotency-Key` gets the
 * first response.
 */
export function createRoute(collection: Collection): Route {
  const { name, kind } = collection;
  const { tag, schema, a, one, many: several, example } = termsOf(kind);
  const input = ref(`${schema}Input`);
  const inputs = many(input, { minItems: 1, maxItems: MOST_AT_ONCE });
  const records = { anyOf: [ref(schema), many(ref(schema))] };
  return {
    method: 'POST',
    path: kind.path,
    right: `create ${name}`,
    errors: REPEATABLE,
    tag,
    id: `create${schema}`,
    summary: `Create ${a}, or several`,
    description: `An array creates all of its ${several} or none, and is answered with an array.`,
    headers: [IDEMPOTENCY_KEY],
    body: taken({ anyOf: [input, inputs] }, example),
    success: { '201': ok(`The new ${one}, or ${several}`, records, CREATED_HEADERS) },
    handle: async (context) => {
      const { request, store } = context;
      const body = await readOneOrMany(request);
      const { value } = body;
      return createOnce(collection, context, repeatable(context, body), Array.isArray(value), () =>
        Array.isArray(value) ? creationOfAll(collection, store, value) : creationOf(collection, store, value),
      );
    },
    write: { begin: ({ store }) => creationInBatch(collection, store, (body) => body) },
  };
}

/** As `createRoute`, of one record of the user in the path. */
export function createOfUserRoute(collection: Collection): Route {
  const { kind } = collection;
  const { schema, a, one, example } = termsOf(kind);
  const { userId: _, ...ofUser } = example;
  const { rule } = kind.key ?? {};
  return {
    ...createRoute(collection),
    path: `/users/{id}${kind.path}`,
    id: `createUser${schema}`,
    summary: `Create ${a} of a user`,
    description: `A single ${one} has a path of its own, which Location names.${rule === undefined ? '' : ` ${rule}`}`,
    body: taken(ref(`User${schema}Input`), ofUser),
    success: {
      '201': ok(`The new ${one}`, ref(schema), {
        ...REPLAYED,
        ...ETAG,
        Location: sureHeader(`Path of the ${one}`),
      }),
    },
    handle: async (context) => {
      const { request, id, store } = context;
      const body = await readJson(request);
      return createOnce(collection, context, repeatable(context, body), false, () => {
        // Only for a first request: a retry for a user who is gone by now gets 410, from `first`.
        store.users.json(id);
        return creationOf(collection, store, withUser(collection, store, body.value, id));
      });
    },
    write: {
      begin: ({ store, id }) => {
        store.users.json(id);
        return creationInBatch(collection, store, (body) => withUser(collection, store, body, id));
      },
    },
    isOwner: true,
  };
}

/** Creating one record in a batch: the last two steps of a `Write`. @param recordIn makes a record of the body */
const creationInBatch =
  (collection: Collection, store: Store, recordIn: (body: unknown) => unknown): ReturnType<Write['begin']> =>
  (body) => {
    const create = creationOf(collection, store, recordIn(body));
    return () => created(collection, false, create());
  };

/** The body with the user of the path. @throws SciaticaError `invalid` with every fault, if it names another user */
function withUser(collection: Collection, store: Store, value: unknown, userId: number): unknown {
  if (!isObject(value)) return value;
  const { userId: said = userId, ...others } = value;
  const record = { ...others, userId };
  if (said === userId) return record;
  const faults: Issue[] = [{ field: 'userId', message: `must be ${userId}, as in the path, or absent` }];
  tried(faults, () => checkSent(store.users, collection.name, 'input', record));
  throw invalid(faults);
}

/**
 * Creates records, or gives the first response to a request repeated with its `Idempotency-Key`.
 * @param repeat the request, if it has a key
 * @param areMany whether the response is an array
 * @param check checks the body, and returns what creates the records
 */
export async function createOnce(
  collection: Collection,
  { store }: RequestContext,
  repeat: Repeat | undefined,
  areMany: boolean,
  check: () => Creation,
): Promise<HttpResponse> {
  const first = () => repeat && createdBefore(collection, store, repeat, areMany);
  const earlier = first();
  if (earlier) return earlier;
  const create = check();
  return store.submit(() => {
    // A concurrent request with the same key may have been first.
    const other = first();
    if (other) return other;
    const response = created(collection, areMany, create());
    if (repeat) store.requests.add(repeat);
    return response;
  });
}

/**
 * The response to a repeated request, from the records as they were created; undefined if it is the first.
 * @throws Problem 410 for a single record that is not there any more, or not for this caller
 */
function createdBefore(
  collection: Collection,
  store: Store,
  repeat: Repeat,
  areMany: boolean,
): HttpResponse | undefined {
  const records = firstRequest(store, repeat)?.created;
  if (!records) return undefined;
  if (!areMany && !(records[0] && collection.verbs(store).has(records[0].id))) throw goneSince();
  return replayed(created(collection, areMany, records));
}

/** The response to what created records. */
function created(
  { name, kind }: Collection,
  areMany: boolean,
  records: readonly StoredRecord[],
): HttpResponse {
  const [record] = records;
  if (record === undefined || areMany) {
    const disclosed = disclosedRange(name, records.length > 0 ? idsOf(records) : undefined);
    return json(201, JSON.stringify(records), {}, disclosed);
  }
  const body = JSON.stringify(record);
  const headers = { location: `${kind.path}/${record.id}`, etag: etagOf(body) };
  return json(201, body, headers, disclosedRecord(name, record));
}

/** GET of one record. */
export function readRoute({ name, kind, verbs }: Collection): Route {
  const { tag, schema, one } = termsOf(kind);
  return {
    method: 'GET',
    path: `${kind.path}/{id}`,
    right: `read ${name}`,
    tag,
    id: `get${schema}`,
    summary: `Read one ${one}`,
    description: 'With the entity tag that a write can be made to depend on.',
    ...conditional(ok(`The ${one}`, ref(schema), ETAG)),
    handle: ({ request, id, store, caller }) => {
      const records = verbs(store);
      // Only the audit needs the owner; a read without it is faster.
      const [body, userId] = caller ? records.ownedJson(id) : [records.json(id), null];
      const response = tagged(request, body);
      if (caller) response.disclosed = disclosedRecord(name, { id, userId: userId ?? undefined });
      return response;
    },
  };
}

/** PUT of a whole record. */
export function replaceRoute(collection: Collection): Route {
  const { schema, a, example } = termsOf(collection.kind);
  const optional = optionalOf(collection);
  return updateRoute(collection, 'PUT', {
    id: `replace${schema}`,
    summary: `Replace ${a}`,
    description: `Every field but the id, which stays, is required.${optional && ` What is optional stays where it is not sent; null clears it: ${optional}.`}`,
    body: taken(ref(`${schema}Input`), example),
  });
}

const optionalOf = ({ kind: { fields } }: Collection): string =>
  Object.keys(fields)
    .filter((name) => fields[name]?.optional)
    .join(', ');

/** PATCH of some fields. */
export function patchRoute(collection: Collection): Route {
  const { schema, a, change } = termsOf(collection.kind);
  const optional = optionalOf(collection);
  return updateRoute(collection, 'PATCH', {
    id: `patch${schema}`,
    summary: `Change fields of ${a}`,
    description: `Fields that are not sent keep their values.${optional && ` null clears ${optional}.`}`,
    body: taken(ref(`${schema}Patch`), change),
  });
}

function updateRoute(
  { name, kind, verbs }: Collection,
  method: 'PUT' | 'PATCH',
  operation: Pick<Route, 'id' | 'summary' | 'description' | 'body'>,
): Route {
  const { tag, schema, one } = termsOf(kind);
  const how = method === 'PUT' ? 'replacement' : 'patch';
  return {
    method,
    path: `${kind.path}/{id}`,
    right: `change ${name}`,
    ...operation,
    tag,
    headers: [IF_MATCH],
    success: { '200': ok(`The whole ${one}`, ref(schema), ETAG) },
    ...batchable({
      begin: ({ store, id, headers }) => {
        const records = verbs(store);
        // A missing record is reported before any fault of the body.
        records.json(id);
        return (sent) => {
          const value = checkSent(store.users, name, how, sent, () => records.get(id));
          const guard = precondition(withSentTag(headers, sent));
          return () => {
            const record = records.update(id, value, guard);
            const body = JSON.stringify(record);
            return json(200, body, { etag: etagOf(body) }, disclosedRecord(name, record));
          };
        };
      },
    }),
  };
}

/** DELETE of a record. */
export function deleteRoute({ name, kind, verbs }: Collection): Route {
  const { tag, schema, a, deleted } = termsOf(kind);
  return {
    method: 'DELETE',
    path: `${kind.path}/{id}`,
    right: `delete ${name}`,
    tag,
    id: `delete${schema}`,
    summary: `Delete ${a}${name === 'user' ? ' with all logs' : ''}`,
    description: 'The id is never used again; the history stays, and `restore` brings it back.',
    exampleId: deleted,
    headers: [IF_MATCH],
    success: { '200': GONE },
    ...batchable({
      ...(name === 'user' && {
        ready: ({ users }: Store) => users.readyToReveal(),
        isLong: ({ logs }: Store, id: number) => logs.areMany(id),
      }),
      begin: ({ store, id, headers }) => {
        const guard = precondition(headers);
        return () => () => {
          const record =
            name === 'user' ? store.users.deleteAndReveal(id, guard) : verbs(store).delete(id, guard);
          return json(200, '{}', {}, disclosedRecord(name, record));
        };
      },
    }),
  };
}
