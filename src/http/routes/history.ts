import { mayUndo } from '../../domain/access.ts';
import type { Disclosure } from '../../domain/audit.ts';
import { fromTexts } from '../../domain/codec.ts';
import { absent, conflict, notFound } from '../../domain/errors.ts';
import { MAX_ID } from '../../domain/fields.ts';
import type { HistoryEntry } from '../../domain/history.ts';
import { nounOf } from '../../domain/kinds.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { rateLimitKey } from '../guard/limits.ts';
import {
  conditional,
  content,
  ETAG_IF_SHORT,
  exampleOf,
  header,
  IDEMPOTENCY_KEY,
  IF_NONE_MATCH,
  type Json,
  many,
  notModified,
  object,
  ok,
  REPLAYED,
  ref,
  schemaJson,
  sureHeader,
  taken,
  termsOf,
} from '../openapi/parts.ts';
import { REPEATABLE } from '../openapi/problems.ts';
import { readJson } from '../protocol/body.ts';
import type { Collection } from '../protocol/collection.ts';
import { disclosedChanges, disclosedParts } from '../protocol/disclosure.ts';
import { etagOf, etagsParameter, tagged } from '../protocol/etag.ts';
import type { Subscription } from '../protocol/feed.ts';
import { chunksOf, jsonArray } from '../protocol/formats.ts';
import { firstRequest, repeatable, replayed } from '../protocol/idempotency.ts';
import { numberParameter, yesParameter } from '../protocol/parameter.ts';
import { queryReader } from '../protocol/query.ts';
import type { RequestContext, Route } from '../protocol/route.ts';
import { weightsOf } from '../wire/accept.ts';
import { type Chunk, type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { problemResponse, unavailable } from '../wire/problem.ts';

/** GET of the history of one record, the oldest entry first; a deleted record still has one. */
export function historyRoute({ name, kind, verbs }: Collection): Route {
  const { tag, schema, a } = termsOf(kind);
  return {
    method: 'GET',
    path: `${kind.path}/{id}/history`,
    right: `read ${name}`,
    tag,
    id: `get${schema}History`,
    summary: `What happened to ${a}`,
    description: 'The first change first. A deleted record still has its history.',
    ...conditional(ok('The entries', many(ref('HistoryEntry')), ETAG_IF_SHORT)),
    handle: ({ request, id, store }) => {
      const first = store.historyOf(name, id);
      // Records older than the history table have no entries.
      if (first.length === 0 && !verbs(store).has(id)) throw notFound(nounOf(name), id);
      return entriesResponse(request, {}, first, (seq) => store.historyOf(name, id, seq));
    },
  };
}

const CHUNK_ENTRIES = 100;

const since = numberParameter('The seq of the last change that is known already; 0 for all there is', {
  min: 0,
  max: MAX_ID,
  example: 0,
});

const changesParameters = {
  since,
  limit: numberParameter('Most changes in an answer', { min: 1, max: 1000, example: 100 }),
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
  'X-Last-Seq': sureHeader('Since when to ask next time, once there is no Link', 'integer'),
};

/** GET of the changes after an entry of the history: as a list, or as an event stream that stays open. */
export const changesRoute: Route = {
  method: 'GET',
  path: '/changes',
  right: 'read changes',
  errors: ['Gone'],
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
        Link: header('With limit: where to go on, rel="next"'),
        ...LAST_SEQ,
      },
      content: {
        ...content(many(ref('HistoryEntry'))),
        'text/event-stream': { schema: { type: 'string' } },
      },
    },
    '304': notModified(LAST_SEQ),
  },
  handle: (context) => {
    const { request, search, store } = context;
    const { since = 0, limit, etags = false } = readQuery(search);
    const read: Read = (seq, most) => {
      const entries = store.changesAfter(seq, most);
      return etags ? entries.map(withEtag) : entries;
    };
    const headers: HttpHeaders = { vary: 'Accept', 'x-last-seq': String(store.lastChange(since)) };
    if (weightsOf(request.headers.accept ?? '').get('text/event-stream'))
      return stream(context, since, headers, read);
    store.requireSince(since);
    if (limit !== undefined) return changesPage(context, { since, limit, etags }, headers, read);
    const after = (seq: number) => read(seq, CHUNK_ENTRIES);
    return entriesResponse(request, headers, after(since), after);
  },
};

