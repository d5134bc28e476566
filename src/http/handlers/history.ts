import { notFound } from '../../domain/errors.ts';
import type { Handler } from '../route.ts';
import { entriesResponse } from './entries.ts';
import { parseQuery } from './query.ts';
import type { Collection } from './resource.ts';

/** GET of the history of one record, the first change first; a deleted record still has one. */
export function history({ noun }: Collection): Handler {
  return ({ request, id, search, store }) => {
    parseQuery(search, {});
    const first = store.historyOf(noun, id);
    // Records older than the history table have no entries.
    if (first.length === 0 && !store[noun === 'user' ? 'users' : 'logs'].has(id)) throw notFound(noun, id);
    return entriesResponse(request, {}, first, (seq) => store.historyOf(noun, id, seq));
  };
}
