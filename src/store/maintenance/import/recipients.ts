import type { Database } from '../../sqlite/database.ts';
import { IS_NEW, ownedStaged, stagedUsers } from './staging.ts';

/** A user here to whom records of a file come, other than the file says. */
export interface Recipient {
  id: number;
  firstName: string;
  lastName: string;
  /** Whether the user comes with the file, under another id than there. */
  isNew: boolean;
}

/** The first `limit` users who are new under another id; of a file without users, those whose records are new. */
export function recipients(db: Database, limit: number): Recipient[] {
  const isAny = db.value(`SELECT 1 FROM ${stagedUsers.staged} LIMIT 1`) === 1;
  const owners = ownedStaged.map(({ staged }) => `SELECT userId FROM ${staged} WHERE ${IS_NEW}`);
  const rows = db.all<Omit<Recipient, 'isNew'>>(
    isAny
      ? `SELECT _newId AS id, firstName, lastName FROM ${stagedUsers.staged}
         WHERE _outcome = 'renumbered' AND _newId <> id ORDER BY _at LIMIT ?`
      : `SELECT id, firstName, lastName FROM main.users WHERE id IN (${owners.join(' UNION ')}) ORDER BY id LIMIT ?`,
    limit,
  );
  return rows.map((row) => ({ ...row, isNew: isAny }));
}
