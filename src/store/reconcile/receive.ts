import type { Cell } from '../../domain/codec.ts';
import { fromCells } from '../../domain/codec.ts';
import { MAX_ID } from '../../domain/fields.ts';
import {
  INTO,
  type KindName,
  keyOf,
  kindNames,
  kindOf,
  ownedKindNames,
  statementsOf,
} from '../../domain/kinds.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { Erasures } from './erasures.ts';
import { Fold, type Known, keyColumnOf, type Row, type StoredState } from './fold.ts';
import { isSameName, type Names, partsOf } from './names.ts';
import { People } from './people.ts';
import { disputed, isEqualState, isLater, merge, type Name, type State } from './state.ts';

/** How many records of a kind a sync or an import created, changed and deleted here. */
export interface Counts {
  created: number;
  changed: number;
  deleted: number;
}

/** A statement that both sides changed without knowing of each other's. */
export interface Dispute {
  record: KindName;
  /** The id here. */
  id: number;
  fields: { field: string; here: Cell; there: Cell }[];
  /** Which counts: the later one. */
  counts: 'here' | 'there';
  /** When each was said, in milliseconds since 1970. */
  at: { here: number; there: number };
}

/** Which states may be taken from somebody. */
export interface Limits {
  /** The ids of the users whose records may be sent; all without it. */
  users?: readonly number[] | undefined;
  /** Takes deletions that are held back otherwise. */
  acceptDeletions?: boolean | undefined;
  /** Leaves out what replaces a statement of here that it did not know of: it is to be a change of its own. */
  setsApart?: boolean | undefined;
}

export interface Received {
  counts: Record<KindName, Counts>;
  disputes: Dispute[];
  /** Records whose deletion waits for consent. */
  held: { record: KindName; id: number }[];
  /** States that the sender has no right to send. */
  refused: number;
  /** States that were left out to be taken in changes of their own. */
  apart: State[];
  /** Whether all that is known here by now of what has changed is what the sender told: it need not be sent back. */
  isEcho: boolean;
}

/** How many changes of their own there are at most: the rest is one change with all else. */
const MOST_APART = 100;

/** A deletion of more records than this, and of more than a tenth of all, waits for consent; so does one of a user. */
const MOST_DELETED = 20;
const MOST_DELETED_SHARE = 0.1;

/** An id that is further above the last than this is not taken: it would use up the ids. */
const MOST_SKIPPED_IDS = 1_000_000;

/** A record that was met, with its state as it is to be. */
interface Met extends Known {
  merged: State;
  /** What is to be shown; undefined for nothing. */
  wanted?: Row | undefined;
  isNew: boolean;
}

export const noCounts = (): Record<KindName, Counts> =>
  Object.fromEntries(kindNames.map((kind) => [kind, { created: 0, changed: 0, deleted: 0 }])) as Record<
    KindName,
    Counts
  >;

