import { History } from './history/history.ts';
import { Audit } from './records/audit.ts';
import { Requests } from './records/requests.ts';
import { Settings } from './records/settings.ts';
import { Tokens } from './records/tokens.ts';
import type { Database } from './sqlite/database.ts';
import { Counterparts } from './sync/counterparts.ts';
import type { SyncTables } from './sync/tables.ts';

/** The verbs that all views of a connection share. */
export interface Shared {
  history: History;
  settings: Settings;
  tokens: Tokens;
  audit: Audit;
  requests: Requests;
  counterparts: Counterparts;
  /** Loads what the database keeps for syncs. */
  sync: () => Promise<SyncTables>;
}

/** @param now the clock, in milliseconds since 1970 */
export function sharedOn(db: Database, now: () => number): Shared {
  const history = new History(db);
  let tables: SyncTables | undefined;
  return {
    history,
    settings: new Settings(db),
    tokens: new Tokens(db, now),
    audit: new Audit(db),
    requests: new Requests(db, history),
    counterparts: new Counterparts(db),
    sync: async () => {
      const { SyncTables } = await import('./sync/tables.ts');
      tables ??= new SyncTables(db);
      return tables;
    },
  };
}
