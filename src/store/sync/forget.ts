import type { Database } from '../sqlite/database.ts';

/**
 * Forgets, for `erase`, what syncs hold of a user, and notes whom the user was over there. The next sync reads everything anew: what
 * went with the user here may be another's over there, and the answer to a request that is under way is not understood any more.
 */
export function forgetSyncs(db: Database, userId: number): void {
  const theirs = "SELECT origin, theirId FROM counterparts WHERE record = 'user' AND ourId = ?";
  // Who is erased over there as well need not be remembered.
  db.run(
    `INSERT OR IGNORE INTO erasedUsers (origin, theirUser) ${theirs} AND NOT EXISTS (SELECT 1 FROM conflicts AS c
       WHERE c.origin = counterparts.origin AND c.theirUser = counterparts.theirId AND isErased = 1)`,
    userId,
  );
  db.run(`DELETE FROM conflicts WHERE (origin, theirUser) IN (${theirs})`, userId);
  const sent = `EXISTS (SELECT 1 FROM json_each(records)
    WHERE value ->> '$.userId' = ? OR pushes.record = 'user' AND value ->> '$.id' = ?)`;
  db.run(`UPDATE syncs SET horizon = -1 WHERE origin IN (SELECT origin FROM (${theirs}))`, userId);
  db.run(`DELETE FROM pushes WHERE ${sent}`, userId, userId);
  db.run('DELETE FROM remotes WHERE ourUser = ?', userId);
}
