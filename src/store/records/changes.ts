import type { Origin } from '../../domain/history.ts';
import type { Database } from '../sqlite/database.ts';

/** Runs `work` as one change: one transaction, all of it or nothing. Inside another change, as part of it. */
export type RunChange = <T>(work: () => T) => T;

/** The changes of one connection. Triggers write their entries; this says which change they belong to. */
export class Changes {
  #isOpen = false;
  /** The last change of this connection; undefined if it changed nothing. */
  latest: number | undefined;

  #beforeFirst: (() => void) | undefined;

  /**
   * @param now the clock, in milliseconds since 1970
   * @param beforeFirst runs before the first change, erasing apart
   */
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
    beforeFirst?: () => void,
  ) {
    this.#beforeFirst = beforeFirst;
  }

  /**
   * @see RunChange
   * @param undoes the change that this one takes back
   */
  run<T>(work: () => T, { source, caller }: Origin, undoes: number | null = null): T {
    if (this.#isOpen) return work();
    if (source !== 'erase' && !this.db.inTransaction) {
      const before = this.#beforeFirst;
      this.#beforeFirst = undefined;
      before?.();
    }
    this.#isOpen = true;
    let made: number | undefined;
    try {
      const result = this.db.write(() => {
        const { id } = this.db.run(
          'INSERT INTO changes (at, source, caller, undoes) VALUES (?, ?, ?, ?)',
          this.now(),
          source,
          caller ?? null,
          undoes,
        );
        const result = work();
        const changed = this.db.value('SELECT 1 FROM history WHERE change = ?', id) === 1;
        // A repeatable request that changed nothing is known by its change all the same.
        if (!changed && this.db.value('SELECT 1 FROM requests WHERE change = ?', id) !== 1)
          this.db.run('DELETE FROM changes WHERE id = ?', id);
        made = changed ? id : undefined;
        return result;
      });
      this.latest = made;
      return result;
    } finally {
      this.#isOpen = false;
    }
  }
}
