import { notFound } from '../domain/errors.ts';
import { answerEntries } from './entries.ts';
import type { Handler } from './handlers.ts';
import { parseQuery } from './query.ts';
import type { Resource } from './resource.ts';

/** GET of what happened to one record, the first change first; a deleted record still has its history. */
export function history({ path }: Resource): Handler {
  const record = path === '/users' ? 'user' : 'log';
  return ({ request, id, search, store }) => {
    parseQuery(search, {});
    const next = (seq: number) => store.historyOf(record, id, seq);
    // A record from before the history began is there and has none.
    if (next(0).length === 0 && !store[record === 'user' ? 'users' : 'logs'].has(id))
      throw notFound(record, id);
    return answerEntries(request, {}, next);
  };
}
