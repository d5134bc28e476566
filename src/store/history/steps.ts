import type { Database } from '../sqlite/database.ts';

/**
 * Stepwise undo and redo, as in an editor. An undo is a change that names the change it undoes. A change is undone while an undo
 * of it is in effect; the undo of an undo is a redo. Erasures cannot be undone, and are skipped.
 */

interface Reversal {
  change: number;
  undoes: number;
}

/** The effect of all undos and redos. */
interface Steps {
  /** The changes that are undone now, undos among them, each with the undo that is in effect. */
  undone: Map<number, number>;
  /** The undos that are in effect, without redos, the latest first. */
  undos: number[];
}

/** The undos and redos of a change and of later ones, the latest first. */
const reversalsFrom = (db: Database, change: number): Reversal[] =>
  db.all('SELECT change, undoes FROM history WHERE undoes >= ? ORDER BY seq DESC', change);

function undoneBy(reversals: readonly Reversal[]): Steps['undone'] {
  const undone = new Map<number, number>();
  // Latest first: a change is undone by later changes only, so its own effect is known when it is reached.
  for (const { change, undoes } of reversals) if (!undone.has(change)) undone.set(undoes, change);
  return undone;
}

function stepsOf(db: Database): Steps {
  const reversals = reversalsFrom(db, 0);
  const undone = undoneBy(reversals);
  // Oldest first: the change that an undo names came before it, so whether that is itself an undo is known.
  const isUndo = new Set<number>();
  for (const { change, undoes } of reversals.toReversed()) if (!isUndo.has(undoes)) isUndo.add(change);
  const undos = reversals.map(({ change }) => change);
  return { undone, undos: undos.filter((change) => isUndo.has(change) && !undone.has(change)) };
}

/**
 * SQL: the newest change that was made here, is no undo, redo or erasure, and is not in a JSON array. Goes
 * from head to head, which skips the other entries of large changes.
 */
const NEWEST = `WITH RECURSIVE heads (seq) AS (
    SELECT (SELECT head FROM history ORDER BY history.seq DESC LIMIT 1)
    UNION ALL
    SELECT (SELECT head FROM history WHERE history.seq < heads.seq ORDER BY history.seq DESC LIMIT 1) FROM heads WHERE seq IS NOT NULL)
  SELECT change FROM heads CROSS JOIN history USING (seq)
  WHERE undoes IS NULL AND source NOT IN ('erase', 'sync') AND change NOT IN (SELECT value FROM json_each(?)) LIMIT 1`;

/** The change that `undo` would undo: the newest that was made here, is neither undo nor redo, and is not undone. */
export function nextUndo(db: Database): number | undefined {
  return db.value<number>(NEWEST, JSON.stringify([...stepsOf(db).undone.keys()]));
}

/** The latest import of a file of this name that is not undone. */
export function importOf(db: Database, file: string): number | undefined {
  return db.value<number>(
    `SELECT change FROM history WHERE source = 'import' AND caller = ?
     AND change NOT IN (SELECT value FROM json_each(?)) ORDER BY seq DESC LIMIT 1`,
    file,
    JSON.stringify([...stepsOf(db).undone.keys()]),
  );
}

/** The undo that `redo` would undo: the newest in effect, unless a new change was made after it. */
export function nextRedo(db: Database): number | undefined {
  const [undo] = stepsOf(db).undos;
  const newest = db.value<number>(NEWEST, '[]') ?? 0;
  return undo !== undefined && undo > newest ? undo : undefined;
}

/** The undo of a change that is in effect; undefined unless the change is undone now. */
export const undoOf = (db: Database, change: number): number | undefined =>
  undoneBy(reversalsFrom(db, change)).get(change);
