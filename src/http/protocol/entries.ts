import type { HistoryEntry } from '../../domain/history.ts';
import { type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { disclosedChanges } from './disclosure.ts';
import { tagged } from './etag.ts';
import { arrayOf } from './formats.ts';

/**
 * A response with entries of the history: one text while they are few, else in chunks.
 * @param first the first of them
 * @param after reads those that follow an entry, some at a time
 */
export function entriesResponse(
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
export function taggedEntries(
  request: HttpRequest,
  headers: HttpHeaders,
  entries: HistoryEntry[],
): HttpResponse {
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
