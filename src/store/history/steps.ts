import type { Database } from '../sqlite/database.ts';

/**
 * Undo and redo, step by step, as in an editor. A change is undone while an undo of it is in effect. An undo is a change
 * that names another; the undo of an undo is a redo. Erasures cannot be undone, and are passed over.
 */

interface Reversal {
  id: number;
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
    'SELECT id, undoes FROM changes WHERE undoes IS NOT NULL ORDER BY id DESC',
  );
  const target = new Map(reversals.map(({ id, undoes }) => [id, undoes]));
  const undone = new Set<number>();
  // A change is undone by later ones only, so whether it is in effect is known by the time it is reached.
  for (const { id, undoes } of reversals) if (!undone.has(id)) undone.add(undoes);
  const isUndo = (id: number): boolean => {
    const undoes = target.get(id);
    return undoes !== undefined && !isUndo(undoes);
  };
  return { undone, undos: reversals.map(({ id }) => id).filter((id) => isUndo(id) && !undone.has(id)) };
}

/** The changes that are undone. */
export const undoneChanges = (db: Database): ReadonlySet<number> => stepsOf(db).undone;

/** A request that changed nothing has a change without entries, of which there is nothing to take back. */
const OWN = `SELECT max(id) FROM changes WHERE undoes IS NULL AND source <> 'erase'
  AND EXISTS (SELECT 1 FROM history WHERE change = changes.id)`;

/** The change that `undo` takes back: the newest that is neither an undo nor a redo, nor undone. */
export function nextUndo(db: Database): number | undefined {
  const { undone } = stepsOf(db);
  const change = db.value<number | null>(
    `${OWN} AND id NOT IN (SELECT value FROM json_each(?))`,
    JSON.stringify([...undone]),
  );
  return change ?? undefined;
}

/** The latest import of a file of this name that is not undone. */
export function importOf(db: Database, file: string): number | undefined {
  const change = db.value<number | null>(
    `${OWN} AND source = 'import' AND caller = ? AND id NOT IN (SELECT value FROM json_each(?))`,
    file,
    JSON.stringify([...undoneChanges(db)]),
  );
  return change ?? undefined;
}

/** The undo that `redo` takes back: the newest in effect, if no new change was made after it. */
export function nextRedo(db: Database): number | undefined {
  const [undo] = stepsOf(db).undos;
  const newest = db.value<number | null>(OWN) ?? 0;
  return undo !== undefined && undo > newest ? undo : undefined;
}
