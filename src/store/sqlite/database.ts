import type BetterSqlite from 'better-sqlite3';
import { SciaticaError } from '../../domain/errors.ts';
import { retryWhileBusy } from './busy.ts';
import { damaged, domainError, gone, uncertain } from './errors.ts';
import { Handle } from './handle.ts';
import { fileAt } from './header.ts';
import { runMigrations } from './migrations/index.ts';
import type { Obstacle, Opened } from './readable.ts';
import { type Reader, requireWanted } from './reader.ts';

type Value = string | number | Uint8Array | null;

/** A connection with its prepared statements, transactions and error translation. */
export class Database {
  readonly #handle: Handle;
  readonly #file: string;
  readonly #atClose: (() => void)[] = [];
  #isDoubtful = false;
  #wasMoved = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #wasWritable: boolean;
  #hasTurns = false;
  /** Whether the open transaction is that of `readInTurns`. */
  #isInTurn = false;

  /** Not to be called directly: use `openDatabase` or `connect`. */
  constructor(
    readonly path: string,
    connect: () => Opened,
    readonly reader?: Reader,
  ) {
    // Read before opening: a file replaced in between then counts as moved, never the other way round.
    this.#file = fileAt(path);
    this.#handle = new Handle(connect);
    this.#wasWritable = this.#handle.obstacle === undefined;
  }

  /** Why nothing can be written; undefined if the database is writable. */
  get obstacle(): Obstacle | undefined {
    return this.#handle.obstacle;
  }

  /** See `Handle.lend`. */
  lend(): () => void {
    return this.#handle.lend();
  }

  /** Whether this is a connection of `openSnapshot`, on which all reads see one snapshot. */
  get isSnapshot(): boolean {
    return this.#handle.isReadonly && this.inTransaction;
  }

  /** Whether a transaction is open other than that of `readInTurns`. */
  get inTransaction(): boolean {
    return !this.#isInTurn && this.#handle.inTransaction;
  }

  /**
   * From now on, all reads in one turn of the event loop share one read transaction: taking the lock and checking the WAL index
   * are a tenth of the time of a small read. Writes of other processes become visible in the next turn.
   */
  readInTurns(): void {
    this.#hasTurns = true;
  }

  /** The rows of a query, as objects. */
  all<T>(sql: string, ...values: Value[]): T[] {
    return this.#reading(() => this.#objects(sql).all(...values) as T[]);
  }

