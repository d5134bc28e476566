import type { HistoryEntry } from '../domain/history.ts';
import { tagged } from './handlers.ts';
import { type HttpHeaders, type HttpRequest, type HttpResponse, json } from './message.ts';

/**
 * Answers with entries of the history: as one text while they are few, else piece by piece.
 * @param next reads those that come after an entry, some at a time
 */
export function answerEntries(
  request: HttpRequest,
  headers: HttpHeaders,
  next: (seq: number) => HistoryEntry[],
  since = 0,
): HttpResponse {
  const first = next(since);
  const last = first.at(-1);
  const isWhole = last === undefined || next(last.seq).length === 0;
  if (isWhole) return tagged(request, JSON.stringify(first), headers);
  return { ...json(200, '', headers), body: arrayOf(next, since) };
}

/** The history only grows, so that no two pieces need to be read at one moment. */
function* arrayOf(next: (seq: number) => HistoryEntry[], since: number): Generator<string> {
  let before = '[';
  for (let seq = since; ; ) {
    const entries = next(seq);
    const last = entries.at(-1);
    if (last === undefined) break;
    yield before + entries.map((entry) => JSON.stringify(entry)).join(',');
    before = ',';
    seq = last.seq;
  }
  yield before === '[' ? '[]' : ']';
}
