import { fromStrings, integer, MAX_ID } from '../domain/fields.ts';
import type { HistoryEntry } from '../domain/history.ts';
import { check, objectOf } from '../domain/schema.ts';
import type { Store } from '../store/store.ts';
import type { Subscription } from './feed.ts';
import { type Call, type Handler, tagged } from './handlers.ts';
import { neighbourhood } from './limits.ts';
import { type HttpHeaders, type HttpResponse, json } from './message.ts';
import { parseQuery } from './query.ts';

/** How many entries are in memory at once. */
const CHUNK = 100;

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

const lastEventId = { 'Last-Event-ID': since };

/** GET of what changed since an entry of the history: as a list, or as a stream of events that stays open. */
export const changes: Handler = (call) => {
  const { request, search, store } = call;
  const asked = check(objectOf(changesParameters).partial(), parseQuery(search, changesParameters));
  const headers: HttpHeaders = { vary: 'Accept', 'x-last-seq': String(store.history.last()) };
  if (/\btext\/event-stream\b/i.test(request.headers.accept ?? '')) return stream(call, asked.since, headers);
  const { since = 0, limit } = asked;
  if (limit !== undefined) return page(call, since, limit, headers);
  const first = store.changes(since, CHUNK);
  if (first.length < CHUNK) return tagged(request, JSON.stringify(first), headers);
  return { ...json(200, '', headers), body: listOf(store, since) };
};

function page({ request, store }: Call, since: number, limit: number, headers: HttpHeaders): HttpResponse {
  const entries = store.changes(since, limit + 1);
  const shown = entries.slice(0, limit);
  const last = shown.at(-1)?.seq;
  if (entries.length > limit) {
    headers['x-last-seq'] = String(last);
    headers['link'] = `</changes?since=${last}&limit=${limit}>; rel="next"`;
  }
  return tagged(request, JSON.stringify(shown), headers);
}

function* listOf(store: Store, since: number): Generator<string> {
  let before = '[';
  for (const entries of chunksAfter(store, since)) {
    yield before + entries.map((entry) => JSON.stringify(entry)).join(',');
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

/** The history only grows, so that no two chunks need to be read at one moment. */
function* chunksAfter(store: Store, since: number): Generator<HistoryEntry[]> {
  for (let seq = since; ; ) {
    const entries = store.changes(seq, CHUNK);
    if (entries.length > 0) yield entries;
    if (entries.length < CHUNK) return;
    seq = entries.at(-1)?.seq ?? seq;
  }
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), one for each entry. */
function stream(call: Call, since: number | undefined, headers: HttpHeaders): HttpResponse {
  const { request, store, feed, caller } = call;
  const last = request.headers['last-event-id'];
  const from = last === undefined ? (since ?? 0) : resumedAt(String(last));
  // What cannot be gone on from is refused before the stream begins.
  store.changes(from, 1);
  const head = {
    status: 200,
    // nginx would keep events back; and no further request comes after a stream.
    headers: {
      ...headers,
      'content-type': 'text/event-stream',
      'x-accel-buffering': 'no',
      connection: 'close',
    },
  };
  if (request.method === 'HEAD') return head;
  const subscription = feed.subscribe(caller?.id ?? neighbourhood(request.address()));
  request.onClose(() => subscription.close());
  return { ...head, body: events(call, from, subscription) };
}

/** Where a stream that was broken off goes on. */
function resumedAt(header: string): number {
  return check(objectOf(lastEventId), fromStrings(lastEventId, { 'Last-Event-ID': header }))['Last-Event-ID'];
}

async function* events(
  { store, recheck }: Call,
  since: number,
  subscription: Subscription,
): AsyncGenerator<string> {
  try {
    yield ': sciatica\n\n';
    for (let seq = since; subscription.isOpen; ) {
      // A token that was taken back meanwhile is worthless here too.
      recheck?.();
      const entries = store.changes(seq, CHUNK);
      seq = entries.at(-1)?.seq ?? seq;
      if (entries.length > 0)
        yield entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`).join('');
      else if ((await subscription.next()) === 'quiet' && subscription.isOpen) yield ':\n\n';
    }
  } finally {
    subscription.close();
  }
}
