import { idsUsedUp } from '../../domain/errors.ts';
import { MAX_ID } from '../../domain/fields.ts';
import { logFields } from '../../domain/log.ts';
import { States } from '../records/states.ts';
import { insertMany } from '../records/write-many.ts';
import type { Database } from '../sqlite/database.ts';
import type { Twins } from './twins.ts';

/** All but the id. */
const FIELDS = Object.keys(logFields);

/**
 * The logs among what has arrived that are not known here, in columns of a temporary table: a first sync inserts them at once, for
 * one by one they would hold up everybody else who writes for several times as long.
 */
export class NewLogs {
  constructor(
    private readonly db: Database,
    private readonly origin: number,
  ) {}

  /** Drops of the arrivals what is as both sides last had it, and takes new ones apart: before the change, for here it locks nobody out. */
  stage(): void {
    this.#dropUnchanged();
    this.db.exec(
      `DROP TABLE IF EXISTS temp.new_logs;
       CREATE TEMP TABLE new_logs (_theirId INTEGER PRIMARY KEY, ${FIELDS.join(', ')})`,
    );
    this.db.run(
      `INSERT INTO temp.new_logs SELECT theirId, ${FIELDS.map((name) => `state ->> '$.${name}'`)}
       FROM temp.arrivals AS a WHERE a.record = 'log' AND state IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM main.counterparts AS c WHERE c.origin = ? AND c.record = 'log' AND c.theirId = a.theirId)
       ORDER BY theirId`,
      this.origin,
    );
  }

  /** What waits for a decision stays: that it is as it was may be news. */
  #dropUnchanged(): void {
    const columns = new States(this.db).columns('log');
    const state = columns.map((name) => (name === 'userId' ? 'o.ourId' : `a.state ->> '$.${name}'`));
    const key = "k.origin = c.origin AND k.record = 'log' AND k.theirId = c.theirId";
    this.db.run(
      `DELETE FROM temp.arrivals WHERE record = 'log' AND theirId IN (
         SELECT a.theirId FROM temp.arrivals AS a
         JOIN main.counterparts AS c ON c.origin = ? AND c.record = 'log' AND c.theirId = a.theirId
         JOIN main.counterparts AS o ON o.origin = c.origin AND o.record = 'user' AND o.theirId = a.state ->> '$.userId'
         WHERE a.record = 'log' AND c.agreed = json_array(${state}) AND NOT EXISTS (SELECT 1 FROM main.conflicts AS k WHERE ${key}))`,
      this.origin,
    );
  }

  /**
   * Inserts those whose users are here, inside the change, and notes that both sides have them. They have arrived then.
   * Those that may be one of the records here are left for `takeTwin`.
   * @param keepsIds whether they keep the ids of over there that are free
   * @param erased ids over there of users who were erased there
   * @param twins the records here that they may be
   * @returns how many
   * @throws SciaticaError `full` when the ids are used up
   */
  take({
    keepsIds,
    erased,
    twins,
  }: {
    keepsIds: boolean;
    erased: Iterable<number>;
    twins: Twins | undefined;
  }): number {
    const { db, origin } = this;
    const columns = new States(db).columns('log');
    const state = `json_array(${columns.map((name) => (name === 'userId' ? 'u.id' : `n.${name}`))})`;
    const last = db.value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'logs'") ?? 0;
    const nextId = '? + row_number() OVER (ORDER BY n._theirId)';
    const { changes } = db.run(
      `INSERT INTO temp.taken_logs (theirId, ourId, ourUser)
       SELECT n._theirId, ${keepsIds ? `max(n._theirId, ${nextId})` : nextId}, u.id FROM temp.new_logs AS n
       JOIN main.counterparts AS o ON o.origin = ? AND o.record = 'user' AND o.theirId = n.userId
       JOIN main.users AS u ON u.id = o.ourId
       WHERE n.userId NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS
         (SELECT 1 FROM main.counterparts AS c WHERE c.origin = ? AND c.record = 'log' AND c.theirId = n._theirId)
       ${twins ? `AND NOT EXISTS (SELECT 1 FROM ${twins.table} WHERE record = 'log' AND state = ${state})` : ''}`,
      last,
      origin,
      JSON.stringify([...erased]),
      origin,
    );
    if ((db.value<number | null>('SELECT max(ourId) FROM temp.taken_logs') ?? 0) > MAX_ID)
      throw idsUsedUp('log');
    const rows = `(SELECT n._theirId AS _at, t.ourId AS id, ${columns.map((name) => (name === 'userId' ? 't.ourUser AS userId' : `n.${name}`))}
      FROM temp.taken_logs AS t JOIN temp.new_logs AS n ON n._theirId = t.theirId)`;
    insertMany(db, { kind: 'log', columns, rows });
    db.run(
      `INSERT INTO counterparts (origin, record, theirId, ourId, agreed)
       SELECT ?, 'log', _at, id, json_array(${columns}) FROM ${rows} ORDER BY _at`,
      origin,
    );
    return changes;
  }
}
