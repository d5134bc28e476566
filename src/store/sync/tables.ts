import type { Database } from '../sqlite/database.ts';
import { Arrivals } from './arrivals.ts';
import { Differences } from './differences.ts';
import { NewLogs } from './new-logs.ts';
import { Remotes } from './remotes.ts';
import { Syncs } from './syncs.ts';

/** What the database keeps for syncs. */
export class SyncTables {
  readonly remotes: Remotes;
  readonly syncs: Syncs;

  constructor(private readonly db: Database) {
    this.remotes = new Remotes(db);
    this.syncs = new Syncs(db);
  }

  /** An empty place for what arrives. */
  arrivals(): Arrivals {
    return new Arrivals(this.db);
  }

  newLogsFrom(origin: number): NewLogs {
    return new NewLogs(this.db, origin);
  }

  differencesFrom(origin: number): Differences {
    return new Differences(this.db, origin);
  }

  /** Runs `work` as one transaction of what is noted here, which is no change of records. */
  note<T>(work: () => T): T {
    return this.db.write(work);
  }
}
