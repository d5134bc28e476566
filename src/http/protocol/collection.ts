import type { Kind } from '../../domain/kind.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Records } from '../../store/records/records.ts';
import type { Store } from '../../store/store.ts';
import { type ListQueries, listQueriesOf } from './list-query.ts';

/** A stored record, as far as routes look into it. */
export interface StoredRecord {
  id: number;
  /** The owner of what belongs to a user. */
  userId?: number | undefined;
}

/** A kind of record as the service has it: its lists, and its verbs in a store. */
export interface Collection extends ListQueries {
  readonly name: KindName;
  readonly kind: Kind;
  verbs(store: Store): Records<KindName>;
}

/** The collection of a kind. */
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

/** The verbs of a kind in a store. */
export const recordsOf = (store: Store, name: KindName): Records<KindName> =>
  store.of(name) as unknown as Records<KindName>;

/**
 * As a function of a text, but the results of the texts that were asked for last are kept.
 * @param work throws for a text that has no result, and gives the same for the same text
 * @param bounds how many results are kept, and of how long a text at most
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
