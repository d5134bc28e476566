import type { Changes } from './history/changes.ts';
import type { History } from './history/history.ts';
import type { Audit } from './records/audit.ts';
import type { Requests } from './records/requests.ts';
import type { Settings } from './records/settings.ts';
import type { Tokens } from './records/tokens.ts';
import type { Database } from './sqlite/database.ts';
import type { Writer } from './sqlite/writer.ts';

/** What all views of one connection share. */
export interface Connection {
  db: Database;
  changes: Changes;
  history: History;
  settings: Settings;
  tokens: Tokens;
  audit: Audit;
  requests: Requests;
  close(): void;
  /** Made for the first write of a service. */
  writer?: Writer;
}
