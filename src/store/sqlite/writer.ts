import { SciaticaError } from '../../domain/errors.ts';
import type { Database } from './database.ts';

/** How long a write waits for another process's transaction before it fails with `busy`, in milliseconds. */
export const WRITE_TIMEOUT_MS = 5_000;

/** Interval between two attempts to begin while another process holds the write lock, in milliseconds. */
const RETRY_MS = 1;

interface Waiting {
  work: () => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  deadline: number;
}

type Outcome = { result: unknown } | { error: unknown };

/**
 * Group commit for a server, whose event loop must never block on a lock. All writes that are queued when the
 * event loop gets to them share one transaction, and each is answered after its commit. No write waits for
 * others to arrive: the next batch gathers while one commits.
 */
export class Writer {
  #waiting: Waiting[] = [];
  #isScheduled = false;
  /** Whether the next batch uses a savepoint for each write, because one of them has failed. */
  #isApart = false;
  #longWrites = 0;

  constructor(private readonly db: Database) {
    db.pragma('busy_timeout = 0');
  }

  /**
   * Queues `work` for the next batch. It may run more than once, and only the last run is stored, so it must have no effects
   * besides its writes.
   * @returns what `work` returned, once it is on disk
   * @throws what `work` threw, after its writes were rolled back; SciaticaError `busy` after 5 s of another's lock, `gone` when
   *   the file was replaced, `uncertain` for the whole batch when the disk failed at its commit
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + WRITE_TIMEOUT_MS;
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject, deadline });
      this.#schedule();
    });
  }

  /** Announces a long write in another thread: until the returned function is called, no write fails as `busy`. */
  expectLongWrite(): () => void {
    this.#longWrites++;
    return () => {
      this.#longWrites--;
      const deadline = performance.now() + WRITE_TIMEOUT_MS;
      for (const waiting of this.#waiting) waiting.deadline = deadline;
    };
  }

  #schedule(wait = 0): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    if (wait > 0) setTimeout(this.#flush, wait);
    else setImmediate(this.#flush);
  }

  readonly #flush = (): void => {
    this.#isScheduled = false;
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.db.begin();
    } catch (error) {
      this.#retry(batch, error);
      return;
    }
    try {
      const outcomes = this.#isApart ? this.#runApart(batch) : this.#runTogether(batch);
      this.#isApart = outcomes === undefined;
      if (outcomes) {
        this.db.commit();
        for (const [i, outcome] of outcomes.entries()) {
          if ('error' in outcome) batch[i]?.reject(outcome.error);
          else batch[i]?.resolve(outcome.result);
        }
        return;
      }
    } catch (error) {
      if (this.db.inTransaction) this.db.run('ROLLBACK');
      for (const { reject } of batch) reject(error);
      return;
    }
    this.#waiting = [...batch, ...this.#waiting];
    this.#schedule();
  };

  /**
   * Runs a batch without savepoints: in a savepoint, each statement makes SQLite walk over the pages that it saves for it.
   * @returns undefined if one of several writes failed: the transaction is rolled back, and the batch has to be run apart
   */
  #runTogether(batch: readonly Waiting[]): Outcome[] | undefined {
    try {
      return batch.map(({ work }) => ({ result: work() }));
    } catch (error) {
      if (batch.length === 1 || !this.db.inTransaction) throw error;
      this.db.run('ROLLBACK');
      return undefined;
    }
  }

  #runApart = (batch: readonly Waiting[]): Outcome[] => batch.map(({ work }) => this.#inSavepoint(work));

  /** @throws the error of `work` if SQLite rolled back the whole transaction, and with it every write of the batch */
  #inSavepoint(work: () => unknown): Outcome {
    try {
      return { result: this.db.attempt(work) };
    } catch (error) {
      if (!this.db.inTransaction) throw error;
      return { error };
    }
  }

  #retry(batch: readonly Waiting[], error: unknown): void {
    const isBusy = error instanceof SciaticaError && error.code === 'busy';
    const now = performance.now();
    const [again, late] = [[] as Waiting[], [] as Waiting[]];
    for (const waiting of batch)
      (isBusy && (this.#longWrites > 0 || now < waiting.deadline) ? again : late).push(waiting);
    for (const { reject } of late) reject(error);
    this.#waiting = again;
    if (again.length > 0) this.#schedule(RETRY_MS);
  }
}
