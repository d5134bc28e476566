import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { kindOfRight } from '../../domain/access.ts';
import { type HistoryEntry, usersOf } from '../../domain/history.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { DoneRequest } from '../../store/records/requests.ts';
import type { Store } from '../../store/store.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import { recordsOf, type StoredRecord } from './collection.ts';
import { disclosedRecord } from './disclosure.ts';
import { etagOf } from './etag.ts';
import type { Match } from './route.ts';

/** One request of a batch. */
export interface BatchRequest {
  method: string;
  url: string;
  headers?: IncomingHttpHeaders;
  body?: unknown;
}

type State = HistoryEntry['before'];

/** The record that a request is about; with `isOwner`, the one of a user, or a new one. */
interface Place {
  kind: KindName;
  /** Id of the record, or of its owner; 0 for a new one. */
  id: number;
  isOwner: boolean;
}

/**
 * The responses to a batch that was done before, from the history of its change. No response is stored: what is erased is
 * erased everywhere, and its response has null for a body.
 * @param done the batch as it was done
 */
export function replay(
  store: Store,
  requests: readonly BatchRequest[],
  { entries, seq }: DoneRequest,
  match: (target: string) => Match | undefined,
): HttpResponse[] {
  const left = [...entries];
  const states = new Map<string, State>();
  return requests.map(({ method, url, body }) => {
    const place = placeOfRequest(method, url, match);
    const key = JSON.stringify(place);
    const take = (entry: HistoryEntry | undefined): State => {
      if (entry) left.splice(left.indexOf(entry), 1);
      for (const isOwner of [true, false]) if (entry) states.set(placeOfEntry(entry, isOwner), entry.after);
      return entry?.after ?? null;
    };
    const isOf = (entry: HistoryEntry) =>
      method === 'POST' && !place.isOwner
        ? entry.record === place.kind
        : placeOfEntry(entry, place.isOwner) === key;
    if (method === 'DELETE') {
      take(left.find((entry) => isOf(entry) && entry.action === 'delete'));
      return json(200, '{}');
    }
    if (method === 'POST') {
      const made = (entry: HistoryEntry) => entry.action === 'create' && isResultOf(body, place, entry);
      return stateResponse(201, place.kind, take(left.find((entry) => isOf(entry) && made(entry))));
    }
    const next = left.find(isOf);
    if (next && isResultOf(body, place, next))
      return stateResponse(next.action === 'create' ? 201 : 200, place.kind, take(next));
    // It changed nothing: the record was as the change found it, or as it had become.
    return stateResponse(200, place.kind, states.get(key) ?? next?.before ?? stateAfter(store, place, seq));
  });
}

function placeOfRequest(method: string, url: string, match: (target: string) => Match | undefined): Place {
  const found = match(url);
  const route = found?.methods.get(method);
  return {
    kind: route?.right ? kindOfRight(route.right) : 'log',
    id: found?.id ?? 0,
    isOwner: route?.isOwner === true,
  };
}

/** The place of the record of an entry, as a text. */
function placeOfEntry(entry: HistoryEntry, isOwner: boolean): string {
  const id = isOwner ? (usersOf(entry)[0] ?? 0) : entry.id;
  return JSON.stringify({ kind: entry.record, id, isOwner } satisfies Place);
}

/** Whether an entry is what this body did: every field that it names is as it says, and not all were before. */
function isResultOf(body: unknown, { isOwner }: Place, { before, after }: HistoryEntry): boolean {
  const ignored = isOwner ? ['id', 'userId'] : ['id'];
  const sent = Object.entries(body as object)
    .filter(([name]) => !ignored.includes(name))
    // JSON has a -0, records do not.
    .map(([name, value]) => [name, Object.is(value, -0) ? 0 : value] as const);
  const isAs = (state: State) => {
    const fields = state as Record<string, unknown> | null;
    return fields !== null && sent.every(([name, value]) => isDeepStrictEqual(fields[name] ?? null, value));
  };
  return isAs(after) && !isAs(before);
}

/** A record as it was after the entry `seq`. */
function stateAfter(store: Store, { kind, id, isOwner }: Place, seq: number): State {
  if (!isOwner) {
    const [later] = store.historyOf(kind, id, seq);
    return later ? later.before : (store.of(kind).find(id) ?? null);
  }
  const later = store.history
    .list({ user: id })
    .findLast((entry) => entry.record === kind && entry.seq > seq);
  return later
    ? later.before
    : ((recordsOf(store, kind).list({ userId: id })[0] as State | undefined) ?? null);
}

function stateResponse(status: number, kind: KindName, state: State): HttpResponse {
  if (state === null) return json(status, 'null');
  const body = JSON.stringify(state);
  const { path, place } = kindOf(kind);
  const isLocated = status === 201 && place !== 'one-per-user';
  const headers = { ...(isLocated && { location: `${path}/${state.id}` }), etag: etagOf(body) };
  return { ...json(status, body, headers), disclosed: disclosedRecord(kind, state as StoredRecord) };
}