/** Reads entries after a seq, at most so many. */
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
    // x-accel-buffering keeps nginx from buffering events. A stream is the last response of its connection.
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

/** Parses Last-Event-ID: the seq after which a client resumes a stream. @throws SciaticaError `invalid` */
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
  let end: unknown = unavailable('The service stops.');
  try {
    yield { text: ': sciatica\n\n' };
    // A restore or an erasure leaves a gap in the history: the stream ends, since it could not be resumed.
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
 * A response with entries of the history: one text if they are few, otherwise in chunks.
 * @param first the first block of entries
 * @param after reads the block after a seq
 */
function entriesResponse(
  request: HttpRequest,
  headers: HttpHeaders,
  first: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): HttpResponse {
  const last = first.at(-1);
  if (!last || after(last.seq).length === 0) return taggedEntries(request, headers, first);
  const body = chunksOf(jsonArray, batches(first, after), ({ entries }) => disclosedChanges(entries));
  return { ...json(200, '', headers), body };
}

function taggedEntries(request: HttpRequest, headers: HttpHeaders, entries: HistoryEntry[]): HttpResponse {
  const response = tagged(request, JSON.stringify(entries), headers);
  return { ...response, disclosed: disclosedChanges(entries) };
}

/** The blocks of entries. The history only grows, so they need not be read from one snapshot. */
function* batches(
  first: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): Generator<{ entries: HistoryEntry[]; rows: string[] }> {
  let entries = first;
  for (let last = entries.at(-1); last; last = entries.at(-1)) {
    yield { entries, rows: entries.map((entry) => JSON.stringify(entry)) };
    entries = after(last.seq);
  }
}

const count = (description: string, example: number): Json => ({
  type: 'integer',
  description,
  examples: [example],
});

const undoFields = {
  change: numberParameter('Number of the change, as the history has it', { min: 1, max: MAX_ID, example: 2 }),
};

const undoParameter = {
  everywhere: yesParameter(
    'Whether to take it back also if other machines have it by now: the next sync takes it back there too',
  ),
};

const readReach = queryReader(undoParameter);

/** POST of the number of a change to undo. A change that the caller may not undo as a whole is answered with 404. */
export const undoRoute: Route = {
  method: 'POST',
  path: '/undo',
  right: 'undo',
  errors: ['NotFound', 'Conflict', ...REPEATABLE],
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
      object({
        undoes: count('The change that was taken back', 4),
        entries: count('How many entries it had', 1),
        since: count('What /changes?since= takes to give what the undoing did', 7),
      }),
      REPLAYED,
    ),
  },
  handle: async (context) => {
    const { request, search, store, caller } = context;
    const { everywhere } = readReach(search);
    const sent = await readJson(request);
    const { change } = check(objectOf(undoFields), sent.value);
    const isLong = store.history.isLong(change, caller?.users ?? undefined);
    const offloaded = isLong && context.workers?.write(context, sent.text);
    if (offloaded) return offloaded;
    const repeat = repeatable(context, sent);
    const answer = (disclosed: readonly Disclosure[], since: number): HttpResponse => {
      const entries = disclosed.reduce((sum, { count }) => sum + count, 0);
      return json(200, JSON.stringify({ undoes: change, entries, since }), {}, disclosed);
    };
    let mayReach = false;
    return store.submitUndo(change, {
      before: () => {
        const first = repeat && firstRequest(store, repeat);
        return first && replayed(answer(disclosedChanges(first.entries), (first.entries[0]?.seq ?? 1) - 1));
      },
      check: (found) => {
        // A change of other users has no parts that this caller can see.
        if (found.length === 0 || (caller && !found.every((part) => mayUndo(caller, part))))
          throw absent(`There is no change ${change} in the history.`);
        mayReach = everywhere || store.remotes.reachOf(change).length === 0;
      },
      after: (taken, seq) => {
        // Thrown after the undo, so that its own obstacles are reported first; the error rolls it back. The
        // names of the machines are not for every caller.
        if (!mayReach)
          throw conflict(
            `Other machines have change ${change} by now: the next sync takes it back there too. If that is what you want, ask with ?everywhere=true.`,
          );
        if (repeat) store.requests.add(repeat);
        return answer(disclosedParts(taken), seq);
      },
    });
  },
};
