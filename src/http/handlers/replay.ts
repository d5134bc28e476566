import type { HistoryEntry } from '../../domain/history.ts';
import type { Noun } from '../../domain/records.ts';
import type { Store } from '../../store/store.ts';
import type { Match } from '../route.ts';
import { type HttpResponse, json } from '../wire/message.ts';
import type { BatchRequest } from './batch.ts';
import { disclosedRecord } from './disclosure.ts';
import { etagOf } from './etag.ts';
import { type Collection, logs, routines, type StoredRecord, users } from './resource.ts';

type State = HistoryEntry['before'];

/**
 * The responses to a batch that was done before, from the history of its change. No response is stored: what is erased is
 * erased everywhere, and its response has null for a body.
 * @param entries the entries of the change that the batch was
 */
export function replay(
  store: Store,
  requests: readonly BatchRequest[],
  entries: readonly HistoryEntry[],
  match: (target: string) => Match | undefined,
): HttpResponse[] {
  const left = [...entries];
  const states = new Map<string, State>();
  const take = (isIt: (entry: HistoryEntry) => boolean): HistoryEntry | undefined => {
    const at = left.findIndex(isIt);
    const [entry] = at < 0 ? [] : left.splice(at, 1);
    if (entry) states.set(`${entry.record} ${entry.id}`, entry.after);
    return entry;
  };
  return requests.map(({ method, url, body }) => {
    const { path, id } = placeOf(url, match);
    const resource = [users, logs, routines].find((one) => path.startsWith(one.path)) ?? logs;
    const isOf = ({ record, id: of }: HistoryEntry) => record === resource.noun && of === id;
    if (method === 'DELETE') {
      take((entry) => isOf(entry) && entry.action === 'delete');
      return json(200, '{}');
    }
    if (method === 'POST') {
      const made = take(({ record, action }) => record === resource.noun && action === 'create');
      return answer(201, resource, made?.after ?? null, `${resource.path}/${made?.id}`);
    }
    const next = left.find(isOf);
    if (next && isResultOf(body, next)) {
      const done = take((entry) => entry === next);
      return answer(200, resource, done?.after ?? null);
    }
    // It changed nothing: the record was as the change found it, or as it had become.
    const known = states.get(`${resource.noun} ${id}`);
    return answer(200, resource, known ?? next?.before ?? unchanged(store, resource.noun, id, entries));
  });
}

function placeOf(url: string, match: (target: string) => Match | undefined): { path: string; id: number } {
  const found = match(url);
  const [route] = found?.methods.values() ?? [];
  return { path: route?.path ?? '', id: found?.id ?? 0 };
}

/** Whether an update is what this body did: every field that it names is as it says, and not all were before. */
function isResultOf(body: unknown, { action, before, after }: HistoryEntry): boolean {
  if (action !== 'update' || !before || !after) return false;
  const [old, now] = [before, after] as unknown as Record<string, unknown>[];
  const sent = Object.entries(body as object).filter(([name]) => name !== 'id');
  const isAs = (state: Record<string, unknown> | undefined) =>
    sent.every(([name, value]) => JSON.stringify(state?.[name] ?? null) === JSON.stringify(value));
  return isAs(now) && !isAs(old);
}

/** A record that the change did not touch, as it was then. */
function unchanged(store: Store, noun: Noun, id: number, entries: readonly HistoryEntry[]): State {
  const [later] = store.historyOf(noun, id, entries.at(-1)?.seq ?? 0);
  if (later) return later.before;
  return store.of(noun).find(id) ?? null;
}

function answer(status: number, resource: Collection, state: State, location?: string): HttpResponse {
  if (state === null) return json(status, 'null');
  const body = JSON.stringify(state);
  const headers = { ...(location !== undefined && { location }), etag: etagOf(body) };
  return { ...json(status, body, headers), disclosed: disclosedRecord(resource, state as StoredRecord) };
}
