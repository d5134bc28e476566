import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import { type KindName, nounOf } from '../../../domain/kinds.ts';
import {
  isSamePerson,
  mayBelongById,
  mayMeanById,
  type OwnershipFault,
  type Said,
} from '../../../domain/ownership.ts';
import type { User } from '../../../domain/user.ts';
import { Settings } from '../../records/settings.ts';
import type { Database } from '../../sqlite/database.ts';
import { storedJson } from '../../sqlite/errors.ts';
import { IS_NEW, MAX_FAULTS, type OnConflict, ownedStaged, STAGED, stagedUsers } from './staging.ts';

/** Ownership in an import: which users get records or lose some, and which of them are reported. */

/** A user here, by name. */
export type Named = Pick<User, 'id' | 'firstName' | 'lastName'>;

/** A user here who gets records of a file. */
export interface Recipient extends Named {
  /** Whether the user comes with the file. */
  isNew: boolean;
}

/** A record that goes from one user to another; `from` and `to` are their names. */
export interface Moved {
  record: KindName;
  id: number;
  from: string;
  to: string;
}

/** Where a fault of ownership stands in the file. */
interface Place {
  at: number;
  kind: KindName;
  issue: Issue;
}

/** The most users or records that are reported. */
const MOST_NAMED = 20;

/** SQL: whether a staged record would be written, or would be but for a conflict. */
const COMES = `(${IS_NEW} OR _outcome IN ('conflicting', 'overwritten', 'sameKey'))`;

/** The users here whose ids a query gives, the first 20 by id. */
const usersIn = (db: Database, ids: string, ...values: number[]): Named[] =>
  db.all<Named>(
    `SELECT id, firstName, lastName FROM main.users WHERE id IN (${ids}) ORDER BY id LIMIT ${MOST_NAMED}`,
    ...values,
  );

/** The first new users in a file; of a file without users, those here who get records. */
export function recipients(db: Database): Recipient[] {
  const isAny = db.value(`SELECT 1 FROM ${stagedUsers.staged} LIMIT 1`) === 1;
  const named = isAny
    ? db.all<Named>(
        `SELECT coalesce(_newId, id) AS id, firstName, lastName FROM ${stagedUsers.staged}
         WHERE ${IS_NEW} ORDER BY _at LIMIT ${MOST_NAMED}`,
      )
    : usersIn(db, `SELECT userId FROM ${STAGED} WHERE ${IS_NEW} OR _outcome = 'overwritten'`);
  return named.map((user) => ({ ...user, isNew: isAny }));
}

/** The first users here whose records the file replaces, or would replace. */
export const replacedUsers = (db: Database): Named[] =>
  usersIn(db, `SELECT owner FROM ${STAGED} WHERE _outcome IN ('conflicting', 'overwritten', 'sameKey')`);

/** SQL: the name of the user `id`, here or else in the file. */
const nameSql = (id: string) =>
  `coalesce((SELECT firstName || ' ' || lastName FROM main.users WHERE id = ${id}),
    (SELECT firstName || ' ' || lastName FROM ${stagedUsers.staged} WHERE coalesce(_newId, id) = ${id}), ${id})`;

/** The first records with some outcomes that change their owner, with their places in the file. */
const movesOf = (db: Database, outcomes: string, order: string, limit: number): (Moved & { at: number })[] =>
  db.all(
    `SELECT at, record, here AS id, ${nameSql('owner')} AS "from", ${nameSql('userId')} AS "to" FROM ${STAGED}
     WHERE record <> 'user' AND owner <> userId AND _outcome IN (${outcomes}) ORDER BY nth, ${order} LIMIT ${limit}`,
  );

/** The first records that change their owner. */
export const movedRecords = (db: Database): Moved[] =>
  movesOf(db, "'overwritten'", 'here', MOST_NAMED).map(({ at: _, ...moved }) => moved);

const CREATED = "SELECT userId FROM main.history WHERE seq > ? AND action = 'create'";

/** The first users who were created after the history seq `seq`; if there are none, those for whom records were. */
export function gainers(db: Database, seq: number): Recipient[] {
  const made = usersIn(db, `${CREATED} AND record = 'user'`, seq);
  const isNew = made.length > 0;
  return (isNew ? made : usersIn(db, CREATED, seq)).map((user) => ({ ...user, isNew }));
}

