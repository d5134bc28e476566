import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { EMPTY, type Notebook, type Shelf, type Write } from '../../src/companion/notebook.ts';

/** The notebook of the phone on a store in memory, whose transactions are as those of IndexedDB. */

interface Kept extends Shelf {
  isLasting: boolean;
  read(): Promise<Notebook>;
  watch(changed: (notebook: Notebook) => void): void;
}

type Row = readonly [key: string, value: unknown];

const browser = vi.hoisted(() => ({
  rows: new Map<string, unknown>(),
  /** What was asked to be written, in order. */
  asked: [] as string[],
  beforeWrite: (_key: string, _tx: { abort(): void }): void => {},
  afterRead: (_tx: { abort(): void }): void => {},
  opened: 0,
  isRefused: false,
  terminated: (): void => {},
}));

/** What is asked for is there at the end, all of it or nothing. */
class Transaction {
  readonly #writes: Row[] = [];
  #isOver = false;
  #settle!: { resolve: () => void; reject: (error: unknown) => void };
  readonly #end = new Promise<void>((resolve, reject) => {
    this.#settle = { resolve, reject };
  });
  /** One of its own, whose failure somebody has to take. */
  readonly done = this.#end.then();
  #pending = 0;
  readonly store = {
    getAllKeys: () => this.#read([...browser.rows.keys()]),
    getAll: () => this.#read([...browser.rows.values()]),
    put: (value: unknown, key: string) => this.#write(key, value),
    delete: (key: string) => this.#write(key, undefined),
  };

  #commit(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { rows } = browser;
    for (const [key, value] of this.#writes) value === undefined ? rows.delete(key) : rows.set(key, value);
    this.#settle.resolve();
  }

  abort(): void {
    if (this.#isOver) throw new DOMException('', 'InvalidStateError');
    this.#isOver = true;
    this.#settle.reject(new DOMException('', 'AbortError'));
  }

  /** A request is answered before the transaction is done, which it is when none is left, and fails with it. */
  #request<T>(answer: T): Promise<T> {
    this.#pending++;
    return new Promise((resolve, reject) => {
      this.#end.catch(reject);
      setImmediate(() => {
        resolve(answer);
        this.#pending--;
        setImmediate(() => this.#pending === 0 && this.#commit());
      });
    });
  }

  #read<T>(answer: T): Promise<T> {
    const answered = this.#request(answer);
    browser.afterRead(this);
    return answered;
  }

  #write(key: string, value: unknown): Promise<void> {
    browser.asked.push(value === undefined ? `delete ${key}` : `put ${key}`);
    browser.beforeWrite(key, this);
    this.#writes.push([key, structuredClone(value)]);
    return this.#request(undefined);
  }
}

vi.mock('idb', () => ({
  openDB: async (_name: string, _version: number, { terminated }: { terminated: () => void }) => {
    if (browser.isRefused) throw new DOMException('', 'SecurityError');
    browser.opened++;
    browser.terminated = terminated;
    return { transaction: () => new Transaction() };
  },
}));

// By its name in a variable: the compiler of the tests knows no types of a browser.
const file = '../../src/companion/shelf.ts';
const { openShelf, trace } = (await import(file)) as {
  openShelf: () => Promise<Kept>;
  trace: { read(): number | undefined; write(count?: number): void };
};

