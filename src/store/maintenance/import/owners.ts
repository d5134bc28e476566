import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import type { KindName } from '../../../domain/kinds.ts';
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
import { IS_NEW, type OnConflict, ownedStaged, type StagedKind, stagedUsers } from './staging.ts';

/** Whose records an import is about: who may get them, and who is named. */

/** A user here, by name. */
export type Named = Pick<User, 'id' | 'firstName' | 'lastName'>;

/** A user here to whom records of a file come. */
export interface Recipient extends Named {
  /** Whether the user comes with the file. */
  isNew: boolean;
}

/** A record that goes from one user to another, as it went at its origin. */
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

/** Records that would be written, or would be if nothing stood in their way. */
const COMES = `(${IS_NEW} OR _outcome IN ('conflicting', 'overwritten', 'sameKey'))`;

/** The first `limit` users who are new; of a file without users, those whose records come. */
export function recipients(db: Database, limit: number): Recipient[] {
  const isAny = db.value(`SELECT 1 FROM ${stagedUsers.staged} LIMIT 1`) === 1;
  const owners = ownedStaged.map(
    ({ staged }) => `SELECT userId FROM ${staged} WHERE ${IS_NEW} OR _outcome = 'overwritten'`,
  );
  const rows = db.all<Named>(
    isAny
      ? `SELECT coalesce(_newId, id) AS id, firstName, lastName FROM ${stagedUsers.staged}
         WHERE ${IS_NEW} ORDER BY _at LIMIT ?`
      : `SELECT id, firstName, lastName FROM main.users WHERE id IN (${owners.join(' UNION ')}) ORDER BY id LIMIT ?`,
    limit,
  );
  return rows.map((row) => ({ ...row, isNew: isAny }));
}

/** SQL: the id here of the staged record `i`. */
const HERE = 'coalesce(i._newId, i.id)';

/** The first `limit` users here whose records the file replaces, or would replace. */
export function replacedUsers(db: Database, limit: number): Named[] {
  const replaced = "i._outcome IN ('conflicting', 'overwritten', 'sameKey')";
  const owners = ownedStaged.map(
    ({ table, staged }) =>
      `SELECT m.userId FROM ${staged} AS i JOIN main.${table} AS m ON m.id = ${HERE} WHERE ${replaced}`,
  );
  const users = `SELECT ${HERE} FROM ${stagedUsers.staged} AS i WHERE ${replaced}`;
  return db.all<Named>(
    `SELECT id, firstName, lastName FROM main.users WHERE id IN (${[users, ...owners].join(' UNION ')}) ORDER BY id LIMIT ?`,
    limit,
  );
}

const moves = ({ table, staged }: StagedKind, outcomes: string) =>
  `FROM ${staged} AS i JOIN main.${table} AS m ON m.id = ${HERE}
   JOIN main.users AS u ON u.id = m.userId
   WHERE m.userId <> i.userId AND i._outcome IN (${outcomes})`;

/** SQL: the name of the user `id`, who may come with the file. */
const nameSql = (id: string) =>
  `coalesce((SELECT firstName || ' ' || lastName FROM main.users WHERE id = ${id}),
    (SELECT firstName || ' ' || lastName FROM ${stagedUsers.staged} WHERE coalesce(_newId, id) = ${id}), ${id})`;

/** The first `limit` records that change their owner. */
export function movedRecords(db: Database, limit: number): Moved[] {
  return ownedStaged
    .flatMap((kind) =>
      db.all<Moved>(
        `SELECT '${kind.name}' AS record, m.id AS id, ${nameSql('m.userId')} AS "from", ${nameSql('i.userId')} AS "to"
         ${moves(kind, "'overwritten'")} ORDER BY m.id LIMIT ?`,
        limit,
      ),
    )
    .slice(0, limit);
}

