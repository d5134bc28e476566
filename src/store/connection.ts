import type { Changes } from './records/changes.ts';
import type { Shared } from './shared.ts';
import type { Database } from './sqlite/database.ts';
import type { Writer } from './sqlite/writer.ts';

/** What all views of one connection share. */
export interface Connection extends Shared {
  db: Database;
  changes: Changes;
  close(): void;
  /** Made for the first write of a service. */
  writer?: Writer;
}
