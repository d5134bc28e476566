import type { Origin } from '../../domain/history.ts';
import { crypto } from '../../lib/crypto.ts';
import type { Database } from '../sqlite/database.ts';

/** Runs `work` as one change, in one transaction. Inside another change, it becomes a part of that one. */
export type RunChange = <T>(work: () => T) => T;

/** Thrown to roll a rehearsal back; carries its result to the caller. */
class TakenBack extends Error {
  constructor(readonly result: unknown) {
    super();
  }
}

/**
 * Runs `work` inside `run`, and rolls back everything that it did.
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

/** Random uid of a change: an integer from 0 to 2^48 - 2, the widest range of `randomInt`. */
const newUid = (): number => crypto().randomInt(2 ** 48 - 1);

/**
 * SQL, one row: the number of the last change, the last history seq, the clock of the last change, the highest clock received
 * from other databases, and the head of entries without a change, which another program wrote; NULL if there are none.
 */
const STATE = `SELECT number.seq, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'history'), 0), coalesce(head.clock, 0),
    coalesce((SELECT CAST(value AS INTEGER) FROM settings WHERE name = 'clock'), 0), iif(head.clock IS NULL, head.seq, NULL)
  FROM sqlite_sequence AS number
  LEFT JOIN history AS head ON head.seq = (SELECT head FROM history AS last ORDER BY last.seq DESC LIMIT 1)
  WHERE number.name = 'changes'`;

/** Completes a change: writes its metadata to its head, the first of its entries. */
const END = 'UPDATE history SET clock = ?, at = ?, uid = ?, source = ?, caller = ?, undoes = ? WHERE seq = ?';

/**
 * A head without a record, such as an erasure leaves. Also written for a change that stored only hidden
 * replicas: by its uid, other databases notice when a file is set back to an older copy.
 */
const BARE = 'INSERT INTO history (change, head, clock, uid) VALUES (?, ?, ?, ?)';

/**
 * Numbers and completes the changes of one connection; triggers write their entries. Each change has a hybrid logical clock
 * (Kulkarni et al. 2014, "Logical Physical Clocks"), which exceeds the highest known one even if the system time is behind.
 */
export class Changes {
  #isOpen = false;
  /** The connection's last change: its number, and the history seq before its entries; undefined without one. */
  latest: { change: number; after: number } | undefined;

  #beforeFirst: (() => void) | undefined;

  /**
   * @param now the clock, in milliseconds since 1970
   * @param beforeFirst runs once, before the first change that is not an erasure
   */
  constructor(
    private readonly db: Database,
    private readonly now: () => number,
    beforeFirst?: () => void,
  ) {
    this.#beforeFirst = beforeFirst;
  }

  /**
   * Runs `work` as one change: see `RunChange`.
   * @param undoes the number of the change that this one undoes
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
        // An ordinary API request receives no replicated states: skip the query.
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

  /** Completes a change. @returns whether it has entries */
  #end(
    head: number,
    { clock, at }: { clock: number; at: number },
    { source, caller }: Origin,
    undoes: number | null,
  ): boolean {
    // The hybrid clock can be ahead of the time, after a wrong clock: then the time is stored beside it.
    const said = Math.floor(clock / 1000) === at ? null : at;
    return this.db.run(END, clock, said, newUid(), source, caller ?? null, undoes, head).changes > 0;
  }
}
