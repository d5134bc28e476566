import { randomUUID } from 'node:crypto';
import { Counterparts } from '../records/counterparts.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { stateOf } from './import/merge/sql.ts';
import { kinds } from './import/staging.ts';

/**
 * Makes a copy of a database one of its own: it gets a new UUID, and notes that its records are those of the database with the
 * former one, as they are now.
 * @returns the new UUID
 */
export function renewIdentity(db: Database): string {
  const [settings, counterparts, id] = [new Settings(db), new Counterparts(db), randomUUID()];
  db.write(() => {
    const former = settings.get('id');
    settings.set('id', id);
    if (former === undefined) return;
    const origin = counterparts.origin(former);
    for (const kind of kinds)
      db.run(
        `INSERT INTO counterparts (origin, record, theirId, ourId, agreed)
         SELECT ?, '${kind.noun}', id, id, ${stateOf('m', kind)} FROM ${kind.table} AS m WHERE true
         ON CONFLICT DO NOTHING`,
        origin,
      );
  });
  return id;
}
