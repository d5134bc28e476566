import { type AnyRecord, type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { AT, ENTRIES } from '../records/entries.ts';
import { isState, States } from '../records/states.ts';
import type { Database } from '../sqlite/database.ts';
import { DELETED, IS_HERE } from './counterparts.ts';
import { Twins } from './twins.ts';

/** A record here and its counterpart over there. */
export interface Pair {
  ourId: number;
  theirId: number;
}

/** The first field of a state, of what belongs to users: the user. */
const OWNER = "c.agreed ->> '$[0]'";

/** What is otherwise here than it was agreed on with an origin, and waits for no decision: what a sync has to send. */
export class Differences {
  readonly #states: States;
  #twins: Twins | undefined;

  constructor(
    private readonly db: Database,
    private readonly origin: number,
  ) {
    this.#states = new States(db);
  }

  /**
   * Records without a counterpart, by id.
   * @param users the ids of the users whose records they may be; new users themselves are among them
   * @param after only with a higher id
   */
  created(record: KindName, users: readonly number[], after: number, limit: number): number[] {
    return this.db.column(
      `SELECT id FROM ${kindOf(record).table} AS m WHERE ${record === 'user' ? 'id' : 'userId'} IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM counterparts WHERE origin = ? AND record = '${record}' AND ourId = m.id)
       AND id > ? ORDER BY id LIMIT ?`,
      JSON.stringify(users),
      this.origin,
      after,
      limit,
    );
  }

  /** Records of these users that were changed here. */
  changed(record: KindName, users: readonly number[], after: number, limit: number): Pair[] {
    return this.#pairs(
      record,
      `JOIN ${kindOf(record).table} AS m ON m.id = c.ourId`,
      `NOT ${isState('c.agreed', 'm', this.#states.columns(record))}`,
      { users, after, limit },
    );
  }

  /** Records of these users that were deleted here; of a user who was deleted, the user alone. */
  deleted(record: KindName, users: readonly number[], after: number, limit: number): Pair[] {
    const alone = record === 'user' ? '' : `AND ${OWNER} IN (SELECT id FROM users)`;
    return this.#pairs(
      record,
      '',
      `NOT EXISTS (SELECT 1 FROM ${kindOf(record).table} WHERE id = c.ourId) ${alone}`,
      {
        users,
        after,
        limit,
      },
    );
  }

  /** Records of these users that both had deleted, and that are here again; or they stay here, though deleted over there. */
  restored(record: KindName, users: readonly number[], after: number, limit: number): Pair[] {
    return this.db.all(
      `SELECT c.ourId, c.theirId FROM counterparts AS c JOIN ${kindOf(record).table} AS m ON m.id = c.ourId
       WHERE c.origin = ? AND c.record = '${record}' AND c.ourId > ? AND c.agreed = 'null'
       AND ${record === 'user' ? 'm.id' : 'm.userId'} IN (SELECT value FROM json_each(?)) AND ${IS_SETTLED}
       ORDER BY c.ourId LIMIT ?`,
      this.origin,
      after,
      JSON.stringify(users),
      limit,
    );
  }

  #pairs(
    record: KindName,
    join: string,
    condition: string,
    { users, after, limit }: { users: readonly number[]; after: number; limit: number },
  ): Pair[] {
    return this.db.all(
      `SELECT c.ourId, c.theirId FROM counterparts AS c ${join} WHERE c.origin = ? AND c.record = '${record}' AND c.ourId > ?
       AND c.agreed <> 'null' AND ${condition}
       AND ${record === 'user' ? 'c.ourId' : OWNER} IN (SELECT value FROM json_each(?))
       AND ${IS_SETTLED} ORDER BY c.ourId LIMIT ?`,
      this.origin,
      after,
      JSON.stringify(users),
      limit,
    );
  }

  /** Whether something of a user over there waits for a decision. */
  isDisputed(theirUser: number): boolean {
    const sql = 'SELECT 1 FROM conflicts WHERE origin = ? AND theirUser = ? LIMIT 1';
    return this.db.value(sql, this.origin, theirUser) === 1;
  }

  /** The users who were erased over there, and are not erased here yet. */
  erasedThere(): Pair[] {
    return this.db.all(
      `SELECT ourId, theirId FROM counterparts JOIN conflicts USING (origin, record, theirId)
       WHERE origin = ? AND isErased = 1 ORDER BY ourId`,
      this.origin,
    );
  }

  /** The ids of all users that are here, or have a counterpart. */
  users(): number[] {
    return this.db.column(
      `SELECT id FROM users UNION SELECT ourId FROM counterparts WHERE origin = ? AND record = 'user' ORDER BY 1`,
      this.origin,
    );
  }

  /** Takes a record that holds the same and has no counterpart, inside a transaction. @returns its id */
  takeTwin(record: KindName, one: AnyRecord): number | undefined {
    return this.twins.take(record, one);
  }

  /** The records here that have no counterpart, inside a transaction. */
  get twins(): Twins {
    this.#twins ??= new Twins(this.db, this.origin);
    return this.#twins;
  }

  /** Forgets them. */
  dropTwins(): void {
    this.#twins?.drop();
    this.#twins = undefined;
  }

  /** The highest id that was ever given here. */
  lastId(record: KindName): number {
    return (
      this.db.value<number>(`SELECT seq FROM sqlite_sequence WHERE name = '${kindOf(record).table}'`) ?? 0
    );
  }

  /** When a record here was last changed or deleted, in milliseconds since 1970. */
  changedAt(record: KindName, ourId: number): number | undefined {
    return this.db.value(
      `SELECT ${AT} FROM ${ENTRIES} WHERE entry.record = ? AND entry.recordId = ? ORDER BY entry.seq DESC LIMIT 1`,
      record,
      ourId,
    );
  }

  /** The same of all that belongs to a user and is here. */
  belongingsChangedAt(userId: number): number | undefined {
    const last = this.db.value<number | null>(
      `SELECT max(${AT}) FROM ${ENTRIES} WHERE entry.userId = ? AND entry.record <> 'user' AND entry.action <> 'delete'`,
      userId,
    );
    return last ?? undefined;
  }

  /** Counterparts that should have arrived: of the records of these users. */
  *expected(users: readonly number[]): Generator<{ record: KindName; theirId: number; theirUser: number }[]> {
    const owner = (column: string) =>
      `(SELECT theirId FROM counterparts AS u WHERE u.origin = c.origin AND u.record = 'user' AND u.ourId = ${column})`;
    const sql = `SELECT record, theirId, iif(record = 'user', theirId, ${owner(OWNER)}) AS theirUser
      FROM counterparts AS c WHERE origin = ? AND record = ? AND theirId > ? AND agreed <> 'null'
      AND iif(record = 'user', ourId, ${OWNER}) IN (SELECT value FROM json_each(?)) ORDER BY theirId LIMIT 500`;
    for (const record of kindNames)
      for (let last = 0; ; ) {
        const rows = this.db.all<{ record: KindName; theirId: number; theirUser: number }>(
          sql,
          this.origin,
          record,
          last,
          JSON.stringify(users),
        );
        if (rows.length === 0) break;
        last = rows.at(-1)?.theirId ?? last;
        yield rows;
      }
  }

  /** Notes that both sides have deleted a user, and all that belonged to the user. */
  setUserDeleted(ourId: number): void {
    this.db.run(
      `UPDATE counterparts AS c SET ${DELETED} WHERE origin = ?
       AND (record = 'user' AND ourId = ? OR record <> 'user' AND ${OWNER} = ? AND NOT ${IS_HERE})`,
      this.origin,
      ourId,
      ourId,
    );
  }

  /** Forgets what of a user over there was left to go with the user; what is here waits for a decision still. */
  forgetWaiting(theirUser: number): void {
    this.db.run(
      `DELETE FROM conflicts WHERE origin = ? AND theirUser = ? AND NOT EXISTS (SELECT 1 FROM counterparts AS c
         WHERE c.origin = conflicts.origin AND c.record = conflicts.record AND c.theirId = conflicts.theirId AND ${IS_HERE})`,
      this.origin,
      theirUser,
    );
  }
}

/** Whether a counterpart `c` waits for no decision. */
const IS_SETTLED = `NOT EXISTS
  (SELECT 1 FROM conflicts WHERE origin = c.origin AND record = c.record AND theirId = c.theirId)`;
