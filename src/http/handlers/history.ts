import { notFound } from '../../domain/errors.ts';
import { answerEntries } from './entries.ts';
import { parseQuery } from './query.ts';
import type { Handler } from './records.ts';
import type { Resource } from './resource.ts';

/** GET of what happened to one record, the first change first; a deleted record still has its history. */
export function history({ path }: Resource): Handler {
  const record = path === '/users' ? 'user' : 'log';
  return ({ request, id, search, store }) => {
    parseQuery(search, {});
    const first = store.historyOf(record, id);
    // A record from before the history began is there and has none.
    if (first.length === 0 && !store[record === 'user' ? 'users' : 'logs'].has(id))
      throw notFound(record, id);
    return answerEntries(request, {}, first, (seq) => store.historyOf(record, id, seq));
  };
}
