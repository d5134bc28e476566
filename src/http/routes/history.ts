import { mayUndo } from '../../domain/access.ts';
import type { Disclosure } from '../../domain/audit.ts';
import { fromTexts } from '../../domain/codec.ts';
import { notFound, SciaticaError } from '../../domain/errors.ts';
import { boolean, type Fields, integer, MAX_ID } from '../../domain/fields.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { logFields } from '../../domain/log.ts';
import { check, objectOf } from '../../domain/schema.ts';
import type { Restoration } from '../../store/history/restore.ts';
import type { DoneRequest } from '../../store/records/requests.ts';
import { rateLimitKey } from '../guard/limits.ts';
import {
  CREATED_HEADERS,
  content,
  ETAG_IF_SHORT,
  exampleOf,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  type Json,
  many,
  NOT_MODIFIED,
  notModified,
  ok,
  REPLAYED,
  ref,
  schemaJson,
  taken,
  termsOf,
} from '../openapi/parts.ts';
import { BODY, READ, READ_ONE, WRITE } from '../openapi/problems.ts';
import { readJsonIfAny, readJsonText, requireOwnHeader } from '../protocol/body.ts';
import type { Collection, StoredRecord } from '../protocol/collection.ts';
import { disclosedChanges, disclosedParts } from '../protocol/disclosure.ts';
import { etagOf, etagsParameter, tagged } from '../protocol/etag.ts';
import type { Subscription } from '../protocol/feed.ts';
import { arrayOf } from '../protocol/formats.ts';
import { firstRequest, repeatable, replayed } from '../protocol/idempotency.ts';
import { parseQuery, queryReader } from '../protocol/query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { type Chunk, type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { Problem, problemResponse } from '../wire/problem.ts';
import { created, createdBefore } from './records.ts';

/** GET of the history of one record, the first change first; a deleted record still has one. */
export function historyRoute({ name, kind, verbs }: Collection): Route {
  const { tag, schema, a } = termsOf(kind);
  return {
    method: 'GET',
    path: `${kind.path}/{id}/history`,
    right: `read ${name}`,
    errors: READ_ONE,
    operation: {
      tag,
      id: `get${schema}History`,
      summary: `What happened to ${a}`,
      description: 'The first change first. A deleted record still has its history.',
      headers: [IF_NONE_MATCH],
      success: {
        '200': ok('The entries', many(ref('HistoryEntry')), ETAG_IF_SHORT),
        '304': NOT_MODIFIED,
      },
    },
    handle: ({ request, id, search, store }) => {
      parseQuery(search, {});
      const first = store.historyOf(name, id);
      // Records older than the history table have no entries.
      if (first.length === 0 && !verbs(store).has(id)) throw notFound(name, id);
      return entriesResponse(request, {}, first, (seq) => store.historyOf(name, id, seq));
    },
  };
}

/** Most entries of the history in a chunk. */
const CHUNK_ENTRIES = 100;

const since = integer({
  label: 'Since',
  flag: 'since',
  help: 'The seq of the last change that is known already; 0 for all there is',
  min: 0,
  max: MAX_ID,
  example: 0,
});

/** The query parameters of the changes. */
const changesParameters = {
  since,
  limit: integer({
    label: 'Limit',
    flag: 'limit',
    help: 'Most changes in an answer',
    min: 1,
    max: 1000,
    example: 100,
  }),
  ...etagsParameter,
};

const readQuery = queryReader(changesParameters);

const lastEventId = { 'Last-Event-ID': since };

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  description: 'Where a stream that was broken off goes on: counts instead of since',
  schema: { type: 'string', pattern: '^\\d+$' },
};

const LAST_SEQ: Json = {
  'X-Last-Seq': {
    description: 'Since when to ask next time, once there is no Link',
    required: true,
    schema: { type: 'integer' },
  },
};

