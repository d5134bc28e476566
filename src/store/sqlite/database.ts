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

/** One connection: the pragmas, the transactions and the statements that have been prepared on it. */
export class Database {
  readonly #handle: Handle;
  readonly #file: string;
  readonly #atClose: (() => void)[] = [];
  #isDoubtful = false;
  #wasMoved = false;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #wasWritable: boolean;
  #hasTurns = false;
  /** Whether the transaction that is open is that of a turn. */
  #isInTurn = false;

  /** Use `openDatabase`, or `connect`. */
  constructor(
    readonly path: string,
    connect: () => Opened,
    readonly reader?: Reader,
  ) {
    // Looked up first: a file that is replaced meanwhile is then taken for moved, never the other way round.
    this.#file = fileAt(path);
    this.#handle = new Handle(connect);
    this.#wasWritable = this.#handle.obstacle === undefined;
  }

  /** Why nothing can be saved, where that is so. */
  get obstacle(): Obstacle | undefined {
    return this.#handle.obstacle;
  }

  /** As `Handle.lend`. */
  lend(): () => void {
    return this.#handle.lend();
  }

  /** Whether this is a connection of `openSnapshot`: all that is read through it is of one moment. */
  get isSnapshot(): boolean {
    return this.#handle.isReadonly && this.inTransaction;
  }

  /** Whether a transaction is open that somebody asked for. */
  get inTransaction(): boolean {
    return !this.#isInTurn && this.#handle.inTransaction;
  }

  /**
   * From now on all reads in one turn of the event loop are one read transaction: the lock and the look at the log's index are a tenth
   * of the time of a small read. What another process writes is seen in the next turn.
   */
  readInTurns(): void {
    this.#hasTurns = true;
  }

  /** The rows of a query, as objects. */
  all<T>(sql: string, ...values: Value[]): T[] {
    return this.#reading(() => this.#objects(sql).all(...values) as T[]);
  }

