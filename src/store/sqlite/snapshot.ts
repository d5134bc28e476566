import { sizeOf } from '../../lib/files.ts';
import type { Database } from './database.ts';
import { openSnapshot } from './open.ts';

/** How long a list may hold one snapshot, in milliseconds. */
const MOST_MS = 60_000;

/** Largest write-ahead log while lists hold snapshots, in bytes: above `journal_size_limit`, to which an unused log shrinks. */
export const MOST_LOG_BYTES = 96 * 1024 * 1024;

/** Interval between two checks of these bounds, in milliseconds. */
const CHECK_MS = 250;

/** The size of the write-ahead log of a database, in bytes. */
export const logBytesOf = (path: string): number => sizeOf(`${path}-wal`);

/** What a long list is read from: one snapshot, or several in succession. */
export interface Source {
  /** How often a snapshot was replaced by a later one. */
  readonly renewals: number;
  read<T>(work: (db: Database) => T): T;
}

/**
 * Opens the source of a long list; the caller closes it. A store that is a snapshot is used as it is. So is a
 * connection that excludes others: then nothing is written, and the log cannot grow.
 * @param sorts whether the list has to be sorted
 */
export function openSource(open: Database, sorts: boolean): Source & { close(): void } {
  const { db, close } = openSnapshot(open, sorts);
  return db === open ? { renewals: 0, read: (work) => work(db), close } : new BoundedSnapshot(db, close);
}

/**
 * Holds a snapshot for a bounded time only, because the write-ahead log cannot shrink while one is held
 * (https://sqlite.org/wal.html, 6). It is released after a minute, or when the log is large, even between two
 * reads; the next read begins another one. No statement may stay open between two reads.
 */
export class BoundedSnapshot implements Source {
  readonly #timer: NodeJS.Timeout;
  #begunAt = performance.now();
  renewals = 0;

  /**
   * @param db a connection of `openSnapshot`
   */
  constructor(
    private readonly db: Database,
    private readonly closeDb: () => void,
    private readonly bounds = { ms: MOST_MS, logBytes: MOST_LOG_BYTES },
  ) {
    this.#timer = setInterval(() => this.#check(), CHECK_MS).unref();
  }

  read<T>(work: (db: Database) => T): T {
    if (!this.db.inTransaction) {
      this.db.run('BEGIN');
      this.#begunAt = performance.now();
      this.renewals++;
    }
    const result = work(this.db);
    this.#check();
    return result;
  }

  close(): void {
    clearInterval(this.#timer);
    this.closeDb();
  }

  #check(): void {
    const isOver =
      performance.now() - this.#begunAt > this.bounds.ms || logBytesOf(this.db.path) > this.bounds.logBytes;
    if (isOver && this.db.inTransaction) this.db.run('COMMIT');
  }
}