/** The first users here whose records were changed or deleted after the entry `seq`. */
export const changedUsers = (db: Database, seq: number): Named[] =>
  usersIn(db, "SELECT userId FROM main.history WHERE seq > ? AND action <> 'create'", seq);

/** The first records that went to another user after the entry `seq`. */
export const movedSince = (db: Database, seq: number): Moved[] =>
  db.all<Moved>(
    `SELECT record, recordId AS id, ${nameSql('formerUserId')} AS "from", ${nameSql('userId')} AS "to"
     FROM main.history WHERE seq > ? AND formerUserId IS NOT NULL ORDER BY seq LIMIT ${MOST_NAMED}`,
    seq,
  );

/**
 * The one user of the staged records.
 * @returns undefined for a file without any
 * @throws SciaticaError `invalid` when there are several
 */
export function onlyUser(db: Database): number | undefined {
  const [first, second] = db.column<number | null>(`SELECT DISTINCT userId FROM ${STAGED} LIMIT 2`);
  if (second === undefined) return first ?? undefined;
  const fault: Issue = { field: '--as', message: 'is for a file with one user; this one has several' };
  throw new SciaticaError('invalid', 'The file has several users.', [fault]);
}

/** Gives records of no known origin to a user here (`--as`); the user in the file is skipped. */
export function putUnder(db: Database, ours: number): void {
  onlyUser(db);
  db.run(`UPDATE ${stagedUsers.staged} SET _outcome = 'skipped' WHERE _outcome IS NULL`);
  for (const { staged } of ownedStaged) db.run(`UPDATE ${staged} SET userId = ?`, ours);
}

/** Fewer equal records may be chance. */
const FEWEST_EQUAL = 3;

/**
 * The users under whom most of the new records of a kind stand already: the file may be of one of them, and not of the user named by
 * `--as`.
 */
export function alreadyUnder(db: Database): Named[] {
  const ids = ownedStaged.flatMap(({ table, staged, columns }) => {
    const others = columns.filter((column) => column !== 'userId');
    const count = db.value<number>(`SELECT count(*) FROM ${staged} WHERE ${IS_NEW}`) ?? 0;
    if (count < FEWEST_EQUAL) return [];
    // In this order SQLite indexes the staged records, and goes through the stored ones once.
    const sql = `SELECT m.userId FROM main.${table} AS m CROSS JOIN
        (SELECT DISTINCT userId, ${others.join(', ')} FROM ${staged} WHERE ${IS_NEW}) AS i
        ON ${others.map((column) => `m.${column} IS i.${column}`).join(' AND ')} AND m.userId <> i.userId
      GROUP BY m.userId HAVING count(*) >= max(${FEWEST_EQUAL}, ? / 2)`;
    return db.column<number>(sql, count);
  });
  return usersIn(db, ids.join(', '));
}

/**
 * Keeps users who were erased here, and their records, from coming back as new ones. That is a conflict: `overwrite` imports
 * them, `renumber` stores them under new ids, `skip` leaves them out.
 */
export function holdErased(db: Database, onConflict: OnConflict): void {
  if (onConflict === 'overwrite') return;
  const users = `${stagedUsers.staged} AS u WHERE ${IS_NEW} AND (id IN (SELECT value FROM json_each(?)) OR EXISTS (
    SELECT 1 FROM main.history WHERE record = 'user' AND recordId = u.id AND action = 'erase'))`;
  // Users erased in a database that this one, a restored backup, has replaced.
  const others = new Settings(db).get('erased') ?? '[]';
  // There are none as a rule, and the logs need not be searched.
  if (db.value(`SELECT 1 FROM ${users} LIMIT 1`, others) !== 1) return;
  const outcome = { skip: 'skipped', renumber: 'conflicting', refuse: 'erased' }[onConflict];
  const ids = JSON.stringify(db.column<number>(`SELECT coalesce(_newId, id) FROM ${users}`, others));
  const hold = (staged: string, key: string) =>
    db.run(
      `UPDATE ${staged} SET _outcome = ?, _newId = NULL WHERE (${IS_NEW} OR _outcome = 'conflicting')
       AND ${key} IN (SELECT value FROM json_each(?))`,
      outcome,
      ids,
    );
  // With `renumber`, records follow their users to the new ids.
  if (onConflict !== 'renumber') for (const { staged } of ownedStaged) hold(staged, 'userId');
  hold(stagedUsers.staged, 'coalesce(_newId, id)');
}

