import { toCell } from '../../../domain/codec.ts';
import { SciaticaError } from '../../../domain/errors.ts';
import { type Field, type Fields, MAX_ID } from '../../../domain/fields.ts';
import {
  kinds as definitions,
  type KeyedKindName,
  type KindName,
  keyOf as keyOfRecord,
} from '../../../domain/kinds.ts';
import { checksOf } from '../../../domain/schema.ts';
import type { Database } from '../../sqlite/database.ts';

/** What happens to a record whose id is taken by a different one, or that was changed on both sides. */
export type OnConflict = 'refuse' | 'skip' | 'overwrite' | 'renumber' | 'newest';

/** What becomes of a staged record; what has no outcome yet is new. */
export type Outcome =
  /** Already there, the same; with `renumber` perhaps under another id. */
  | 'equal'
  /** In the file once more. */
  | 'repeated'
  /** Its id is in the file before, with a different record. */
  | 'contradictory'
  /** Its key is in the file before, with a different record of the same user. */
  | 'doubled'
  /** A record whose user nobody knows. */
  | 'orphaned'
  /** Its id is taken by a different record, and nothing was said about that. */
  | 'conflicting'
  /** Its key is taken by a different record of the user, and nothing was said about that. */
  | 'sameKey'
  /** A user who was erased here, or a record of one, and nothing was said about that. */
  | 'erased'
  | 'skipped'
  | 'overwritten'
  | 'renumbered'
  | MergeOutcome;

/** SQL: whether a staged record comes as a new one. */
export const IS_NEW = "(outcome IS NULL OR outcome = 'renumbered')";

/** What becomes of a record that has, or gets, a counterpart here. */
export type MergeOutcome =
  /** Changed there, and not here. */
  | 'updated'
  /** Changed or deleted here, and not there. */
  | 'kept'
  /** Known from there, and gone on both sides, or not in effect any more: it comes (back) with the id that it had here. */
  | 'returned'
  /** Not known from there, but here as it is. */
  | 'linked'
  /** Changed on both sides to the same. */
  | 'agreed';

/** How many records of a file had each outcome; `missing` and `deleted` are not in the file any more. */
export type Counts = Record<
  | 'new'
  | 'equal'
  | 'updated'
  | 'kept'
  | 'repeated'
  | 'conflicting'
  | 'skipped'
  | 'overwritten'
  | 'renumbered'
  | 'missing'
  | 'deleted',
  number
>;

/** The tables and columns of one noun. */
export interface Kind {
  noun: KindName;
  table: `${KindName}s`;
  /** The temporary table that holds what the file brings. */
  staged: string;
  fields: Fields;
  /** All but the id. */
  columns: string[];
  /** Lays a record aside: a constant, so that a million rows find their prepared statement at once. */
  insert: string;
  /** Of a kind of which a user has only one record with the same key. */
  unique: KeyedKindName | undefined;
  /** Whether row `m` of the table and row `i` of the staged ones hold the same, but for the id. */
  same: string;
  /** @throws SciaticaError `invalid` with every fault */
  check(value: unknown): Readonly<Record<string, unknown>>;
}

function kindOf(noun: KindName, check: Kind['check']): Kind {
  const fields: Fields = definitions[noun].fields;
  const columns = Object.keys(fields).filter((name) => name !== 'id');
  const same = columns.map((column) => `m.${column} IS i.${column}`).join(' AND ');
  const staged = `temp.import_${noun}s`;
  const insert = `INSERT INTO ${staged} (at, id, key, ${columns.join(', ')}) VALUES (?, ?, ?${', ?'.repeat(columns.length)})`;
  const unique = noun === 'routine' || noun === 'goal' ? noun : undefined;
  return { noun, table: `${noun}s`, staged, fields, columns, insert, unique, same, check };
}

const hasId = (value: unknown) => typeof value === 'object' && value !== null && Object.hasOwn(value, 'id');

