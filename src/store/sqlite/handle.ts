import type BetterSqlite from 'better-sqlite3';
import type { Obstacle, Opened } from './readable.ts';

/** In milliseconds: how long a connection that locks all others out stays open for further reads. */
const ALONE_MS = 20;

/** Most cached statements. Callers choose filters and sort orders, so the cache must be bounded. */
const MOST_STATEMENTS = 200;

/** The better-sqlite3 connection behind a `Database`, which can be reopened, with its cache of prepared statements. */
export class Handle {
  readonly #connect: () => Opened;
  /** Cache by SQL text. */
  readonly #statements = new Map<string, BetterSqlite.Statement>();
  #sqlite: BetterSqlite.Database;
  #obstacle: Obstacle | undefined;
  #isReleased = false;
  #timer: NodeJS.Timeout | undefined;
  #busyTimeout: unknown;
  #guests = 0;
  /** How often the connection was opened. */
  connections = 1;

  constructor(connect: () => Opened) {
    this.#connect = connect;
    ({ sqlite: this.#sqlite, obstacle: this.#obstacle } = connect());
  }

  /** Why nothing can be written; undefined if the database is writable. */
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

  /** The connection, reopened if it was closed. One that locks others out is closed again soon after its last use. */
  get sqlite(): BetterSqlite.Database {
    if (this.#isReleased) this.#open();
    if (this.#obstacle?.kind === 'alone') this.#releaseSoon();
    return this.#sqlite;
  }

  prepare(sql: string): BetterSqlite.Statement {
    // First, because reopening clears the cached statements.
    const { sqlite } = this;
    let statement = this.#statements.get(sql);
    if (!statement) {
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      statement = sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Keeps the connection open for a reader. Returns a function that ends this. */
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

  /** Closes the connection; `sqlite` reopens it at the next use. */
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
