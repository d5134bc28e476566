import type { KindName } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { useTemporaryFolder } from '../sqlite/temporary.ts';

/** A record as it is over there, with the ids of there. */
export interface Arrival {
  record: KindName;
  theirId: number;
  /** The user over there whose record it is. */
  theirUser: number;
  /** As JSON; null where there is none any more. */
  state: string | null;
  /** When it was last changed there, in milliseconds since 1970; null if nothing says so. */
  at: number | null;
  /** Whether that is known to have come after what was agreed on. */
  isLater: boolean;
  /** The user was erased there. */
  isErased: boolean;
}

interface Row extends Omit<Arrival, 'isLater' | 'isErased'> {
  isLater: number;
  isErased: number;
}

const COLUMNS = 'record, theirId, theirUser, state, at, isLater, isErased';

/** How many are in memory at once. */
const BLOCK = 200;

/**
 * What has arrived from an origin and is not taken over yet: in a temporary table, so that memory is bounded. What still
 * waits for a decision is kept between two syncs.
 */
export class Arrivals {
  constructor(private readonly db: Database) {
    useTemporaryFolder(db);
    db.exec(`DROP TABLE IF EXISTS temp.arrivals;
      CREATE TABLE temp.arrivals (
        record TEXT NOT NULL, theirId INTEGER NOT NULL, theirUser INTEGER NOT NULL, state TEXT, at INTEGER,
        isLater INTEGER NOT NULL, isErased INTEGER NOT NULL, PRIMARY KEY (record, theirId)
      ) WITHOUT ROWID;
      DROP TABLE IF EXISTS temp.taken_logs;
      CREATE TABLE temp.taken_logs (theirId INTEGER PRIMARY KEY, ourId INTEGER NOT NULL, ourUser INTEGER NOT NULL)`);
  }

  clear(): void {
    this.db.exec('DELETE FROM temp.arrivals');
  }

  get count(): number {
    return this.db.value<number>('SELECT count(*) FROM temp.arrivals') ?? 0;
  }

  /** Notes records, the later state instead of the earlier, in one transaction, which locks nobody out. */
  put(arrivals: readonly Arrival[]): void {
    this.db.read(() => {
      for (const arrival of arrivals) this.#insert('INSERT OR REPLACE INTO temp.arrivals', arrival);
    });
  }

  /** As `put`, but what is noted already stays. */
  putIfNew(arrivals: readonly Arrival[]): void {
    this.db.read(() => {
      for (const arrival of arrivals) this.#insert('INSERT OR IGNORE INTO temp.arrivals', arrival);
    });
  }

  #insert(into: string, arrival: Arrival): void {
    const { record, theirId, theirUser, state, at, isLater, isErased } = arrival;
    const flags = [Number(isLater), Number(isErased)];
    this.db.run(
      `${into} (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`,
      record,
      theirId,
      theirUser,
      state,
      at,
      ...flags,
    );
  }

  find(record: KindName, theirId: number): Arrival | undefined {
    const sql = `SELECT ${COLUMNS} FROM temp.arrivals WHERE record = ? AND theirId = ?`;
    const row = this.db.get<Row>(sql, record, theirId);
    return row && arrivalOf(row);
  }

  /** Those of a kind by their ids that are not taken as `NewLogs`, a block at a time. */
  *of(record: KindName): Generator<Arrival> {
    const isTaken = "record = 'log' AND theirId IN (SELECT theirId FROM temp.taken_logs)";
    const sql = `SELECT ${COLUMNS} FROM temp.arrivals WHERE record = ? AND theirId > ? AND NOT (${isTaken}) ORDER BY theirId LIMIT ${BLOCK}`;
    for (let last = 0; ; ) {
      const rows = this.db.all<Row>(sql, record, last);
      for (const row of rows) yield arrivalOf(row);
      last = rows.at(-1)?.theirId ?? last;
      if (rows.length < BLOCK) return;
    }
  }

  /**
   * Adds what was left undecided, unless something newer has arrived, and takes it off that list.
   * @param scope ids over there of the users who are covered; null for all. What is of others stays undecided
   * @param areAll everything has arrived: what was left undecided and has not arrived is there no more
   */
  takeConflicts(origin: number, scope: readonly number[] | null, areAll: boolean): void {
    const covered = 'origin = ? AND (? IS NULL OR theirUser IN (SELECT value FROM json_each(?)))';
    const users = scope && JSON.stringify(scope);
    const gone = areAll ? 'isErased = 0' : '0';
    this.db.run(
      `INSERT OR IGNORE INTO temp.arrivals (${COLUMNS})
       SELECT record, theirId, theirUser, iif(${gone}, NULL, state), iif(${gone}, NULL, at), iif(${gone}, 0, isLater), isErased
       FROM main.conflicts WHERE ${covered}`,
      origin,
      users,
      users,
    );
    this.db.run(`DELETE FROM main.conflicts WHERE ${covered}`, origin, users, users);
  }

  /** Leaves a record undecided. */
  keepConflict(origin: number, arrival: Arrival): void {
    const { record, theirId, theirUser, state, at, isLater, isErased } = arrival;
    this.db.run(
      `INSERT OR REPLACE INTO main.conflicts (origin, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      origin,
      record,
      theirId,
      theirUser,
      state,
      at,
      Number(isLater),
      Number(isErased),
    );
  }
}

const arrivalOf = ({ isLater, isErased, ...row }: Row): Arrival => ({
  ...row,
  isLater: isLater === 1,
  isErased: isErased === 1,
});
