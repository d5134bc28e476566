import { SciaticaError } from '../../domain/errors.ts';
import { sleepSync } from '../../lib/sleep.ts';
import { BUSY_TIMEOUT_MS } from './connection.ts';

/**
 * Tries again each millisecond while others hold the lock. SQLite's own waiting sleeps for up to 100 ms, and hardly ever
 * gets a lock that another process takes again and again.
 * @throws SciaticaError `busy` after half a minute; what `work` throws
 */
export function retryWhileBusy<T>(work: () => T): T {
  for (const deadline = performance.now() + BUSY_TIMEOUT_MS; ; ) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SciaticaError && error.code === 'busy';
      if (!isBusy || performance.now() > deadline) throw error;
      sleepSync(1);
    }
  }
}
