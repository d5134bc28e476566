import { INTO, type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import { type Erased, Erasures } from './erasures.ts';
import { Fold, isOnePerUser, type Known, keyColumnOf, ownerNameOf, type Row } from './fold.ts';
import { NAME, Names, nameOf } from './names.ts';
import { idsOf, type RecordKey } from './received.ts';
import { departed, type Name, type Stamp, type State } from './state.ts';
import { everMerged, UserMerges } from './user-merges.ts';

/**
 * A position in the changes of a database: the seq of the last history entry read, the uid of its change, which shows that a file
 * was set back, and the `rev` of the last row of `replicas` read. `old`: records older than the history come first, by kind and
 * id.
 */
export interface Position {
  old?: readonly [kind: number, id: number];
  seq: number;
  uid: number;
  rev: number;
}

/** Before all changes. */
export const START: Position = { old: [0, 0], seq: 0, uid: 0, rev: 0 };

/** Whether the position `to` is after `from`, in the same database. */
export function isForward(from: Position, to: Position): boolean {
  const places = ({ old, seq, rev }: Position) => [...(old ?? [kindNames.length, 0]), seq, rev];
  const before = places(from);
  const place = places(to).findIndex((number, i) => number !== before[i]);
  return place >= 0 && (places(to)[place] ?? 0) > (before[place] ?? 0);
}

/** Some states, and the position up to which they reach. */
export interface Collected {
  states: State[];
  to: Position;
  /** Whether nothing follows them. */
  isLast: boolean;
}

/** Changes here, after `from` up to `to`, that the other database knows because they came from it. */
export interface KnownThere {
  from: Position;
  to: Position;
}

/** A record that changed. */
interface Changed {
  /** Null for an entry that names no record, as one of an erasure may. */
  record: KindName | null;
  /** The value in the column `keyColumnOf`; null for a record that never showed here. */
  key: number | null;
  /** For a row of `replicas`. */
  name?: Name;
}

/** Most records in one part of an exchange, which is one change at the other database. */
export const MOST_STATES = 2500;

/** SQL: the key of the record of an entry, as `keyColumnOf` says. */
const KEY = `iif(history.record IN (${kindNames
  .filter(isOnePerUser)
  .map((kind) => `'${kind}'`)
  .join(', ')}), history.userId, history.recordId)`;

/** Collects the states that changed after a position, in parts, as a view may see them. Writes nothing. */
export class Collector {
  readonly #names: Names;
  readonly #fold: Fold;
  readonly #merges: UserMerges;
  readonly #erasures: Erasures;
  #everMerged: ReadonlySet<Name> | undefined;

  /** @param users the ids of the users in the view; all without it @param knownThere changes that are left out */
  constructor(
    private readonly db: Database,
    private readonly users?: readonly number[],
    private readonly knownThere?: KnownThere,
  ) {
    this.#names = new Names(db);
    this.#fold = new Fold(db, this.#names);
    this.#merges = new UserMerges(this.#fold);
    this.#erasures = new Erasures(db, this.#names);
  }

  /** The position after everything that there is now. */
  end(): Position {
    return { ...this.at(this.db.lastId('history')), rev: this.db.lastId('replicas') };
  }

  /** Whether this file has had a position: not after it was set back, or in a copy. Each row of `replicas` has an entry, too. */
  isKnown({ seq, uid }: Position): boolean {
    return seq === 0 || (seq <= this.db.lastId('history') && this.at(seq).uid === uid);
  }

  /** The position of a history entry, with the uid of its change; 0 while the change is running. */
  at(seq: number): Pick<Position, 'seq' | 'uid'> {
    const uid = this.db.value<number>(
      `SELECT head.uid FROM history AS head WHERE head.seq =
         (SELECT entry.head FROM history AS entry WHERE entry.seq <= ? ORDER BY entry.seq DESC LIMIT 1)`,
      seq,
    );
    return { seq, uid: uid ?? 0 };
  }

  /** The states after a position. @param most the highest number of records */
  after(position: Position, most = MOST_STATES): Collected {
    if (position.old) return this.#old(position, position.old, most);
    const [lastSeq, lastRev] = [this.db.lastId('history'), this.db.lastId('replicas')];
    const [firstSeq, endSeq] = this.#range('seq', position.seq, lastSeq);
    if (firstSeq < endSeq) {
      const entries = this.#entries(firstSeq, endSeq, position.rev, most);
      const seq = entries.length < most ? endSeq : (entries.at(-1)?.seq ?? endSeq);
      return {
        states: this.#states(entries),
        to: { ...this.at(seq), rev: position.rev },
        isLast: seq >= lastSeq && position.rev >= lastRev,
      };
    }
    const [firstRev, endRev] = this.#range('rev', position.rev, lastRev);
    const replicas = this.db.all<Changed & { rev: number }>(
      `SELECT rev, record, id AS key, ${NAME} AS name FROM replicas WHERE rev > ? AND rev <= ? ORDER BY rev LIMIT ?`,
      firstRev,
      endRev,
      most,
    );
    const rev = replicas.length < most ? endRev : (replicas.at(-1)?.rev ?? endRev);
    const to = { ...this.at(firstSeq), rev };
    return { states: this.#states(replicas), to, isLast: rev >= lastRev };
  }

  /** The next range that is read, without the changes that are known there. */
  #range(what: 'seq' | 'rev', first: number, last: number): [first: number, end: number] {
    if (!this.knownThere) return [first, last];
    const [from, to] = [this.knownThere.from[what], this.knownThere.to[what]];
    if (first < from) return [first, from];
    return first < to ? [to, last] : [first, last];
  }

  /** History entries of the users in the view, or of those under whom they show. Records that follow as replicas are left out. */
  #entries(first: number, end: number, rev: number, most: number) {
    const { users } = this;
    const follows = `EXISTS (SELECT 1 FROM replicas WHERE replicas.id = ${KEY} AND replicas.record = history.record AND rev > ?)`;
    const isTheirs = '(SELECT value FROM json_each(?))';
    // In the history, the records of a merged user belong to the user under whom they show.
    const ids = users?.flatMap((id) => [id, this.#merges.ownerId(this.#names.ofUser(id)) ?? id]);
    const theirs = ids ? [JSON.stringify(ids)] : [];
    return this.db.all<Changed & { seq: number }>(
      `SELECT seq, record, ${KEY} AS key FROM history WHERE seq > ? AND seq <= ?
       ${this.knownThere ? '' : `AND NOT ${follows}`} ${users ? `AND (userId IN ${isTheirs} OR formerUserId IN ${isTheirs})` : ''} ORDER BY seq LIMIT ?`,
      first,
      end,
      ...(this.knownThere ? [] : [rev]),
      ...theirs,
      ...theirs,
      most,
    );
  }

  /** Records older than the history. */
  #old(position: Position, [at, after]: readonly [number, number], most: number): Collected {
    const kind = kindNames[at];
    if (!kind) {
      const { old: _, ...rest } = position;
      return this.after(rest, most);
    }
    const { table } = kindOf(kind);
    const rows = this.db.all<Changed & { id: number }>(
      `SELECT id, '${kind}' AS record, ${keyColumnOf(kind)} AS key FROM ${table} WHERE id > ? AND NOT EXISTS
         (SELECT 1 FROM history WHERE recordId = ${table}.id AND record = ?) ORDER BY id LIMIT ?`,
      after,
      kind,
      most,
    );
    const last = rows.at(-1);
    if (!last) return this.#old(position, [at + 1, 0], most);
    const next: readonly [number, number] = rows.length === most ? [at, last.id] : [at + 1, 0];
    return { states: this.#states(rows), to: { ...position, old: next }, isLast: false };
  }

  #states(changed: readonly Changed[]): State[] {
    const states = kindNames.flatMap((kind) => {
      const keys = changed.flatMap(({ record, key }) => (record === kind ? (key ?? []) : []));
      return this.statesOf(kind, keys).map(({ state }) => state);
    });
    const unseen = changed.flatMap(({ record, key, name }) =>
      record && name && key === null ? this.#unseen(record, name) : [],
    );
    return [...states, ...unseen];
  }

  #unseen(kind: KindName, name: Name): State[] {
    const known = this.#fold.unseen(kind, name);
    return known ? this.#visible(known) : [];
  }

  /** The states that are sent of records of a kind, each with its row. @param ids of one-per-user kinds those of users */
  statesOf(kind: KindName, ids: readonly number[]): { state: State; row: Row | undefined }[] {
    return [...this.#fold.of(kind, ids).values()].flatMap((known) =>
      this.#visible(known).map((state) => ({ state, row: known.row })),
    );
  }

  /** Of these records those that are sent and were never changed: the stamps of their creation, by id. */
  unchanged(kind: KindName, ids: readonly number[]): Map<number, Stamp> {
    if (kind === 'user' || isOnePerUser(kind)) return new Map();
    const made = this.db.all<{ id: number; userId: number; seq: number; clock: number; uid: number }>(
      `SELECT entry.recordId AS id, entry.userId, entry.seq, head.clock, head.uid
       FROM history AS entry JOIN history AS head ON head.seq = entry.head
         JOIN ${kindOf(kind).table} AS shown ON shown.id = entry.recordId AND shown.userId = entry.userId
       WHERE entry.recordId IN (SELECT value FROM json_each(?)) AND entry.record = ?
         AND NOT EXISTS (SELECT 1 FROM replicas WHERE replicas.id = entry.recordId AND replicas.record = entry.record)
       GROUP BY entry.recordId HAVING count(*) = 1 AND entry.action = 'create'`,
      JSON.stringify(ids),
      kind,
    );
    const stamps = new Map<number, Stamp>();
    for (const { id, userId, seq, clock, uid } of made) {
      const [owner, maker] = [this.#names.ofUser(userId), this.#names.makerOf(seq)];
      if (!this.#isMine(owner) || !this.#merges.isThere(this.#merges.rootOf(owner))) continue;
      const name = nameOf(maker, id, uid);
      if (this.#erasures.has({ kind, name, owners: [owner] })) continue;
      stamps.set(id, [clock, uid, maker]);
    }
    return stamps;
  }

  /** The users who were ever merged, in the view: the receiver refuses the records of users whose merge it does not know. */
  merged(): State[] {
    const names = everMerged(this.db).filter((name) => this.#isMine(name));
    return this.statesOf(
      'user',
      names.flatMap((name) => this.#names.idOf('user', name) ?? []),
    ).map(({ state }) => state);
  }

  /** The states that are sent of records of a kind that never showed here. */
  unseenStates(kind: KindName): State[] {
    return this.db
      .column<Name>(`SELECT ${NAME} FROM replicas WHERE record = ? AND id IS NULL`, kind)
      .flatMap((name) => this.#unseen(kind, name));
  }

  /** The state of a record as the view may see it: bare for an absent record, none for an erased one or one outside. */
  #visible({ id, state, outside }: Known): State[] {
    if (outside || this.#erasures.has(state)) return [];
    const { kind, name, life, owners } = state;
    const bare: State = { kind, name, life, owners, statements: {} };
    const owner = kind === 'user' ? name : ownerNameOf(state);
    const isThere =
      state.fields !== undefined && life % 2 === 1 && this.#merges.isThere(this.#merges.rootOf(owner));
    const told = isThere ? state : kind === 'user' || life % 2 === 1 ? withOwner(bare, state) : bare;
    if (this.#isMine(owner)) return [this.users ? this.#withoutOthers(told) : told];
    if (!owners.some((one) => this.#isMine(one)) && !this.#wasShown(id, kind, [owner, ...owners])) return [];
    if (life % 2 === 0) return [{ ...bare, owners: [] }];
    return [departed(state, state.statements['userId']?.stamp, this.view() ?? [])];
  }

  /** Whether a record of another user ever showed under those of the view, because its owner was merged into one for a time. */
  #wasShown(id: number | undefined, kind: KindName, owners: readonly Name[]): boolean {
    this.#everMerged ??= new Set(everMerged(this.db));
    if (id === undefined || !owners.some((owner) => this.#everMerged?.has(owner))) return false;
    const theirs = JSON.stringify(this.users);
    const sql = `SELECT 1 FROM history WHERE recordId = ? AND record = ? AND (userId IN (SELECT value FROM json_each(?))
      OR formerUserId IN (SELECT value FROM json_each(?))) LIMIT 1`;
    return this.db.value(sql, id, kind, theirs, theirs) === 1;
  }

  #isMine(owner: Name): boolean {
    return this.#merges.isOf(owner, this.users);
  }

  /** Removes owners, and the pointer to a user, that are outside of the view. */
  #withoutOthers(told: State): State {
    const into = told.fields?.[INTO];
    const owners = told.owners.filter((one) => this.#isMine(one));
    if (typeof into !== 'string' || this.#isMine(into)) return { ...told, owners };
    const { [INTO]: _, ...fields } = told.fields ?? {};
    const { [INTO]: __, ...statements } = told.statements;
    return { ...told, owners, fields, statements };
  }

  /** How many of these records are in the view. */
  count(records: readonly RecordKey[]): number {
    if (!this.users) return records.length;
    return kindNames.reduce((sum, kind) => sum + this.statesOf(kind, idsOf(records, kind)).length, 0);
  }

  /** What was erased, as far as the view may know of it. */
  erased(): Erased[] {
    return this.#erasures.all(this.users);
  }

  /** The names of the users in the view; null for all. */
  view(): string[] | null {
    return this.users ? this.users.map((id) => this.#names.ofUser(id)) : null;
  }
}

/** Adds the owner, which may have changed; to an absent user the pointer, since its records may show under another one. */
function withOwner(bare: State, { kind, fields, statements }: State): State {
  const group = kind === 'user' ? INTO : 'userId';
  const [statement, value] = [statements[group], fields?.[group]];
  if (!statement || value === undefined) return bare;
  return { ...bare, fields: { [group]: value }, statements: { [group]: statement } };
}