/** The users whom changes after the entry `seq` brought; where they brought none, those who got records: the first `limit`. */
export function gainers(db: Database, seq: number, limit: number): Recipient[] {
  const named = (condition: string) =>
    db.all<Named>(
      `SELECT id, firstName, lastName FROM main.users WHERE id IN (
         SELECT userId FROM main.history WHERE seq > ? AND action = 'create' AND ${condition}) ORDER BY id LIMIT ?`,
      seq,
      limit,
    );
  const made = named("record = 'user'");
  return (made.length > 0 ? made : named('TRUE')).map((user) => ({ ...user, isNew: made.length > 0 }));
}

/** The first `limit` users here whose records were changed or deleted after the entry `seq`. */
export function changedUsers(db: Database, seq: number, limit: number): Named[] {
  return db.all<Named>(
    `SELECT id, firstName, lastName FROM main.users WHERE id IN (
       SELECT userId FROM main.history WHERE seq > ? AND action <> 'create') ORDER BY id LIMIT ?`,
    seq,
    limit,
  );
}

/** The first `limit` records that went to another user after the entry `seq`. */
export function movedSince(db: Database, seq: number, limit: number): Moved[] {
  return db.all<Moved>(
    `SELECT record, recordId AS id, ${nameSql('formerUserId')} AS "from", ${nameSql('userId')} AS "to"
     FROM main.history WHERE seq > ? AND formerUserId IS NOT NULL ORDER BY seq LIMIT ?`,
    seq,
    limit,
  );
}

/**
 * The one user of the staged records.
 * @returns undefined for a file without any
 * @throws SciaticaError `invalid` when there are several
 */
export function onlyUser(db: Database): number | undefined {
  const owned = ownedStaged.map(({ staged }) => `SELECT userId FROM ${staged}`);
  const sql = `SELECT id FROM ${stagedUsers.staged} UNION ${owned.join(' UNION ')} LIMIT 2`;
  const [first, second] = db.column<number | null>(sql);
  if (second === undefined) return first ?? undefined;
  const fault: Issue = { field: '--as', message: 'is for a file with one user; this one has several' };
  throw new SciaticaError('invalid', 'The file has several users.', [fault]);
}

/** Puts records of no known origin under a user: the user of the file is left out. */
export function putUnder(db: Database, ours: number): void {
  onlyUser(db);
  db.run(`UPDATE ${stagedUsers.staged} SET _outcome = 'skipped' WHERE _outcome IS NULL`);
  for (const { staged } of ownedStaged) db.run(`UPDATE ${staged} SET userId = ?`, ours);
}

/**
 * Users who were erased here, and what belongs to them, would come back as new ones. That is a conflict: `overwrite` brings them,
 * `renumber` stores them under new ids, `skip` leaves them out.
 */
export function holdErased(db: Database, onConflict: OnConflict): void {
  if (onConflict === 'overwrite' || onConflict === 'renumber') return;
  const users = `${stagedUsers.staged} AS u WHERE ${IS_NEW} AND (id IN (SELECT value FROM json_each(?)) OR EXISTS (
    SELECT 1 FROM main.history WHERE record = 'user' AND recordId = u.id AND action = 'erase'))`;
  // Of databases whose place this one has taken.
  const others = new Settings(db).get('erased') ?? '[]';
  // Mostly there is none, and the logs need not be gone through.
  if (db.value(`SELECT 1 FROM ${users} LIMIT 1`, others) !== 1) return;
  const outcome = onConflict === 'skip' ? 'skipped' : 'erased';
  const ids = JSON.stringify(db.column<number>(`SELECT coalesce(_newId, id) FROM ${users}`, others));
  const hold = (staged: string, key: string) =>
    db.run(
      `UPDATE ${staged} SET _outcome = ?, _newId = NULL WHERE (${IS_NEW} OR _outcome = 'conflicting')
       AND ${key} IN (SELECT value FROM json_each(?))`,
      outcome,
      ids,
    );
  for (const { staged } of ownedStaged) hold(staged, 'userId');
  hold(stagedUsers.staged, 'coalesce(_newId, id)');
}

/**
 * What keeps staged records without an origin from their owners, once each has its outcome.
 * @param limit how many faults of each sort are given
 * @returns the sort that is to be settled first, with its faults; undefined if there is none
 */
