import { type Issue, SciaticaError } from '../../../domain/errors.ts';
import type { Database } from '../../sqlite/database.ts';
import { CHANGE } from '../../sqlite/migrations/history-triggers.ts';
import { AGREED, type Merge, ofOrigin, stateOf } from './merge-sql.ts';
import { ownedStaged, stagedUsers } from './staging.ts';

/** A file with one user comes under a user that is here: `theirs` is the id in the file, `ours` the one here. */
export interface AsUser {
  theirs: number;
  ours: number;
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
 * Makes a user here the counterpart of the one of the file, whose fields stay as they are.
 * @throws SciaticaError `conflict` when either is already the counterpart of another
 */
export function linkUser({ db, origin }: Merge, ours: number): AsUser | undefined {
  const theirs = onlyUser(db);
  if (theirs === undefined) return undefined;
  const known = db.get<{ theirId: number; ourId: number }>(
    `SELECT theirId, ourId FROM main.counterparts AS c
     WHERE ${ofOrigin('user')} AND (theirId = ?) <> (ourId = ?) AND ${AGREED} <> 'null'`,
    origin,
    theirs,
    ours,
  );
  if (known) {
    const message =
      known.theirId === theirs
        ? `cannot be ${ours}: the records of this user have been coming under user ${known.ourId}`
        : `cannot be ${ours}: another user of that database is user ${ours} here`;
    throw new SciaticaError('conflict', 'It is a different user.', [{ field: '--as', message }]);
  }
  const isKnown = "_newId = ? AND _outcome IN ('equal', 'kept', 'agreed', 'updated', 'conflicting')";
  db.run(
    `UPDATE ${stagedUsers.staged} SET _outcome = 'linked', _newId = ? WHERE _outcome IS NOT 'repeated' AND NOT (${isKnown}) IS TRUE`,
    ours,
    ours,
  );
  db.run('INSERT OR IGNORE INTO temp.import_user_ids VALUES (?, ?)', theirs, ours);
  return { theirs, ours };
}

/** Notes the user of a file that has records of a user and not the user. */
export function noteUser({ db, origin }: Merge, { theirs, ours }: AsUser): void {
  db.run(
    `INSERT OR IGNORE INTO main.counterparts (origin, record, theirId, ourId, agreed, change)
     SELECT ?, 'user', ?, id, ${stateOf({ db }, 'm', stagedUsers)}, ${CHANGE}
     FROM main.users AS m WHERE id = ?`,
    origin,
    theirs,
    ours,
  );
}