/** Of each tab: what one says, the others have heard when the saying returns, as a copy. */
class Channel {
  static readonly all: Channel[] = [];
  static heard: unknown[] = [];
  #hear: (event: { data: unknown }) => unknown = () => {};
  constructor() {
    Channel.all.push(this);
  }
  addEventListener(_: string, hear: (event: { data: unknown }) => unknown) {
    this.#hear = hear;
  }
  postMessage(data: unknown) {
    for (const other of Channel.all)
      if (other !== this) Channel.heard.push(other.#hear({ data: structuredClone(data) }));
  }
}

beforeEach(() => {
  Object.assign(browser, {
    rows: new Map(),
    asked: [],
    beforeWrite: () => {},
    afterRead: () => {},
    opened: 0,
    isRefused: false,
  });
  [Channel.all.length, Channel.heard.length] = [0, 0];
  vi.stubGlobal('BroadcastChannel', Channel);
  vi.stubGlobal('navigator', {});
});
afterEach(() => void vi.unstubAllGlobals());

/** Another tab of the browser, which may know nothing yet. */
const tab = () => openShelf();

/** Changes the notebook; all tabs have heard of it then. */
async function changed(shelf: Kept, work: (kept: Notebook) => Notebook) {
  await shelf.update(work);
  await Promise.all(Channel.heard);
}

const answered = (key: string): Write => ({
  key,
  what: 'delete',
  path: '/userExerciseLogs',
  kind: 'log',
  userId: 1,
  id: 1,
});

const noted: Notebook = { ...EMPTY, token: 't', since: 3, records: { log: { 1: { id: 1, notes: 'a' } } } };
const { token: _token, ...tokenless } = { ...noted, person: 1, made: 1 };

test('only what is another is written, and what is left out is deleted', async () => {
  const shelf = await tab();
  await shelf.update(() => noted);
  expect(browser.rows.get('token')).toBe('t');
  browser.asked.length = 0;
  await shelf.update(({ since: _, ...kept }) => ({ ...kept, made: 1 }));
  expect(browser.asked.sort()).toEqual(['delete since', 'put made']);
  const { since: _, ...rest } = noted;
  expect(await (await tab()).read()).toEqual({ ...rest, made: 1 });
});

test.each<[string, typeof browser.beforeWrite, why: string]>([
  [
    'a value that cannot be stored',
    () => {
      throw new DOMException('', 'DataCloneError');
    },
    'DataCloneError',
  ],
  [
    'a store that has given up by itself meanwhile',
    (_, tx) => {
      tx.abort();
      throw new DOMException('', 'QuotaExceededError');
    },
    'QuotaExceededError',
  ],
  ['a store that gives up later', (_, tx) => queueMicrotask(() => tx.abort()), 'AbortError'],
])('all or nothing is written: %s', async (_, refuse, why) => {
  const shelf = await tab();
  await shelf.update(() => noted);
  const before = new Map(browser.rows);
  // Not the first one: what was asked for before it goes too.
  browser.beforeWrite = (key, tx) => key === 'since' && refuse(key, tx);
  browser.asked.length = 0;
  await expect(shelf.update((kept) => ({ ...kept, token: 'u', since: 4 }))).rejects.toMatchObject({
    name: why,
  });
  expect(browser.asked).toEqual(['put token', 'put since']);
  expect(browser.rows).toEqual(before);
  expect(await shelf.read()).toEqual(noted);
});

test('a store that gives up while it is read says so once', async () => {
  const shelf = await tab();
  browser.afterRead = (tx) => {
    browser.afterRead = () => {};
    tx.abort();
  };
  await expect(shelf.update(() => noted)).rejects.toMatchObject({ name: 'AbortError' });
  expect(browser.rows.size).toBe(0);
});

test('without a token nothing is stored of what was read or sent, what was stored with one goes, and this page has it', async () => {
  const shelf = await tab();
  await shelf.update(() => noted);
  const summary = { at: '2026-03-01', figures: {} as never };
  const trial = { date: '2026-03-01', isLate: false, words: 'Cat Cow' };
  const whole = {
    ...tokenless,
    summary,
    trial,
    answered: [answered('a')],
    waiting: [answered('b')],
    names: [],
  };
  await shelf.update(() => whole);
  expect([...browser.rows.keys()].sort()).toEqual(['made', 'names', 'person', 'waiting']);
  expect(await shelf.read()).toEqual(whole);
});

test('tabs tell each other what is in no store, and forget it together', async () => {
  const [one, other] = [await tab(), await tab()];
  const seen: Notebook[] = [];
  other.watch((kept) => seen.push(kept));
  await changed(one, () => tokenless);
  expect(await other.read()).toEqual(tokenless);
  expect(seen).toEqual([tokenless]);
  await changed(other, () => EMPTY);
  expect(await one.read()).toEqual(EMPTY);
});

test('what the service worker does not know, it takes from no tab', async () => {
  const page = await tab();
  await changed(page, () => tokenless);
  const worker = await tab();
  await changed(worker, (kept) => ({ ...kept, made: 2 }));
  expect(await page.read()).toEqual({ ...tokenless, made: 2 });
});

test('what two tabs have sent is known in both, each once', async () => {
  const [one, other] = [await tab(), await tab()];
  await changed(one, () => ({ ...tokenless, answered: [answered('both')] }));
  // Said at the same time: neither has heard of the other.
  const apart = Channel.all.splice(0);
  await changed(one, (kept) => ({ ...kept, answered: [...kept.answered, answered('one')] }));
  Channel.all.push(...apart);
  await changed(other, (kept) => ({ ...kept, answered: [...kept.answered, answered('other')] }));
  const keys = async (shelf: Kept) => (await shelf.read()).answered.map(({ key }) => key).sort();
  expect(await keys(one)).toEqual(['both', 'one', 'other']);
});

test('a store that the browser has closed is opened anew, once', async () => {
  const shelf = await tab();
  await shelf.update(() => noted);
  expect(browser.opened).toBe(1);
  browser.terminated();
  expect(await shelf.read()).toEqual(noted);
  await shelf.read();
  expect(browser.opened).toBe(2);
});

test('where the browser stores nothing, the notebook lasts as long as the page, and tells who looks', async () => {
  browser.isRefused = true;
  const shelf = await tab();
  const seen: Notebook[] = [];
  shelf.watch((kept) => seen.push(kept));
  await shelf.update(() => noted);
  expect([shelf.isLasting, await shelf.read(), seen]).toEqual([false, noted, [noted]]);
  browser.isRefused = false;
  expect((await tab()).isLasting).toBe(true);
});

test('the number of what waits is kept apart, none is not zero, and a browser without a place for it is none', () => {
  const items = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, text: string) => items.set(name, text),
    removeItem: (name: string) => items.delete(name),
  });
  expect(trace.read()).toBeUndefined();
  trace.write(0);
  expect(trace.read()).toBe(0);
  trace.write();
  expect(trace.read()).toBeUndefined();
  vi.unstubAllGlobals();
  trace.write(1);
  expect(trace.read()).toBeUndefined();
});