/**
 * Looks for staged records of no known origin that would come to other users than theirs, once each has its outcome.
 * @returns the fault that is to be settled first, with its places; undefined if there is none
 */
export function ownershipFault(
  db: Database,
  said: Said,
): { fault: OwnershipFault; places: Place[] } | undefined {
  const here = db.value<number>('SELECT count(*) FROM (SELECT 1 FROM main.users LIMIT 2)') ?? 0;
  const found: [OwnershipFault, Place[]][] = [
    ['unnamed', mayBelongById(said, here) ? [] : unnamed(db)],
    ['stranger', mayMeanById(said) ? [] : strangers(db)],
    ['moved', moved(db)],
  ];
  const first = found.find(([, places]) => places.length > 0);
  return first && { fault: first[0], places: first[1] };
}

/** A user who has records of a kind in the file. */
export interface Owner {
  record: KindName;
  userId: number;
  /** Null for one who is not here. */
  name: string | null;
  /** How many records, and where the first of them stands. */
  count: number;
  at: number;
}

/**
 * The first users who have records in the file and are not in it themselves, once for each kind.
 * @param condition on `STAGED`
 * @returns how many there are, too
 */
export function absentUsers(
  db: Database,
  condition: string,
  limit: number,
): { users: Owner[]; count: number } {
  const users = db.all<Owner & { total: number }>(
    `SELECT record, userId, count(*) AS count, min(at) AS at, count(*) OVER () AS total,
       (SELECT firstName || ' ' || lastName FROM main.users WHERE id = userId) AS name FROM ${STAGED}
     WHERE record <> 'user' AND givenUserId NOT IN (SELECT id FROM temp.import_known_users) AND ${condition}
     GROUP BY nth, userId ORDER BY nth, min(at) LIMIT ?`,
    limit,
  );
  return { users, count: users[0]?.total ?? 0 };
}

const unnamed = (db: Database): Place[] =>
  absentUsers(db, COMES, MAX_FAULTS).users.map(({ record, userId, name, count, at }) => {
    const more = count > 1 ? ` (and ${count - 1} more of this user)` : '';
    const message = `${userId} is ${name} here; whose it is in the file is not said${more}`;
    return { at, kind: record, issue: { field: 'userId', message } };
  });

/** How many users are compared with each query. */
const BLOCK = 1000;

/** Users in the file whose ids other persons here have, if those would be replaced or get records. */
function strangers(db: Database): Place[] {
  const { staged } = stagedUsers;
  const getsRecords = `EXISTS (SELECT 1 FROM ${STAGED} WHERE userId = i.id AND record <> 'user' AND ${COMES})`;
  const names = ['firstName', 'lastName', 'email', 'diagnosisDate'];
  const person = (row: string) => `json_object(${names.map((name) => `'${name}', ${row}.${name}`)})`;
  const places: Place[] = [];
  for (let last = -1; places.length < MAX_FAULTS; ) {
    const rows = db.all<{ at: number; there: string; here: string }>(
      `SELECT i._at AS at, ${person('i')} AS there, ${person('m')} AS here FROM ${staged} AS i JOIN main.users AS m ON m.id = i.id
       WHERE i._at > ? AND (i._outcome IN ('conflicting', 'overwritten') OR i._outcome = 'skipped' AND ${getsRecords})
       ORDER BY i._at LIMIT ${BLOCK}`,
      last,
    );
    for (const row of rows) {
      const [there, here] = [storedJson<User>(row.there), storedJson<User>(row.here)];
      if (isSamePerson(there, here)) continue;
      const message = `is taken by a different user: ${fullName(here)} here, ${fullName(there)} in the file`;
      places.push({ at: row.at, kind: 'user', issue: { field: 'id', message } });
    }
    last = rows.at(-1)?.at ?? last;
    if (rows.length < BLOCK) break;
  }
  return places.slice(0, MAX_FAULTS);
}

const fullName = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>) =>
  `${firstName} ${lastName}`;

/** Records that would replace one of another user. */
const moved = (db: Database): Place[] =>
  movesOf(db, "'conflicting', 'overwritten'", 'at', MAX_FAULTS).map(({ at, record: kind, id, from, to }) => ({
    at,
    kind,
    issue: { field: 'userId', message: `would move ${nounOf(kind)} ${id} from ${from} to ${to}` },
  }));
