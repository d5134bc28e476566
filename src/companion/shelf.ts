import { type IDBPDatabase, openDB } from 'idb';
import { EMPTY, type Notebook, type Shelf, type Write } from './notebook.ts';

/** Where the page keeps its notebook, and who wants to know when it has changed, in this tab or another. */
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
 * What stays in memory while there is no token: localhost is also the address of whatever other program runs on that port later,
 * so what is stored there is only what was not sent yet, and the names of exercises.
 */
const CONFIDENTIAL = ['records', 'answered', 'since', 'summary', 'trial'] as const;

/**
 * How many writes waited last: kept apart, because most browsers that empty IndexedDB leave it there. It tells an emptied store
 * from a new one.
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
      // A browser that stores nothing empties nothing.
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
        // Browsers close it where they empty it, or have put the page aside.
        terminated: () => {
          db = undefined;
        },
      });
      return db;
    };
    await opened();
    // Asked so that the browser does not clear it when the phone runs out of room.
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
      // A page that has just been opened, and the service worker, have read nothing yet.
      const theirs = data as Partial<Notebook>;
      // The service worker knows no summary and no trial.
      if (theirs.since !== undefined) {
        const { answered = [] } = this.confidential;
        const isNew = ({ key }: Write) => answered.every((one) => one.key !== key);
        // Nor what others have sent.
        const all = [...answered, ...(theirs.answered ?? []).filter(isNew)];
        this.confidential = { ...this.confidential, ...theirs, answered: all };
      }
      const kept = await this.read().catch(() => undefined);
      if (!kept) return;
      // What another tab has forgotten.
      if (kept.token === undefined && kept.person === undefined) this.confidential = {};
      this.#tell(kept);
    });
  }

  /** What is in memory only; the other tabs get it with each change. */
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

/** Each member of the notebook is an entry of its own, and is written only when it is another. */
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
    // Strict: resolved when it is on the disk, not when it is on its way there.
    const tx = (await this.opened()).transaction(STORE, 'readwrite', { durability: 'strict' });
    // Its requests say why.
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
      // All or nothing: what was asked for before would be stored otherwise.
      try {
        tx.abort();
      } catch {
        // The browser has done so itself.
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
