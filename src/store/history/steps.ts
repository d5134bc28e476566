import type { Database } from '../sqlite/database.ts';

/**
 * Undo and redo, step by step, as in an editor. A change is undone while an undo of it is in effect. An undo is a change
 * that names another; the undo of an undo is a redo. Erasures cannot be undone, and are passed over.
 */

interface Reversal {
  change: number;
  undoes: number;
}

/** What the reversals leave as it is, and what they take back. */
interface Steps {
  /** The changes that are undone. */
  undone: Set<number>;
  /** The undos that are in effect, the latest first. */
  undos: number[];
}

function stepsOf(db: Database): Steps {
  const reversals = db.all<Reversal>(
    'SELECT change, undoes FROM history WHERE undoes IS NOT NULL ORDER BY seq DESC',
  );
  const undone = new Set<number>();
  // A change is undone by later ones only, so whether it is in effect is known by the time it is reached.
  for (const { change, undoes } of reversals) if (!undone.has(change)) undone.add(undoes);
  // What an undo takes back came before it, and so whether that is an undo is known.
  const isUndo = new Set<number>();
  for (const { change, undoes } of reversals.toReversed()) if (!isUndo.has(undoes)) isUndo.add(change);
  const undos = reversals.map(({ change }) => change);
  return { undone, undos: undos.filter((change) => isUndo.has(change) && !undone.has(change)) };
}

/**
 * The newest change that is neither an undo nor a redo nor an erasure, nor came from another machine, nor is among those in a JSON array. From head to head, so that it
 * does not look through the entries of large changes.
 */
const NEWEST = `WITH RECURSIVE heads (seq) AS (
    SELECT (SELECT head FROM history ORDER BY history.seq DESC LIMIT 1)
    UNION ALL
    SELECT (SELECT head FROM history WHERE history.seq < heads.seq ORDER BY history.seq DESC LIMIT 1) FROM heads WHERE seq IS NOT NULL)
  SELECT change FROM heads CROSS JOIN history USING (seq)
  WHERE undoes IS NULL AND source NOT IN ('erase', 'sync') AND change NOT IN (SELECT value FROM json_each(?)) LIMIT 1`;

/** The change that `undo` takes back: the newest that was made here, is neither an undo nor a redo, nor undone. */
export function nextUndo(db: Database): number | undefined {
  return db.value<number>(NEWEST, JSON.stringify([...stepsOf(db).undone]));
}

/** The latest import of a file of this name that is not undone. */
export function importOf(db: Database, file: string): number | undefined {
  return db.value<number>(
    `SELECT change FROM history WHERE source = 'import' AND caller = ?
     AND change NOT IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT 1`,
    file,
    JSON.stringify([...stepsOf(db).undone]),
  );
}

/** The undo that `redo` takes back: the newest in effect, if no new change was made after it. */
export function nextRedo(db: Database): number | undefined {
  const [undo] = stepsOf(db).undos;
  const newest = db.value<number>(NEWEST, '[]') ?? 0;
  return undo !== undefined && undo > newest ? undo : undefined;
}
