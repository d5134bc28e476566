import type BetterSqlite from 'better-sqlite3';

/** Most statements that are kept. Callers choose filters and orders: what is kept must not grow with them. */
const MOST = 200;

/** The statements that have been prepared on one connection, by their SQL. */
export class Statements {
  readonly #prepared = new Map<string, BetterSqlite.Statement>();

  prepare(sqlite: BetterSqlite.Database, sql: string): BetterSqlite.Statement {
    let statement = this.#prepared.get(sql);
    if (!statement) {
      if (this.#prepared.size >= MOST) this.#prepared.clear();
      statement = sqlite.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }

  /** To be called before the connection is closed. */
  clear(): void {
    this.#prepared.clear();
  }
}
