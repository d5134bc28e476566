import type { Origin } from '../../domain/history.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';

/** Runs `work` as one change: one transaction, all of it or nothing. Inside another change, as part of it. */
export type RunChange = <T>(work: () => T) => T;

/** Ends a transaction that is to leave nothing behind. */
class TakenBack extends Error {
  constructor(readonly result: unknown) {
    super();
  }
}

/**
 * Runs `work` as `run` does, and takes everything back that it did.
 * @param run a change, or a bare transaction
 * @returns what `work` returned
 */
export function rehearse<T>(run: RunChange, work: () => T): T {
  try {
    return run(() => {
      throw new TakenBack(work());
    });
  } catch (error) {
    if (error instanceof TakenBack) return error.result as T;
    throw error;
  }
}

/** A random id of a change: below the most that `randomInt` allows. */
const newUid = (): number => crypto().randomInt(2 ** 48 - 1);

/**
 * The number of the last change, the seq of the last entry, the clock of the change that it belongs to, the highest clock that came from
 * elsewhere, and the head of entries that something else wrote, which began no change.
 */
const STATE = `SELECT number.seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0), coalesce(head.clock, 0),
    coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'clock'), 0), iif(head.clock IS NULL, head.seq, NULL)
  FROM sqlite_sequence AS number
  LEFT JOIN history AS head ON head.seq = (SELECT head FROM history AS last ORDER BY last.seq DESC LIMIT 1)
  WHERE number.name = 'changes'`;

/** Writes what is known of a change to its head. */
const END = 'UPDATE history SET clock = ?, at = ?, uid = ?, source = ?, caller = ?, undoes = ? WHERE seq = ?';

/**
 * An entry without a record, as erasing leaves them: what only came from elsewhere, and shows nowhere, has a uid too, by which it is
 * noticed that a file was set back.
 */
const BARE = 'INSERT INTO history (change, head, clock, uid) VALUES (?, ?, ?, ?)';

/**
 * The changes of one connection. Triggers write their entries; this says which change they belong to. Each has a hybrid logical clock
 * (Kulkarni et al. 2014, "Logical Physical Clocks"), which goes on from the last one that is known where the time is behind it.
 */
export class Changes {
  #isOpen = false;
  /** The last change of this connection, and the seq after which its entries are; undefined if it changed nothing. */
  latest: { change: number; after: number } | undefined;

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
        const [number, last, lastClock, received, open] =
          this.db.row<[number, number, number, number, number | null]>(STATE);
        // A plain request brings nothing from elsewhere, and is not to pay for this.
        const rev = origin.source === 'api' ? undefined : this.db.lastId('replicas');
        let clock = Math.max(at * 1000, lastClock + 1, received + 1);
        if (open !== null) {
          clock = Math.max(clock, 1 + (this.db.value<number | null>('SELECT max(clock) FROM history') ?? 0));
          this.#end(open, { clock: clock++, at }, { source: 'cli' }, null);
        }
        const change = number + 1;
        this.db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'changes'", change);
        const result = work();
        const isChange = this.#end(last + 1, { clock, at }, origin, undoes);
        if (!isChange && rev !== undefined && this.db.lastId('replicas') > rev)
          this.db.run(BARE, change, last + 1, clock, newUid());
        return [isChange ? { change, after: last } : undefined, result];
      });
      this.latest = made;
      return result;
    } finally {
      this.#isOpen = false;
    }
  }

  /** @returns whether the change has entries */
  #end(
    head: number,
    { clock, at }: { clock: number; at: number },
    { source, caller }: Origin,
    undoes: number | null,
  ): boolean {
    // A clock that was ahead once does not date what is done today.
    const said = Math.floor(clock / 1000) === at ? null : at;
    return this.db.run(END, clock, said, newUid(), source, caller ?? null, undoes, head).changes > 0;
  }
}
