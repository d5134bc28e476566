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
  /** Undefined for what was asked for once: most lists are, and to keep their text would make each a sixth dearer. */
  lists: WeakMap<Store, Map<string, ShortList | undefined>>;
}

/** Of all lists that are kept. What an entry counts beside its text keeps them few: thousands would make each new one a tenth dearer. */
const MOST_CHARACTERS = 4 * 1024 * 1024;
const ENTRY_CHARACTERS = 20_000;

const LONGEST_KEY = 300;

let kept: Kept = { revision: 0, characters: 0, lists: new WeakMap() };

/**
 * The list that was sent twice for a key, if no record has changed since.
 * @param key its format, path and query
 */
export function keptList(store: Store, key: string): ShortList | undefined {
  const list = kept.lists.get(store)?.get(key);
  return list && kept.revision === store.history.last() ? list : undefined;
}

/**
 * Keeps a list that is asked for again.
 * @param revision of the records that the list was read from
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
