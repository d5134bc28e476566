import { pause } from '../lib/sleep.ts';
import type { Store } from '../store/store.ts';
import type { Connection } from './connection.ts';
import type { SyncOptions, SyncResult } from './result.ts';
import { type ServiceContext, sync } from './sync.ts';

/** How often this database is polled, and how long a change over there waits for others to join it, in milliseconds. */
const LOOK_MS = 500;
const SETTLE_MS = 300;
/** The first and the longest wait after a failure, in milliseconds. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;

/** What a sync goes through: a service or a folder. */
export interface Carrier {
  sync(options: SyncOptions): Promise<SyncResult>;
  /** Calls back when something has changed over there; resolves when it cannot hear of more changes, or at the signal. */
  changed(onEvent: () => void, signal: AbortSignal): Promise<void>;
}

/** A service as a carrier: an event stream tells of its changes. */
export function overService(context: ServiceContext, connection: Connection): Carrier {
  let database = '';
  return {
    sync: async (options) => {
      const result = await sync(context, options);
      database = result.database;
      return result;
    },
    changed: async (onEvent, signal) => {
      const replication = await context.store.replication();
      if (signal.aborted) return;
      const since = replication.peer(database).received?.seq ?? 0;
      const { token } = context;
      const headers = {
        accept: 'text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      };
      await connection.listen({ method: 'GET', path: `/changes?since=${since}`, headers }, onEvent, signal);
    },
  };
}

interface Watching {
  /** The database here. */
  store: Store;
  signal: AbortSignal;
  onResult(result: SyncResult): unknown;
  /** Called after a sync that failed; the next one follows by itself. */
  onFailure(error: unknown): void;
}

/**
 * Syncs whenever something changes on either side, until the signal comes. After a failure it waits, twice as long each time.
 * @throws what the first sync throws
 */
export async function watch(carrier: Carrier, options: SyncOptions, watching: Watching): Promise<void> {
  const { signal, onResult, onFailure } = watching;
  let wait = FIRST_WAIT_MS;
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    try {
      const result = await carrier.sync(options);
      await onResult(result);
      wait = FIRST_WAIT_MS;
      const begun = performance.now();
      await nextChange(carrier, result, watching);
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

/** Resolves when something has changed here or there, when the carrier hears of no more changes, or at the signal. */
async function nextChange(carrier: Carrier, { seq }: SyncResult, { store, signal }: Watching): Promise<void> {
  // A listener that is added now would not hear of a signal that has come already.
  if (signal.aborted) return;
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
  const onEvent = () => {
    if (!hasEvent) setTimeout(end, SETTLE_MS);
    hasEvent = true;
  };
  try {
    await carrier.changed(onEvent, over.signal);
  } finally {
    clearInterval(looking);
    signal.removeEventListener('abort', end);
  }
}
