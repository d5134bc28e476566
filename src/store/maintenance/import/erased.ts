import { Settings } from '../../records/settings.ts';
import type { Database } from '../../sqlite/database.ts';
import { IS_NEW, type OnConflict, ownedStaged, stagedUsers } from './staging.ts';

/**
 * Users of a file who were erased here, and what belongs to them, would come back as new ones. That is a conflict: `overwrite`
 * brings them, `skip` leaves them out. Where ids count, `renumber` stores them under new ids.
 */

/** Holds back users of another database, once the records are matched and before conflicts are settled. */
export function holdErasedThere(db: Database, origin: number, onConflict: OnConflict): void {
  if (onConflict === 'overwrite') return;
  const isErased = "id IN (SELECT originId FROM main.erasures WHERE record = 'user' AND origin = ?)";
  hold(db, onConflict, isErased, origin);
}

/** Holds back users of this database, or of none that is known, by their ids. */
export function holdErasedHere(db: Database, onConflict: OnConflict): void {
  if (onConflict === 'overwrite' || onConflict === 'renumber') return;
  const isErased = `(id IN (SELECT value FROM json_each(?)) OR EXISTS (
    SELECT 1 FROM main.history WHERE record = 'user' AND recordId = u.id AND action = 'erase'))`;
  // Of databases whose place this one has taken.
  hold(db, onConflict, isErased, new Settings(db).get('erased') ?? '[]');
}

function hold(db: Database, onConflict: OnConflict, isErased: string, value: string | number): void {
  const outcome = onConflict === 'skip' ? 'skipped' : 'erased';
  // A known record may have moved to the user.
  const comes = "(_outcome IS NULL OR _outcome IN ('renumbered', 'returned', 'updated', 'conflicting'))";
  const users = `${stagedUsers.staged} AS u`;
  // Mostly there is none, and the logs need not be gone through.
  if (db.value(`SELECT 1 FROM ${users} WHERE ${IS_NEW} AND ${isErased} LIMIT 1`, value) !== 1) return;
  for (const { staged } of ownedStaged)
    db.run(
      `UPDATE ${staged} SET _outcome = ?, _newId = NULL WHERE ${comes}
       AND userId IN (SELECT coalesce(_newId, id) FROM ${users} WHERE ${IS_NEW} AND ${isErased})`,
      outcome,
      value,
    );
  // Without an id here, nothing of them is noted.
  db.run(`UPDATE ${users} SET _outcome = ?, _newId = NULL WHERE ${IS_NEW} AND ${isErased}`, outcome, value);
}

/** Forgets of users who have come back that they were erased. */
export function forgetErasure(db: Database, origin: number): void {
  db.run(
    `DELETE FROM main.erasures WHERE record = 'user' AND origin = ? AND originId IN (
       SELECT theirId FROM main.counterparts WHERE origin = ? AND record = 'user')`,
    origin,
    origin,
  );
}
