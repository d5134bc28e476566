import type { HistoryEntry } from '../../domain/history.ts';
import type { AnyRecord } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { CHANGE } from '../sqlite/migrations/history-triggers.ts';
import { entriesOf } from './entries.ts';

/** A request that may be repeated: SHA-256 of its Idempotency-Key, and of its body. */
export interface RepeatableRequest {
  key: Uint8Array;
  body: Uint8Array;
}

/** A request that was done. */
export interface DoneRequest {
  /** The hash of its body; null after an erasure of one of its records. */
  body: Uint8Array | null;
  /** The records as it created them, but for erased ones. */
  created: AnyRecord[];
  /** The entries of its change. */
  entries: HistoryEntry[];
  /** The last entry of the history when it was done. */
  seq: number;
}

/** The requests that were done, by their Idempotency-Key, so that a repetition does nothing more. They never expire. */
export class Requests {
  constructor(
    private readonly db: Database,
    private readonly history: { ofChange(change: number): HistoryEntry[] },
  ) {}

  /** The change of the request with this key; undefined if there was none. */
  changeOf(key: Uint8Array): number | undefined {
    return this.db.value<number>('SELECT change FROM requests WHERE key = ?', key);
  }

  /** The request with this key. */
  find(key: Uint8Array): DoneRequest | undefined {
    const row = this.db.get<{ body: Uint8Array | null; change: number }>(
      'SELECT body, change FROM requests WHERE key = ?',
      key,
    );
    if (!row) return undefined;
    const entries = this.history.ofChange(row.change);
    const [, next] = entriesOf(this.db, row.change);
    return { body: row.body, created: entries.flatMap(({ after }) => after ?? []), entries, seq: next - 1 };
  }

  /** Stores a request with the current change, inside it. */
  add({ key, body }: RepeatableRequest): void {
    this.db.run(`INSERT INTO requests (key, body, change) VALUES (?, ?, ${CHANGE})`, key, body);
  }
}
