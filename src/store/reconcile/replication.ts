import { unusable } from '../../domain/errors.ts';
import { type KindName, kindNames, kindOf, ownedKindNames, statementsOf } from '../../domain/kinds.ts';
import { crypto } from '../../lib/crypto.ts';
import type { RunChange } from '../records/changes.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import { type Collected, Collector, type KnownThere, MOST_STATES, type Position, START } from './collect.ts';
import { noteDisputes } from './disputes.ts';
import { Erasures } from './erasures.ts';
import { FileStates, type Part } from './file.ts';
import { Fold, IS_HELD, isOnePerUser, type Known, keyColumnOf, storeReplicas } from './fold.ts';
import { firstFrom } from './from-remote.ts';
import { Names } from './names.ts';
import { type Header, type Parcel, readHeader, readParcel, viewIn, writeParcel } from './parcel.ts';
import { lastClock, pointingTo, stampNow } from './pointer.ts';
import { TooManyDeletions } from './projection.ts';
import { batches, hasWaiting, type Limits, Receiver } from './receive.ts';
import { addCounts, idsOf, noneReceived, type Received, type RecordKey, type SameEmail } from './received.ts';
import { latestClock, merge, type Name, type State } from './state.ts';

/** The most in one part of an exchange, unless one record alone is longer. */
export interface PartLimits {
  states: number;
  characters: number;
}

/** The limits of a part for a service. */
const REQUEST: PartLimits = { states: MOST_STATES, characters: 2 * 1024 * 1024 };

/** How many batches without a state are skipped for one part: in a view, entries of other users give none. */
const MOST_LOOKS = 10;

/** Most pairs of users with the same e-mail address that are reported. */
const MOST_TOLD = 20;

/** Which states may be merged, and what runs with them in the same transaction. */
export interface ReceiveOptions extends Limits {
  /** Runs first of all, in the same change. */
  before?: (() => void) | undefined;
  /** Runs last of all, in the same transaction as the last change. */
  after?: ((taken: ReceiveResult) => void) | undefined;
}

/** `from` and `to`: the last position here before the states were merged, and after that, without those that were set apart. */
export interface ReceiveResult extends Received, KnownThere {
  /** The changes that it made here, in their order. */
  changes: number[];
  /** Whether it brought an erasure that was not known here. */
  hasNewErasures: boolean;
}

/** What is remembered of another database, in the table `peers`. */
export interface Peer {
  /** The position in its changes up to which they were received; undefined before the first. */
  received?: Position | undefined;
  /** The position in the changes here up to which they were sent to it. */
  sent?: Position | undefined;
  /** The names of the users whose records it sends; null for all. */
  view: readonly Name[] | null;
  /** When both were last in step, in milliseconds since 1970. */
  at?: number | undefined;
}

/** In place of a token in `peers`: a machine that is met in a folder. Its files may tell of other users than its service does. */
export const IN_FOLDERS = -1;

/** This database as a replica: it exchanges states with others as text (see `parcel.ts`), whatever carries them. */
export class Replication {
  readonly #settings: Settings;

  /** @param change runs work as one change of the history */
  constructor(
    private readonly db: Database,
    private readonly change: RunChange,
  ) {
    this.#settings = new Settings(db);
  }