  /**
   * The first rows of a query, as objects: at most `most.rows`, and none after the row at which they reach
   * `most.characters` together.
   * @param charactersOf counts the characters of a row
   */
  take<T>(
    sql: string,
    most: { rows: number; characters: number },
    charactersOf: (row: T) => number,
    ...values: Value[]
  ): T[] {
    return this.#reading(() => {
      const rows: T[] = [];
      let characters = 0;
      for (const row of this.#objects(sql).iterate(...values) as Iterable<T>) {
        rows.push(row);
        characters += charactersOf(row);
        if (rows.length >= most.rows || characters >= most.characters) break;
      }
      return rows;
    });
  }

  /** The first row of a query, if there is one. */
  get<T>(sql: string, ...values: Value[]): T | undefined {
    return this.#reading(() => this.#objects(sql).get(...values) as T | undefined);
  }

  /** The first column of every row. */
  column<T extends Value>(sql: string, ...values: Value[]): T[] {
    return this.#reading(() => this.#firstColumn(sql).all(...values) as T[]);
  }

  /** The first column of the first row. */
  value<T extends Value>(sql: string, ...values: Value[]): T | undefined {
    return this.#reading(() => this.#firstColumn(sql).get(...values) as T | undefined);
  }

  /** The first row of a query, as an array of its columns. An aggregate without GROUP BY always has one. */
  row<T extends Value[] | undefined>(sql: string, ...values: Value[]): T {
    return this.#reading(() => {
      const statement = this.#prepare(sql).raw();
      return statement.get(...values) as T;
    });
  }

  /** The highest id that a table with AUTOINCREMENT has ever assigned; 0 before the first (https://sqlite.org/autoinc.html). */
  lastId(table: string): number {
    return this.value<number>('SELECT seq FROM main.sqlite_sequence WHERE name = ?', table) ?? 0;
  }

  /** Runs a statement; returns the id of the last inserted row, and the number of changed rows. */
  run(sql: string, ...values: Value[]): { id: number; changes: number } {
    return this.#translate(() => {
      const { lastInsertRowid, changes } = this.#prepare(sql).run(...values);
      return { id: Number(lastInsertRowid), changes };
    });
  }

  /** Runs SQL of one or several statements, without values. */
  exec(sql: string): void {
    this.#translate(() => this.#handle.sqlite.exec(sql));
  }

  /** Runs all migrations but the first `from`, which have run already. */
  migrate(from: number): void {
    this.#translate(() => runMigrations(this.#handle.sqlite, from));
  }

  /** Runs a pragma and returns its value, or the answer to setting it. */
  pragma<T extends Value>(source: string): T {
    return this.#translate(() => this.#handle.sqlite.pragma(source, { simple: true }) as T);
  }

  /** Runs `work` in a read transaction, so that it sees one snapshot. Inside a transaction, it becomes a part of that one. */
  read<T>(work: () => T): T {
    if (this.#hasTurns) this.#reading(() => {});
    if (this.#handle.inTransaction) return work();
    this.run('BEGIN');
    return this.#finish(work, () => this.run('COMMIT'));
  }

  /**
   * Runs `work` in a write transaction. Inside a transaction, it becomes a part of that one. Waits for the
   * write lock for up to `busy_timeout`.
   * @throws what `work` threw; SciaticaError as `begin` and `commit` say
   */
  write<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.#unwaiting((timeout) => retryWhileBusy(timeout, () => this.begin()));
    return this.#finish(work, () => this.commit());
  }

  /** Runs `work` in a savepoint of the open write transaction: if it throws, only its writes are rolled back. */
  attempt<T>(work: () => T): T {
    this.run('SAVEPOINT attempt');
    try {
      return work();
    } catch (error) {
      if (this.inTransaction) this.run('ROLLBACK TO attempt');
      throw error;
    } finally {
      if (this.inTransaction) this.run('RELEASE attempt');
    }
  }

  #finish<T>(work: () => T, commit: () => void): T {
    try {
      const result = work();
      commit();
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors (https://sqlite.org/lang_transaction.html).
      if (this.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  /**
   * Checks that the database can be written to. If the disk was full or has failed, it first opens the database again.
   * @throws SciaticaError `full`, `unusable`
   */
  requireWritable(): void {
    this.#endTurn();
    const mayHavePassed = this.obstacle?.error.code === 'full' || this.#wasWritable;
    if (this.obstacle && mayHavePassed && !this.#handle.isLent) {
      const version = this.pragma('user_version');
      this.#handle.reopen();
      // The open database was a migrated copy; the file itself has an older schema.
      if (this.pragma('user_version') !== version) throw gone();
    }
    if (this.obstacle) throw this.obstacle.error;
  }

  /**
   * Begins a write transaction.
   * @throws SciaticaError `gone` when the path now leads to another file; as `requireWritable`
   */
  begin(): void {
    this.requireWritable();
    this.run('BEGIN IMMEDIATE');
    // After a failed commit the connection was reopened, perhaps on a copy, which would lose the writes.
    const error = this.obstacle?.error ?? (this.#hasJustMoved ? gone() : undefined);
    if (!error) return;
    this.run('ROLLBACK');
    throw error;
  }

  /**
   * Commits a write transaction durably.
   * @throws SciaticaError `uncertain` when the disk failed: the connection is then reopened before its next use
   */
  commit(): void {
    try {
      this.#prepare('COMMIT').run();
    } catch (error) {
      this.#isDoubtful = String((error as { code?: unknown }).code).startsWith('SQLITE_IOERR');
      const failed = domainError(error, this.path);
      const isFull = failed instanceof SciaticaError && failed.code === 'full';
      throw this.#isDoubtful && !isFull ? uncertain(error) : failed;
    }
  }

  /**
   * Moves the write-ahead log into the database file as far as readers allow, without waiting for them.
   * @returns whether the log is empty now
   */
  checkpoint(): boolean {
    if (this.obstacle) return false;
    return this.#unwaiting(() => this.pragma('wal_checkpoint(TRUNCATE)') === 0);
  }

  /** Runs `work` with `busy_timeout` 0. @param work gets the usual timeout, in milliseconds */
  #unwaiting<T>(work: (timeout: number) => T): T {
    const timeout = this.pragma<number>('busy_timeout');
    this.pragma('busy_timeout = 0');
    try {
      return work(timeout);
    } finally {
      this.pragma(`busy_timeout = ${timeout}`);
    }
  }

  /** The bytes of the current database, including what only the write-ahead log holds. */
  serialize(): Buffer {
    return this.#translate(() => this.#handle.sqlite.serialize());
  }

  /** An opaque value that differs whenever another connection may have changed something. */
  version(): string {
    this.#endTurn();
    return `${this.#handle.connections} ${this.value<number>('PRAGMA data_version')}`;
  }

  /** `hasMoved`, checked at most once a millisecond, because it takes a tenth of the time of a small write. */
  get #hasJustMoved(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt >= 1) {
      this.#lookedAt = now;
      this.#wasMoved = this.hasMoved;
    }
    return this.#wasMoved;
  }

  /** Whether the path no longer leads to the open file. */
  get hasMoved(): boolean {
    return fileAt(this.path) !== this.#file;
  }

  /**
   * After a failed fsync, cached pages may differ from the disk, and the write-ahead log may end in a
   * transaction that was given up: only a new connection reads the actual content.
   */
  #recover(): void {
    this.#handle.reopen();
    if (this.#handle.sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new SciaticaError('damaged', damaged(this.path));
    this.#isDoubtful = false;
  }

  /** Registers `work` to run after the connection is closed. */
  onClose(work: () => void): void {
    this.#atClose.push(work);
  }

  close(): void {
    this.#endTurn();
    this.#handle.close();
    for (const work of this.#atClose.splice(0)) work();
  }

  #prepare(sql: string): BetterSqlite.Statement {
    return this.#handle.prepare(sql);
  }

  #objects(sql: string): BetterSqlite.Statement {
    return this.#prepare(sql).pluck(false);
  }

  #firstColumn(sql: string): BetterSqlite.Statement {
    return this.#prepare(sql).pluck();
  }

  /** Runs a query; after `readInTurns`, inside the transaction of the turn. */
  #reading<T>(work: () => T): T {
    return this.#translate(work, this.#hasTurns);
  }

  #beginTurn(): void {
    if (this.#handle.inTransaction) return;
    this.#prepare('BEGIN').run();
    this.#isInTurn = true;
    setImmediate(() => this.#endTurn());
  }

  /** Ignores errors: they surfaced in the reads of the turn. */
  #endTurn(): void {
    if (!this.#isInTurn) return;
    this.#isInTurn = false;
    if (!this.#handle.inTransaction) return;
    try {
      this.#prepare('COMMIT').run();
    } catch {
      if (this.#handle.inTransaction) this.#prepare('ROLLBACK').run();
    }
  }

  #translate<T>(work: () => T, isInTurn = false): T {
    try {
      if (!isInTurn) this.#endTurn();
      if (this.#isDoubtful && !this.inTransaction) this.#recover();
      if (isInTurn) this.#beginTurn();
      if (this.reader) requireWanted(this.reader);
      return work();
    } catch (error) {
      throw domainError(error, this.path);
    }
  }
}
