import type { Log } from '../../domain/log.ts';
import type { User } from '../../domain/user.ts';
import type { History } from '../history/history.ts';
import type { Database } from '../sqlite/database.ts';

/** A request that may come again: SHA-256 of the key its caller gave it, and of what it says. */
export interface RepeatableRequest {
  key: Uint8Array;
  body: Uint8Array;
}

/** The requests that created something, so that one that comes again creates nothing more. They never expire. */
export class Requests {
  constructor(
    private readonly db: Database,
    private readonly history: History,
  ) {}

  /**
   * What the request with this key said, and the records as it created them; once one of them was erased, the others,
   * and nothing of what it said.
   */
  find(key: Uint8Array): { body: Uint8Array | null; created: (User | Log)[] } | undefined {
    const row = this.db.get<{ body: Uint8Array | null; change: number }>(
      'SELECT body, change FROM requests WHERE key = ?',
      key,
    );
    if (!row) return undefined;
    const created = this.history.ofChange(row.change).flatMap(({ after }) => after ?? []);
    return { body: row.body, created };
  }

  /** Keeps a request with the change that is under way, which it made. */
  add({ key, body }: RepeatableRequest): void {
    this.db.run(
      'INSERT INTO requests (key, body, change) VALUES (?, ?, (SELECT max(id) FROM changes))',
      key,
      body,
    );
  }
}
