import { Outdated, unusable } from '../domain/errors.ts';
import { type HistoryEntry, type Origin, seenBy } from '../domain/history.ts';
import type { AnyRecord, KindName } from '../domain/kinds.ts';
import { type ChangePart, History } from './history/history.ts';
import { type Restoration, restore } from './history/restore.ts';
import { takeBack } from './history/undo.ts';
import { type BackupMeans, backUpIfDue } from './maintenance/automatic-backup.ts';
import { isThere, type Reach, reachOf } from './maintenance/erase.ts';
import type { CopiesAfterErasing } from './maintenance/erase-backups.ts';
import { copiesLeft, eraseFrom, finishErasingIfDue } from './maintenance/erasing.ts';
import type { Import, PlaceName } from './maintenance/import/import.ts';
import type { RecordKey } from './reconcile/received.ts';
import type { Replication } from './reconcile/replication.ts';
import { Audit } from './records/audit.ts';
import { Changes, rehearse } from './records/changes.ts';
import { Logs } from './records/logs.ts';
import { Records, TrialDays } from './records/records.ts';
import { Requests } from './records/requests.ts';
import { Settings } from './records/settings.ts';
import { Tokens } from './records/tokens.ts';
import { Users } from './records/users.ts';
import { connect } from './sqlite/connection.ts';
import type { Database } from './sqlite/database.ts';
import { limitCache, openDatabase, openSnapshot } from './sqlite/open.ts';
import type { Reader } from './sqlite/reader.ts';
import { holdTemporaryFolder } from './sqlite/temporary.ts';
import { Writer } from './sqlite/writer.ts';
import { Remotes } from './sync/remotes.ts';

/** The parts of a store that are the same for every view of its connection. @param now the clock, in milliseconds since 1970 */
function sharedOn(db: Database, now: () => number) {
  const history = new History(db);
  return {
    history,
    settings: new Settings(db),
    tokens: new Tokens(db, now),
    audit: new Audit(db),
    requests: new Requests(db, history),
    remotes: new Remotes(db),
  };
}

/** What all views of one connection share. */
interface Connection extends ReturnType<typeof sharedOn> {
  db: Database;
  changes: Changes;
  close(): void;
  /** Group commit of a service, created on its first write. */
  writer?: Writer;
}

/** Which records a view contains, and to whom the history attributes its changes. */
interface View {
  /** Ids of the users whose records are visible; undefined for all users. */
  users?: readonly number[];
  origin?: Origin;
  meter?: Meter;
}

/** Storage quota of a caller, charged inside the transaction with the bytes that the history stores for a change. */
export interface Meter {
  /** Bytes that may still be charged. */
  readonly room: number;
  /** Sets the bytes charged for this request: a total, as a group commit may rerun the change. @throws to refuse the change */
  raise(bytes: number): void;
}

/** Callbacks of `submitUndo`; all run in the transaction of the undo. */
interface Undoing<T> {
  /** Returns the first answer if this is a repetition of a request that was done; undefined otherwise. */
  before: () => T | undefined;
  /** Inspects what the change did; throws to refuse the undo. */
  check: (parts: ChangePart[]) => void;
  /** Makes the answer. @param seq the highest history seq before the undo */
  after: (taken: ChangePart[], seq: number) => T;
}

/** The operations on a kind of record; for a union of kind names, those that all its kinds have. */
type RecordsOf<K extends KindName> = Records<K> &
  ([K] extends ['user'] ? Users : [K] extends ['log'] ? Logs : unknown);

/** The entry point to the database: all operations on one connection, on all records or on a restricted view. */
export class Store {
  readonly #records: Map<KindName, Records<KindName>>;
  readonly history: History;
  readonly settings: Settings;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly requests: Requests;
  readonly remotes: Remotes;
  readonly meter: Meter | undefined;
  readonly #connection: Connection;
  readonly #view: View;

  /** Not to be called directly: use `openStore` or `as`. */
  constructor(connection: Connection, view: View = {}, records = new Map<KindName, Records<KindName>>()) {
    this.#connection = connection;
    this.#view = view;
    this.#records = records;
    this.meter = view.meter;
    this.history = connection.history;
    this.settings = connection.settings;
    this.tokens = connection.tokens;
    this.audit = connection.audit;
    this.requests = connection.requests;
    this.remotes = connection.remotes;
  }

