import { toCell } from '../../../domain/codec.ts';
import { idsUsedUp } from '../../../domain/errors.ts';
import { type Field, type Fields, MAX_ID, MOST_SKIPPED_IDS } from '../../../domain/fields.ts';
import { byKind, type KindName, keyOf, kindNames, kindOf, nounOf } from '../../../domain/kinds.ts';
import { checksOf } from '../../../domain/schema.ts';
import { insertMany } from '../../records/write-many.ts';
import type { Database } from '../../sqlite/database.ts';

/** The most faults that are kept to be shown; all are counted. */
export const MAX_FAULTS = 10_000;

/** What happens to a record whose id is taken by a different one. */
export type OnConflict = 'refuse' | 'skip' | 'overwrite' | 'renumber';

/** What becomes of a staged record; what has no outcome yet is new. */
export type Outcome =
  /** Already there, the same; with `renumber` perhaps under another id. */
  | 'equal'
  /** Equal to an earlier record in the file. */
  | 'repeated'
  /** An earlier record in the file has the same id, and is different. */
  | 'contradictory'
  /** An earlier record of the same user in the file has the same key, and is different. */
  | 'doubled'
  /** Its id is taken by a different record, and nothing was said about that. */
  | 'conflicting'
  /** Its key is taken by a different record of the user, and nothing was said about that. */
  | 'sameKey'
  /** A user who was erased here, or a record of one, and nothing was said about that. */
  | 'erased'
  | 'skipped'
  | 'overwritten'
  | 'renumbered';

/** SQL: whether a staged record comes as a new one. */
export const IS_NEW = "(_outcome IS NULL OR _outcome = 'renumbered')";

/** How many records of a file had each outcome. `absent`: known and not shown here; `deleted`: deleted here, as at the origin. */
export type Counts = Record<(typeof counted)[number], number>;

const counted = [
  'new',
  'equal',
  'updated',
  'kept',
  'absent',
  'repeated',
  'conflicting',
  'skipped',
  'overwritten',
  'renumbered',
  'deleted',
] as const;

/**
 * A kind of record as an import works on it: tables and columns. What an import adds to the fields of a record has a name
 * that no field has: `_at`, its place in the file; `_key`; `_outcome`; `_newId`; `_givenUserId`.
 */
export interface StagedKind {
  name: KindName;
  table: string;
  /** The temporary table that holds what the file brings. */
  staged: string;
  fields: Fields;
  /** All but the id. */
  columns: string[];
  /** SQL: stages a record. A constant, so that a million rows find their prepared statement at once. */
  insert: string;
  /** SQL: whether row `m` of the table and row `i` of the staged ones are equal, the id aside. */
  same: string;
}

function stagedKind(name: KindName): StagedKind {
  const { table, fields } = kindOf(name);
  const columns = Object.keys(fields).filter((column) => column !== 'id');
  const same = columns.map((column) => `m.${column} IS i.${column}`).join(' AND ');
  const staged = `temp.import_${table}`;
  const insert = `INSERT INTO ${staged} (_at, id, _key, ${columns.join(', ')}) VALUES (?, ?, ?${', ?'.repeat(columns.length)})`;
  return { name, table, staged, fields, columns, insert, same };
}

/** Users first: the others refer to them. */
export const stagedKinds: readonly StagedKind[] = kindNames.map(stagedKind);
export const stagedKindOf = (name: KindName): StagedKind =>
  stagedKinds.find((kind) => kind.name === name) as StagedKind;
export const stagedUsers = stagedKindOf('user');
/** What belongs to users. */
export const ownedStaged = stagedKinds.filter((kind) => kind !== stagedUsers);
/** The kinds of which a user has only one record with the same key. */
export const keyedStaged = stagedKinds.filter(({ name }) => kindOf(name).key);

/** The driver binds every number as REAL: this affinity makes integers of whole ones. */
const affinityOf = (field: Field | undefined) =>
  /number|boolean/.test(typeof field?.example) ? 'NUMERIC' : 'TEXT';

