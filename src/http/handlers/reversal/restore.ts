import { notFound } from '../../../domain/errors.ts';
import type { Fields } from '../../../domain/fields.ts';
import { logFields } from '../../../domain/log.ts';
import type { Restoration } from '../../../store/history/restore.ts';
import type { DoneRequest } from '../../../store/records/requests.ts';
import type { Handler, RequestContext } from '../../route.ts';
import type { HttpResponse } from '../../wire/message.ts';
import { readJsonIfAny } from '../body.ts';
import { firstRequest, repeatable, replayed } from '../idempotency.ts';
import { parseQuery, queryReader } from '../query.ts';
import { created } from '../records.ts';
import { type Collection, type Item, type StoredRecord, users } from '../resource.ts';

/** The query parameters of restoring what belongs to users. */
export const ownerParameter = {
  userId: {
    ...logFields.userId,
    label: 'User',
    help: 'The user whose it becomes, if it is not to be whose it was',
  },
} satisfies Fields;

/**
 * POST that brings a deleted record back with its id: as it was deleted, or as the body has it where erasing a user has left nothing
 * of it. Repeated with its `Idempotency-Key`, it gets the first response.
 */
export function restoreOwned<I extends object>(resource: Item<I>): Handler {
  const read = queryReader(ownerParameter);
  return async (context) => {
    const { userId: owner } = read(context.search);
    const body = await readJsonIfAny(context.request);
    const as = body && (() => resource.check(context.store, body.value));
    // Of the query only the owner is part of what is asked for.
    return restored(context, resource, JSON.stringify([owner, body?.text]), { owner, as });
  };
}

/** As `restoreOwned`, of a user, with all that was deleted with the user: who was erased does not come back. */
export const restoreUser: Handler = (context) => {
  parseQuery(context.search, {});
  return restored(context, users, '', {});
};

async function restored(
  { request, id, store, caller }: RequestContext,
  collection: Collection,
  asked: string,
  further: Pick<Restoration, 'owner' | 'as'>,
): Promise<HttpResponse> {
  const { path, noun } = collection;
  const repeat = repeatable(request, `${path}/${id}/restore`, caller, asked);
  const { record, isReplay } = await store.submit((): { record: StoredRecord; isReplay: boolean } => {
    const first = repeat && firstRequest(store, repeat);
    if (first) return { record: restoredBy(first, collection, id), isReplay: true };
    const record = store.restore({ record: noun, id, ...further });
    if (repeat) store.requests.add(repeat);
    return { record, isReplay: false };
  });
  const response = created(collection, undefined, [record]);
  return isReplay ? replayed(response) : response;
}

/** The record as a request restored it. @throws SciaticaError `not-found` if it was erased since */
function restoredBy({ entries }: DoneRequest, { noun }: Collection, id: number): StoredRecord {
  const entry = entries.find((one) => one.record === noun && one.id === id);
  if (!entry?.after) throw notFound(noun, id);
  return entry.after;
}
