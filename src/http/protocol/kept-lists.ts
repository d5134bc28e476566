import type { IdRange } from '../../store/records/lists/rows.ts';
import type { Store } from '../../store/store.ts';

/** A short list as it is sent. */
export interface ShortList {
  body: string;
  etag: string;
  /** Where the audit asks for them. */
  ids: IdRange | undefined;
}

/** Lists that were sent, by the records that a caller sees, and all of one revision: whoever polls asks for the same one again. */
interface Kept {
  revision: number;
  characters: number;
  lists: WeakMap<Store, Map<string, ShortList>>;
}

/** Of all lists that are kept, with what an entry takes beside its text. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const ENTRY_CHARACTERS = 500;

const LONGEST_KEY = 300;

let kept: Kept = { revision: 0, characters: 0, lists: new WeakMap() };

/**
 * The list that was last sent for a key, if no record has changed since.
 * @param key its format, path and query
 */
export function keptList(store: Store, key: string): ShortList | undefined {
  const list = kept.lists.get(store)?.get(key);
  return list && kept.revision === store.history.last() ? list : undefined;
}

/** @param revision of the records that the list was read from */
export function keepList(store: Store, key: string, revision: number, list: ShortList): void {
  if (key.length > LONGEST_KEY) return;
  const characters = list.body.length + ENTRY_CHARACTERS;
  if (kept.revision !== revision || kept.characters + characters > MOST_CHARACTERS)
    kept = { revision, characters: 0, lists: new WeakMap() };
  kept.characters += characters;
  const lists = kept.lists.get(store) ?? new Map<string, ShortList>();
  kept.lists.set(store, lists.set(key, list));
}