export function prepareStaging(db: Database): void {
  for (const { staged, columns, fields } of stagedKinds)
    db.exec(`DROP TABLE IF EXISTS ${staged};
      CREATE TABLE ${staged} (_at INTEGER PRIMARY KEY, id INTEGER, _key TEXT, ${columns.map((name) => `${name} ${affinityOf(fields[name])}`)}, _outcome TEXT, _newId INTEGER, _givenUserId INTEGER)`);
  db.exec(`DROP TABLE IF EXISTS temp.import_known_users;
    CREATE TABLE temp.import_known_users (id INTEGER PRIMARY KEY);
    DROP TABLE IF EXISTS temp.import_states;
    CREATE TABLE temp.import_states (_at INTEGER PRIMARY KEY, line TEXT);
    DROP VIEW IF EXISTS ${STAGED};
    CREATE VIEW ${STAGED} AS ${stagedKinds.map(rowsOf).join(' UNION ALL ')}`);
}

/**
 * A view of all staged records: `nth`, the place of the kind, and `record`, its name; `userId`, the user by now, and
 * `givenUserId`, as in the file; `here`, the id that the record has or gets here; `owner`, the user of the record that has this
 * id now.
 */
export const STAGED = 'temp.import_records';

function rowsOf({ name, table, staged }: StagedKind, nth: number): string {
  const here = 'coalesce(i._newId, i.id)';
  const isUser = name === 'user';
  const owner = isUser ? here : `(SELECT m.userId FROM main.${table} AS m WHERE m.id = ${here})`;
  const userId = isUser ? 'i.id' : 'i.userId';
  return `SELECT ${nth} AS nth, '${name}' AS record, i._at AS at, i.id, ${here} AS here, ${userId} AS userId,
    coalesce(i._givenUserId, ${userId}) AS givenUserId, ${owner} AS owner, i._outcome FROM ${staged} AS i`;
}

/** Notes the id of a user in the file, even of one with faults: their logs have no fault of their own. */
export function noteUser(db: Database, value: unknown): void {
  const id = (value as { id?: unknown } | null)?.id;
  if (Number.isSafeInteger(id))
    db.run('INSERT OR IGNORE INTO temp.import_known_users VALUES (?)', id as number);
}

/** Checks a record and stages it. @param at its place in the file @throws SciaticaError `invalid` with every fault */
export function stage(
  db: Database,
  { name, fields, columns, insert }: StagedKind,
  at: number,
  value: unknown,
): void {
  const { input, record: whole } = checksOf(name);
  const hasId = typeof value === 'object' && value !== null && Object.hasOwn(value, 'id');
  const record = (hasId ? whole(value) : input(value)) as unknown as Readonly<Record<string, unknown>>;
  const cells = columns.map((column) => toCell(fields[column], record[column]));
  db.run(insert, at, toCell(fields['id'], record['id']), keyOf(name, record) ?? null, ...cells);
}

/**
 * Marks records with the same id, or the same user and key, as an earlier one in the file: as `repeated` if they are equal.
 * @param outcome of those that differ
 */
export function markSecond(
  db: Database,
  { staged, table, same }: StagedKind,
  outcome: 'contradictory' | 'doubled',
): void {
  db.exec(`CREATE INDEX IF NOT EXISTS ${staged}_by_id ON import_${table} (id)`);
  const columns = outcome === 'doubled' ? ['userId', '_key'] : ['id'];
  const isOpen = (row: string) => `(${row}._outcome IS NULL OR ${row}._outcome = 'skipped')`;
  db.run(
    `UPDATE ${staged} AS i SET _outcome = iif(${same}, 'repeated', '${outcome}')
     FROM (SELECT ${columns}, min(_at) AS _at FROM ${staged} AS one WHERE ${isOpen('one')} AND ${columns.at(-1)} IS NOT NULL
           GROUP BY ${columns} HAVING count(*) > 1) AS first
     JOIN ${staged} AS m ON m._at = first._at
     WHERE ${columns.map((column) => `i.${column} = first.${column}`).join(' AND ')} AND i._at > first._at AND ${isOpen('i')}`,
  );
}

/** Marks records whose id is in the database: with an equal record, or a different one. */
export function markTaken(db: Database, { table, staged, same }: StagedKind): void {
  db.run(
    `UPDATE ${staged} AS i SET _outcome = iif(${same}, 'equal', 'conflicting')
     FROM main.${table} AS m WHERE m.id = i.id AND i._outcome IS NULL`,
  );
}

/**
 * Marks records as equal that are in the database already: those without an id, and with `renumber` those that an earlier one has
 * left there under another id, so that importing a file again adds nothing. Of several that are equal, each counts once.
 */
