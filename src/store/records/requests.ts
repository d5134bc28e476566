import type { HistoryEntry } from '../../domain/history.ts';
import type { AnyRecord } from '../../domain/records.ts';
import type { History } from '../history/history.ts';
import type { Database } from '../sqlite/database.ts';

/** A request that may be repeated: SHA-256 of its Idempotency-Key, and of its body. */
export interface RepeatableRequest {
  key: Uint8Array;
  body: Uint8Array;
}

/** The requests that created records, by their Idempotency-Key, so that a repetition creates nothing more. They never expire. */
export class Requests {
  constructor(
    private readonly db: Database,
    private readonly history: History,
  ) {}

  /**
   * The body hash of the request with this key, the entries of its change, and the records as it created them. After an erasure of one of them the
   * hash is null and only the others are returned.
   */
  find(
    key: Uint8Array,
  ): { body: Uint8Array | null; created: AnyRecord[]; entries: HistoryEntry[] } | undefined {
    const row = this.db.get<{ body: Uint8Array | null; change: number }>(
      'SELECT body, change FROM requests WHERE key = ?',
      key,
    );
    if (!row) return undefined;
    const entries = this.history.ofChange(row.change);
    return { body: row.body, created: entries.flatMap(({ after }) => after ?? []), entries };
  }

  /** Stores a request with the current change, inside it. */
  add({ key, body }: RepeatableRequest): void {
    this.db.run(
      'INSERT INTO requests (key, body, change) VALUES (?, ?, (SELECT max(id) FROM changes))',
      key,
      body,
    );
  }
}
