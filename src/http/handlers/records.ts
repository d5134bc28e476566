import type { Paging } from '../../domain/lists/sort.ts';
import { checkEach } from '../../domain/schema.ts';
import { idsOf } from '../../store/records/lists/rows.ts';
import type { Guard } from '../../store/records/records.ts';
import type { Store } from '../../store/store.ts';
import type { Handler, Write } from '../route.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import { readJson, readJsonText } from './body.ts';
import { disclosedRange, disclosedRecord } from './disclosure.ts';
import { etagOf, precondition, tagged } from './etag.ts';
import { firstAnswer, repeatable, replayed } from './idempotency.ts';
import { parseQuery } from './query.ts';
import type { Collection, Item, Resource, StoredRecord } from './resource.ts';

/** GET of one record. */
export function read<I>(resource: Item<I>): Handler {
  return ({ request, id, search, store, caller }) => {
    parseQuery(search, {});
    const verbs = resource.verbs(store);
    // Only the audit asks whose it is, and without it a read takes less.
    const [body, userId] = caller ? verbs.ownedJson(id) : [verbs.json(id), null];
    const response = tagged(request, body);
    if (caller && typeof response.body === 'string')
      response.disclosed = disclosedRecord(resource, { id, userId: userId ?? undefined });
    return response;
  };
}

/**
 * POST of a new record, or of an array of them: all or none. A request repeated with its `Idempotency-Key` gets the
 * first response.
 */
export function create<F extends Paging, I, P>(resource: Resource<F, I, P>): Handler {
  return async ({ request, search, store, caller }) => {
    parseQuery(search, {});
    const { text, value } = await readJsonText(request, (sent) => !Array.isArray(sent));
    const repeat = repeatable(request, resource.path, caller, text);
    const earlier = repeat && firstAnswer(store, repeat);
    if (earlier) return replayed(created(resource, value, earlier));
    const verbs = resource.verbs(store);
    const isArray = Array.isArray(value);
    const inputs = isArray
      ? checkEach(value, (one) => resource.checkOneOf(store, one))
      : [resource.check(store, value)];
    const { records, isReplay } = await store.submit((): { records: StoredRecord[]; isReplay: boolean } => {
      // A concurrent request with the same key may have been first.
      const first = repeat && firstAnswer(store, repeat);
      if (first) return { records: first, isReplay: true };
      const made = isArray ? verbs.createAll(inputs) : inputs.map((input) => verbs.create(input));
      if (repeat) store.requests.add(repeat);
      return { records: made, isReplay: false };
    });
    const response = created(resource, value, records);
    return isReplay ? replayed(response) : response;
  };
}

export function created(
  collection: Collection,
  sent: unknown,
  records: readonly StoredRecord[],
): HttpResponse {
  const [record] = records;
  if (record === undefined || Array.isArray(sent)) {
    const disclosed = disclosedRange(collection, records.length > 0 ? idsOf(records) : undefined);
    return { ...json(201, JSON.stringify(records)), disclosed };
  }
  const body = JSON.stringify(record);
  const headers = { location: `${collection.path}/${record.id}`, etag: etagOf(body) };
  return { ...json(201, body, headers), disclosed: disclosedRecord(collection, record) };
}

/** POST of one record, in a batch. */
export function createOne<F extends Paging, I, P>(resource: Resource<F, I, P>): Write {
  return {
    hasBody: true,
    begin: ({ store, search }) => {
      parseQuery(search, {});
      return (body) => {
        const input = resource.check(store, body);
        return () => created(resource, body, [resource.verbs(store).create(input)]);
      };
    },
  };
}

/** PUT of a whole record. */
export function replace<I>(resource: Item<I>): Write {
  const check = (store: Store, value: unknown) => resource.check(store, value);
  return write(resource, check, (verbs, id, input, guard) => verbs.replace(id, input, guard));
}

/** PATCH of some fields. */
export function patch<F extends Paging, I, P>(resource: Resource<F, I, P>): Write {
  const check = (store: Store, value: unknown) => resource.checkPatch(store, value);
  return write(resource, check, (verbs, id, changes, guard) => verbs.update(id, changes, guard));
}

function write<V extends { json(id: number): string }, T>(
  resource: Collection & { verbs(store: Store): V },
  check: (store: Store, value: unknown) => T,
  verb: (verbs: V, id: number, value: T, guard?: Guard) => StoredRecord,
): Write {
  return {
    hasBody: true,
    begin: ({ store, id, search, headers }) => {
      parseQuery(search, {});
      const verbs = resource.verbs(store);
      // A missing record is reported before any fault of the body.
      verbs.json(id);
      return (sent) => {
        const value = check(store, sent);
        const guard = precondition(headers);
        return () => {
          const record = verb(verbs, id, value, guard);
          const body = JSON.stringify(record);
          return { ...json(200, body, { etag: etagOf(body) }), disclosed: disclosedRecord(resource, record) };
        };
      };
    },
  };
}

/** DELETE of a record. */
export function remove<I>(resource: Item<I>): Write {
  return {
    hasBody: false,
    begin: ({ store, id, search, headers }) => {
      parseQuery(search, {});
      const guard = precondition(headers);
      return () => () => {
        const record = resource.verbs(store).delete(id, guard);
        return { ...json(200, '{}'), disclosed: disclosedRecord(resource, record) };
      };
    },
  };
}

/** A write that is a request of its own. */
export function single({ hasBody, begin }: Write): Handler {
  return async ({ request, store, id, search }) => {
    const check = begin({ store, id, search, headers: request.headers });
    const run = check(hasBody ? await readJson(request) : undefined);
    return store.submit(run);
  };
}

/** A write that can be a request of its own and a part of a batch. */
export const written = (write: Write) => ({ write, handle: single(write) });
