import type BetterSqlite from 'better-sqlite3';
import type { Obstacle, Opened } from './readable.ts';

/** In milliseconds: for so long a connection that locks all others out is kept for the next reads. */
const ALONE_MS = 20;

/** Most statements that are kept. Callers choose filters and orders: what is kept must not grow with them. */
const MOST_STATEMENTS = 200;

/** The connection of better-sqlite3 behind a `Database`: it may be opened again, and what was prepared on it goes with it. */
export class Handle {
  readonly #connect: () => Opened;
  /** By their SQL. */
  readonly #statements = new Map<string, BetterSqlite.Statement>();
  #sqlite: BetterSqlite.Database;
  #obstacle: Obstacle | undefined;
  #isReleased = false;
  #timer: NodeJS.Timeout | undefined;
  #busyTimeout: unknown;
  #guests = 0;
  /** How often it was opened. */
  connections = 1;

  constructor(connect: () => Opened) {
    this.#connect = connect;
    ({ sqlite: this.#sqlite, obstacle: this.#obstacle } = connect());
  }

  /** Why nothing can be saved, where that is so. */
  get obstacle(): Obstacle | undefined {
    return this.#obstacle;
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  get isReadonly(): boolean {
    return this.#sqlite.readonly;
  }

  get isLent(): boolean {
    return this.#guests > 0;
  }

  /** The open connection. One that locks others out is closed soon afterwards, and opened again for the next read. */
  get sqlite(): BetterSqlite.Database {
    if (this.#isReleased) this.#open();
    if (this.#obstacle?.kind === 'alone') this.#releaseSoon();
    return this.#sqlite;
  }

  prepare(sql: string): BetterSqlite.Statement {
    // First: what was prepared does not outlive a connection that is opened again.
    const { sqlite } = this;
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Lets somebody read through this connection; what it returns says that the reading is over. */
  lend(): () => void {
    this.#guests++;
    return () => {
      this.#guests--;
    };
  }

  reopen(): void {
    this.#disconnect();
    this.#open();
  }

  close(): void {
    this.#disconnect();
    this.#isReleased = false;
  }

  #open(): void {
    ({ sqlite: this.#sqlite, obstacle: this.#obstacle } = this.#connect());
    this.#isReleased = false;
    this.connections++;
    this.#sqlite.pragma(`busy_timeout = ${this.#busyTimeout}`);
  }

  /** What cannot be opened now is tried again at the next use. */
  #disconnect(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sqlite.open) this.#busyTimeout = this.#sqlite.pragma('busy_timeout', { simple: true });
    this.#statements.clear();
    this.#sqlite.close();
    this.#obstacle?.remove?.();
    this.#isReleased = true;
  }

  #releaseSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.isLent || this.inTransaction) this.#releaseSoon();
      else this.#disconnect();
    }, ALONE_MS).unref();
  }
}