export function matchEqual(
  db: Database,
  { table, staged, columns, same }: StagedKind,
  onConflict: Exclude<OnConflict, 'refuse'>,
): void {
  const isOpen =
    onConflict === 'renumber'
      ? "_outcome = 'conflicting' OR (id IS NULL AND _outcome IS NULL)"
      : 'id IS NULL AND _outcome IS NULL';
  if (db.value(`SELECT 1 FROM ${staged} WHERE ${isOpen} LIMIT 1`) === undefined) return;
  const nth = (order: string) =>
    `row_number() OVER (PARTITION BY ${columns.join(', ')} ORDER BY ${order}) AS _nth`;
  db.run(
    `WITH m AS (
       SELECT *, ${nth('id')} FROM main.${table}
       WHERE id NOT IN (SELECT id FROM ${staged} WHERE _outcome = 'equal' AND id IS NOT NULL)
     ), i AS (
       SELECT *, ${nth('_at')} FROM ${staged} WHERE ${isOpen}
     )
     UPDATE ${staged} AS target SET _outcome = 'equal', _newId = m.id
     FROM i JOIN m ON ${same} AND m._nth = i._nth WHERE target._at = i._at`,
  );
}

/** Gives conflicting records the outcome that was asked for, and a new id to those that need one. */
export function settle(db: Database, kind: StagedKind, onConflict: OnConflict): void {
  const outcomes = {
    skip: 'skipped',
    overwrite: 'overwritten',
    renumber: 'renumbered',
    refuse: 'conflicting',
  };
  db.run(`UPDATE ${kind.staged} SET _outcome = ? WHERE _outcome = 'conflicting'`, outcomes[onConflict]);
  settleIds(db, kind);
}

/** Gives a new id to the records that need one, above all others. */
function settleIds(db: Database, { name, table, staged }: StagedKind): void {
  const used = db.lastId(table);
  // An id far above all others would use up the ids: it gets a new one, as do all above it.
  db.run(
    `UPDATE ${staged} SET _outcome = 'renumbered' WHERE _outcome IS NULL AND _newId IS NULL AND id >= (SELECT min(id) FROM
       (SELECT id, id - lag(id, 1, ?) OVER (ORDER BY id) AS gap FROM ${staged} WHERE id > ? AND _outcome IS NULL)
       WHERE gap > ${MOST_SKIPPED_IDS})`,
    used,
    used,
  );
  const last = Math.max(
    used,
    db.value<number | null>(`SELECT max(id) FROM ${staged} WHERE _outcome IS NOT 'renumbered'`) ?? 0,
  );
  const { changes } = db.run(
    `UPDATE ${staged} AS target SET _newId = ? + _nth
     FROM (SELECT _at, row_number() OVER (ORDER BY _at) AS _nth FROM ${staged}
           WHERE (_outcome = 'renumbered' OR id IS NULL) AND _newId IS NULL) AS i
     WHERE target._at = i._at`,
    last,
  );
  if (last + changes > MAX_ID) throw idsUsedUp(nounOf(name));
}

/** Changes the users of staged records to the new ids of these users. */
export function followUsers(db: Database): void {
  for (const { staged } of ownedStaged)
    db.run(
      `UPDATE ${staged} AS i SET _givenUserId = userId, userId = u._newId
       FROM ${stagedUsers.staged} AS u WHERE u.id = i.userId AND u._newId IS NOT NULL`,
    );
}

/** How many staged records meet a condition on `STAGED`, and the places of the first `MAX_FAULTS` of them. */
export function placesOf(
  db: Database,
  condition: string,
): { count: number; places: { record: KindName; at: number }[] } {
  const found = `FROM ${STAGED} WHERE ${condition}`;
  const count = db.value<number>(`SELECT count(*) ${found}`) ?? 0;
  const sql = `SELECT record, at ${found} ORDER BY nth, at LIMIT ${MAX_FAULTS}`;
  return { count, places: count > 0 ? db.all(sql) : [] };
}