  /**
   * The first rows of a query, as objects: at most so many, and none after those that have so many characters together.
   * @param charactersOf how many a row has
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

  /** The first row of a query, as its columns in order; an aggregate has one always. */
  row<T extends Value[] | undefined>(sql: string, ...values: Value[]): T {
    return this.#reading(() => {
      const statement = this.#prepare(sql).raw();
      return statement.get(...values) as T;
    });
  }

  /** The highest id that a table with AUTOINCREMENT has ever given; 0 before the first (SQLite, “Autoincrement”). */
  lastId(table: string): number {
    return this.value<number>('SELECT seq FROM main.sqlite_sequence WHERE name = ?', table) ?? 0;
  }

  /** Runs a statement; returns the id it inserted last and how many rows it changed. */
  run(sql: string, ...values: Value[]): { id: number; changes: number } {
    return this.#translate(() => {
      const { lastInsertRowid, changes } = this.#prepare(sql).run(...values);
      return { id: Number(lastInsertRowid), changes };
    });
  }

  /** Runs several statements without values. */
  exec(sql: string): void {
    this.#translate(() => this.#handle.sqlite.exec(sql));
  }

  /** Runs the migrations after the first `from`. */
  migrate(from: number): void {
    this.#translate(() => runMigrations(this.#handle.sqlite, from));
  }

  /** The value of a pragma, or what setting it answered. */
  pragma<T extends Value>(source: string): T {
    return this.#translate(() => this.#handle.sqlite.pragma(source, { simple: true }) as T);
  }

  /** Runs `work` on one snapshot of the records; inside a transaction, as part of it. */
  read<T>(work: () => T): T {
    if (this.#hasTurns) this.#reading(() => {});
    if (this.#handle.inTransaction) return work();
    this.run('BEGIN');
    return this.#finish(work, () => this.run('COMMIT'));
  }

  /**
   * Runs `work` as one write transaction: all of it or nothing. Inside a transaction, as part of it. Waits for the lock of
   * others as long as `busy_timeout` says.
   * @throws what `work` threw; SciaticaError as `begin` and `commit` say
   */
  write<T>(work: () => T): T {
    if (this.inTransaction) return work();
    this.#unwaiting((timeout) => retryWhileBusy(timeout, () => this.begin()));
    return this.#finish(work, () => this.commit());
  }

  /** Runs `work` inside a write transaction: what it wrote is taken back if it throws, and the transaction goes on. */
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
   * Makes sure that something can be saved; where the disk was full or has failed, by opening the database once more.
   * @throws SciaticaError `full`, `unusable`
   */
  requireWritable(): void {
    this.#endTurn();
    const mayHavePassed = this.obstacle?.error.code === 'full' || this.#wasWritable;
    if (this.obstacle && mayHavePassed && !this.#handle.isLent) {
      const version = this.pragma('user_version');
      this.#handle.reopen();
      // What was brought up to date was a copy.
      if (this.pragma('user_version') !== version) throw gone();
    }
    if (this.obstacle) throw this.obstacle.error;
  }

  /**
   * Begins a write transaction.
   * @throws SciaticaError `gone` when the path leads to another file by now; as `requireWritable`
   */
  begin(): void {
    this.requireWritable();
    this.run('BEGIN IMMEDIATE');
    // After a failed commit the connection was opened again, perhaps to a copy, which would take what is written and lose it.
    const error = this.obstacle?.error ?? (this.#hasJustMoved ? gone() : undefined);
    if (!error) return;
    this.run('ROLLBACK');
    throw error;
  }

  /**
   * Makes a write transaction durable.
   * @throws SciaticaError `uncertain` when the disk failed: the connection is opened again before its next use
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
   * Moves what the write-ahead log holds into the database file, as far as readers allow; never waits for them.
   * @returns whether the log is empty now
   */
  checkpoint(): boolean {
    if (this.obstacle) return false;
    return this.#unwaiting(() => this.pragma('wal_checkpoint(TRUNCATE)') === 0);
  }

  /** Runs `work`, in which SQLite does not wait for locks. It gets the usual wait, in milliseconds. */
  #unwaiting<T>(work: (timeout: number) => T): T {
    const timeout = this.pragma<number>('busy_timeout');
    this.pragma('busy_timeout = 0');
    try {
      return work(timeout);
    } finally {
      this.pragma(`busy_timeout = ${timeout}`);
    }
  }

  /** The bytes of the database as it is now, what only its log holds included. */
  serialize(): Buffer {
    return this.#translate(() => this.#handle.sqlite.serialize());
  }

  /** Another text whenever somebody else, through another connection, may have changed something. */
  version(): string {
    this.#endTurn();
    return `${this.#handle.connections} ${this.value<number>('PRAGMA data_version')}`;
  }

  /** `hasMoved`, looked up once a millisecond at most: it takes a tenth of the time of a small write. */
  get #hasJustMoved(): boolean {
    const now = performance.now();
    if (now - this.#lookedAt >= 1) {
      this.#lookedAt = now;
      this.#wasMoved = this.hasMoved;
    }
    return this.#wasMoved;
  }

  /** Whether the path leads to another file than the one that is open, or nowhere. */
  get hasMoved(): boolean {
    return fileAt(this.path) !== this.#file;
  }

  /**
   * After a failed fsync the cached pages may not be what the disk holds, and the log may end in a transaction
   * that was given up: only a new connection reads what is there.
   */
  #recover(): void {
    this.#handle.reopen();
    if (this.#handle.sqlite.pragma('quick_check(1)', { simple: true }) !== 'ok')
      throw new SciaticaError('damaged', damaged(this.path));
    this.#isDoubtful = false;
  }

  /** Runs `work` after the connection is closed. */
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

  /** Runs a query, which in a service is part of the turn's transaction. */
  #reading<T>(work: () => T): T {
    return this.#translate(work, this.#hasTurns);
  }

  #beginTurn(): void {
    if (this.#handle.inTransaction) return;
    this.#prepare('BEGIN').run();
    this.#isInTurn = true;
    setImmediate(() => this.#endTurn());
  }

  /** Errors are those of reads, which had them. */
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
