import { notFound, SciaticaError } from '../../domain/errors.ts';
import { sleepSync } from '../../lib/sleep.ts';
import type { Database } from '../sqlite/database.ts';
import type { Store } from '../store.ts';

/**
 * Forgets a person: the user, the logs and their history, in the database file, its log and its free pages.
 * One entry stays: that user N was erased, and when. Asked again, it only makes sure of the bytes.
 * @throws SciaticaError `not-found` for a user that never was; `busy` when others keep the old bytes in use
 */
export function erase(store: Store, userId: number): void {
  const { db, history, settings, tokens } = store;
  const known = store.users.has(userId) || db.value('SELECT 1 FROM history WHERE userId = ?', userId) === 1;
  if (!known) throw notFound('user', userId);
  const isErased =
    !store.users.has(userId) && history.of('user', userId).every(({ action }) => action === 'erase');
  if (!isErased) {
    const forget = () => {
      const wasMoved = db.value(MOVED, userId, userId) === 1;
      db.run('INSERT INTO erasing (userId) VALUES (?)', userId);
      db.run('DELETE FROM users WHERE id = ?', userId);
      const theirs = db.column<number>(LAST_OWNED, userId);
      db.run('DELETE FROM history WHERE userId = ? OR formerUserId = ?', userId, userId);
      forgetLogs(db, theirs);
      db.run(
        `INSERT INTO history (change, record, recordId, userId, action)
         VALUES ((SELECT max(id) FROM changes), 'user', ?, ?, 'erase')`,
        userId,
        userId,
      );
      // What is left does not tell others which of their logs are gone, or whence they have them.
      const wereOthers = db.value('SELECT count(*) > 1 FROM erasing') === 1;
      if (wasMoved || wereOthers) settings.set('horizon', String(history.last()));
      db.run('DELETE FROM changes WHERE id NOT IN (SELECT change FROM history)');
      db.run('DELETE FROM erasing');
      tokens.forget(userId);
      if (settings.get('user') === String(userId)) settings.remove('user');
    };
    history.change(forget, { source: 'erase' });
  }
  overwrite(store);
}

/** Whether a log ever went from this user to another, or came from one. */
const MOVED = `SELECT 1 FROM history WHERE formerUserId IS NOT NULL AND (userId = ? OR formerUserId = ?)`;

/** The logs that were this user's to the end, now that they are deleted. */
const LAST_OWNED = `SELECT recordId FROM history AS last WHERE record = 'log' AND action = 'delete' AND userId = ?
  AND seq = (SELECT max(seq) FROM history WHERE record = 'log' AND recordId = last.recordId)`;

/** Forgets what logs were while they belonged to others: they may have been noted under the wrong name. */
function forgetLogs(db: Database, ids: readonly number[]): void {
  const entries = "record = 'log' AND recordId IN (SELECT value FROM json_each(?))";
  const list = JSON.stringify(ids);
  db.run(`INSERT OR IGNORE INTO erasing SELECT userId FROM history WHERE ${entries}`, list);
  db.run(`DELETE FROM history WHERE ${entries}`, list);
}

/** What was deleted is in no page any more once the file is written anew and its log is empty (https://sqlite.org/lang_vacuum.html). */
function overwrite(store: Store): void {
  store.db.exec('VACUUM');
  const deadline = performance.now() + PATIENCE_MS;
  while (!store.checkpoint()) {
    if (performance.now() > deadline)
      throw new SciaticaError(
        'busy',
        'The records are erased, but another program keeps the old file contents in use. Close it (sciatica serve?) and run this again.',
      );
    sleepSync(20);
  }
}

const PATIENCE_MS = 10_000;