export function ownershipFault(
  db: Database,
  said: Said,
  limit: number,
): { fault: OwnershipFault; places: Place[] } | undefined {
  const here = db.value<number>('SELECT count(*) FROM (SELECT 1 FROM main.users LIMIT 2)') ?? 0;
  const found: [OwnershipFault, Place[]][] = [
    ['unnamed', mayBelongById(said, here) ? [] : unnamed(db, limit)],
    ['stranger', mayMeanById(said) ? [] : strangers(db, limit)],
    ['moved', moved(db, limit)],
  ];
  const first = found.find(([, places]) => places.length > 0);
  return first && { fault: first[0], places: first[1] };
}

function unnamed(db: Database, limit: number): Place[] {
  return ownedStaged.flatMap(({ name, staged }) =>
    db
      .all<{ at: number; userId: number; count: number; who: string }>(
        `SELECT min(_at) AS at, userId, count(*) AS count, ${nameSql('i.userId')} AS who FROM ${staged} AS i
         WHERE ${COMES} AND coalesce(_givenUserId, userId) NOT IN (SELECT id FROM temp.import_known_users) GROUP BY userId ORDER BY 1 LIMIT ?`,
        limit,
      )
      .map(({ at, userId, count, who }) => ({
        at,
        kind: name,
        issue: {
          field: 'userId',
          message: `${userId} is ${who} here; whose it is in the file is not said${count > 1 ? ` (and ${count - 1} more of this user)` : ''}`,
        },
      })),
  );
}

/** How many users are compared at once. */
const BLOCK = 1000;

/** Users of the file whose ids are taken by other persons, where something would be replaced or would go to those. */
function strangers(db: Database, limit: number): Place[] {
  const { staged } = stagedUsers;
  const getsRecords = ownedStaged
    .map((kind) => `EXISTS (SELECT 1 FROM ${kind.staged} WHERE userId = i.id AND ${COMES})`)
    .join(' OR ');
  const names = ['firstName', 'lastName', 'email', 'diagnosisDate'] as const;
  const columns = names.map((name) => `i.${name} AS there_${name}, m.${name} AS here_${name}`).join(', ');
  const places: Place[] = [];
  for (let last = -1; places.length < limit; ) {
    const rows = db.all<Record<string, string> & { at: number }>(
      `SELECT i._at AS at, ${columns} FROM ${staged} AS i JOIN main.users AS m ON m.id = i.id
       WHERE i._at > ? AND (i._outcome IN ('conflicting', 'overwritten') OR i._outcome = 'skipped' AND (${getsRecords}))
       ORDER BY i._at LIMIT ${BLOCK}`,
      last,
    );
    for (const row of rows) {
      const person = (prefix: string) =>
        Object.fromEntries(names.map((name) => [name, row[prefix + name]])) as unknown as User;
      const [there, here] = [person('there_'), person('here_')];
      if (isSamePerson(there, here)) continue;
      const message = `is taken by a different user: ${fullName(here)} here, ${fullName(there)} in the file`;
      places.push({ at: row.at, kind: 'user', issue: { field: 'id', message } });
    }
    last = rows.at(-1)?.at ?? last;
    if (rows.length < BLOCK) break;
  }
  return places.slice(0, limit);
}

const fullName = ({ firstName, lastName }: Pick<User, 'firstName' | 'lastName'>) =>
  `${firstName} ${lastName}`;

/** Records that would replace one of another user. */
function moved(db: Database, limit: number): Place[] {
  return ownedStaged.flatMap((kind) =>
    db
      .all<{ at: number; id: number; from: string; to: string }>(
        `SELECT i._at AS at, m.id AS id, ${nameSql('m.userId')} AS "from", ${nameSql('i.userId')} AS "to"
         ${moves(kind, "'conflicting', 'overwritten'")} ORDER BY i._at LIMIT ?`,
        limit,
      )
      .map(({ at, id, from, to }) => ({
        at,
        kind: kind.name,
        issue: { field: 'userId', message: `would move ${kind.name} ${id} from ${from} to ${to}` },
      })),
  );
}
