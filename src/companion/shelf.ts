import { type IDBPDatabase, openDB } from 'idb';
import { EMPTY, type Notebook, type Shelf, type Write } from './notebook.ts';

/** The storage of the page's notebook. It reports changes, by this tab or another. */
export interface Kept extends Shelf {
  /** Whether it outlives the page. */
  isLasting: boolean;
  read(): Promise<Notebook>;
  /** Calls back after every change. */
  watch(changed: (notebook: Notebook) => void): void;
}

const STORE = 'notebook';
const CHANNEL = 'sciatica';

/**
 * Members that are kept in memory only while there is no token. Another program may use the same port of localhost later, and
 * could read what is stored there: only writes that were not sent yet, and the names of exercises.
 */
const CONFIDENTIAL = ['records', 'answered', 'since', 'summary', 'trial'] as const;

/**
 * The number of writes that waited last, kept apart, because most browsers that empty IndexedDB leave localStorage. It
 * distinguishes an emptied store from a new one.
 */
export const trace = {
  read(): number | undefined {
    try {
      const text = localStorage.getItem(STORE);
      return text === null ? undefined : Number(text);
    } catch {
      return undefined;
    }
  },
  write(count?: number): void {
    try {
      if (count === undefined) localStorage.removeItem(STORE);
      else localStorage.setItem(STORE, String(count));
    } catch {
      // The browser stores nothing, so it has nothing to empty.
    }
  },
};

/** Opens the notebook of this phone; one in memory where the browser refuses to store anything. */
export async function openShelf(): Promise<Kept> {
  try {
    let db: IDBPDatabase | undefined;
    const opened = async () => {
      db ??= await openDB('sciatica', 1, {
        upgrade: (made) => void made.createObjectStore(STORE),
        // Browsers close it when they empty it or have suspended the page: it is opened again on use.
        terminated: () => {
          db = undefined;
        },
      });
      return db;
    };
    await opened();
    // Asks the browser not to empty the store when the phone runs out of room.
    void navigator.storage?.persist?.().catch(() => false);
    return new Database(opened);
  } catch {
    return new Memory();
  }
}

abstract class Watched implements Kept {
  abstract readonly isLasting: boolean;
  readonly #watchers: ((notebook: Notebook) => void)[] = [];
  readonly #channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel(CHANNEL);

  constructor() {
    this.#channel?.addEventListener('message', async ({ data }) => {
      // Ignores a page that has just been opened, and a service worker, until they have read something.
      const theirs = data as Partial<Notebook>;
      // Merged into what is here: the service worker has no summary and no trial.
      if (theirs.since !== undefined) {
        const { answered = [] } = this.confidential;
        const isNew = ({ key }: Write) => answered.every((one) => one.key !== key);
        // Nor has it the writes that other tabs have sent.
        const all = [...answered, ...(theirs.answered ?? []).filter(isNew)];
        this.confidential = { ...this.confidential, ...theirs, answered: all };
      }
      const kept = await this.read().catch(() => undefined);
      if (!kept) return;
      // Another tab has deleted everything.
      if (kept.token === undefined && kept.person === undefined) this.confidential = {};
      this.#tell(kept);
    });
  }

  /** The members that are in memory only; each change sends them to the other tabs. */
  protected abstract confidential: Partial<Notebook>;
  abstract read(): Promise<Notebook>;
  protected abstract write(work: (kept: Notebook) => Notebook): Promise<Notebook>;

  async update(work: (kept: Notebook) => Notebook): Promise<Notebook> {
    const next = await this.write(work);
    this.#channel?.postMessage(this.confidential);
    this.#tell(next);
    return next;
  }

  watch(changed: (notebook: Notebook) => void): void {
    this.#watchers.push(changed);
  }

  #tell(notebook: Notebook): void {
    for (const watcher of this.#watchers) watcher(notebook);
  }
}

class Memory extends Watched {
  readonly isLasting = false;
  protected confidential = {};
  #kept: Notebook = EMPTY;

  async read(): Promise<Notebook> {
    return this.#kept;
  }

  protected async write(work: (kept: Notebook) => Notebook): Promise<Notebook> {
    this.#kept = work(this.#kept);
    return this.#kept;
  }
}

/** Each member of the notebook is an entry of the store, and is written only if it is another object. */
class Database extends Watched {
  readonly isLasting = true;
  protected confidential: Partial<Notebook> = {};

  constructor(private readonly opened: () => Promise<IDBPDatabase>) {
    super();
  }

  async read(): Promise<Notebook> {
    const { store, done } = (await this.opened()).transaction(STORE);
    const [keys, values] = await Promise.all([store.getAllKeys(), store.getAll(), done]);
    return this.#whole(keys.map((key, i) => [key, values[i]]));
  }

  protected async write(work: (kept: Notebook) => Notebook): Promise<Notebook> {
    // Strict: resolves once the data is on the disk.
    const tx = (await this.opened()).transaction(STORE, 'readwrite', { durability: 'strict' });
    // No unhandled rejection: its requests reject with the reason.
    tx.done.catch(() => {});
    const [keys, values] = await Promise.all([tx.store.getAllKeys(), tx.store.getAll()]);
    const kept = this.#whole(keys.map((key, i) => [key, values[i]]));
    const next = work(kept);
    const confidential: Partial<Notebook> = {};
    const members = next as unknown as Record<string, unknown>;
    const before = kept as unknown as Record<string, unknown>;
    const writes: Promise<unknown>[] = [tx.done];
    try {
      for (const key of new Set([...Object.keys(kept), ...Object.keys(next)])) {
        const isHidden = next.token === undefined && (CONFIDENTIAL as readonly string[]).includes(key);
        if (isHidden) Object.assign(confidential, { [key]: members[key] });
        if (isHidden || members[key] === undefined) writes.push(tx.store.delete(key));
        else if (members[key] !== before[key]) writes.push(tx.store.put(members[key], key));
      }
    } catch (error) {
      // All or nothing: the browser would store what was requested before the error.
      try {
        tx.abort();
      } catch {
        // The browser has aborted it already.
      }
      await Promise.allSettled(writes);
      throw error;
    }
    await Promise.all(writes);
    this.confidential = confidential;
    return next;
  }

  #whole(entries: [IDBValidKey, unknown][]): Notebook {
    const stored = Object.fromEntries(entries.map(([key, value]) => [String(key), value]));
    return { ...EMPTY, ...stored, ...this.confidential } as Notebook;
  }
}