/** Joins states from elsewhere with those here, and shows what follows. Inside a change. */
export class Receiver {
  readonly #fold: Fold;
  readonly #people: People;
  readonly #met = new Map<KindName, Map<Name, Met>>(kindNames.map((kind) => [kind, new Map()]));
  readonly #received: Received = {
    counts: noCounts(),
    disputes: [],
    held: [],
    refused: 0,
    apart: [],
    isEcho: true,
  };
  readonly #erasures: Erasures;
  readonly #lastIds = new Map<KindName, number>();

  constructor(
    private readonly db: Database,
    private readonly names: Names,
    private readonly limits: Limits = {},
  ) {
    names.refresh();
    this.#fold = new Fold(db, names);
    this.#people = new People(this.#fold, names);
    this.#erasures = new Erasures(db, names);
  }

  /** @param states of any kinds, in any order */
  run(states: readonly State[]): Received {
    for (const kind of kindNames) {
      const ofKind = states.filter((state) => state.kind === kind);
      // By their ids over there, so that they keep their order here.
      ofKind.sort((a, b) => partsOf(a.name).id - partsOf(b.name).id);
      this.#meetAll(kind, ofKind);
      if (kind === 'user') {
        this.#gatherBelongings([...this.#of('user').values()]);
        this.#gatherWaiting();
      }
    }
    this.#gatherSameKeys();
    for (const kind of kindNames) for (const met of this.#of(kind).values()) this.#decide(met);
    this.#nameApart();
    this.#holdBack();
    this.#show();
    this.#store();
    this.#received.isEcho = this.#isEcho(states);
    return this.#received;
  }

  /** What a record brings along, as a user who comes back, is news to the sender too. */
  #isEcho(states: readonly State[]): boolean {
    const told = new Map(states.map((state) => [`${state.kind} ${state.name}`, state]));
    return kindNames.every((kind) =>
      [...this.#of(kind).values()].every(({ merged }) => {
        const state = told.get(`${kind} ${merged.name}`);
        return state !== undefined && isEqualState(state, merged);
      }),
    );
  }

  /** Shows anew what is known of the records of these users, after consent was given or who is one has changed. */
  rerun(change: (known: Known) => State | undefined, kind: KindName, ids: readonly number[]): Received {
    for (const known of this.#fold.of(kind, ids).values()) {
      const state = change(known);
      if (state) this.#put({ ...known, merged: state, held: false, isNew: false });
    }
    this.#gatherBelongings([...this.#of('user').values()]);
    return this.run([]);
  }

  #of(kind: KindName): Map<Name, Met> {
    return this.#met.get(kind) as Map<Name, Met>;
  }

  #put(met: Met): void {
    this.#of(met.merged.kind).set(met.merged.name, met);
    if (met.merged.kind === 'user') this.#people.set({ ...met, state: met.merged });
  }

  #meetAll(kind: KindName, states: readonly State[]): void {
    const ids = new Map<Name, number>();
    for (const { name } of states) {
      const id =
        kindOf(kind).place === 'one-per-user' ? this.names.idOf('user', name) : this.names.idOf(kind, name);
      if (id !== undefined) ids.set(name, id);
    }
    const known = this.#fold.of(kind, [...ids.values()]);
    const groups = statementsOf(kind);
    for (const state of states) {
      if (this.#erasures.has(state)) continue;
      const id = ids.get(state.name);
      const here =
        (id === undefined ? undefined : known.get(id)) ?? this.#fold.unseen(kind, partsOf(state.name));
      if (!this.#mayTake(state, here)) {
        this.#received.refused++;
        continue;
      }
      if (state.outside) {
        if (here) this.#put({ ...here, merged: here.state, outside: true, isNew: false });
        continue;
      }
      if (!here) {
        this.#put({ id, state, merged: state, row: undefined, held: false, outside: false, isNew: true });
        continue;
      }
      const merged = merge({ ...here.state, name: fullerName(here.state.name, state.name) }, state, groups);
      // Also where what is here counts: nobody else may be told of it.
      const isReplaced = this.#noteDisputes(here, state, groups);
      const isNamed = merged.name === here.state.name;
      if (isNamed && isEqualState(merged, here.state) && !here.outside) continue;
      if (isReplaced && this.limits.setsApart && this.#received.apart.length < MOST_APART) {
        this.#received.apart.push(state);
        continue;
      }
      this.#put({ ...here, merged, outside: here.outside && !state.fields, isNew: false });
    }
  }

  /** Whether the sender may say this: only of the records of its users, and nothing that takes them away or away from here. */
  #mayTake(state: State, here: Known | undefined): boolean {
    const { users } = this.limits;
    if (users === undefined) return true;
    const mine = (name: Name) => {
      const id = this.#people.ownerId(name);
      return id !== undefined && users.includes(id);
    };
    if (state.kind === 'user') {
      const into = state.fields?.[INTO] ?? null;
      const isInto = typeof into === 'string' && mine(into);
      if (!here) return isInto;
      // Its records would be another's.
      const isTold = isInto || into === (here.state.fields?.[INTO] ?? null);
      return isTold && mine(state.name) && state.life === here.state.life;
    }
    const isHere = !here || mine(ownerNameOf(here.state)) || here.state.owners.every((name) => mine(name));
    const owner = state.fields ? ownerNameOf(state) : undefined;
    return isHere && (owner === undefined ? here !== undefined : mine(owner));
  }

  /** @returns whether what was said here is replaced without having been known there */
  #noteDisputes(here: Known, there: State, groups: ReadonlyMap<string, readonly string[]>): boolean {
    const { id } = here;
    if (id === undefined || !here.row) return false;
    let isReplaced = false;
    const shown = (name: string, cell: Cell): Cell =>
      (name === 'userId' || name === INTO) && typeof cell === 'string'
        ? (this.#people.ownerId(cell) ?? null)
        : cell;
    for (const group of disputed(here.state, there, groups)) {
      const [ours, theirs] = [here.state.statements[group], there.statements[group]];
      if (!ours || !theirs) continue;
      const fields = (groups.get(group) ?? []).map((field) => ({
        field,
        here: shown(field, here.state.fields?.[field] ?? null),
        there: shown(field, there.fields?.[field] ?? null),
      }));
      const counts = isLater(theirs.stamp, ours.stamp) ? 'there' : 'here';
      isReplaced ||= counts === 'there';
      this.#received.disputes.push({
        record: here.state.kind,
        id,
        fields: fields.filter((one) => one.here !== one.there),
        counts,
        at: { here: Math.floor(ours.stamp[0] / 1000), there: Math.floor(theirs.stamp[0] / 1000) },
      });
    }
    return isReplaced;
  }

  /** What waits for users who are there by now: they may have come back by an undo or a restore here. */
  #gatherWaiting(): void {
    const owners = this.db.column<Name>('SELECT DISTINCT owner FROM replicas WHERE owner IS NOT NULL');
    for (const owner of owners.filter((name) => this.#people.ownerId(name) !== undefined))
      for (const kind of ownedKindNames) for (const waiting of this.#waiting(kind, owner)) this.#put(waiting);
  }

  /** What belongs to these users, shown or not. */
  #gatherBelongings(users: readonly Met[]): void {
    for (const kind of ownedKindNames) {
      const found = new Set<number>();
      for (const { id, merged, isNew } of users) {
        for (const unseen of this.#waiting(kind, merged.name)) this.#put(unseen);
        if (id === undefined || isNew) continue;
        const key = keyColumnOf(kind);
        for (const one of this.db.column<number>(
          `SELECT ${key} FROM ${kindOf(kind).table} WHERE userId = ?`,
          id,
        ))
          found.add(one);
        const gone = `SELECT ${key === 'id' ? 'recordId' : 'userId'} FROM history
          WHERE userId = ? AND record = ? AND action = 'delete'`;
        for (const one of this.db.column<number>(gone, id, kind)) found.add(one);
      }
      this.#gather(kind, [...found]);
    }
  }

  #gather(kind: KindName, ids: readonly number[]): void {
    for (const known of this.#fold.of(kind, ids).values())
      if (!this.#of(kind).has(known.state.name)) this.#put({ ...known, merged: known.state, isNew: false });
  }

  /** The records of a user that came from elsewhere and are not shown. */
  #waiting(kind: KindName, owner: Name): Met[] {
    const names = this.db.all<{ key: number | null; origin: number; id: number; uid: number }>(
      'SELECT id AS key, origin, originId AS id, uid FROM replicas WHERE owner = ? AND record = ?',
      owner,
      kind,
    );
    return names.flatMap(({ key, ...parts }) => {
      const known = key === null ? this.#fold.unseen(kind, parts) : this.#fold.of(kind, [key]).get(key);
      return known && !this.#of(kind).has(known.state.name)
        ? [{ ...known, merged: known.state, isNew: false }]
        : [];
    });
  }

  /** Of a kind with keys all records of the users concerned: which shows under its own name depends on the others. */
  #gatherSameKeys(): void {
    for (const kind of ownedKindNames) {
      if (!kindOf(kind).key || keyColumnOf(kind) === 'userId') continue;
      const owners = new Set([...this.#of(kind).values()].map(({ merged }) => ownerNameOf(merged)));
      const ids = [
        ...[...owners].flatMap((owner) => this.#people.ownerId(owner) ?? []),
        ...this.#withNumbers(kind, kindOf(kind).key?.field ?? ''),
      ];
      if (ids.length === 0) continue;
      this.#gather(
        kind,
        this.db.column<number>(
          `SELECT id FROM ${kindOf(kind).table} WHERE userId IN (SELECT value FROM json_each(?))`,
          JSON.stringify(ids),
        ),
      );
    }
  }

  /** The users of whom a record shows under another key than it has: what it gave way to may be gone by now. */
  #withNumbers(kind: KindName, field: string): number[] {
    const { table } = kindOf(kind);
    return this.db.column<number>(
      `SELECT DISTINCT ${table}.userId FROM replicas JOIN ${table} ON ${table}.id = replicas.id
       WHERE replicas.record = ? AND ${table}.${field} <> state ->> '$.fields.${field}'`,
      kind,
    );
  }

  /** Finds out what is to be shown of a record; an id for what is shown for the first time. */
  #decide(met: Met): void {
    const { kind, fields = {} } = met.merged;
    if (!isWhole(met.merged) || met.outside) return;
    if (kind === 'user') {
      if (!this.#people.isShown(met.merged.name)) return;
      this.#give(met);
      met.wanted = this.#rowOf(met, undefined);
      this.#people.set({ ...met, state: met.merged });
      return;
    }
    const owner = this.#people.ownerId(ownerNameOf(met.merged));
    const isThere = met.merged.life % 2 === 1 || met.held;
    if (owner === undefined || !isThere) return;
    if (keyColumnOf(kind) === 'userId') {
      const isNone = Object.values(fields).every((cell) => cell === null);
      if (isNone || this.#people.rootOf(met.merged.name) !== met.merged.name) return;
      met.id = owner;
      met.row ??= this.#fold.of(kind, [owner]).get(owner)?.row;
    } else this.#give(met);
    met.wanted = this.#rowOf(met, owner);
  }

  #give(met: Met): void {
    const { kind, name } = met.merged;
    if (met.id !== undefined) return;
    const { id } = partsOf(name);
    const last = this.#lastId(kind);
    met.id = id > last && id <= last + MOST_SKIPPED_IDS && id < MAX_ID ? id : last + 1;
    this.#lastIds.set(kind, met.id);
  }

  #lastId(kind: KindName): number {
    const known = this.#lastIds.get(kind);
    if (known !== undefined) return known;
    return this.db.value<number>('SELECT seq FROM sqlite_sequence WHERE name = ?', kindOf(kind).table) ?? 0;
  }

  #rowOf({ id, row, merged }: Met, owner: number | undefined): Row {
    const { fields } = kindOf(merged.kind);
    const isOfUser = keyColumnOf(merged.kind) === 'userId';
    const cells: Record<string, Cell> = {};
    for (const name in fields)
      if (name === 'userId') cells[name] = owner ?? null;
      else if (name !== 'id') cells[name] = merged.fields?.[name] ?? null;
    return { id: isOfUser ? (row?.id ?? this.#nextId(merged.kind)) : (id as number), cells };
  }

  #nextId(kind: KindName): number {
    const next = this.#lastId(kind) + 1;
    this.#lastIds.set(kind, next);
    return next;
  }

  /** Where two records of a user have one key, all but the first show with a number: "Morning (2)". */
  #nameApart(): void {
    const uuids = this.names.uuids();
    const order = ({ merged }: Met) => {
      const { origin, id, uid } = partsOf(merged.name);
      return [uuids.get(origin) ?? '', String(id).padStart(16, '0'), uid].join('.');
    };
    for (const kind of ownedKindNames) {
      const { key, fields } = kindOf(kind);
      if (!key || keyColumnOf(kind) === 'userId') continue;
      const taken = new Map<string, Set<string>>();
      const shown = [...this.#of(kind).values()].filter(({ wanted }) => wanted);
      for (const met of shown.sort((a, b) => (order(a) < order(b) ? -1 : 1))) {
        const wanted = met.wanted as Row;
        const keyIn = (cells: Row['cells']) =>
          keyOf(
            kind,
            fromCells(fields, (name) => cells[name]),
          ) ?? '';
        const keys = taken.get(String(wanted.cells['userId'])) ?? new Set();
        taken.set(String(wanted.cells['userId']), keys);
        const said = String(wanted.cells[key.field]);
        let cells = wanted.cells;
        for (let number = 2; keys.has(keyIn(cells)); number++) {
          const suffix = ` (${number})`;
          cells = { ...cells, [key.field]: `${[...said].slice(0, 100 - suffix.length).join('')}${suffix}` };
        }
        keys.add(keyIn(cells));
        met.wanted = { ...wanted, cells };
      }
    }
  }

  /** Keeps showing what a single exchange would take away in great part, until somebody agrees to it. */
  #holdBack(): void {
    const all = kindNames.flatMap((kind) => [...this.#of(kind).values()]);
    const going = all.filter(({ row, wanted, merged }) => row && !wanted && merged.fields);
    const isMerged = ({ merged }: Met) => merged.kind === 'user' && this.#people.isThere(merged.name);
    const deleted = going.filter((met) => !isMerged(met) && !met.outside);
    if (deleted.length === 0) return;
    const settings = new Settings(this.db);
    if (this.limits.acceptDeletions) {
      settings.remove('deletions');
      return;
    }
    // Not those of this exchange alone: many small ones would take everything away.
    const count = deleted.length + Number(settings.get('deletions') ?? 0);
    const total = kindNames.reduce(
      (sum, kind) => sum + (this.db.value<number>(`SELECT count(*) FROM ${kindOf(kind).table}`) ?? 0),
      0,
    );
    const isMuch = count > MOST_DELETED && count > total * MOST_DELETED_SHARE;
    if (!isMuch && !deleted.some(({ merged }) => merged.kind === 'user')) {
      settings.set('deletions', String(count));
      return;
    }
    for (const met of deleted) {
      met.held = met.merged.life % 2 === 0;
      met.wanted = met.row;
      // What goes with a user is back with the user.
      if (met.held) this.#received.held.push({ record: met.merged.kind, id: met.row?.id ?? 0 });
    }
  }

  /** Writes the rows. What belongs to a user who goes is given to another before. */
  #show(): void {
    for (const kind of ownedKindNames) this.#remove(kind);
    for (const kind of kindNames) this.#write(kind);
    this.#remove('user');
  }

  #remove(kind: KindName): void {
    const sql = `DELETE FROM ${kindOf(kind).table} WHERE id = ?`;
    for (const { row, wanted } of this.#of(kind).values())
      if (row && !wanted) this.#received.counts[kind].deleted += this.db.run(sql, row.id).changes;
  }

  #write(kind: KindName): void {
    const { table, fields } = kindOf(kind);
    const columns = Object.keys(fields);
    const others = columns.filter((name) => name !== 'id');
    const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`;
    const update = `UPDATE ${table} SET ${others.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`;
    for (const { row, wanted } of this.#of(kind).values()) {
      if (!wanted) continue;
      const cell = (name: string): Cell => (name === 'id' ? wanted.id : (wanted.cells[name] ?? null));
      if (!row) {
        this.db.run(insert, ...columns.map(cell));
        this.#received.counts[kind].created++;
      } else if (others.some((name) => (row.cells[name] ?? null) !== cell(name))) {
        this.db.run(update, ...others.map(cell), row.id);
        this.#received.counts[kind].changed++;
      }
    }
  }

  /** Keeps what the history alone would not tell. */
  #store(): void {
    const seq = this.db.value<number>('SELECT seq FROM sqlite_sequence WHERE name = ?', 'history') ?? 0;
    const sql = `INSERT OR REPLACE INTO replicas (record, id, origin, originId, uid, owner, seq, state) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
    for (const kind of kindNames)
      for (const { id, merged, wanted, held, outside } of this.#of(kind).values()) {
        const { life, owners, fields, statements } = merged;
        const stored: StoredState = {
          life,
          owners,
          ...(fields && { fields }),
          statements,
          ...(held && wanted && { held: true as const }),
          ...(outside && { outside: true as const }),
        };
        const { origin, id: originId, uid } = partsOf(merged.name);
        const waits = kind !== 'user' && !wanted && fields ? ownerNameOf(merged) : null;
        this.db.run(sql, kind, id ?? null, origin, originId, uid, waits, seq, JSON.stringify(stored));
      }
  }
}

/** Of two names of one record the one with a uid. */
const fullerName = (here: Name, there: Name): Name =>
  partsOf(here).uid === 0 && isSameName(here, there) ? there : here;

/** Whether all is known that makes a record. */
const isWhole = ({ kind, fields, statements }: State): boolean =>
  fields !== undefined &&
  [...statementsOf(kind).keys()].every((group) => group === INTO || statements[group]);

/** The name of the user to whom a record belongs; a goal is named as its user is. */
export const ownerNameOf = ({ name, kind, fields }: State): Name =>
  kind !== 'user' && keyColumnOf(kind) === 'id' ? String(fields?.['userId'] ?? '') : name;