  /** Made anew for each use, since `Names` caches what a write may change. */
  get #names(): Names {
    return new Names(this.db);
  }

  get id(): string {
    return this.#settings.get('id') ?? '';
  }

  /** The latest time of a clock that was used here or received, in milliseconds since 1970. */
  latestTime = (): number => lastClock(this.db) / 1000;

  /** What collects the states to be sent. The parameters are those of `Collector`. */
  collector(users?: readonly number[], told?: KnownThere): Collector {
    return new Collector(this.db, users, told);
  }

  /** The states after a position as text, as many as fit into one part. @param more states that are sent with them */
  part(
    collector: Collector,
    from: Position,
    { states, characters }: PartLimits = REQUEST,
    more: readonly State[] = [],
  ): Collected & { text: string } {
    // One read transaction: a state takes several queries, and another process may write between them.
    return this.db.read(() => {
      for (let most = states; ; most = Math.ceil(most / 8)) {
        let collected = collector.after(from, most);
        for (let i = 0; i < MOST_LOOKS && collected.states.length === 0 && !collected.isLast; i++)
          collected = collector.after(collected.to, most);
        const text = this.#text(collector, from, { ...collected, states: [...more, ...collected.states] });
        if (text.length <= characters || most === 1) return { ...collected, text };
      }
    });
  }

  /** The limits of a part for everything to fit into about so many parts; no lower than those for a service. */
  shareOf(parts: number): PartLimits {
    const { db } = this;
    const records = kindNames.reduce((sum, kind) => sum + db.lastId(kindOf(kind).table), 0);
    // Records older than the history have no entry in it.
    const entries = Math.max(records, db.lastId('history')) + db.lastId('replicas');
    const bytes = db.pragma<number>('page_count') * db.pragma<number>('page_size');
    const states = Math.max(REQUEST.states, Math.ceil(entries / parts));
    const usual = (states / REQUEST.states) * REQUEST.characters;
    // Three times: names and clocks take about as much as a short record does.
    return { states, characters: Math.max(usual, (3 * bytes) / parts) };
  }

  /** A part that holds no states, or only these, and does not go beyond the position `from`. */
  nothing(collector: Collector, from: Position, states: State[] = []): Collected & { text: string } {
    const none: Collected = { states, to: from, isLast: false };
    return { ...none, text: this.#text(collector, from, none) };
  }

  #text(collector: Collector, from: Position, collected: Collected): string {
    const [erased, view] = [collector.erased(), collector.view()];
    const header = { database: this.id, format: migrations.length, from, erased, view };
    return writeParcel({ ...header, ...collected }, this.#names.uuids());
  }

  /** What writes the states of the records in an export. */
  statesFor(part: Part): FileStates {
    return new FileStates(this.db, this.#names, this.collector(part.users), part);
  }

  /**
   * Parses what another database sent.
   * @param token the id of the token with which it came, if that is for some users only, or only reads
   * @param isReader whether the sender may only read: of the databases that it names only its own is registered
   * @throws SciaticaError as `readParcel`, and as `Names.origin`
   */
  read(text: string, token?: number, isReader = false): Parcel {
    const own = isReader ? readHeader(text).database : undefined;
    return this.db.write(() =>
      readParcel(text, (uuid) => (own === undefined || uuid === own ? this.#names.origin(uuid, token) : 0)),
    );
  }

  /**
   * Parses the header of what another database sent, and checks its format.
   * @param asker on which side the message of an error is read: whoever asked for the exchange
   * @throws SciaticaError `unusable` for a text that is no parcel, or one of another format
   */
  header(text: string, asker: 'here' | 'there' = 'here'): Header {
    const header = readHeader(text);
    const { format } = header;
    const [own, other] = asker === 'here' ? [migrations.length, format] : [format, migrations.length];
    if (own === other) return header;
    const which =
      own < other
        ? `here is older (format ${own}) than on the other machine (${other}): upgrade it here first`
        : `on the other machine is older (format ${other}) than here (${own}): upgrade it there first`;
    throw unusable(`sciatica ${which}. Nothing was exchanged.`);
  }

  /** The users in the view of a header, by their names here; null for all. */
  viewOf(header: Header): readonly Name[] | null {
    return this.db.write(() => viewIn(header, (uuid) => this.#names.origin(uuid)));
  }

  /**
   * Merges what another database sent, as one change. With `setsApart`, statements that replace concurrent ones of here become
   * changes of their own, one for each record, so that one undo brings back the values of here.
   * @param parcels in the order in which they were sent; iterated a second time if their deletions turn out to be too many
   */
  receive(
    parcels: Iterable<Pick<Parcel, 'states' | 'erased'>>,
    { before, after, setsApart = true, ...limits }: ReceiveOptions = {},
  ): ReceiveResult {
    const collector = this.collector();
    const taken: ReceiveResult = {
      ...noneReceived(),
      changes: [],
      hasNewErasures: false,
      from: START,
      to: START,
    };
    const isNothing =
      Array.isArray(parcels) && parcels.every(({ states, erased }) => states.length + erased.length === 0);
    if (isNothing && !before && !hasWaiting(this.db)) {
      this.db.write(() => {
        taken.from = collector.end();
        taken.to = taken.from;
        after?.(taken);
      });
      return taken;
    }
    const receive = (holdsDeletions: boolean) => {
      for (const { states, erased } of batches(parcels)) {
        if (limits.users === undefined)
          taken.hasNewErasures = new Erasures(this.db, this.#names).add(erased) || taken.hasNewErasures;
        if (states.length + erased.length === 0 && !hasWaiting(this.db)) continue;
        new Receiver(this.db, { ...limits, holdsDeletions, setsApart }, taken).run(states);
        this.#noteClock(states);
      }
    };
    this.#runChange(taken, () => {
      before?.();
      taken.from = collector.end();
      try {
        this.db.attempt(() => receive(false));
      } catch (error) {
        if (!(error instanceof TooManyDeletions)) throw error;
        Object.assign(taken, noneReceived());
        receive(true);
      }
      taken.to = collector.end();
      taken.isEcho &&= taken.refused + taken.apart.length === 0;
      if (taken.apart.length === 0) after?.(taken);
    });
    // The uid of the change is known only once the change has ended.
    taken.to = { ...taken.to, ...collector.at(taken.to.seq) };
    for (const [i, { state, disputes }] of taken.apart.entries()) {
      const own = noneReceived();
      const change = this.#runChange(taken, () => {
        new Receiver(this.db, limits, own).run([state]);
        if (i === taken.apart.length - 1) after?.(taken);
      });
      addCounts(taken.counts, own.counts);
      if (change !== undefined) for (const dispute of disputes) dispute.change = change;
    }
    noteDisputes(this.db, taken.disputes, Date.now());
    return taken;
  }

  /** Runs work as a change, and adds its number to `changes`. @returns the number; undefined if nothing was changed */
  #runChange(taken: ReceiveResult, work: () => void): number | undefined {
    const change = this.change(() => {
      const last = this.db.lastId('history');
      work();
      return this.db.value<number>('SELECT change FROM history WHERE seq > ? LIMIT 1', last);
    });
    if (change !== undefined && !taken.changes.includes(change)) taken.changes.push(change);
    return change;
  }

  /** Keeps the clocks of later changes here above all that was received (Kulkarni et al., “Logical Physical Clocks”, 2014). */
  #noteClock(states: readonly State[]): void {
    const clock = latestClock(states);
    if (clock > Number(this.#settings.get('clock') ?? 0)) this.#settings.set('clock', String(clock));
  }

  /** What is remembered of a database. @param token the id of the token with which it calls; 0 for none */
  peer(uuid: string, token = 0): Peer {
    // A merge patch leaves out members that are null (RFC 7396).
    const json = this.db.value<string>(
      `SELECT json_patch('{}', json_object('received', json(received), 'sent', json(sent), 'view', json(view), 'at', at))
       FROM peers WHERE uuid = ? AND token = ?`,
      uuid,
      token,
    );
    return { view: null, ...storedJson<Partial<Peer>>(json ?? '{}') };
  }

  setPeer(uuid: string, peer: Peer, token = 0): void {
    const sql = `INSERT OR REPLACE INTO peers (uuid, token, received, sent, view, at)
      SELECT ?, ?, peer -> 'received', peer -> 'sent', peer -> 'view', peer ->> 'at' FROM (SELECT ? AS peer)`;
    this.db.write(() => this.db.run(sql, uuid, token, JSON.stringify(peer)));
  }

  /**
   * Gives this database a new UUID for what it makes from now on: its file was set back, or copied and used twice.
   * @returns the UUID
   */
  renewIdentity(): string {
    const id = crypto().randomUUID();
    this.db.write(() => {
      this.#settings.set('id', id);
      const sql = 'INSERT OR REPLACE INTO identities (origin, since) VALUES (?, ?)';
      this.db.run(sql, this.#names.origin(id), this.db.lastId('history'));
    });
    return id;
  }

  /** The id of the user with a name here; undefined for one that is not here. */
  idOfUser(name: Name): number | undefined {
    return this.#names.idOf('user', name);
  }

  /** The records whose deletion is held back until somebody consents. */
  held(): RecordKey[] {
    return this.db.all(
      `SELECT record, id FROM replicas WHERE ${IS_HELD} AND id IS NOT NULL ORDER BY record <> 'user', record, id`,
    );
  }

  /**
   * Deletes the records whose deletion is held back, or restores them everywhere.
   * @param received gets the results, also for records that showed under a deleted user and show under their own again
   * @returns how many records there were
   */
  settleHeld(how: 'delete' | 'restore', received = noneReceived()): number {
    const held = this.held();
    this.change(() => {
      for (const kind of kindNames) {
        const ids = idsOf(held, kind);
        if (ids.length === 0) continue;
        const settled = ({ state }: Known): State =>
          how === 'restore' && state.life % 2 === 0 ? { ...state, life: state.life + 1 } : state;
        new Receiver(this.db, { acceptDeletions: true }, received).rerun(settled, kind, ids);
      }
    });
    return held.length;
  }

  /**
   * Merges a user into another: sets a pointer, and rewrites no owner. One change.
   * @param now the time, in milliseconds since 1970
   */
  mergeUsers(id: number, into: number, now = 0): void {
    this.change(() => {
      const target = this.#names.ofUser(into);
      const stamp = stampNow(this.db, this.#names, now);
      const pointed = ({ state }: Known): State => pointingTo(target, state, stamp);
      new Receiver(this.db, { acceptDeletions: true }).rerun(pointed, 'user', [id]);
      this.#settings.set('clock', String(stamp[0]));
    });
  }

  /**
   * Makes a user here the same as one of another database, since both are the same person. The id of here stays. Inside a change.
   * @param theirs the state of the user over there
   */
  adopt(id: number, theirs: State): void {
    const own = new Fold(this.db, this.#names).of('user', [id]).get(id);
    if (!own || own.state.name === theirs.name) return;
    // The other user is here already, perhaps from a third machine: it is merged into this one.
    const known = this.idOfUser(theirs.name);
    if (known !== undefined) {
      this.mergeUsers(known, id);
      return;
    }
    const joined = merge({ ...own.state, name: theirs.name }, theirs, statementsOf('user'));
    const alias = pointingTo(theirs.name, own.state, stampNow(this.db, this.#names));
    const agreed: State = { ...theirs, life: joined.life, owners: joined.owners };
    const unname = (kind: KindName) =>
      this.db.run('UPDATE replicas SET id = NULL WHERE record = ? AND id = ?', kind, id);
    unname('user');
    storeReplicas(this.db, [{ state: alias }, { id, state: agreed }]);
    // One-per-user records have the name of their user, which is another one now.
    for (const kind of ownedKindNames.filter(isOnePerUser)) {
      unname(kind);
      storeReplicas(this.db, [...new Fold(this.db, this.#names).of(kind, [id]).values()]);
    }
    new Receiver(this.db).rerun(() => joined, 'user', [id]);
  }

  /** The records that first came here from a remote. A user among them who has other records by now stays. */
  cameFrom(remote: string): { going: RecordKey[]; staying: RecordKey[] } {
    const came = kindNames.flatMap((kind) =>
      firstFrom(this.db, remote, kind, `SELECT id FROM ${kindOf(kind).table}`),
    );
    const users = JSON.stringify(idsOf(came, 'user'));
    const owners = ownedKindNames.flatMap((kind) => {
      const sql = `SELECT DISTINCT userId FROM ${kindOf(kind).table} WHERE userId IN (SELECT value FROM json_each(?))
        AND id NOT IN (SELECT value FROM json_each(?))`;
      return this.db.column<number>(sql, users, JSON.stringify(idsOf(came, kind)));
    });
    const stays = ({ record, id }: RecordKey) => record === 'user' && owners.includes(id);
    return { going: came.filter((one) => !stays(one)), staying: came.filter(stays) };
  }

  /** Deletes what first came here from a remote, and forgets its position. Nothing of it is sent to anybody. One change. */
  forget(remote: string): void {
    this.change(() => {
      const { going } = this.cameFrom(remote);
      const fold = new Fold(this.db, this.#names);
      const known = kindNames.flatMap((kind) => {
        const sql = `SELECT ${keyColumnOf(kind)} FROM ${kindOf(kind).table} WHERE id IN (SELECT value FROM json_each(?))`;
        const keys = this.db.column<number>(sql, JSON.stringify(idsOf(going, kind)));
        return [...fold.of(kind, keys).values()];
      });
      for (const { record, id } of going.toReversed())
        this.db.run(`DELETE FROM ${kindOf(record).table} WHERE id = ?`, id);
      // Stored as outside of the view: nothing is sent of such records.
      storeReplicas(
        this.db,
        known.map(({ id, state }) => ({ id, state, outside: true })),
      );
      this.db.run(
        `DELETE FROM peers WHERE EXISTS (SELECT 1 FROM remotes WHERE name = ? AND
           ((token = 0 AND database = uuid) OR (token = ? AND database LIKE 'file:%')))`,
        remote,
        IN_FOLDERS,
      );
    });
  }

  /** The users in these states with the e-mail address of another user here, who is not in the states; at most `MOST_TOLD`. */
  sameEmails(states: readonly State[]): SameEmail[] {
    const told = states.flatMap(({ kind, name, fields }) => {
      const id = kind === 'user' && fields ? this.#names.idOf('user', name) : undefined;
      return id ?? [];
    });
    return this.db.all<SameEmail>(
      `WITH told AS MATERIALIZED (SELECT value AS id FROM json_each(?)),
         here AS MATERIALIZED (SELECT id, lower(email) AS email FROM users WHERE id NOT IN told)
       SELECT here.id, users.id AS other FROM told CROSS JOIN users ON users.id = told.id
         JOIN here ON here.email = lower(users.email) ORDER BY users.id, here.id LIMIT ?`,
      JSON.stringify(told),
      MOST_TOLD,
    );
  }
}
