import { SciaticaError } from '../../domain/errors.ts';
import { Settings } from '../records/settings.ts';
import { connect, withDatabase } from '../sqlite/connection.ts';
import type { Database } from '../sqlite/database.ts';

/** The position of a copy in the history of its database. */
export interface Mark {
  /** Highest history seq. */
  seq: number;
  /** Setting `horizon`, which also changes when a backup is restored. */
  horizon: string | undefined;
}

/** Thrown when a copy was not published, because it may hold a person who was erased while it was made. */
export class ErasedMeanwhile extends SciaticaError {
  constructor() {
    super(
      'conflict',
      'Somebody was erased, or a backup restored, while this backup was being made, so it was not kept. Make it again.',
    );
  }
}

/** The position of a database, which may be of an older version. */
export function markOf(db: Database): Mark {
  return { seq: db.lastId('history'), horizon: new Settings(db).get('horizon') };
}

function isErasedSince(db: Database, { seq, horizon }: Mark): boolean {
  if (new Settings(db).get('horizon') !== horizon) return true;
  // A database of an older version may have no history.
  return (
    db.lastId('history') > seq &&
    db.value("SELECT 1 FROM history WHERE seq > ? AND action = 'erase'", seq) === 1
  );
}

/**
 * Runs `publish`, which gives a copy of the database at `path` its name, under the write lock: an erasure comes either before it,
 * and the copy is refused, or after it, and finds the copy by its name. If the database is read-only, no lock is taken.
 * @param mark the position of the copy
 * @throws ErasedMeanwhile if somebody was erased, or a backup restored, since the copy was made; what `publish` throws
 */
export function unlessErasedSince<T>(path: string, mark: Mark, publish: () => T): T {
  return withDatabase(connect(path, { orReadable: true }), (db) => {
    const compared = () => {
      if (isErasedSince(db, mark)) throw new ErasedMeanwhile();
      return publish();
    };
    return db.obstacle ? compared() : db.write(compared);
  });
}
