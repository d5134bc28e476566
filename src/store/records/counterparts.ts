import { type AnyRecord, type KindName, kindNames } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { forgetSyncs } from '../sync/forget.ts';
import { States } from './states.ts';

/** A record of another database, and the record here that is the same. */
export interface Counterpart {
  record: KindName;
  theirId: number;
  /** The id of the record here, which may be deleted. */
  ourId: number;
  /** The record as both sides last had it, with the ids of here; null when both had deleted it. */
  agreed: AnyRecord | null;
  /** If both had deleted it: as they had it before. */
  before?: AnyRecord | null;
}

interface Row {
  record: KindName;
  theirId: number;
  ourId: number;
  agreed: string;
  before: string | null;
}

const BEFORE = "iif(agreed = 'null', earlier -> '$[#-1][1]', NULL)";
const SELECT = `SELECT record, theirId, ourId, agreed, ${BEFORE} AS before FROM counterparts WHERE origin = ?`;

/** Columns of a counterpart that both sides have deleted, with what they had before. */
export const DELETED = `agreed = 'null', change = NULL,
  earlier = json_array(json_array(NULL, json(agreed)))`;

/** Whether the record of a counterpart `c`, which is no user, is here. */
export const IS_HERE = `CASE c.record ${kindNames
  .filter((noun) => noun !== 'user')
  .map((noun) => `WHEN '${noun}' THEN c.ourId IN (SELECT id FROM ${noun}s)`)
  .join(' ')} END`;

const KEY = 'origin = ? AND record = ? AND theirId = ?';

/** How many are read at once. */
const BLOCK = 1000;

/**
 * Which records of other databases are which records here. An origin is another database, by the number that `origin`
 * gives it. To be called inside a change.
 */
export class Counterparts {
  readonly #states: States;

  constructor(private readonly db: Database) {
    this.#states = new States(db);
  }

  /** The number of the origin with this UUID; a new one if it is not known. */
  origin(uuid: string): number {
    return this.findOrigin(uuid) ?? this.db.run('INSERT INTO origins (uuid) VALUES (?)', uuid).id;
  }

  /** The number of the origin with this UUID. */
  findOrigin(uuid: string): number | undefined {
    return this.db.value<number>('SELECT id FROM origins WHERE uuid = ?', uuid);
  }

  /** The counterpart of one of their records. */
  ofTheirs(origin: number, record: KindName, theirId: number): Counterpart | undefined {
    return this.#find(`${SELECT} AND record = ? AND theirId = ?`, origin, record, theirId);
  }

  /** The counterpart of one of our records. */
  ofOurs(origin: number, record: KindName, ourId: number): Counterpart | undefined {
    return this.#find(`${SELECT} AND record = ? AND ourId = ?`, origin, record, ourId);
  }

  /** Notes what both sides agree on: it holds even if the change that notes it is undone. */
  set(origin: number, { record, theirId, ourId, agreed }: Counterpart): void {
    this.db.run(
      `INSERT INTO counterparts (origin, record, theirId, ourId, agreed) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (origin, record, theirId)
       DO UPDATE SET ourId = excluded.ourId, agreed = excluded.agreed, change = NULL, earlier = NULL`,
      origin,
      record,
      theirId,
      ourId,
      agreed ? this.#states.write(record, agreed) : 'null',
    );
  }

  /** Notes that both sides have deleted a record: if it comes back on either, it is the same one. */
  setDeleted(origin: number, record: KindName, theirId: number): void {
    this.db.run(`UPDATE counterparts SET ${DELETED} WHERE ${KEY}`, origin, record, theirId);
  }

  /** Forgets which record one of theirs is. */
  remove(origin: number, record: KindName, theirId: number): void {
    this.db.run(`DELETE FROM counterparts WHERE ${KEY}`, origin, record, theirId);
  }

  /** Those of a kind, by their ids over there, a block at a time: no statement stays open between two blocks. */
  *list(origin: number, record: KindName): Generator<Counterpart> {
    const sql = `${SELECT} AND record = ? AND theirId > ? ORDER BY theirId LIMIT ${BLOCK}`;
    for (let last = 0; ; ) {
      const rows = this.db.all<Row>(sql, origin, record, last);
      for (const row of rows) yield this.#counterpartOf(row);
      last = rows.at(-1)?.theirId ?? last;
      if (rows.length < BLOCK) return;
    }
  }

  #find(sql: string, ...values: (number | string)[]): Counterpart | undefined {
    const row = this.db.get<Row>(sql, ...values);
    return row && this.#counterpartOf(row);
  }

  #counterpartOf({ record, theirId, ourId, agreed, before }: Row): Counterpart {
    const state = (json: string | null) =>
      json === null || json === 'null' ? null : this.#states.read(record, ourId, json);
    const counterpart = { record, theirId, ourId, agreed: state(agreed) };
    return before === null ? counterpart : { ...counterpart, before: state(before) };
  }
}

/** The first field of a state, of what belongs to users: the user. */
const OWNER = "'$[0]'";

/**
 * Forgets, for `erase`, all that the tables of other databases hold of a user. What is left says which users of others were
 * erased here, so that none comes back.
 * @param owned the user's records, deleted
 */
export function forgetOrigins(
  db: Database,
  userId: number,
  owned: readonly { record: KindName; recordId: number }[],
): void {
  forgetSyncs(db, userId);
  const records = JSON.stringify([
    ['user', userId],
    ...owned.map(({ record, recordId }) => [record, recordId]),
  ]);
  const isTheirs = 'EXISTS (SELECT 1 FROM temp.erased WHERE record = c.record AND id = c.ourId)';
  db.exec('CREATE TEMP TABLE erased (record TEXT, id INTEGER, PRIMARY KEY (record, id)) WITHOUT ROWID');
  db.run('INSERT OR IGNORE INTO temp.erased SELECT value ->> 0, value ->> 1 FROM json_each(?)', records);
  // What was agreed on names the user also where the record was moved or deleted since.
  const names = `record <> 'user' AND (agreed ->> ${OWNER} = ? OR EXISTS
    (SELECT 1 FROM json_each(c.earlier) WHERE value ->> '$[1][0]' = ?))`;
  // What is another's by now is still known by its id over there, so that several machines that keep it do not double it.
  db.run(
    `UPDATE counterparts AS c SET agreed = 'null', change = NULL, earlier = NULL
     WHERE ${names} AND NOT ${isTheirs} AND ${IS_HERE} AND origin IN (SELECT origin FROM syncs)`,
    userId,
    userId,
  );
  db.run(`DELETE FROM counterparts AS c WHERE ${isTheirs} OR ${names}`, userId, userId);
  db.exec('DROP TABLE temp.erased');
}
