import type { Kind } from '../../domain/kind.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Records } from '../../store/records/records.ts';
import type { Store } from '../../store/store.ts';
import { type ListQueries, listQueriesOf } from './list-query.ts';

/** The fields of a stored record that routes use. */
export interface StoredRecord {
  id: number;
  /** Id of the owner; undefined for a user. */
  userId?: number | undefined;
}

/** A kind of record for the routes: how queries of its lists are parsed, and its operations on a store. */
export interface Collection extends ListQueries {
  readonly name: KindName;
  readonly kind: Kind;
  verbs(store: Store): Records<KindName>;
}

/** The collection of a kind. It caches parsed query strings. */
export function collectionOf(name: KindName): Collection {
  const kind = kindOf(name);
  const queries = listQueriesOf(kind);
  return {
    ...queries,
    read: remembered(queries.read),
    name,
    kind,
    verbs: (store) => recordsOf(store, name),
  };
}

/** The operations on a kind of record in a store. */
export const recordsOf = (store: Store, name: KindName): Records<KindName> =>
  store.of(name) as unknown as Records<KindName>;

/**
 * Memoizes a function of a text; a full cache is emptied.
 * @param work a pure function; an error that it throws is not cached
 * @param bounds most results in the cache, and the longest text whose result is cached, in characters
 */
export function remembered<T extends object>(
  work: (text: string) => T,
  { most = 256, longest = 256 } = {},
): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const kept = known.get(text);
    if (kept) return kept;
    const result = work(text);
    if (text.length > longest) return result;
    if (known.size >= most) known.clear();
    known.set(text, result);
    return result;
  };
}
