import type { IdRange } from '../../store/records/lists/rows.ts';
import type { Store } from '../../store/store.ts';

/** A rendered short list. */
export interface ShortList {
  body: string;
  etag: string;
  /** Range of its ids, for the audit; undefined for an empty list, and without authentication. */
  ids: IdRange | undefined;
}

/** A cache of rendered lists by the caller's view, all of one history seq: a client that polls asks for the same list again. */
interface Kept {
  revision: number;
  characters: number;
  /** By key. Undefined for a list that was asked for once: caching the text of each would make each a sixth slower. */
  lists: WeakMap<Store, Map<string, ShortList | undefined>>;
}

/** Size of the cache. Each entry counts `ENTRY_CHARACTERS` besides its text, as thousands would slow each new list by a tenth. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const ENTRY_CHARACTERS = 20_000;

const LONGEST_KEY = 300;

let kept: Kept = { revision: 0, characters: 0, lists: new WeakMap() };

/**
 * The cached list of a key, unless a record has changed since. Lists are cached when they are asked for a second time.
 * @param key its format, path and query
 */
export function keptList(store: Store, key: string): ShortList | undefined {
  const list = kept.lists.get(store)?.get(key);
  return list && kept.revision === store.history.last() ? list : undefined;
}

/**
 * Notes that a list was asked for, and caches it the second time.
 * @param revision highest history seq when the list was read
 */
export function keepList(store: Store, key: string, revision: number, list: ShortList): void {
  if (key.length > LONGEST_KEY) return;
  const isAgain = kept.revision === revision && kept.lists.get(store)?.has(key);
  const characters = ENTRY_CHARACTERS + (isAgain ? list.body.length : 0);
  if (kept.revision !== revision || kept.characters + characters > MOST_CHARACTERS)
    kept = { revision, characters: 0, lists: new WeakMap() };
  kept.characters += characters;
  const lists = kept.lists.get(store) ?? new Map<string, ShortList | undefined>();
  kept.lists.set(store, lists.set(key, isAgain ? list : undefined));
}
