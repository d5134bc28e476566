import { isDeepStrictEqual } from 'node:util';
import type { Fields } from '../../domain/fields.ts';
import { isOwned } from '../../domain/kinds.ts';
import { logFields } from '../../domain/log.ts';
import type { Restoration } from '../../store/history/restore.ts';
import { checkSent } from '../../store/records/checks.ts';
import { CREATED_HEADERS, IDEMPOTENCY_KEY, ok, ref, taken, termsOf } from '../openapi/parts.ts';
import { BODY, REPEATABLE } from '../openapi/problems.ts';
import { type Body, readJsonIfAny, readNothing, requireOwnHeader } from '../protocol/body.ts';
import type { Collection } from '../protocol/collection.ts';
import { repeatable } from '../protocol/idempotency.ts';
import { queryReader } from '../protocol/query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import type { HttpResponse } from '../wire/message.ts';
import { createOnce } from './records.ts';

/** The query parameters of restoring what belongs to users. */
const ownerParameter = {
  userId: {
    ...logFields.userId,
    label: 'User',
    help: 'The user whose it becomes, if it is not to be whose it was',
  },
} satisfies Fields;

const readOwner = queryReader(ownerParameter);

/**
 * POST that restores a deleted record with its id, as it was deleted; a user with all that was deleted with the user. Erased
 * users are not restored. A record of which an erasure left only the id is restored as the body has it. A request repeated with
 * its `Idempotency-Key` gets the first response.
 */
export function restoreRoute(collection: Collection): Route {
  const { name, kind } = collection;
  const isOfUser = isOwned(name);
  const { tag, schema, a, one, example, deleted } = termsOf(kind);
  const further = isOfUser
    ? 'Where erasing left only its id, and the token is for all users, it comes back as the body has it; any other body is only checked, its userId too unless the query has one.'
    : 'With the user comes back what was deleted with the user.';
  return {
    method: 'POST',
    path: `${kind.path}/{id}/restore`,
    right: `create ${name}`,
    errors: [...BODY, 'Conflict', ...REPEATABLE],
    tag,
    id: `restore${schema}`,
    summary: `Bring back ${a} that was deleted`,
    description: `With its id, as it was deleted. ${further} Without a body it needs Content-Type: application/json or an Idempotency-Key. 409 if it is there or cannot be: the detail says why. 404 if it never was, or was erased.`,
    ...(isOfUser && { query: ownerParameter }),
    exampleId: deleted,
    headers: [isOfUser ? IDEMPOTENCY_KEY : { ...IDEMPOTENCY_KEY, required: true }],
    ...(isOfUser && { body: { ...taken(ref(`${schema}Input`), example), required: false } }),
    success: { '201': ok(`The ${one}`, ref(schema), CREATED_HEADERS) },
    handle: async (context) => {
      if (!isOfUser) {
        requireOwnHeader(context.request);
        await readNothing(context.request);
        const { store, id, workers } = context;
        const deletion = store.history.lastOf(name, id);
        const offloaded = deletion && store.history.isLong(deletion.change) && workers?.write(context);
        return offloaded || restored(context, collection, { text: '', value: '' }, {});
      }
      const { userId: owner } = readOwner(context.search);
      const body = await readJsonIfAny(context.request);
      // Some clients send {} with every POST.
      const as =
        body && !isDeepStrictEqual(body.value, {})
          ? () => checkSent(context.store.users, name, 'input', body.value) as { userId: number }
          : undefined;
      // What identifies the request to its key: the owner of the query, and the body.
      const asked = {
        text: JSON.stringify([owner, body?.text]),
        value: [owner ?? null, body?.value ?? null],
      };
      return restored(context, collection, asked, { owner, as });
    },
  };
}

/** @param asked tells the request from others with the same key */
const restored = (
  context: RequestContext,
  collection: Collection,
  asked: Body,
  further: Pick<Restoration, 'owner' | 'as'>,
): Promise<HttpResponse> =>
  createOnce(collection, context, repeatable(context, asked), false, () => () => [
    context.store.restore({ record: collection.name, id: context.id, ...further }),
  ]);