export const userKind = kindOf('user', (value) =>
  hasId(value) ? checksOf('user').record(value) : checksOf('user').input(value),
);
export const logKind = kindOf('log', (value) =>
  hasId(value) ? checksOf('log').record(value) : checksOf('log').input(value),
);
export const routineKind = kindOf('routine', (value) =>
  hasId(value) ? checksOf('routine').record(value) : checksOf('routine').input(value),
);
export const goalKind = kindOf('goal', (value) =>
  hasId(value) ? checksOf('goal').record(value) : checksOf('goal').input(value),
);
/** What belongs to users. */
export const ownedKinds = [logKind, routineKind, goalKind];
/** Users first: the others refer to them. */
export const kinds = [userKind, ...ownedKinds];

/** The driver gives every number as REAL. */
const affinityOf = (field: Field | undefined) =>
  field?.kind === 'integer' || field?.kind === 'boolean' ? 'INTEGER' : 'TEXT';

export function prepareStaging(db: Database): void {
  for (const { staged, columns, fields } of kinds)
    db.exec(`DROP TABLE IF EXISTS ${staged};
      CREATE TABLE ${staged} (at INTEGER PRIMARY KEY, id INTEGER, key TEXT, ${columns.map((name) => `${name} ${affinityOf(fields[name])}`)}, outcome TEXT, newId INTEGER, givenUserId INTEGER)`);
  db.exec(`DROP TABLE IF EXISTS temp.import_known_users;
    CREATE TABLE temp.import_known_users (id INTEGER PRIMARY KEY);
    DROP TABLE IF EXISTS temp.import_last_changes;
    CREATE TABLE temp.import_last_changes (record TEXT, id INTEGER, at INTEGER, PRIMARY KEY (record, id)) WITHOUT ROWID`);
}

/** Remembers the id of a user of the file, of a faulty one too: the user's logs have no fault of their own. */
export function noteUser(db: Database, value: unknown): void {
  const id = (value as { id?: unknown } | null)?.id;
  if (Number.isSafeInteger(id))
    db.run('INSERT OR IGNORE INTO temp.import_known_users VALUES (?)', id as number);
}

/** The key of a record among those of its user. */
export function keyOf(noun: KeyedKindName, record: object): string {
  return keyOfRecord(noun, record) ?? '';
}

/** Lays a checked record aside; `at` is its place in the file. */
export function stage(
  db: Database,
  { fields, columns, insert, unique }: Kind,
  at: number,
  record: Readonly<Record<string, unknown>>,
): void {
  const cells = columns.map((column) => toCell(fields[column], record[column]));
  const key = unique ? keyOf(unique, record) : null;
  db.run(insert, at, toCell(fields['id'], record['id']), key, ...cells);
}

/** Finds ids that stand twice in the file. */
export function markRepeated(db: Database, { noun, staged, same }: Kind): void {
  db.exec(`CREATE INDEX IF NOT EXISTS temp.import_${noun}s_by_id ON import_${noun}s (id)`);
  db.run(
    `UPDATE ${staged} AS i SET outcome = iif(${same}, 'repeated', 'contradictory')
     FROM (SELECT id, min(at) AS at FROM ${staged} WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1) AS first
     JOIN ${staged} AS m ON m.at = first.at
     WHERE i.id = first.id AND i.at > first.at`,
  );
}

/** Finds records whose user is neither in the file nor in the database. */
export function markOrphaned(db: Database, { staged }: Kind): void {
  db.run(
    `UPDATE ${staged} SET outcome = 'orphaned' WHERE outcome IS NULL
     AND userId NOT IN (SELECT id FROM temp.import_known_users) AND userId NOT IN (SELECT id FROM main.users)`,
  );
}

/** Finds records whose id is in the database: with the same record, or taken by a different one. */
export function markTaken(db: Database, { table, staged, same }: Kind): void {
  db.run(
    `UPDATE ${staged} AS i SET outcome = iif(${same}, 'equal', 'conflicting')
     FROM main.${table} AS m WHERE m.id = i.id AND i.outcome IS NULL`,
  );
}

/**
 * Finds conflicting records that are in the database under another id, as an earlier `renumber` left them, so
 * that importing a file again adds nothing. Of several alike, each counts once.
 */
