import { randomInt } from 'node:crypto';
import type { Origin } from '../../domain/history.ts';
import type { Database } from '../sqlite/database.ts';

/** Runs `work` as one change: one transaction, all of it or nothing. Inside another change, as part of it. */
export type RunChange = <T>(work: () => T) => T;

/** A random id of a change is below this, the most that `randomInt` allows. */
const UIDS = 2 ** 48 - 1;

/**
 * Gives the next change its number.
 * @returns that number, the seq of the last entry, and the head of entries that something else wrote, which began no change
 */
const BEGIN = `UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = 'changes'
  RETURNING seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0),
    (SELECT seq FROM history WHERE clock IS NULL AND seq = (SELECT head FROM history AS last ORDER BY last.seq DESC LIMIT 1))`;

/**
 * Writes what is known of a change to its head. The clock goes on from that of the change before, and from the highest that came
 * from elsewhere, where the time is behind them: a hybrid logical clock (Kulkarni et al. 2014, "Logical Physical Clocks").
 */
const END = `UPDATE history SET uid = ?, source = ?, caller = ?, undoes = ?, clock = max(? * 1000,
    1 + coalesce((SELECT head.clock FROM history AS head
      WHERE head.seq = (SELECT head FROM history AS last WHERE last.seq < history.seq ORDER BY last.seq DESC LIMIT 1)), 0),
    1 + coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'clock'), 0))
  WHERE seq = ?`;

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
  run<T>(work: () => T, origin: Origin, undoes: number | null = null): T {
    if (this.#isOpen) return work();
    if (origin.source !== 'erase' && !this.db.inTransaction) {
      const before = this.#beforeFirst;
      this.#beforeFirst = undefined;
      before?.();
    }
    this.#isOpen = true;
    try {
      const [made, result] = this.db.write(() => {
        const at = this.now();
        const [change, last, open] = this.db.row<[number, number, number | null]>(BEGIN);
        if (open !== null) this.#end(open, at, { source: 'cli' }, null);
        const result = work();
        return [this.#end(last + 1, at, origin, undoes) ? change : undefined, result];
      });
      this.latest = made;
      return result;
    } finally {
      this.#isOpen = false;
    }
  }

  /** @returns whether the change has entries */
  #end(head: number, at: number, { source, caller }: Origin, undoes: number | null): boolean {
    const uid = randomInt(UIDS);
    return this.db.run(END, uid, source, caller ?? null, undoes, at, head).changes > 0;
  }
}
