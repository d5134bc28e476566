import type { HistoryEntry } from '../../domain/history.ts';
import type { AnyRecord } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { CHANGE } from '../sqlite/migrations/history-triggers.ts';
import { entriesOf } from './entries.ts';

/** A request with an Idempotency-Key: the SHA-256 of the key, and of the body. */
export interface RepeatableRequest {
  key: Uint8Array;
  body: Uint8Array;
}

/** A completed request. */
export interface DoneRequest {
  /** The hash of its body; null after an erasure of one of its records. */
  body: Uint8Array | null;
  /** The records as the request wrote them, without erased ones. */
  created: AnyRecord[];
  /** The entries of its change. */
  entries: HistoryEntry[];
  /** The highest history seq when it was completed. */
  seq: number;
}

/** Completed requests by Idempotency-Key: a retry gets the first answer and changes nothing. They never expire. */
export class Requests {
  constructor(
    private readonly db: Database,
    private readonly history: { ofChange(change: number): HistoryEntry[] },
  ) {}

  /** Number of the change that the request with this key made; undefined if there was no such request. */
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

  /** Stores a request as the maker of the current change. Call it inside that change. */
  add({ key, body }: RepeatableRequest): void {
    this.db.run(`INSERT INTO requests (key, body, change) VALUES (?, ?, ${CHANGE})`, key, body);
  }
}