export function matchEqual(db: Database, { table, staged, columns, same }: Kind): void {
  const nth = (order: string) =>
    `row_number() OVER (PARTITION BY ${columns.join(', ')} ORDER BY ${order}) AS nth`;
  db.run(
    `WITH m AS (
       SELECT *, ${nth('id')} FROM main.${table}
       WHERE id NOT IN (SELECT id FROM ${staged} WHERE outcome = 'equal')
     ), i AS (
       SELECT *, ${nth('at')} FROM ${staged} WHERE outcome = 'conflicting'
     )
     UPDATE ${staged} AS target SET outcome = 'equal', newId = m.id
     FROM i JOIN m ON ${same} AND m.nth = i.nth WHERE target.at = i.at`,
  );
}

/** Gives conflicting records the outcome that was asked for, and a new id to those that need one. */
export function settle(db: Database, kind: Kind, onConflict: OnConflict): void {
  const outcomes = {
    skip: 'skipped',
    overwrite: 'overwritten',
    renumber: 'renumbered',
    refuse: 'conflicting',
    newest: 'conflicting',
  };
  db.run(`UPDATE ${kind.staged} SET outcome = ? WHERE outcome = 'conflicting'`, outcomes[onConflict]);
  settleIds(db, kind);
}

/** Gives a new id to the records that need one, above all others. */
export function settleIds(db: Database, { noun, table, staged }: Kind): void {
  const last = db.value<number>(
    `SELECT max(coalesce((SELECT seq FROM main.sqlite_sequence WHERE name = '${table}'), 0),
                coalesce((SELECT max(id) FROM ${staged}), 0))`,
  ) as number;
  const { changes } = db.run(
    `UPDATE ${staged} AS target SET newId = ? + nth
     FROM (SELECT at, row_number() OVER (ORDER BY at) AS nth FROM ${staged}
           WHERE (outcome = 'renumbered' OR id IS NULL) AND newId IS NULL) AS i
     WHERE target.at = i.at`,
    last,
  );
  if (last + changes > MAX_ID)
    throw new SciaticaError('full', `No further ${noun} can be stored: the ids are used up.`);
}

/** The records of the file follow users that have got, or have found, another id. */
export function followUsers(db: Database, { staged }: Kind): void {
  db.run(
    `UPDATE ${staged} AS i SET userId = u.newId
     FROM ${userKind.staged} AS u WHERE u.id = i.userId AND u.newId IS NOT NULL`,
  );
}

/** How many records have an outcome, and where the first `limit` of them stand. */
export function withOutcome(
  db: Database,
  { staged }: Kind,
  outcome: Outcome,
  limit: number,
): { count: number; places: number[] } {
  const count = db.value<number>(`SELECT count(*) FROM ${staged} WHERE outcome = ?`, outcome) ?? 0;
  const sql = `SELECT at FROM ${staged} WHERE outcome = ? ORDER BY at LIMIT ?`;
  return { count, places: count > 0 ? db.column<number>(sql, outcome, limit) : [] };
}

export function counts(db: Database, { staged }: Kind): Counts {
  const all: Counts = {
    new: 0,
    equal: 0,
    updated: 0,
    kept: 0,
    repeated: 0,
    conflicting: 0,
    skipped: 0,
    overwritten: 0,
    renumbered: 0,
    missing: 0,
    deleted: 0,
  };
  const rows = db.all<{ outcome: Outcome | null; count: number }>(
    `SELECT outcome, count(*) AS count FROM ${staged} GROUP BY outcome`,
  );
  for (const { outcome, count } of rows) {
    const name = outcome ?? 'new';
    all[countedAs[name] ?? (name as keyof Counts)] += count;
  }
  return all;
}

/** The outcomes that have no count of their own. */
const countedAs: Readonly<Record<string, keyof Counts>> = {
  sameKey: 'conflicting',
  erased: 'conflicting',
  returned: 'new',
  linked: 'equal',
  agreed: 'equal',
};
