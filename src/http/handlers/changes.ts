import { fromTexts } from '../../domain/codec.ts';
import { integer, MAX_ID } from '../../domain/fields.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { rateLimitKey } from '../guard/limits.ts';
import type { Handler, RequestContext } from '../route.ts';
import type { Chunk, HttpHeaders, HttpResponse } from '../wire/message.ts';
import { disclosedChanges } from './disclosure.ts';
import { entriesResponse, taggedEntries } from './entries.ts';
import type { Subscription } from './feed.ts';
import { queryReader } from './query.ts';

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
export const changesParameters = {
  since,
  limit: integer({
    label: 'Limit',
    flag: 'limit',
    help: 'Most changes in an answer',
    min: 1,
    max: 1000,
    example: 100,
  }),
};

const readQuery = queryReader(changesParameters);

const lastEventId = { 'Last-Event-ID': since };

/** GET of the changes after an entry of the history: as a list, or as an event stream that stays open. */
export const changes: Handler = (context) => {
  const { request, search, store } = context;
  const { since = 0, limit } = readQuery(search);
  const headers: HttpHeaders = { vary: 'Accept', 'x-last-seq': String(store.lastChange(since)) };
  if (/\btext\/event-stream\b/i.test(request.headers.accept ?? '')) return stream(context, since, headers);
  store.requireSince(since);
  if (limit !== undefined) return page(context, since, limit, headers);
  const after = (seq: number) => store.changesAfter(seq, CHUNK_ENTRIES);
  return entriesResponse(request, headers, after(since), after);
};

function page(
  { request, store }: RequestContext,
  since: number,
  limit: number,
  headers: HttpHeaders,
): HttpResponse {
  const entries = store.changesAfter(since, limit);
  const last = entries.at(-1)?.seq;
  if (last !== undefined && store.changesAfter(last, 1).length > 0) {
    headers['x-last-seq'] = String(last);
    headers['link'] = `</changes?since=${last}&limit=${limit}>; rel="next"`;
  }
  return taggedEntries(request, headers, entries);
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), one for each entry. */
function stream(context: RequestContext, since: number, headers: HttpHeaders): HttpResponse {
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
  return { ...head, body: events(context, from, subscription) };
}

/** The seq at which a client resumes a stream. */
function resumedAt(header: string): number {
  return check(objectOf(lastEventId), fromTexts(lastEventId, { 'Last-Event-ID': header }))['Last-Event-ID'];
}

async function* events(
  { store, recheck }: RequestContext,
  since: number,
  subscription: Subscription,
): AsyncGenerator<Chunk> {
  const { horizon } = store;
  try {
    yield { text: ': sciatica\n\n' };
    // A stream ends when the history gets a gap, which makes it impossible to resume.
    for (let seq = since; subscription.isOpen && store.horizon === horizon; ) {
      // The token may have been revoked while the stream was idle.
      recheck?.();
      const entries = store.changesAfter(seq, CHUNK_ENTRIES);
      seq = entries.at(-1)?.seq ?? seq;
      if (entries.length > 0) {
        const text = entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`).join('');
        yield { text, disclosed: disclosedChanges(entries) };
        subscription.sent();
      } else if ((await subscription.next()) === 'idle' && subscription.isOpen) yield { text: ':\n\n' };
    }
  } finally {
    subscription.close();
  }
}