  /** A view of the same database that overrides parts of this one: other visible users, origin or meter. */
  as(view: View): Store {
    return new Store(this.#connection, { ...this.#view, ...view });
  }

  /** This view with a meter. Shares the `Records` objects of this one, so making it for each request is cheap. */
  metered(meter: Meter): Store {
    return new Store(this.#connection, { ...this.#view, meter }, this.#records);
  }

  /** The path of the database. */
  get path(): string {
    return this.#connection.db.path;
  }

  /** The operations on a kind of record. */
  of<K extends KindName>(kind: K): RecordsOf<K> {
    let records = this.#records.get(kind);
    if (!records) {
      // Created on demand: the view of one request needs one or two kinds.
      records = this.#recordsOf(kind);
      this.#records.set(kind, records);
    }
    return records as unknown as RecordsOf<K>;
  }

  #recordsOf(kind: KindName): Records<KindName> {
    const means = {
      db: this.#connection.db,
      change: <T>(work: () => T) => this.change(work),
      visible: this.#view.users,
      replication: () => this.replication(),
      mergedInto: (id: number) => this.remotes.shownUser(id),
      shownAs: (id: number) => this.users.shownAs(id),
    };
    if (kind === 'user') return new Users(means) as unknown as Records<KindName>;
    if (kind === 'trialDay') return new TrialDays(means) as unknown as Records<KindName>;
    return kind === 'log' ? (new Logs(means) as unknown as Records<KindName>) : new Records(kind, means);
  }

  get users(): Users {
    return this.of('user');
  }

  get logs(): Logs {
    return this.of('log');
  }

  get routines(): Records<'routine'> {
    return this.of('routine');
  }

  get goals(): Records<'goal'> {
    return this.of('goal');
  }

  /**
   * Runs `work` as one change, in one transaction. Inside another change, it becomes a part of that one.
   * @throws what `work` threw; SciaticaError `busy`, `full`, `gone`, `uncertain`
   */
  change<T>(work: () => T): T {
    return this.#connection.changes.run(work, this.#view.origin ?? { source: 'cli' });
  }

  /** Number of the last change made on this connection; undefined if it made none. */
  get latestChange(): number | undefined {
    return this.#connection.changes.latest?.change;
  }

  /**
   * As `change`, for a service, which must not block on a lock: runs in the next group commit.
   * @returns what `work` returned, once it is on disk
   */
  submit<T>(work: () => T): Promise<T> {
    return this.#writer.write(() => this.#charged(() => this.change(work)));
  }

  /** As `submit`, for writes that change no record and are not charged: the audit, a token's last use. */
  submitUpkeep<T>(work: () => T): Promise<T> {
    return this.#writer.write(work);
  }

  #charged<T>(work: () => T): T {
    const result = work();
    const { latest } = this.#connection.changes;
    if (latest) this.meter?.raise(this.history.bytesAfter(latest.after));
    return result;
  }

  /** See `Writer.expectLongWrite`. */
  expectLongWrite(): () => void {
    return this.#writer.expectLongWrite();
  }

