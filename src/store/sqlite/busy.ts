import { SciaticaError } from '../../domain/errors.ts';
import { sleepSync } from '../../lib/sleep.ts';

/**
 * Retries each millisecond while another connection holds the lock. SQLite's own busy handler sleeps for up
 * to 100 ms, and hardly ever gets a lock that another process takes again and again.
 * @param timeout in milliseconds
 * @throws SciaticaError `busy` after `timeout`; what `work` throws
 */
export function retryWhileBusy<T>(timeout: number, work: () => T): T {
  for (const deadline = performance.now() + timeout; ; ) {
    try {
      return work();
    } catch (error) {
      const isBusy = error instanceof SciaticaError && error.code === 'busy';
      if (!isBusy || performance.now() >= deadline) throw error;
      sleepSync(1);
    }
  }
}
