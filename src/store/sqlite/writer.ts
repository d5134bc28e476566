import { SciaticaError } from '../../domain/errors.ts';
import type { Database } from './database.ts';

/** How long a write waits for another process's transaction before it is refused as `busy`. */
export const WRITE_PATIENCE_MS = 5_000;

/** Between two batches and between two tries: other processes get their turn. */
const PAUSE_MS = 1;

interface Waiting {
  work: () => unknown;
  resolve: (result: unknown) => void;
  reject: (error: unknown) => void;
  deadline: number;
}

type Outcome = { result: unknown } | { error: unknown };

/**
 * Group commit for a server, which must never wait in a lock: the writes that arrive together become one
 * transaction with a savepoint each, and each is answered after the commit that made it durable.
 */
export class Writer {
  #waiting: Waiting[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly db: Database) {
    db.pragma('busy_timeout = 0');
  }

  /**
   * Runs `work` inside the next batch. It may run again if that batch could not begin.
   * @returns what `work` returned, once it is on disk
   * @throws what `work` threw, then without a trace of it; SciaticaError `busy` after 5 s of another's lock,
   *   `gone` when the file was replaced, `uncertain` for the whole batch when the disk failed at its commit
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + WRITE_PATIENCE_MS;
      this.#waiting.push({ work, resolve: resolve as (result: unknown) => void, reject, deadline });
      this.#timer ??= setTimeout(this.#flush, PAUSE_MS);
    });
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    const batch = this.#waiting;
    this.#waiting = [];
    let outcomes: Outcome[];
    try {
      this.db.begin();
    } catch (error) {
      this.#retry(batch, error);
      return;
    }
    try {
      outcomes = batch.map(({ work }) => this.#inSavepoint(work));
      this.db.commit();
    } catch (error) {
      if (this.db.inTransaction) this.db.run('ROLLBACK');
      for (const { reject } of batch) reject(error);
      return;
    }
    for (const [i, outcome] of outcomes.entries()) {
      if ('error' in outcome) batch[i]?.reject(outcome.error);
      else batch[i]?.resolve(outcome.result);
    }
  };

  /** @throws when SQLite gave up the whole transaction, and with it every write of the batch */
  #inSavepoint(work: () => unknown): Outcome {
    this.db.run('SAVEPOINT write');
    try {
      const result = work();
      this.db.run('RELEASE write');
      return { result };
    } catch (error) {
      if (!this.db.inTransaction) throw error;
      this.db.run('ROLLBACK TO write');
      this.db.run('RELEASE write');
      return { error };
    }
  }

  #retry(batch: Waiting[], error: unknown): void {
    const busy = error instanceof SciaticaError && error.code === 'busy';
    const now = performance.now();
    const patient = busy ? batch.filter(({ deadline }) => now < deadline) : [];
    for (const waiting of batch) if (!patient.includes(waiting)) waiting.reject(error);
    this.#waiting = [...patient, ...this.#waiting];
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(this.#flush, PAUSE_MS);
  }
}
