import { notFound } from '../../../domain/errors.ts';
import type { Fields } from '../../../domain/fields.ts';
import { logFields } from '../../../domain/log.ts';
import type { DoneRequest } from '../../../store/records/requests.ts';
import type { Handler } from '../../route.ts';
import { firstRequest, repeatable, replayed } from '../idempotency.ts';
import { queryReader } from '../query.ts';
import { created } from '../records.ts';
import type { Collection, StoredRecord } from '../resource.ts';

/** The query parameters of restoring what belongs to users. */
export const ownerParameter = {
  userId: {
    ...logFields.userId,
    label: 'User',
    help: 'The user whose it becomes, if it is not to be whose it was',
  },
} satisfies Fields;

/**
 * POST that brings a deleted record back with its id. Repeated with its `Idempotency-Key`, it gets the first response.
 * @param parameters `ownerParameter` for what belongs to users
 */
export function restore(collection: Collection, parameters: Partial<typeof ownerParameter>): Handler {
  const { path, noun } = collection;
  const read = queryReader(parameters as typeof ownerParameter);
  return async ({ request, id, search, store, caller }) => {
    const { userId: owner } = read(search);
    // Of the query only the owner is part of what is asked for.
    const asked = owner === undefined ? '' : `userId=${owner}`;
    const repeat = repeatable(request, `${path}/${id}/restore`, caller, asked);
    const { record, isReplay } = await store.submit((): { record: StoredRecord; isReplay: boolean } => {
      const first = repeat && firstRequest(store, repeat);
      if (first) return { record: restoredBy(first, collection, id), isReplay: true };
      const record = store.restore({ record: noun, id, owner });
      if (repeat) store.requests.add(repeat);
      return { record, isReplay: false };
    });
    const response = created(collection, undefined, [record]);
    return isReplay ? replayed(response) : response;
  };
}

/** The record as a request restored it. @throws SciaticaError `not-found` if it was erased since */
function restoredBy({ entries }: DoneRequest, { noun }: Collection, id: number): StoredRecord {
  const entry = entries.find((one) => one.record === noun && one.id === id);
  if (!entry?.after) throw notFound(noun, id);
  return entry.after;
}
