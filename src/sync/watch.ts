import type { Connection } from './connection.ts';
import type { SyncResult } from './result.ts';
import { type Means, type SyncOptions, sync } from './sync.ts';

/** How often the database here is looked at for changes, and how long a change waits for others, in milliseconds. */
const LOOK_MS = 500;
const SETTLE_MS = 300;
/** The first and the longest wait after a failure, in milliseconds. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

export interface Watching {
  connection: Connection;
  signal: AbortSignal;
  onResult(result: SyncResult): void;
  /** A sync that failed; the next one follows by itself. */
  onFailure(error: unknown): void;
}

/**
 * Syncs whenever something changes on either side, until the signal comes. After a failure it waits, longer each time.
 * @throws what the first sync throws
 */
export async function watch(means: Means, options: SyncOptions, watching: Watching): Promise<void> {
  const { signal, onResult, onFailure } = watching;
  let wait = FIRST_WAIT_MS;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const result = await sync(means, options);
      onResult(result);
      wait = FIRST_WAIT_MS;
      const begun = performance.now();
      await nextChange(means, result, watching);
      // A stream that ends at once is a failure too.
      if (performance.now() - begun < SETTLE_MS) await pause(wait, signal);
    } catch (error) {
      if (signal.aborted) return;
      if (isFirst) throw error;
      onFailure(error);
      await pause(wait, signal);
      wait = Math.min(wait * 2, LONGEST_WAIT_MS);
    }
  }
}

/** Resolves when something has changed here or there, when the stream ends, or at the signal. */
async function nextChange(
  { store, token }: Means,
  { database, seq }: SyncResult,
  { connection, signal }: Watching,
): Promise<void> {
  const diary = await store.diary();
  // Who listens only now would not hear of a signal that has come already.
  if (signal.aborted) return;
  const position = diary.peer(database).received?.seq ?? 0;
  const over = new AbortController();
  const end = () => over.abort();
  signal.addEventListener('abort', end, { once: true });
  const looking = setInterval(() => {
    try {
      if (store.history.last() !== seq) end();
    } catch {
      // The sync that follows says what is wrong with the database.
      end();
    }
  }, LOOK_MS);
  let hasEvent = false;
  const headers = {
    accept: 'text/event-stream',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  };
  const onEvent = () => {
    if (!hasEvent) setTimeout(end, SETTLE_MS);
    hasEvent = true;
  };
  try {
    await connection.listen({ path: `/changes?since=${position}`, headers }, onEvent, over.signal);
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', end);
  }
}

/** Waits, but not beyond the signal. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done, { once: true });
  });
}
