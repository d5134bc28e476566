import { randomInt } from 'node:crypto';
import { SciaticaError } from '../../domain/errors.ts';
import { INTO, type KindName, kindNames, kindOf, statementsOf } from '../../domain/kinds.ts';
import type { RunChange } from '../records/changes.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import { type Collected, Collector, MOST_STATES, type Position } from './collect.ts';
import { Erasures } from './erasures.ts';
import { Fold, type Known } from './fold.ts';
import { Names, partsOf } from './names.ts';
import { type Header, type Parcel, readParcel, writeParcel } from './parcel.ts';
import { type Dispute, type Limits, noCounts, type Received, Receiver } from './receive.ts';
import { merge, type Name, replaced, type Stamp, type State } from './state.ts';

/** What is remembered of another database. */
export interface Peer {
  /** How far its changes have been received; undefined before the first. */
  received?: Position | undefined;
  /** How far the changes here were sent to it. */
  sent?: Position | undefined;
  /** The users whose records it shows, by their names; null for all. */
  view: readonly Name[] | null;
  /** When both were last in step, in milliseconds since 1970. */
  at?: number | undefined;
}

/** Longest text of a part of an exchange, unless one record alone is longer. */
const MOST_CHARACTERS = 2 * 1024 * 1024;

interface PeerRow {
  received: string | null;
  sent: string | null;
  view: string;
  at: number | null;
}

/** A user here and one of another database with the same e-mail address. */
export interface SameEmail {
  id: number;
  other: number;
}

/**
 * This database as one of several that tell each other what they know: states go out and come in as text (see `parcel.ts`), whatever
 * carries them.
 */
export class Diary {
  readonly #names: Names;
  readonly #settings: Settings;

  /** @param change runs work as one change of the history */
  constructor(
    private readonly db: Database,
    private readonly change: RunChange,
  ) {
    this.#names = new Names(db);
    this.#settings = new Settings(db);
  }

  get id(): string {
    return this.#settings.get('id') ?? '';
  }

  /** The number of the database format: only states of the same one are merged. */
  get format(): number {
    return migrations.length;
  }

