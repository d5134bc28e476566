import { sizeOf } from '../../lib/files.ts';
import type { Database } from './database.ts';
import { openSnapshot } from './open.ts';

/** How long a list may hold one snapshot, in milliseconds. */
const MOST_MS = 60_000;

/** How large the write-ahead log may be while lists hold snapshots, in bytes: more than is left of it when it shrinks. */
export const MOST_LOG_BYTES = 96 * 1024 * 1024;

/** Between two checks, in milliseconds. */
const CHECK_MS = 250;

/** The size of the write-ahead log of a database, in bytes. */
export const logBytesOf = (path: string): number => sizeOf(`${path}-wal`);

/** What a long list is read from: one snapshot, or one after the other. */
export interface Source {
  /** How often a snapshot was given up for a later one. */
  readonly renewals: number;
  read<T>(work: (db: Database) => T): T;
}

/**
 * Opens what a long list is read from: close it. A store that is a snapshot already is read as it is; and where there can
 * be no further connection, nothing is saved either, so that the log cannot grow.
 * @param sorts whether the list has to be sorted
 */
export function openSource(open: Database, sorts: boolean): Source & { close(): void } {
  const { db, close } = openSnapshot(open, sorts);
  return db === open ? { renewals: 0, read: (work) => work(db), close } : new BoundedSnapshot(db, close);
}

/**
 * A connection that holds a snapshot for a bounded time: while any is held, the write-ahead log cannot shrink
 * (https://sqlite.org/wal.html, 6). It is given up after a minute, or when the log is large, even if nobody reads just
 * then; the next read begins another. No statement may stay open between two reads.
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
