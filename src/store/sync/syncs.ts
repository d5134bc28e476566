import type { KindName } from '../../domain/kinds.ts';
import { undoneChanges } from '../history/steps.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

/** What is remembered of the sync with an origin. */
export interface SyncState {
  /** History seq over there up to which all has arrived. */
  position: number;
  /** Ids over there of the users that the token covered; null for all. */
  scope: readonly number[] | null;
  /** The horizon of the history here at that time. */
  horizon: number;
  /** The only user here who is synced; null for all. */
  ourUser: number | null;
  /** It began with no record here: ids of over there are taken where they are free. */
  keepsIds: boolean;
}

/** A writing request that is not answered yet. */
export interface Push {
  /** Its Idempotency-Key. */
  key: string;
  method: 'POST' | 'PUT' | 'DELETE';
  path: string;
  body: string | null;
  record: KindName;
  /** The records here that it is about, as they were when it was made, as JSON; of a deleted one the id only. */
  records: readonly { id: number }[];
  /** The record over there that it changes or deletes; null for new ones. */
  theirId: number | null;
}

/** The state of each sync, and the request that each has under way. */
export class Syncs {
  constructor(private readonly db: Database) {}

  find(origin: number): SyncState | undefined {
    const row = this.db.get<Omit<SyncState, 'scope' | 'keepsIds'> & { scope: string; keepsIds: number }>(
      'SELECT position, scope, horizon, ourUser, keepsIds FROM syncs WHERE origin = ?',
      origin,
    );
    return row && { ...row, scope: storedJson(row.scope), keepsIds: row.keepsIds === 1 };
  }

  save(origin: number, { position, scope, horizon, ourUser, keepsIds }: SyncState): void {
    this.db.run(
      `INSERT INTO syncs (origin, position, scope, horizon, ourUser, keepsIds) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (origin) DO UPDATE SET position = excluded.position, scope = excluded.scope,
         horizon = excluded.horizon, ourUser = excluded.ourUser, keepsIds = excluded.keepsIds`,
      origin,
      position,
      JSON.stringify(scope),
      horizon,
      ourUser,
      Number(keepsIds),
    );
  }

  push(origin: number): Push | undefined {
    const row = this.db.get<Omit<Push, 'records'> & { records: string }>(
      'SELECT key, method, path, body, record, records, theirId FROM pushes WHERE origin = ?',
      origin,
    );
    return row && { ...row, records: storedJson(row.records) };
  }

  /** Notes a request before it is sent, in a transaction of its own. */
  begin(origin: number, { key, method, path, body, record, records, theirId }: Push): void {
    this.db.write(() =>
      this.db.run(
        `INSERT OR REPLACE INTO pushes (origin, key, method, path, body, record, records, theirId)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        origin,
        key,
        method,
        path,
        body,
        record,
        JSON.stringify(records),
        theirId,
      ),
    );
  }

  /** Notes what a request led to, and that it is answered, in one transaction. */
  end(origin: number, note: () => void): void {
    this.db.write(() => {
      note();
      this.db.run('DELETE FROM pushes WHERE origin = ?', origin);
    });
  }

  /**
   * Makes of what imports of files agreed on with an origin what holds now that some of them are undone.
   * @returns whether there was any
   */
  settleUndone(origin: number): boolean {
    const undone = JSON.stringify([...undoneChanges(this.db)]);
    const isUndone = (change: string) => `${change} IN (SELECT value FROM json_each(?))`;
    const before = `(SELECT value -> '$[1]' FROM json_each(earlier)
      WHERE value ->> '$[0]' IS NULL OR NOT ${isUndone("value ->> '$[0]'")} ORDER BY key DESC LIMIT 1)`;
    return this.db.write(
      () =>
        this.db.run(
          `UPDATE counterparts SET agreed = coalesce(${before}, 'null'), change = NULL, earlier = NULL
           WHERE origin = ? AND ${isUndone('change')}`,
          undone,
          origin,
          undone,
        ).changes > 0,
    );
  }

  /** The users over there who were erased here. */
  erased(origin: number): number[] {
    return this.db.column('SELECT theirUser FROM erasedUsers WHERE origin = ? ORDER BY 1', origin);
  }

  /** Forgets that a user was erased here: the user is erased over there as well. */
  removeErased(origin: number, theirUser: number): void {
    this.db.run('DELETE FROM erasedUsers WHERE origin = ? AND theirUser = ?', origin, theirUser);
  }
}
