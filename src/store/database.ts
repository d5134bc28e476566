import type BetterSqlite from 'better-sqlite3';
import { domainError } from './sqlite-error.ts';

const MAX_STATEMENTS = 200;

type Value = string | number | null;

/** One connection: the pragmas, the transactions and the statements that have been prepared on it. */
export class Database {
  readonly #sqlite: BetterSqlite.Database;
  readonly #statements = new Map<string, BetterSqlite.Statement>();

  /** Wraps an open connection; use `openDatabase`. */
  constructor(sqlite: BetterSqlite.Database) {
    this.#sqlite = sqlite;
  }

  get path(): string {
    return this.#sqlite.name;
  }

  /** Whether this is a connection of `openSnapshot`. */
  get isSnapshot(): boolean {
    return this.#sqlite.readonly;
  }

  get inTransaction(): boolean {
    return this.#sqlite.inTransaction;
  }

  /** The rows of a query, as objects. */
  all<T>(sql: string, ...values: Value[]): T[] {
    return this.#translate(
      () =>
        this.#prepare(sql)
          .pluck(false)
          .all(...values) as T[],
    );
  }

  /** The first row of a query, if there is one. */
  get<T>(sql: string, ...values: Value[]): T | undefined {
    return this.#translate(
      () =>
        this.#prepare(sql)
          .pluck(false)
          .get(...values) as T | undefined,
    );
  }

  /** The first column of every row. */
  column<T extends Value>(sql: string, ...values: Value[]): T[] {
    return this.#translate(
      () =>
        this.#prepare(sql)
          .pluck()
          .all(...values) as T[],
    );
  }

  /** The first column of the first row. */
  value<T extends Value>(sql: string, ...values: Value[]): T | undefined {
    return this.#translate(
      () =>
        this.#prepare(sql)
          .pluck()
          .get(...values) as T | undefined,
    );
  }

  /** The row of an aggregate, as its columns in order. */
  row<T extends Value[]>(sql: string, ...values: Value[]): T {
    return this.#translate(
      () =>
        this.#prepare(sql)
          .raw()
          .get(...values) as T,
    );
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
    this.#translate(() => this.#sqlite.exec(sql));
  }

  /** The value of a pragma, or what setting it answered. */
  pragma<T extends Value>(source: string): T {
    return this.#translate(() => this.#sqlite.pragma(source, { simple: true }) as T);
  }

  /** Runs `work` on one snapshot of the records; inside a transaction, as part of it. */
  read<T>(work: () => T): T {
    return this.#transaction('BEGIN', work);
  }

  /** Runs `work` as one write transaction: all of it or nothing. Inside a transaction, as part of it. */
  write<T>(work: () => T): T {
    return this.#transaction('BEGIN IMMEDIATE', work);
  }

  #transaction<T>(begin: string, work: () => T): T {
    if (this.inTransaction) return work();
    this.run(begin);
    try {
      const result = work();
      this.run('COMMIT');
      return result;
    } catch (error) {
      // SQLite has already rolled back after some errors (https://sqlite.org/lang_transaction.html).
      if (this.inTransaction) this.run('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#sqlite.close();
  }

  #prepare(sql: string): BetterSqlite.Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      // Callers choose filters and orders: what is kept must not grow with them.
      if (this.#statements.size >= MAX_STATEMENTS) this.#statements.clear();
      statement = this.#sqlite.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #translate<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw domainError(error, this.path);
    }
  }
}
