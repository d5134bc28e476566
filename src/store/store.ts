import { SciaticaError } from '../domain/errors.ts';
import { type HistoryEntry, type Origin, seenBy } from '../domain/history.ts';
import { History } from './history/history.ts';
import { Audit } from './records/audit.ts';
import { Logs } from './records/logs.ts';
import { Requests } from './records/requests.ts';
import { Settings } from './records/settings.ts';
import { Tokens } from './records/tokens.ts';
import { Users } from './records/users.ts';
import type { Database } from './sqlite/database.ts';
import { openDatabase, openSnapshot } from './sqlite/open.ts';

/** The records and all that can be done with them, on one connection. */
export class Store {
  readonly users: Users;
  readonly logs: Logs;
  readonly settings: Settings;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly requests: Requests;

  /**
   * @param scope the ids of the users whose records it shows, and no others; all without it
   */
  constructor(
    readonly db: Database,
    readonly history = new History(db),
    private readonly scope?: readonly number[],
  ) {
    this.users = new Users(db, this.history, scope);
    this.logs = new Logs(db, this.history, scope);
    this.settings = new Settings(db);
    this.tokens = new Tokens(db);
    this.audit = new Audit(db);
    this.requests = new Requests(db, history);
  }

  /** The same records, as if there were none but those of these users. */
  scopedTo(users: readonly number[]): Store {
    return new Store(this.db, this.history, users);
  }

  /**
   * What happened to one record after the entry `since`, as far as the users in scope are concerned, the first change
   * first; what follows comes after the last of these.
   */
  historyOf(record: 'user' | 'log', id: number, since = 0): HistoryEntry[] {
    for (let seq = since; ; ) {
      const entries = this.history.ofAfter(record, id, seq);
      const seen = this.#seen(entries);
      if (seen.length > 0 || entries.length === 0) return seen;
      seq = entries.at(-1)?.seq ?? seq;
    }
  }

  /**
   * Makes sure that somebody can go on from the entry `since` of the history.
   * @param since 0 for the beginning
   * @throws SciaticaError `outdated` when not all that came after it is there any more
   */
  requireSince(since: number): void {
    if (since === 0 || (since >= this.horizon && since <= this.history.last())) return;
    throw new SciaticaError(
      'outdated',
      `The changes since ${since} are not all there any more: records were erased or restored. Read everything anew.`,
    );
  }

  /**
   * What happened after the entry `seq` of the history, as far as the users in scope are concerned, the first change
   * first; what follows comes after the last of these.
   * @returns at most `limit` entries
   */
  changesAfter(seq: number, limit: number): HistoryEntry[] {
    return this.#seen(this.history.after(seq, limit, this.scope));
  }

  /** The last entry after `since` that the users in scope know of: who has all up to there has all there is. */
  lastChange(since: number): number {
    const last = this.scope ? this.history.lastAfter(since, this.scope) : this.history.last();
    return Math.max(last, this.horizon);
  }

  /** The UUID of the database, which its backups share: an id of a record is unique together with it. */
  get id(): string {
    const id = this.settings.get('id');
    if (id === undefined)
      throw new SciaticaError('unusable', `${this.db.path} has lost its id: see sciatica doctor`);
    return id;
  }

  /** The entry of the history before which it has gaps. */
  get horizon(): number {
    return Number(this.settings.get('horizon') ?? 0);
  }

  #seen(entries: HistoryEntry[]): HistoryEntry[] {
    const { scope } = this;
    return scope ? entries.flatMap((entry) => seenBy(scope, entry) ?? []) : entries;
  }

  /** Another text whenever somebody, in this process or another, may have changed something. */
  revision(): string {
    return `${this.db.version()} ${this.history.last()}`;
  }

  /** Runs several reads on one snapshot of the records. */
  read<T>(work: () => T): T {
    return this.db.read(work);
  }

  /** The records as they are at this moment, for reading only, on a connection of its own: close it. */
  snapshot(): Store {
    return new Store(openSnapshot(this.db.path));
  }

  /** Runs several writes as one change, in one transaction: all or nothing. */
  write<T>(work: () => T, origin?: Origin): T {
    return this.history.change(work, origin);
  }

  /**
   * Moves what the write-ahead log holds into the database file, as far as readers allow; never waits for them.
   * @returns whether the log is empty now
   */
  checkpoint(): boolean {
    const patience = this.db.pragma<number>('busy_timeout');
    this.db.pragma('busy_timeout = 0');
    const isBusy = this.db.pragma('wal_checkpoint(TRUNCATE)') !== 0;
    this.db.pragma(`busy_timeout = ${patience}`);
    return !isBusy;
  }

  close(): void {
    this.db.close();
  }
}

/**
 * Opens the database at an absolute path, creating it if need be.
 * @param now the clock of the history, in milliseconds since 1970
 * @throws SciaticaError `unusable` for a file that is not ours or cannot be used, `busy`, `full`
 */
export function openStore(path: string, now?: () => number): Store {
  const db = openDatabase(path);
  return new Store(db, new History(db, now));
}