  get #writer(): Writer {
    this.#connection.writer ??= new Writer(this.#connection.db);
    return this.#connection.writer;
  }

  /**
   * Undoes a change. The undo is itself a change.
   * @returns what was undone
   * @throws SciaticaError `not-found`, `conflict` when something later depends on it
   */
  undo(change: number): ChangePart[] {
    const origin: Origin = { ...this.#view.origin, source: 'undo' };
    const { changes, db } = this.#connection;
    return changes.run(() => takeBack(db, this, change, this.#view.users), origin, change);
  }

  /** Runs an undo and rolls it back. @throws SciaticaError as `undo` would now */
  rehearseUndo(change: number): void {
    rehearse(
      (work) => this.change(work),
      () => this.undo(change),
    );
  }

  /**
   * As `undo`, for a service: runs in the next group commit, with the caller's own work in the same transaction.
   * @returns what `before` returned, or, where that is undefined, what `after` returned
   */
  submitUndo<T>(change: number, { before, check, after }: Undoing<T>): Promise<T> {
    return this.#writer.write(() => {
      const done = before();
      if (done !== undefined) return done;
      check(this.history.partsOf(change, this.#view.users));
      const seq = this.history.last();
      // An undo stores about as many bytes as its change: over the quota, it is refused before the work.
      this.meter?.raise(this.history.bytesOf(change));
      return after(
        this.#charged(() => this.undo(change)),
        seq,
      );
    });
  }

  /** Restores a deleted record, as a change. @throws SciaticaError as `restore` of history/restore.ts */
  restore(what: Omit<Restoration, 'users'>): AnyRecord {
    return this.change(() => restore(this.#connection.db, this, { ...what, users: this.#view.users }));
  }

  /** What erasing a user would also erase. @throws SciaticaError `not-found` for a user that never existed */
  reachOfErasing(userId: number): Reach {
    const { db } = this.#connection;
    isThere(db, userId);
    return reachOf(db, userId);
  }

  /**
   * Erases a person from the database file, its write-ahead log, its free pages and its automatic backups. For a user who is
   * already erased, it repeats the work on files and backups. If interrupted, `finishErasingIfDue` resumes it.
   * @returns the outcome for each copy; the database is among those left when it could not be rewritten
   * @throws SciaticaError `not-found` for a user that never existed; after this and any other error nobody is erased
   */
  erase(userId: number): CopiesAfterErasing {
    const { db, changes } = this.#connection;
    const what: RecordKey[] = isThere(db, userId) ? [{ record: 'user', id: userId }] : [];
    return eraseFrom(db, changes, this.tokens, what);
  }

  /** As `erase`, for the users and records that other databases have erased and that are still here. */
  eraseAsElsewhere(): { erased: RecordKey[]; copies: CopiesAfterErasing } {
    const { db, changes } = this.#connection;
    const erased = this.remotes.erasedElsewhere();
    return { erased, copies: eraseFrom(db, changes, this.tokens, erased) };
  }

  /** @see copiesLeft */
  copiesLeft(): ReturnType<typeof copiesLeft> {
    return copiesLeft(this.#connection.db);
  }

  /** Resumes an interrupted erasure. A failure is a warning, never an error. */
  finishErasingIfDue(means: Parameters<typeof finishErasingIfDue>[1]): void {
    finishErasingIfDue(this.#connection.db, means);
  }

  /**
   * Begins an import of records from a file.
   * @param place formats a position in the file for messages
   * @param file the name of the file, stored in the history as the caller of the import
   */
  async import(place: PlaceName, file?: string): Promise<Import> {
    const { Import } = await import('./maintenance/import/import.ts');
    const origin: Origin = { source: 'import', ...(file !== undefined && { caller: file }) };
    return new Import(this.#connection.db, this.as({ origin }), place);
  }

  /**
   * The history of one record after seq `since`, oldest first, limited to what the view may see. One block:
   * for the next one, pass the seq of its last entry. Empty at the end.
   */
  historyOf(record: KindName, id: number, since = 0): HistoryEntry[] {
    for (let seq = since; ; ) {
      const entries = this.history.ofAfter(record, id, seq);
      const seen = this.#seen(entries);
      if (seen.length > 0 || entries.length === 0) return seen;
      seq = entries.at(-1)?.seq ?? seq;
    }
  }

  /**
   * Checks that a client of this view can continue from history seq `since`; 0 is the beginning of the history.
   * @throws Outdated when entries after it are missing
   */
  requireSince(since: number): void {
    if (since === 0 || (since >= this.horizon && since <= this.lastChange(since - 1))) return;
    const { restored = 0, erased = 0 } = this.settings.gaps;
    // A restore outranks an erasure: after one, clients resend answered requests before they reread all.
    throw new Outdated(since, since < restored ? 'restored' : since < erased ? 'erased' : 'unknown');
  }

  /**
   * The history after seq `seq`, oldest first, limited to what the view may see. For the next block, pass the
   * seq of the last entry.
   * @returns at most `limit` entries
   */
  changesAfter(seq: number, limit: number): HistoryEntry[] {
    return this.#seen(this.history.after(seq, limit, this.#view.users));
  }

  /** Highest history seq after `since` that the view may see; at least `horizon`. A client that has read it is up to date. */
  lastChange(since: number): number {
    const { users } = this.#view;
    const last = users ? this.history.lastAfter(since, users) : this.history.last();
    return Math.max(last, this.horizon);
  }

  /** The UUID of the database, shared by its backups. Record ids are unique together with it. */
  get id(): string {
    const id = this.settings.get('id');
    if (id === undefined)
      throw unusable((command) => `${this.path} has lost its id: see ${command('doctor')}`);
    return id;
  }

  /** The replication interface of this database. Changes that it makes have the origin of the view. */
  async replication(): Promise<Replication> {
    const { Replication } = await import('./reconcile/replication.ts');
    return new Replication(this.#connection.db, (work) => this.change(work));
  }

  /** History seq up to which entries may be missing, because of a restore or an erasure; 0 for none. */
  get horizon(): number {
    return Number(this.settings.get('horizon') ?? 0);
  }

  #seen(entries: HistoryEntry[]): HistoryEntry[] {
    const { users } = this.#view;
    return users ? entries.flatMap((entry) => seenBy(users, entry) ?? []) : entries;
  }

  /** An opaque value that differs whenever this or another connection may have changed something. */
  revision(): string {
    return `${this.#connection.db.version()} ${this.history.last()}`;
  }

  /** See `Database.readInTurns`. */
  readInTurns(): void {
    this.#connection.db.readInTurns();
  }

  /** See `Database.read`. */
  read<T>(work: () => T): T {
    return this.#connection.db.read(work);
  }

  /** A read-only snapshot on a connection of its own. The caller closes it. */
  snapshot(): Store {
    const { db, close } = openSnapshot(this.#connection.db);
    return storeOn(db, undefined, undefined, close);
  }

  /** Whether other threads can open the database with `openReader`. */
  get isShareable(): boolean {
    const { obstacle, hasMoved } = this.#connection.db;
    return !hasMoved && (obstacle === undefined || obstacle.kind === 'shared');
  }

  /** See the function of that name; for the readers in other threads. */
  holdTemporaryFolder(): (() => void) | undefined {
    return holdTemporaryFolder(this.#connection.db);
  }

  /** See `Database.checkpoint`. */
  checkpoint(): boolean {
    return this.#connection.db.checkpoint();
  }

  /** Why the database is read-only, in words for the user; undefined if it is writable. */
  get obstacle(): string | undefined {
    return this.#connection.db.obstacle?.notice;
  }

  /** Makes today's backup if it is due. A failure is a warning, never an error. */
  backUpIfDue(means: BackupMeans): void {
    backUpIfDue(this.#connection.db, means);
  }

  close(): void {
    this.#connection.close();
  }
}

/**
 * Opens the database at an absolute path.
 * @param now the clock of the history, in milliseconds since 1970
 * @param beforeFirstChange runs once, before the first change that is not an erasure
 * @param create whether a missing database is created; if not, it is read as empty, and writes are refused
 * @throws SciaticaError `unusable` for a file that is not ours or cannot be used, `busy`, `full`
 */
export function openStore(
  path: string,
  now?: () => number,
  beforeFirstChange?: () => void,
  create = true,
): Store {
  return storeOn(openDatabase(path, create), now, beforeFirstChange);
}

/** Makes a store on an open connection. */
export function storeOn(
  db: Database,
  now: () => number = Date.now,
  beforeFirstChange?: () => void,
  close = () => db.close(),
): Store {
  const changes = new Changes(db, now, beforeFirstChange);
  return new Store({ db, changes, ...sharedOn(db, now), close });
}

/**
 * Opens, read-only, a database that another thread of this process has open; that thread may cancel a scan. The caller closes it.
 * @throws SciaticaError `damaged`, `unusable`, `busy`
 */
export function openReader(path: string, reader: Reader): Store {
  const db = connect(path, { readonly: true, reader });
  limitCache(db);
  return storeOn(db);
}