/** GET of the changes after an entry of the history: as a list, or as an event stream that stays open. */
export const changesRoute: Route = {
  method: 'GET',
  path: '/changes',
  right: 'read changes',
  errors: [...READ, 'Gone'],
  operation: {
    tag: 'Changes',
    id: 'listChanges',
    summary: 'What changed since',
    description:
      'The first change first, of the records that the caller sees. With Accept: text/event-stream it stays open and sends each change when it happens, as an event whose id is its seq and whose data is the entry. A last event called end says why the stream ends, as problem details.',
    query: changesParameters,
    headers: [LAST_EVENT_ID, IF_NONE_MATCH],
    success: {
      '200': {
        description: 'The changes',
        headers: {
          ...ETAG_IF_SHORT,
          Link: { description: 'With limit: where to go on, rel="next"', schema: { type: 'string' } },
          ...LAST_SEQ,
        },
        content: {
          ...content(many(ref('HistoryEntry'))),
          'text/event-stream': { schema: { type: 'string' } },
        },
      },
      '304': notModified(LAST_SEQ),
    },
  },
  handle: (context) => {
    const { request, search, store } = context;
    const { since = 0, limit, etags = false } = readQuery(search);
    const read: Read = (seq, most) => {
      const entries = store.changesAfter(seq, most);
      return etags ? entries.map(withEtag) : entries;
    };
    const headers: HttpHeaders = { vary: 'Accept', 'x-last-seq': String(store.lastChange(since)) };
    if (/\btext\/event-stream\b/i.test(request.headers.accept ?? ''))
      return stream(context, since, headers, read);
    store.requireSince(since);
    if (limit !== undefined) return changesPage(context, { since, limit, etags }, headers, read);
    const after = (seq: number) => read(seq, CHUNK_ENTRIES);
    return entriesResponse(request, headers, after(since), after);
  },
};

/** Reads changes after an entry of the history, at most so many. */
type Read = (seq: number, most: number) => HistoryEntry[];

/** An entry with the entity tag that the record has after it. */
const withEtag = (entry: HistoryEntry): HistoryEntry & { etag: string | null } => ({
  ...entry,
  etag: entry.after && etagOf(JSON.stringify(entry.after)),
});

function changesPage(
  { request, store }: RequestContext,
  { since, limit, etags }: { since: number; limit: number; etags: boolean },
  headers: HttpHeaders,
  read: Read,
): HttpResponse {
  const entries = read(since, limit);
  const last = entries.at(-1)?.seq;
  if (last !== undefined && store.changesAfter(last, 1).length > 0) {
    headers['x-last-seq'] = String(last);
    headers['link'] = `</changes?since=${last}&limit=${limit}${etags ? '&etags=true' : ''}>; rel="next"`;
  }
  return taggedEntries(request, headers, entries);
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), one for each entry. */
function stream(context: RequestContext, since: number, headers: HttpHeaders, read: Read): HttpResponse {
  const { request, store, feed, caller } = context;
  const last = request.headers['last-event-id'];
  const from = last ? resumedAt(String(last)) : since;
  // A stream that cannot be resumed is refused before the status line is sent.
  store.requireSince(from);
  const head = {
    status: 200,
    // x-accel-buffering: nginx would buffer events. A stream is the last response of its connection.
    headers: {
      ...headers,
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      connection: 'close',
    },
  };
  if (request.method === 'HEAD') return head;
  const subscription = feed.subscribe(caller?.id ?? rateLimitKey(request.address()));
  request.onClose(() => subscription.close());
  return { ...head, body: events(context, from, subscription, read) };
}

/** The seq at which a client resumes a stream. */
function resumedAt(header: string): number {
  return check(objectOf(lastEventId), fromTexts(lastEventId, { 'Last-Event-ID': header }))['Last-Event-ID'];
}