  /** What is told to others. @param users the ids of the users whose records are told; all without it */
  collector(users?: readonly number[]): Collector {
    return new Collector(this.db, this.#names, users);
  }

  /** The states after a position as text, as many as fit into one part of an exchange. */
  part(collector: Collector, from: Position): Collected & { text: string } {
    for (let most = MOST_STATES; ; most = Math.ceil(most / 8)) {
      const collected = collector.after(from, most);
      const text = this.#text(collector, from, collected);
      if (text.length <= MOST_CHARACTERS || most === 1) return { ...collected, text };
    }
  }

  /** No states, as text. */
  nothing(collector: Collector, from: Position): Collected & { text: string } {
    const none: Collected = { states: [], to: from, isLast: false };
    return { ...none, text: this.#text(collector, from, none) };
  }

  #text(collector: Collector, from: Position, { states, to, isLast }: Collected): string {
    return writeParcel({
      database: this.id,
      databases: Object.fromEntries(this.#names.uuids()),
      format: this.format,
      from,
      to,
      isLast,
      erased: collector.erased(),
      view: collector.view(),
      states,
    });
  }

  /**
   * Reads what another database tells.
   * @param asker who reads the message of an error: whoever asked for the exchange
   * @throws SciaticaError as `readParcel`; `unusable` for one of another format
   */
  read(text: string, asker: 'here' | 'there' = 'here'): Parcel {
    const parcel = this.db.write(() => readParcel(text, (uuid) => this.#names.origin(uuid)));
    const { format } = parcel;
    const [own, other] = asker === 'here' ? [this.format, format] : [format, this.format];
    if (own === other) return parcel;
    const which =
      own < other
        ? `here is older (format ${own}) than on the other machine (${other}): upgrade it here first`
        : `on the other machine is older (format ${other}) than here (${own}): upgrade it there first`;
    throw new SciaticaError('unusable', `sciatica ${which}. Nothing was exchanged.`);
  }

  /**
   * Takes over what another database tells. What both sides changed is a change of its own each, so that one undo chooses the other.
   * @param after runs in the same transaction as the last change
   */
  receive(
    { states, erased }: Pick<Parcel, 'states' | 'erased'>,
    limits: Limits = {},
    after = () => {},
  ): Received {
    if (states.length + erased.length === 0 && !this.#hasWaiting()) {
      this.db.write(after);
      return { counts: noCounts(), disputes: [], held: [], refused: 0, apart: [], isEcho: true };
    }
    let received: Received = {
      counts: noCounts(),
      disputes: [],
      held: [],
      refused: 0,
      apart: [],
      isEcho: true,
    };
    this.change(() => {
      if (limits.users === undefined) new Erasures(this.db, this.#names).add(erased);
      received = new Receiver(this.db, this.#names, { ...limits, setsApart: true }).run(states);
      this.#noteClock(states);
      if (received.apart.length === 0) after();
    });
    for (const [i, state] of received.apart.entries())
      this.change(() => {
        const { counts } = new Receiver(this.db, this.#names, limits).run([state]);
        for (const kind of kindNames) addCounts(received.counts, counts, kind);
        if (i === received.apart.length - 1) after();
      });
    return received;
  }

  /** Whether records wait for users, who may have come back by an undo or a restore here. */
  #hasWaiting(): boolean {
    return this.db.value('SELECT 1 FROM replicas WHERE owner IS NOT NULL LIMIT 1') === 1;
  }

  /** The clock of later changes here is above all that was received (Kulkarni et al., “Logical Physical Clocks”, 2014). */
  #noteClock(states: readonly State[]): void {
    let clock = Number(this.#settings.get('clock') ?? 0);
    const before = clock;
    for (const { statements } of states)
      for (const { stamp } of Object.values(statements)) if (stamp[0] > clock) clock = stamp[0];
    if (clock > before) this.#settings.set('clock', String(clock));
  }

  /** What is remembered of a database. @param token the id of the token with which it calls; 0 for none */
  peer(uuid: string, token = 0): Peer {
    const row = this.db.get<PeerRow>(
      'SELECT received, sent, view, at FROM peers WHERE uuid = ? AND token = ?',
      uuid,
      token,
    );
    if (!row) return { view: null };
    const position = (json: string | null) => (json === null ? undefined : storedJson<Position>(json));
    return {
      received: position(row.received),
      sent: position(row.sent),
      view: storedJson(row.view),
      at: row.at ?? undefined,
    };
  }

  setPeer(uuid: string, { received, sent, view, at }: Peer, token = 0): void {
    this.db.write(() =>
      this.db.run(
        'INSERT OR REPLACE INTO peers (uuid, token, received, sent, view, at) VALUES (?, ?, ?, ?, ?, ?)',
        uuid,
        token,
        received ? JSON.stringify(received) : null,
        sent ? JSON.stringify(sent) : null,
        JSON.stringify(view),
        at ?? null,
      ),
    );
  }

  /** Gives a file that was set back, or copied and used twice, an identity of its own for what it makes from now on. */
  renewIdentity = (): string => this.#names.takeIdentity();

  /** The users here who were erased elsewhere, by id. */
  erasedElsewhere(): number[] {
    return new Erasures(this.db, this.#names).pending();
  }

  /** The name of a user here. */
  nameOfUser(id: number): Name {
    this.#names.refresh();
    return this.#names.ofUser(id);
  }

  /** The id of the user here with a name; undefined for one that is not here. */
  idOfUser(name: Name): number | undefined {
    return this.#names.idOf('user', name);
  }

  /** The records whose deletion waits for consent. */
  held(): { record: KindName; id: number }[] {
    return this.db.all(
      `SELECT record, id FROM replicas WHERE state ->> '$.held' = 1 AND id IS NOT NULL ORDER BY record <> 'user', record, id`,
    );
  }

  /** Deletes what is held back, or brings it back for everybody. @returns how many records it was */
  settleHeld(how: 'delete' | 'restore'): number {
    const held = this.held();
    this.change(() => {
      for (const kind of kindNames) {
        const ids = held.filter(({ record }) => record === kind).map(({ id }) => id);
        if (ids.length === 0) continue;
        const settled = ({ state }: Known): State =>
          how === 'restore' && state.life % 2 === 0 ? { ...state, life: state.life + 1 } : state;
        new Receiver(this.db, this.#names, { acceptDeletions: true }).rerun(settled, kind, ids);
      }
    });
    return held.length;
  }

  /**
   * Lets the records of one user show under another: a pointer, which rewrites no owner. One change.
   * @param now the clock, in milliseconds since 1970
   */
  mergeUsers(id: number, into: number, now: number): void {
    this.#names.refresh();
    const [target, clock] = [this.#names.ofUser(into), Math.max(now * 1000, this.#lastClock() + 1)];
    const stamp: Stamp = [clock, randomInt(2 ** 48 - 1), this.#names.makerOf(Number.MAX_SAFE_INTEGER)];
    this.change(() => {
      const pointed = ({ state }: Known): State => {
        const former = state.statements[INTO];
        return {
          ...state,
          fields: { ...state.fields, [INTO]: target },
          statements: { ...state.statements, [INTO]: { stamp, seen: former ? replaced(former) : {} } },
        };
      };
      new Receiver(this.db, this.#names, { acceptDeletions: true }).rerun(pointed, 'user', [id]);
    });
    this.#settings.set('clock', String(clock));
  }

  #lastClock(): number {
    return (
      this.db.value<number>('SELECT clock FROM history WHERE clock IS NOT NULL ORDER BY seq DESC LIMIT 1') ??
      0
    );
  }

  /**
   * Lets a user here be one of another database, with the id of here: both were the same person all along. Inside a change.
   * @param theirs the state of the user over there
   */
  adopt(id: number, theirs: State): void {
    this.#names.refresh();
    const fold = new Fold(this.db, this.#names);
    const own = fold.of('user', [id]).get(id);
    if (!own || own.state.name === theirs.name) return;
    const groups = statementsOf('user');
    const joined = merge({ ...own.state, name: theirs.name }, theirs, groups);
    const { origin, id: originId, uid } = partsOf(own.state.name);
    const sql = `INSERT OR REPLACE INTO replicas (record, id, origin, originId, uid, owner, seq, state) VALUES ('user', ?, ?, ?, ?, NULL, ?, ?)`;
    const seq = this.db.value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'history'") ?? 0;
    const stamp: Stamp = [this.#lastClock(), 0, origin];
    const alias = {
      life: own.state.life,
      owners: own.state.owners,
      fields: { ...own.state.fields, [INTO]: theirs.name },
      statements: { ...own.state.statements, [INTO]: { stamp, seen: {} } },
    };
    this.db.run("UPDATE replicas SET id = NULL WHERE record = 'user' AND id = ?", id);
    this.db.run(sql, null, origin, originId, uid, seq, JSON.stringify(alias));
    const name = partsOf(theirs.name);
    const { life, owners, fields, statements } = { ...theirs, life: joined.life, owners: joined.owners };
    this.db.run(
      sql,
      id,
      name.origin,
      name.id,
      name.uid,
      seq,
      JSON.stringify({ life, owners, fields, statements }),
    );
    this.#names.refresh();
    new Receiver(this.db, this.#names).rerun(() => joined, 'user', [id]);
  }

  /** The records here that came from a remote, and are there still. */
  cameFrom(remote: string): { record: KindName; id: number }[] {
    const made = this.db.all<{ record: KindName; id: number }>(
      `SELECT entry.record, entry.recordId AS id FROM history AS entry JOIN history AS head ON head.seq = entry.head
       WHERE head.source = 'sync' AND head.caller = ? AND entry.action = 'create'`,
      remote,
    );
    return made.filter(
      ({ record, id }) => this.db.value(`SELECT 1 FROM ${kindOf(record).table} WHERE id = ?`, id) === 1,
    );
  }

  /** Takes away what came from a remote, and forgets that both have met: nothing of it is told to anybody. One change. */
  forget(remote: string): void {
    const came = this.cameFrom(remote);
    this.change(() => {
      for (const { record, id } of came.toReversed())
        this.db.run(`DELETE FROM ${kindOf(record).table} WHERE id = ?`, id);
      for (const { record, id } of came) this.#setApart(record, id);
      this.db.run(
        'DELETE FROM peers WHERE token = 0 AND uuid = (SELECT database FROM remotes WHERE name = ?)',
        remote,
      );
    });
  }

  /** Lets a record be one that is not shown to this database, and that it tells nobody of. */
  #setApart(record: KindName, id: number): void {
    const seq = this.db.value<number>("SELECT seq FROM sqlite_sequence WHERE name = 'history'") ?? 0;
    this.db.run(
      `UPDATE replicas SET seq = ?, state = json_set(state, '$.outside', json('true')) WHERE id = ? AND record = ?`,
      seq,
      id,
      record,
    );
  }

  /** The users of these states whose e-mail address a user here has, who is another. */
  sameEmails(states: readonly State[]): SameEmail[] {
    return states.flatMap(({ kind, name, fields }) => {
      const email = fields?.['email'];
      const other = kind === 'user' && typeof email === 'string' ? this.#names.idOf('user', name) : undefined;
      if (other === undefined) return [];
      return this.db
        .column<number>(
          'SELECT id FROM users WHERE lower(email) = lower(?) AND id <> ? ORDER BY id',
          String(email),
          other,
        )
        .map((id) => ({ id, other }));
    });
  }
}

function addCounts(to: Received['counts'], more: Received['counts'], kind: KindName): void {
  to[kind].created += more[kind].created;
  to[kind].changed += more[kind].changed;
  to[kind].deleted += more[kind].deleted;
}

export type { Dispute, Header };