/** How many staged records without an id equal a stored one, which an earlier import of the file may have brought. */
export function alike(db: Database, { table, staged, columns, same }: StagedKind): number {
  const comes = 'id IS NULL AND _outcome IS NULL';
  const names = columns.join(', ');
  // INTERSECT sorts. A join would go through all records of the user for each record.
  const both = `SELECT ${names} FROM ${staged} WHERE ${comes} INTERSECT
    SELECT ${names} FROM main.${table} WHERE userId IN (SELECT userId FROM ${staged} WHERE ${comes})`;
  return (
    db.value<number>(`SELECT count(*) FROM ${staged} AS i JOIN (${both}) AS m ON ${same} WHERE ${comes}`) ?? 0
  );
}

/** How many records of each kind had each outcome. */
export function counts(db: Database): Record<KindName, Counts> {
  const all = byKind(() => Object.fromEntries(counted.map((name) => [name, 0])) as Counts);
  const rows = db.all<{ record: KindName; outcome: Outcome | null; count: number }>(
    `SELECT record, _outcome AS outcome, count(*) AS count FROM ${STAGED} GROUP BY 1, 2`,
  );
  for (const { record, outcome, count } of rows) {
    const name = outcome ?? 'new';
    all[record][countedAs[name] ?? (name as keyof Counts)] += count;
  }
  return all;
}

/** The outcomes that have no count of their own. */
const countedAs: Readonly<Record<string, keyof Counts>> = {
  sameKey: 'conflicting',
  erased: 'conflicting',
};

/**
 * Gives the outcome that was asked for to new records whose key a stored record of the user has: `overwrite` lets them replace
 * it. With `renumber` both would have the key, so that they are refused.
 */
export function settleSameKeys(db: Database, kind: StagedKind, onConflict: OnConflict): void {
  const { staged, table, same } = kind;
  const users = db.column<number>(`SELECT DISTINCT userId FROM ${staged}`);
  if (users.length === 0) return;
  storeKeys(db, kind, users);
  // The stored records with these keys, without those that the file overwrites anyway.
  const sameKeys = `SELECT i._at, m.id, ${same} AS _same FROM ${staged} AS i
    JOIN temp.import_keys AS k USING (userId, _key) JOIN main.${table} AS m ON m.id = k.id
    WHERE m.id IS NOT coalesce(i._newId, i.id)
    AND m.id NOT IN (SELECT id FROM ${staged} WHERE _outcome = 'overwritten')`;
  const mark = (outcome: string, which: string) =>
    db.run(
      `UPDATE ${staged} AS target SET ${outcome} FROM (${sameKeys} AND ${which}) AS other WHERE target._at = other._at`,
    );
  mark(
    "_outcome = 'equal', _newId = other.id",
    "(i._outcome IS NULL OR i._outcome = 'renumbered') AND _same",
  );
  if (onConflict === 'skip') mark("_outcome = 'skipped'", 'i._outcome IS NULL');
  if (onConflict === 'overwrite') mark("_outcome = 'overwritten', id = other.id", 'i._outcome IS NULL');
  mark("_outcome = 'sameKey'", "(i._outcome IS NULL OR i._outcome IN ('renumbered', 'overwritten'))");
}

/** Computes the keys of all records of these users. Not in SQL: SQLite folds the case of ASCII letters only. */
function storeKeys(db: Database, { name, table }: StagedKind, users: readonly number[]): void {
  db.exec(`DROP TABLE IF EXISTS temp.import_keys;
    CREATE TABLE temp.import_keys (userId INTEGER, _key TEXT, id INTEGER, PRIMARY KEY (userId, _key, id))`);
  for (const userId of users)
    for (const record of db.all<{ id: number }>(`SELECT * FROM main.${table} WHERE userId = ?`, userId))
      db.run('INSERT INTO temp.import_keys VALUES (?, ?, ?)', userId, keyOf(name, record) ?? '', record.id);
}

/** Writes the records that are new, renumbered or to overwrite others. */
export function write(db: Database, kind: StagedKind): void {
  const { name, table, staged, columns } = kind;
  db.run(
    `UPDATE main.${table} AS m SET ${columns.map((column) => `${column} = i.${column}`).join(', ')}
     FROM ${staged} AS i WHERE i.id = m.id AND i._outcome = 'overwritten'`,
  );
  const names = columns.join(', ');
  const rows = `(SELECT _at, coalesce(_newId, id) AS id, ${names} FROM ${staged} WHERE ${IS_NEW})`;
  insertMany(db, { kind: name, columns, rows });
}
