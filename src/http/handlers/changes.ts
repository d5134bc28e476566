import { fromTexts } from '../../domain/codec.ts';
import { integer, MAX_ID } from '../../domain/fields.ts';
import { check, objectOf } from '../../domain/schema.ts';
import { neighbourhood } from '../guard/limits.ts';
import type { HttpHeaders, HttpResponse } from '../wire/message.ts';
import { answerEntries } from './entries.ts';
import type { Subscription } from './feed.ts';
import { parseQuery } from './query.ts';
import { type Call, type Handler, tagged } from './records.ts';

/** How many entries are in memory at once, if they are short. */
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
  const { since = 0, limit } = asked;
  const headers: HttpHeaders = { vary: 'Accept', 'x-last-seq': String(store.lastChange(since)) };
  if (/\btext\/event-stream\b/i.test(request.headers.accept ?? '')) return stream(call, since, headers);
  store.requireSince(since);
  if (limit !== undefined) return page(call, since, limit, headers);
  const after = (seq: number) => store.changesAfter(seq, CHUNK);
  return answerEntries(request, headers, after(since), after);
};

function page({ request, store }: Call, since: number, limit: number, headers: HttpHeaders): HttpResponse {
  const entries = store.changesAfter(since, limit);
  const last = entries.at(-1)?.seq;
  if (last !== undefined && store.changesAfter(last, 1).length > 0) {
    headers['x-last-seq'] = String(last);
    headers['link'] = `</changes?since=${last}&limit=${limit}>; rel="next"`;
  }
  return tagged(request, JSON.stringify(entries), headers);
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), one for each entry. */
function stream(call: Call, since: number, headers: HttpHeaders): HttpResponse {
  const { request, store, feed, caller } = call;
  const last = request.headers['last-event-id'];
  const from = last ? resumedAt(String(last)) : since;
  // What cannot be gone on from is refused before the stream begins.
  store.requireSince(from);
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
  return check(objectOf(lastEventId), fromTexts(lastEventId, { 'Last-Event-ID': header }))['Last-Event-ID'];
}

async function* events(
  { store, recheck }: Call,
  since: number,
  subscription: Subscription,
): AsyncGenerator<string> {
  const { horizon } = store;
  try {
    yield ': sciatica\n\n';
    // Where the history gets a gap the stream ends, and cannot be gone on with.
    for (let seq = since; subscription.isOpen && store.horizon === horizon; ) {
      // A token that was taken back meanwhile is worthless here too.
      recheck?.();
      const entries = store.changesAfter(seq, CHUNK);
      seq = entries.at(-1)?.seq ?? seq;
      if (entries.length > 0) {
        yield entries.map((entry) => `id: ${entry.seq}\ndata: ${JSON.stringify(entry)}\n\n`).join('');
        subscription.beat();
      } else if ((await subscription.next()) === 'quiet' && subscription.isOpen) yield ':\n\n';
    }
  } finally {
    subscription.close();
  }
}