async function* events(
  { store, recheck }: RequestContext,
  since: number,
  subscription: Subscription,
  read: Read,
): AsyncGenerator<Chunk> {
  const { horizon } = store;
  let end: unknown = new Problem(503, 'The service stops.', { 'retry-after': '1' });
  try {
    yield { text: ': sciatica\n\n' };
    // A stream ends when the history gets a gap, which makes it impossible to resume.
    let last = since;
    for (let seq = since; subscription.isOpen && store.horizon === horizon; ) {
      // The token may have been revoked while the stream was idle.
      recheck?.();
      const entries = read(seq, CHUNK_ENTRIES);
      seq = entries.at(-1)?.seq ?? seq;
      if (entries.length > 0) {
        const text = entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`).join('');
        yield { text, disclosed: disclosedChanges(entries) };
        subscription.sent();
      } else if ((await subscription.next()) === 'idle' && subscription.isOpen) yield { text: ':\n\n' };
      last = seq;
    }
    if (subscription.isOpen) store.requireSince(last);
  } catch (error) {
    end = error;
  } finally {
    subscription.close();
  }
  yield { text: `event: end\ndata: ${problemResponse(end).body}\n\n` };
}

/**
 * A response with entries of the history: one text while they are few, else in chunks.
 * @param first the first of them
 * @param after reads those that follow an entry, some at a time
 */
function entriesResponse(
  request: HttpRequest,
  headers: HttpHeaders,
  first: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): HttpResponse {
  const last = first.at(-1);
  const second = last ? after(last.seq) : [];
  if (second.length === 0) return taggedEntries(request, headers, first);
  const body = arrayOf(batches(first, second, after), ({ entries }) => disclosedChanges(entries));
  return { ...json(200, '', headers), body };
}

/** A response with all of these entries in one text. */
function taggedEntries(request: HttpRequest, headers: HttpHeaders, entries: HistoryEntry[]): HttpResponse {
  const response = tagged(request, JSON.stringify(entries), headers);
  response.disclosed = disclosedChanges(entries);
  return response;
}

/** The history only grows, so that batches need not be read from one snapshot. */
function* batches(
  first: HistoryEntry[],
  second: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): Generator<{ entries: HistoryEntry[]; rows: string[] }> {
  yield batch(first);
  for (let entries = second; ; ) {
    const last = entries.at(-1);
    if (last === undefined) return;
    yield batch(entries);
    entries = after(last.seq);
  }
}

const batch = (entries: HistoryEntry[]) => ({ entries, rows: entries.map((entry) => JSON.stringify(entry)) });

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
    errors: [...WRITE, ...(isOwned ? BODY : ['UnsupportedMediaType' as const]), ...NOT_RESTORED],
    operation: {
      tag,
      id: `restore${schema}`,
      summary: `Bring back ${a} that was deleted`,
      description: `With its id, as it was deleted. ${further} Without a body it needs Content-Type: application/json or an Idempotency-Key. 409 if it is there, or cannot be there: the detail says what stands in the way. 404 if it never was, or was erased.`,
      query: isOwned ? ownerParameter : {},
      exampleId: deleted,
      headers: [isOwned ? IDEMPOTENCY_KEY : { ...IDEMPOTENCY_KEY, required: true }],
      ...(isOwned && { body: { ...taken(ref(`${schema}Input`), example), required: false } }),
      success: { '201': ok(`The ${one}`, ref(schema), CREATED_HEADERS) },
    },
    handle: async (context) => {
      if (!isOwned) {
        parseQuery(context.search, {});
        requireOwnHeader(context.request);
        return restored(context, collection, { text: '', value: '' }, {});
      }
      const { userId: owner } = readOwner(context.search);
      const body = await readJsonIfAny(context.request);
      const as = body && (() => collection.check(context.store, body.value));
      // Of the query only the owner is part of what is asked for.
      const asked = {
        text: JSON.stringify([owner, body?.text]),
        value: [owner ?? null, body?.value ?? null],
      };
      return restored(context, collection, asked, { owner, as });
    },
  };
}

async function restored(
  { request, id, store, caller }: RequestContext,
  collection: Collection,
  asked: { text: string; value: unknown },
  further: Pick<Restoration, 'owner' | 'as'>,
): Promise<HttpResponse> {
  const { name, kind } = collection;
  const repeat = repeatable(request, `${kind.path}/${id}/restore`, caller, asked);
  return store.submit(() => {
    const first = repeat && firstRequest(store, repeat);
    if (first)
      return replayed(createdBefore(collection, store, undefined, [restoredBy(first, collection, id)]));
    const record = store.restore({ record: name, id, ...further });
    if (repeat) store.requests.add(repeat);
    return created(collection, undefined, [record]);
  });
}

/** The record as a request restored it. @throws SciaticaError `not-found` if it was erased since */
function restoredBy({ entries }: DoneRequest, { name }: Collection, id: number): StoredRecord {
  const entry = entries.find((one) => one.record === name && one.id === id);
  if (!entry?.after) throw notFound(name, id);
  return entry.after;
}

const count = (description: string, example: number): Json => ({
  type: 'integer',
  description,
  examples: [example],
});

const NOT_RESTORED = ['NotFound', 'Conflict', 'RecordGone', 'UnprocessableEntity'] as const;

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

const undoParameter = {
  everywhere: boolean({
    label: 'Everywhere',
    flag: 'everywhere',
    help: 'Whether to take it back also if other machines have it by now: the next sync takes it back there too',
    example: true,
  }),
};

const readReach = queryReader(undoParameter);

/** POST of a change to take back: one that the caller may not write back whole is not there. */
export const undoRoute: Route = {
  method: 'POST',
  path: '/undo',
  right: 'undo',
  errors: [...WRITE, ...BODY, 'NotFound', 'Conflict', 'UnprocessableEntity'],
  operation: {
    tag: 'Changes',
    id: 'undoChange',
    summary: 'Take a change back',
    description:
      'What it created goes, what it deleted comes back with its id, what it updated is as before. It is a change of its own, which can be undone. 404 unless the caller may write every record in it. 409 if another machine has the change by now, unless everywhere=true.',
    query: undoParameter,
    headers: [IDEMPOTENCY_KEY],
    body: taken(schemaJson(objectOf(undoFields)), exampleOf(undoFields)),
    success: {
      '200': ok(
        'It is taken back',
        {
          type: 'object',
          required: ['undoes', 'entries', 'since'],
          properties: {
            undoes: count('The change that was taken back', 4),
            entries: count('How many entries it had', 1),
            since: count('What /changes?since= takes to give what the undoing did', 7),
          },
        },
        REPLAYED,
      ),
    },
  },
  handle: async ({ request, search, store, caller }) => {
    const { everywhere } = readReach(search);
    const sent = await readJsonText(request, () => true);
    const { change } = check(objectOf(undoFields), sent.value);
    const repeat = repeatable(request, '/undo', caller, sent);
    const answer = (disclosed: readonly Disclosure[], since: number): HttpResponse => {
      const entries = disclosed.reduce((sum, { count }) => sum + count, 0);
      return { ...json(200, JSON.stringify({ undoes: change, entries, since })), disclosed };
    };
    return store.submitUndo(change, {
      before: () => {
        const first = repeat && firstRequest(store, repeat);
        return first && replayed(answer(disclosedChanges(first.entries), (first.entries[0]?.seq ?? 1) - 1));
      },
      check: (found) => {
        if (caller && !found.every((part) => mayUndo(caller, part)))
          throw new SciaticaError('not-found', `There is no change ${change} in the history.`);
        // Their names are not for every caller.
        if (!everywhere && store.remotes.reachOf(change).length > 0)
          throw new SciaticaError(
            'conflict',
            `Other machines have change ${change} by now: the next sync takes it back there too. If that is what you want, ask with ?everywhere=true.`,
          );
      },
      after: (taken, seq) => {
        if (repeat) store.requests.add(repeat);
        return answer(disclosedParts(taken), seq);
      },
    });
  },
};
