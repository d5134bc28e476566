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

/** The verbs that all views of a connection share. @param now the clock, in milliseconds since 1970 */
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
  /** Made for the first write of a service. */
  writer?: Writer;
}

/** What a view of the records shows, and who makes its changes. */
interface View {
  /** The ids of the users whose records it shows, and no others; all without it. */
  users?: readonly number[];
  origin?: Origin;
  meter?: Meter;
}

/** Is told, inside the transaction, how many bytes the history keeps of a submitted change. */
export interface Meter {
  /** How many more it takes. */
  readonly room: number;
  /** Throws to refuse the change. It may be called again with the same bytes. */
  raise(bytes: number): void;
}

/** What is done in the transaction that takes a change back. */
interface Undoing<T> {
  /** Returns the answer if it was taken back before by the same request. */
  before: () => T | undefined;
  /** Looks at what the change did; throws to refuse. */
  check: (parts: ChangePart[]) => void;
  /** @param seq the entry of the history that was the last before */
  after: (taken: ChangePart[], seq: number) => T;
}

/** The verbs of a kind of record; of a name that may be of several, those that all have. */
type RecordsOf<K extends KindName> = Records<K> &
  ([K] extends ['user'] ? Users : [K] extends ['log'] ? Logs : unknown);

/** The records and all that can be done with them, on one connection: the whole of them, or a view. */
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

  /** Use `openStore`, or `as`. */
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

  /** The same records as others see and change them: as if there were none but those of these users. */
  as(view: View): Store {
    return new Store(this.#connection, { ...this.#view, ...view });
  }

  /** This view, with a meter: the records are the same, so it costs a request next to nothing. */
  metered(meter: Meter): Store {
    return new Store(this.#connection, { ...this.#view, meter }, this.#records);
  }

  /** The path of the database. */
  get path(): string {
    return this.#connection.db.path;
  }

  /** The verbs of a kind of record. */
  of<K extends KindName>(kind: K): RecordsOf<K> {
    let records = this.#records.get(kind);
    if (!records) {
      // Made when they are asked for: a view for one request needs one kind or two.
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
   * Runs `work` as one change: one transaction, all of it or nothing. Inside another change, as part of it.
   * @throws what `work` threw; SciaticaError `busy`, `full`, `gone`, `uncertain`
   */
  change<T>(work: () => T): T {
    return this.#connection.changes.run(work, this.#view.origin ?? { source: 'cli' });
  }

  /** Number of the last change of this connection; undefined if it changed nothing. */
  get latestChange(): number | undefined {
    return this.#connection.changes.latest?.change;
  }

  /**
   * As `change`, for a service that must not wait in a lock: in the next group commit.
   * @returns what `work` returned, once it is on disk
   */
  submit<T>(work: () => T): Promise<T> {
    return this.#writer.write(() => this.#charged(() => this.change(work)));
  }

  /** As `submit`, for writes that change no record: the audit, the last use of a token. */
  submitUpkeep<T>(work: () => T): Promise<T> {
    return this.#writer.write(work);
  }

  #charged<T>(work: () => T): T {
    const result = work();
    const { latest } = this.#connection.changes;
    if (latest) this.meter?.raise(this.history.bytesAfter(latest.after));
    return result;
  }

  /** As `Writer.expectLongWrite`. */
  expectLongWrite(): () => void {
    return this.#writer.expectLongWrite();
  }

  get #writer(): Writer {
    this.#connection.writer ??= new Writer(this.#connection.db);
    return this.#connection.writer;
  }

  /**
   * Takes a change back, as a change of its own.
   * @returns what was taken back
   * @throws SciaticaError `not-found`, `conflict` when something later depends on it
   */
  undo(change: number): ChangePart[] {
    const origin: Origin = { ...this.#view.origin, source: 'undo' };
    const { changes, db } = this.#connection;
    return changes.run(() => takeBack(db, this, change, this.#view.users), origin, change);
  }

  /** Changes nothing. @throws SciaticaError as `undo` would now */
  rehearseUndo(change: number): void {
    rehearse(
      (work) => this.change(work),
      () => this.undo(change),
    );
  }

  /**
   * As `undo`, for a service: in the next group commit, with what belongs to it.
   * @returns what `before` returned; where that is nothing, what `after` did
   */
  submitUndo<T>(change: number, { before, check, after }: Undoing<T>): Promise<T> {
    return this.#writer.write(() => {
      const done = before();
      if (done !== undefined) return done;
      check(this.history.partsOf(change, this.#view.users));
      const seq = this.history.last();
      // It stores about as much as the change has: what is over the quota is refused before the work.
      this.meter?.raise(this.history.bytesOf(change));
      return after(
        this.#charged(() => this.undo(change)),
        seq,
      );
    });
  }

  /** Brings a deleted record back, as a change of its own. @throws SciaticaError as `restore` of history/restore.ts */
  restore(what: Omit<Restoration, 'users'>): AnyRecord {
    return this.change(() => restore(this.#connection.db, this, { ...what, users: this.#view.users }));
  }

  /** Who and what would be erased with a user. @throws SciaticaError `not-found` for a user that never was */
  reachOfErasing(userId: number): Reach {
    const { db } = this.#connection;
    isThere(db, userId);
    return reachOf(db, userId);
  }

  /**
   * Forgets a person, in the database file, its log, its free pages and its automatic backups. Asked again, it makes sure of
   * the bytes and the backups. If it is interrupted, `finishErasingIfDue` goes on.
   * @returns what became of the copies; the database is among those that are left when it could not be written anew
   * @throws SciaticaError `not-found` for a user that never was; then, and after any other error, nobody is erased
   */
  erase(userId: number): CopiesAfterErasing {
    const { db, changes } = this.#connection;
    const what: RecordKey[] = isThere(db, userId) ? [{ record: 'user', id: userId }] : [];
    return eraseFrom(db, changes, this.tokens, what);
  }

  /** Forgets, as `erase` does, what was erased elsewhere. */
  eraseAsElsewhere(): { erased: RecordKey[]; copies: CopiesAfterErasing } {
    const { db, changes } = this.#connection;
    const erased = this.remotes.erasedElsewhere();
    return { erased, copies: eraseFrom(db, changes, this.tokens, erased) };
  }

  /** @see copiesLeft */
  copiesLeft(): ReturnType<typeof copiesLeft> {
    return copiesLeft(this.#connection.db);
  }

  /** Finishes an erasing that was interrupted. Whatever goes wrong is a warning, never an error. */
  finishErasingIfDue(means: Parameters<typeof finishErasingIfDue>[1]): void {
    finishErasingIfDue(this.#connection.db, means);
  }

  /**
   * Begins to bring the records of a file in.
   * @param place names a place in the file
   * @param file the name of the file, by which the history knows the import
   */
  async import(place: PlaceName, file?: string): Promise<Import> {
    const { Import } = await import('./maintenance/import/import.ts');
    const origin: Origin = { source: 'import', ...(file !== undefined && { caller: file }) };
    return new Import(this.#connection.db, this.as({ origin }), place);
  }

  /**
   * What happened to one record after the entry `since`, as far as the users in scope are concerned, the first change
   * first; what follows comes after the last of these.
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
   * Makes sure that who sees the users in scope can go on from the entry `since` of the history; 0 is its beginning.
   * @throws Outdated when not all that came after it is there any more
   */
  requireSince(since: number): void {
    if (since === 0 || (since >= this.horizon && since <= this.lastChange(since - 1))) return;
    const { restored = 0, erased = 0 } = this.settings.gaps;
    // A restoring counts before an erasing: after it, clients repeat what was answered before they read anew.
    throw new Outdated(since, since < restored ? 'restored' : since < erased ? 'erased' : 'unknown');
  }

  /**
   * What happened after the entry `seq` of the history, as far as the users in scope are concerned, the first change
   * first; what follows comes after the last of these.
   * @returns at most `limit` entries
   */
  changesAfter(seq: number, limit: number): HistoryEntry[] {
    return this.#seen(this.history.after(seq, limit, this.#view.users));
  }

  /** The last entry after `since` that the users in scope know of: who has all up to there has all there is. */
  lastChange(since: number): number {
    const { users } = this.#view;
    const last = users ? this.history.lastAfter(since, users) : this.history.last();
    return Math.max(last, this.horizon);
  }

  /** The UUID of the database, which its backups share: together with it the id of a record is unique. */
  get id(): string {
    const id = this.settings.get('id');
    if (id === undefined)
      throw unusable((command) => `${this.path} has lost its id: see ${command('doctor')}`);
    return id;
  }

  /** This database as one of several that tell each other what they know; changes are made in the name of the view. */
  async replication(): Promise<Replication> {
    const { Replication } = await import('./reconcile/replication.ts');
    return new Replication(this.#connection.db, (work) => this.change(work));
  }

  /** The entry of the history before which it has gaps. */
  get horizon(): number {
    return Number(this.settings.get('horizon') ?? 0);
  }

  #seen(entries: HistoryEntry[]): HistoryEntry[] {
    const { users } = this.#view;
    return users ? entries.flatMap((entry) => seenBy(users, entry) ?? []) : entries;
  }

  /** Another text whenever somebody may have changed something. */
  revision(): string {
    return `${this.#connection.db.version()} ${this.history.last()}`;
  }

  /** As `Database.readInTurns`. */
  readInTurns(): void {
    this.#connection.db.readInTurns();
  }

  /** As `Database.read`. */
  read<T>(work: () => T): T {
    return this.#connection.db.read(work);
  }

  /** The records as they are at this moment, for reading only, on a connection of its own: close it. */
  snapshot(): Store {
    const { db, close } = openSnapshot(this.#connection.db);
    return storeOn(db, undefined, undefined, close);
  }

  /** Whether other threads can open the database to read it, as `openReader` does. */
  get isShareable(): boolean {
    const { obstacle, hasMoved } = this.#connection.db;
    return !hasMoved && (obstacle === undefined || obstacle.kind === 'shared');
  }

  /** As the function of that name, for the readers in other threads. */
  holdTemporaryFolder(): (() => void) | undefined {
    return holdTemporaryFolder(this.#connection.db);
  }

  /** As `Database.checkpoint`. */
  checkpoint(): boolean {
    return this.#connection.db.checkpoint();
  }

  /** Why nothing can be saved, where the records can be read and no more. */
  get obstacle(): string | undefined {
    return this.#connection.db.obstacle?.notice;
  }

  /** Makes today's backup if it is due. Whatever goes wrong is a warning, never an error. */
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
 * @param beforeFirstChange runs once, before the first change but erasing
 * @param create whether it is created where it is missing; otherwise it is empty, and nothing is saved
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

/** The store on a connection that is open. */
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
 * Opens a database that another thread of this process has open, for reading only: close it. That thread may cancel a scan.
 * @throws SciaticaError `damaged`, `unusable`, `busy`
 */
export function openReader(path: string, reader: Reader): Store {
  const db = connect(path, { readonly: true, reader });
  limitCache(db);
  return storeOn(db);
}
