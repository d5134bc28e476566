import { mayUndo } from '../../domain/access.ts';
import { notFound, SciaticaError } from '../../domain/errors.ts';
import { type Fields, integer, MAX_ID } from '../../domain/fields.ts';
import { nounOf } from '../../domain/kinds.ts';
import { logFields } from '../../domain/log.ts';
import { check, objectOf } from '../../domain/schema.ts';
import type { Restoration } from '../../store/history/restore.ts';
import type { DoneRequest } from '../../store/records/requests.ts';
import {
  CREATED_HEADERS,
  exampleOf,
  IDEMPOTENCY_KEY,
  type Json,
  ok,
  ref,
  schemaJson,
  taken,
  termsOf,
} from '../openapi/parts.ts';
import { BODY, WRITE } from '../openapi/problems.ts';
import { readJson, readJsonIfAny } from '../protocol/body.ts';
import type { Collection, StoredRecord } from '../protocol/collection.ts';
import { disclosedChanges } from '../protocol/disclosure.ts';
import { firstRequest, repeatable, replayed } from '../protocol/idempotency.ts';
import { parseQuery, queryReader } from '../protocol/query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import { created } from './records.ts';

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
 * POST that brings a deleted record back with its id, as it was deleted; a user with all that was deleted with the user, but
 * not one who was erased. What erasing a user has left nothing of comes back as the body has it. Repeated with its
 * `Idempotency-Key`, it gets the first response.
 */
export function restoreRoute(collection: Collection): Route {
  const { name, kind, isOwned } = collection;
  const { tag, schema, a, one, example, deleted } = termsOf(kind);
  const further = isOwned
    ? 'A body counts where erasing a user has left nothing of it, but its id, and the token is for all users: then it comes back as the body has it.'
    : 'With the user comes back what was deleted with the user.';
  return {
    method: 'POST',
    path: `${kind.path}/{id}/restore`,
    right: `create ${name}`,
    errors: [...WRITE, ...(isOwned ? BODY : []), 'NotFound', 'Conflict', 'UnprocessableEntity'],
    operation: {
      tag,
      id: `restore${schema}`,
      summary: `Bring back ${a} that was deleted`,
      description: `With its id, as it was deleted. ${further} 409 if it is there, or cannot be there: the detail says what stands in the way. 404 if it never was, or was erased.`,
      query: isOwned ? ownerParameter : {},
      exampleId: deleted,
      headers: [IDEMPOTENCY_KEY],
      ...(isOwned && { body: { ...taken(ref(`${schema}Input`), example), required: false } }),
      success: { '201': ok(`The ${one}`, ref(schema), CREATED_HEADERS) },
    },
    handle: async (context) => {
      if (!isOwned) {
        parseQuery(context.search, {});
        return restored(context, collection, '', {});
      }
      const { userId: owner } = readOwner(context.search);
      const body = await readJsonIfAny(context.request);
      const as = body && (() => collection.check(context.store, body.value));
      // Of the query only the owner is part of what is asked for.
      return restored(context, collection, JSON.stringify([owner, body?.text]), { owner, as });
    },
  };
}

async function restored(
  { request, id, store, caller }: RequestContext,
  collection: Collection,
  asked: string,
  further: Pick<Restoration, 'owner' | 'as'>,
): Promise<HttpResponse> {
  const { name, kind } = collection;
  const repeat = repeatable(request, `${kind.path}/${id}/restore`, caller, asked);
  return store.submit(() => {
    const first = repeat && firstRequest(store, repeat);
    if (first) return replayed(created(collection, undefined, [restoredBy(first, collection, id)]));
    const record = store.restore({ record: name, id, ...further });
    if (repeat) store.requests.add(repeat);
    return created(collection, undefined, [record]);
  });
}

/** The record as a request restored it. @throws SciaticaError `not-found` if it was erased since */
function restoredBy({ entries }: DoneRequest, { name }: Collection, id: number): StoredRecord {
  const entry = entries.find((one) => one.record === name && one.id === id);
  if (!entry?.after) throw notFound(nounOf(name), id);
  return entry.after;
}

const count = (description: string, example: number): Json => ({
  type: 'integer',
  description,
  examples: [example],
});

/** What is sent to undo a change. */
const undoFields = {
  change: integer({
    label: 'Change',
    flag: 'change',
    help: 'Number of the change, as the history has it',
    min: 1,
    max: MAX_ID,
    example: 2,
  }),
};

/** POST of a change to take back: one that the caller may not write back whole is not there. */
export const undoRoute: Route = {
  method: 'POST',
  path: '/undo',
  right: 'undo',
  errors: [...WRITE, ...BODY, 'NotFound', 'Conflict'],
  operation: {
    tag: 'Changes',
    id: 'undoChange',
    summary: 'Take a change back',
    description:
      'What it created goes, what it deleted comes back with its id, what it updated is as before. It is a change of its own, which can be undone. 404 unless the caller may write every record in it.',
    body: taken(schemaJson(objectOf(undoFields)), exampleOf(undoFields)),
    success: {
      '200': ok('It is taken back', {
        type: 'object',
        required: ['undoes', 'entries', 'since'],
        properties: {
          undoes: count('The change that was taken back', 4),
          entries: count('How many entries it had', 1),
          since: count('What /changes?since= takes to give what the undoing did', 7),
        },
      }),
    },
  },
  handle: async ({ request, search, store, caller }) => {
    parseQuery(search, {});
    const { change } = check(objectOf(undoFields), await readJson(request));
    const { entries, seq } = await store.submitUndo(change, (found) => {
      if (caller && !found.every((entry) => mayUndo(caller, entry)))
        throw new SciaticaError('not-found', `There is no change ${change} in the history.`);
    });
    const body = JSON.stringify({ undoes: change, entries: entries.length, since: seq });
    return { ...json(200, body), disclosed: disclosedChanges(entries) };
  },
};
