import type { HistoryEntry } from '../../domain/history.ts';
import { type HttpHeaders, type HttpRequest, type HttpResponse, json } from '../wire/message.ts';
import { arrayOf, tagged } from './records.ts';

/**
 * Answers with entries of the history: as one text while they are few, else piece by piece.
 * @param first the first of them
 * @param after reads those that come after an entry, some at a time
 */
export function answerEntries(
  request: HttpRequest,
  headers: HttpHeaders,
  first: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): HttpResponse {
  const last = first.at(-1);
  const second = last ? after(last.seq) : [];
  if (second.length === 0) return tagged(request, JSON.stringify(first), headers);
  return { ...json(200, '', headers), body: arrayOf(pieces(first, second, after)) };
}

/** The history only grows, so that no two pieces need to be read at one moment. */
function* pieces(
  first: HistoryEntry[],
  second: HistoryEntry[],
  after: (seq: number) => HistoryEntry[],
): Generator<string[]> {
  yield first.map((entry) => JSON.stringify(entry));
  for (let entries = second; ; ) {
    const last = entries.at(-1);
    if (last === undefined) return;
    yield entries.map((entry) => JSON.stringify(entry));
    entries = after(last.seq);
  }
}
