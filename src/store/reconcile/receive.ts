import type { Cell } from '../../domain/codec.ts';
import { INTO, type KindName, kindNames, kindOf, ownedKindNames, statementsOf } from '../../domain/kinds.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { type Erased, Erasures } from './erasures.ts';
import { Fold, isOnePerUser, type Known, keyColumnOf, ownerNameOf } from './fold.ts';
import { isSameName, NAME, Names, partsOf } from './names.ts';
import type { Parcel } from './parcel.ts';
import { type Deletions, type MergedRecord, Projection } from './projection.ts';
import { type Dispute, noneReceived, type RecordKey } from './received.ts';
import { departed, disputed, isEqualState, isLater, merge, type Name, type State, without } from './state.ts';
import { everMerged, mergedUsers, UserMerges, usersBroughtBack } from './user-merges.ts';

/** Which states may be taken from somebody. */
export interface Limits extends Deletions {
  /** The ids of the users whose records may be sent; all without it. */
  users?: readonly number[] | undefined;
  /** What a state that is told counts as for a record here, where that is another one. */
  again?: ((told: State, here: Known) => State) | undefined;
  /** Leaves out statements that replace those of here and did not know of them: they are to be a change of their own. */
  setsApart?: boolean | undefined;
}

/** Causal length of a record that a token for some users may say: nobody deletes and restores by hand so often. */
const MOST_LIVES_OF_TOKEN = 1_000_000;

/** Users that a record ever belonged to, and users merged into its own, that a token for some users may tell of. */
const MOST_PEOPLE_OF_TOKEN = 100;

/** How many changes of their own there are at most: the rest is one change with all else. */
const MOST_APART = 100;

/** How many records are folded, and states taken over, at once: more take more memory, fewer more time. */
const AT_ONCE = 5_000;

/** SQL: what came back after an entry of the history. */
const BROUGHT_BACK = `SELECT record, recordId AS id, userId FROM history AS entry WHERE seq > ? AND action = 'create' AND EXISTS (
  SELECT 1 FROM history WHERE recordId = entry.recordId AND record = entry.record AND seq < entry.seq)`;

/** Joins states from elsewhere with those here, and shows what follows. Inside a change. */
export class Receiver {
  readonly #names: Names;
  readonly #fold: Fold;
  readonly #people: UserMerges;
  readonly #met = new Map<KindName, Map<Name, MergedRecord>>(kindNames.map((kind) => [kind, new Map()]));
  readonly #erasures: Erasures;
  /** What is shown once its users are, some at a time: a user may have more than memory holds. */
  readonly #following: { kind: KindName; ids: readonly number[] }[] = [];
  /** The ids of users under whom the records of others showed until now. */
  readonly #formerOwners = new Set<number>();

  /** @param received what it does is added to */
  constructor(
    private readonly db: Database,
    private readonly limits: Limits = {},
    private readonly received = noneReceived(),
  ) {
    this.#names = new Names(db);
    this.#fold = new Fold(db, this.#names);
    this.#people = new UserMerges(this.#fold);
    this.#erasures = new Erasures(db, this.#names);
  }

  /** @param states of any kinds, in any order */
  run(states: readonly State[]): void {
    this.#look('user', usersBroughtBack(this.db));
    for (const kind of kindNames) {
      const ofKind = states.filter((state) => state.kind === kind);
      const ids = new Map(ofKind.map((state) => [state, partsOf(state.name)[1]]));
      // By their ids over there, so that they keep their order here.
      ofKind.sort((a, b) => (ids.get(a) ?? 0) - (ids.get(b) ?? 0));
      this.#meetAll(kind, together(ofKind));
    }
    this.#finish([...this.#of('user').values()].filter(isShownOtherwise));
  }

  /** Shows anew what is known of the records of these users, after consent was given or who is one has changed. */
  rerun(change: (known: Known) => State, kind: KindName, ids: readonly number[]): void {
    this.#look(kind, ids, (known) => ({ ...known, state: change(known), held: false }));
    this.#finish([...this.#of('user').values()]);
  }

  /** @param as what a record counts as */
  #look(kind: KindName, ids: readonly number[], as = (known: Known): Known => known): void {
    for (const found of this.#fold.of(kind, ids).values()) {
      const known = as(found);
      this.#put({ ...known, merged: known.state, isNew: false, isLookedAt: true });
    }
  }

  /** @param changed the users who come, go, or are another */
  #finish(changed: readonly MergedRecord[]): void {
    this.#gatherBelongings(this.#withMerged(changed));
    this.#gatherWaiting();
    this.#gatherBroughtBack();
    this.#gatherSameKeys();
    this.#show();
    for (const { kind, ids } of this.#following)
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        for (const met of this.#met.values()) met.clear();
        this.#gather(kind, ids.slice(at, at + AT_ONCE));
        this.#show();
      }
  }

  #show(): void {
    const changed = new Projection(this.db, this.#names, this.#people, this.#met, this.received).run(
      this.limits,
    );
    // What a record brings along, as a user who comes back, is news to the sender too.
    this.received.isEcho &&= changed.every(({ merged, told }) => told && isEqualState(told, merged));
  }

  #of(kind: KindName): Map<Name, MergedRecord> {
    return this.#met.get(kind) as Map<Name, MergedRecord>;
  }

  #put(met: MergedRecord): void {
    this.#of(met.merged.kind).set(met.merged.name, met);
    if (met.merged.kind === 'user') this.#people.set({ ...met, state: met.merged });
  }

  #meetAll(kind: KindName, states: readonly State[]): void {
    if (states.length === 0) return;
    const known = this.#fold.named(
      kind,
      states.map(({ name }) => name),
    );
    if (kind !== 'user') this.#people.load(states.map(ownerNameOf));
    const groups = statementsOf(kind);
    for (const told of states) {
      const { id, here } = known.get(told.name) ?? {};
      const state = (here && this.limits.again?.(told, here)) ?? told;
      // Before the erased ones are left out: that others were erased is not for a token for some users.
      if (!this.#mayTake(state, here)) {
        this.received.refused++;
        this.#noteLeft(state, here?.state);
        continue;
      }
      if (this.#erasures.has(told)) continue;
      if (state.outside) {
        if (here && this.#hasLeft(state, here.state)) {
          const outside = Math.max(Number(here.outside ?? 0), saidOf(state) ?? 1);
          this.#put({ ...here, merged: here.state, outside, isNew: false, told: state });
        }
        continue;
      }
      if (!here) {
        this.#put({ id, state, merged: state, isNew: true, told: state });
        continue;
      }
      // Also where what is here counts: nobody else may be told of it.
      const replaced = this.#noteDisputes(here, state, groups);
      const isApart = replaced.size > 0 && this.limits.setsApart && this.received.apart.length < MOST_APART;
      if (isApart) this.received.apart.push({ state, disputes: [...replaced.values()] });
      const taken = isApart ? without(state, replaced) : state;
      const merged = merge({ ...here.state, name: fullerName(here.state.name, state.name) }, taken, groups);
      const isNamed = merged.name === here.state.name;
      if (isNamed && isEqualState(merged, here.state) && !here.outside) continue;
      // One that was shown is found by its id.
      if (!isNamed && id === undefined) this.#names.forget(kind, here.state.name);
      // Another deletion, or a restore, is not the deletion that was held back.
      const held = here.held === true && merged.life === here.state.life;
      this.#put({
        ...here,
        merged,
        held,
        outside: this.#isBack(state, here) ? false : here.outside,
        isNew: false,
        told: state,
      });
    }
  }

  /** What the sender, who shows a record of another, is told of it: more than the sender said, so that it shows there no more. */
  #noteLeft({ statements: { userId: told } }: State, here: State | undefined): void {
    if (!told || !here || this.#people.isOf(ownerNameOf(here), this.limits.users)) return;
    const [known, [clock, uid, origin]] = [here.statements['userId']?.stamp, told.stamp];
    const isKnownLater = known && isLater(known, told.stamp);
    this.received.left.push(departed(here, isKnownLater ? known : [clock, uid + 1, origin]));
  }

  /** Whether a record is another's for all that is known: by a later word than here; or with its user, who was one with those it left. */
  #hasLeft({ statements: { userId: said }, owners }: State, here: State): boolean {
    const { userId: known } = here.statements;
    if (said && known && isLater(known.stamp, said.stamp)) return false;
    if (said && (!known || isLater(said.stamp, known.stamp))) return true;
    return owners.includes(this.#people.rootOf(ownerNameOf(here)));
  }

  /** Whether a record is here again that had left. A file may be older than that; who is met now, and was set back, shows it again. */
  #isBack(state: State, { outside }: Known): boolean {
    if (!state.fields) return false;
    return this.limits.again === undefined || (saidOf(state) ?? 1) >= Number(outside);
  }

  /** Whether the sender may say this: only of the records of its users, and nothing that takes them away or away from here. */
  #mayTake(state: State, here: Known | undefined): boolean {
    const { users } = this.limits;
    if (users === undefined) return true;
    // A log may go to a user who is not synced; the user stays, whom only an admin may delete.
    if (state.outside && state.kind === 'user') return false;
    if (state.life > MOST_LIVES_OF_TOKEN || state.owners.length > MOST_PEOPLE_OF_TOKEN) return false;
    const mine = (name: Name) => this.#people.isOf(name, users);
    // A name without a uid is that of any record with its id: it could be given to one of others that is yet to be made.
    const isFree = (name: Name) => {
      const [origin, , uid] = partsOf(name);
      return uid !== 0 || mine(name) || this.#names.isOfPatient(origin, users);
    };
    if (!here && ![state.name, ...state.owners].every(isFree)) return false;
    if (state.kind === 'user') {
      // What is older than what is known here says nothing.
      const { fields, life } = here ? merge(here.state, state, statementsOf('user')) : state;
      const into = fields?.[INTO] ?? null;
      const isInto = typeof into === 'string' && mine(into);
      if (!here) return isInto && this.#countMerged(users) < MOST_PEOPLE_OF_TOKEN;
      // Its records would be another's.
      const isTold = isInto || into === (here.state.fields?.[INTO] ?? null);
      // One who is deleted on both sides shows under nobody.
      const isTheirs = mine(state.name) || (here.state.life % 2 === 0 && users.includes(here.id ?? 0));
      return isTold && isTheirs && life % 2 === here.state.life % 2;
    }
    const isHere = !here || mine(ownerNameOf(here.state)) || here.state.owners.every((name) => mine(name));
    const owner = state.fields && !state.outside ? ownerNameOf(state) : undefined;
    return isHere && (owner === undefined ? here !== undefined : mine(owner));
  }

  /** How many users show under these. */
  #countMerged(users: readonly number[]): number {
    const names = new Set([...everMerged(this.db), ...this.#of('user').keys()]);
    return [...names].filter((name) => this.#people.isOf(name, users)).length;
  }

  /** @returns the statements of here that are replaced without having been known there */
  #noteDisputes(
    here: Known,
    there: State,
    groups: ReadonlyMap<string, readonly string[]>,
  ): ReadonlyMap<string, Dispute> {
    const replaced = new Map<string, Dispute>();
    // Of a user who shows under another only that is told.
    const id = here.row?.id ?? (typeof here.state.fields?.[INTO] === 'string' ? here.id : undefined);
    if (id === undefined) return replaced;
    const shown = (name: string, cell: Cell): Cell =>
      (name === 'userId' || name === INTO) && typeof cell === 'string'
        ? (this.#people.ownerId(cell) ?? null)
        : cell;
    for (const group of disputed(here.state, there, groups)) {
      const [ours, theirs] = [here.state.statements[group], there.statements[group]];
      if (!ours || !theirs || (!here.row && group !== INTO)) continue;
      const said = (groups.get(group) ?? []).map((field) => ({
        field,
        here: shown(field, here.state.fields?.[field] ?? null),
        there: shown(field, there.fields?.[field] ?? null),
      }));
      const fields = said.filter((one) => one.here !== one.there);
      // Given to two users who are one.
      if (fields.length === 0) continue;
      const counts = isLater(theirs.stamp, ours.stamp) ? 'there' : 'here';
      const at = { here: Math.floor(ours.stamp[0] / 1000), there: Math.floor(theirs.stamp[0] / 1000) };
      const dispute: Dispute = { record: here.state.kind, id, fields, counts, at };
      this.received.disputes.push(dispute);
      if (counts === 'there') replaced.set(group, dispute);
    }
    return replaced;
  }

  /** What waits for users who are there by now: they may have come back by an undo or a restore here. */
  #gatherWaiting(): void {
    const owners = this.db.column<Name>('SELECT DISTINCT owner FROM replicas WHERE owner IS NOT NULL');
    for (const owner of owners.filter((name) => this.#people.ownerId(name) !== undefined))
      for (const kind of ownedKindNames) this.#gather(kind, this.#waiting(kind, owner));
  }

  /** What came back here since this was last looked at: it may wait for its user, or show under the user of then. */
  #gatherBroughtBack(): void {
    if (!hasWaiting(this.db)) return;
    const settings = new Settings(this.db);
    const [from, to] = [Number(settings.get('looked') ?? 0), this.db.lastId('history')];
    if (from === to) return;
    const came = this.db.all<RecordKey & { userId: number }>(BROUGHT_BACK, from);
    for (const kind of ownedKindNames)
      this.#gather(
        kind,
        came
          .filter(({ record }) => record === kind)
          .map(({ id, userId }) => (isOnePerUser(kind) ? userId : id)),
      );
    settings.set('looked', String(to));
  }

  /** With those who are merged into them, or into users who came or went here: these show while the others are not there. */
  #withMerged(users: readonly MergedRecord[]): MergedRecord[] {
    const people = this.#people;
    const changed = new Set(users.map(({ merged }) => merged.name));
    const merged = mergedUsers(this.db);
    for (const { name, isTouched } of merged) {
      const known = people.find(name);
      if (known && (isTouched || people.isShown(name) !== (known.row !== undefined))) changed.add(name);
    }
    const former = new Map(merged.map(({ name, into }) => [name, into]));
    for (const { name } of merged) {
      const others = this.#reachedFrom(name, former);
      if (!others.some((one) => changed.has(one))) continue;
      changed.add(name);
      this.#putAsItIs('user', people.find(name), true);
      for (const one of others) this.#formerOwners.add(people.find(one)?.id ?? 0);
    }
    return [...changed].flatMap((name) => this.#of('user').get(name) ?? []);
  }

  /** A user, and all under whom the user shows, showed or would show. @param former who was merged into whom until now */
  #reachedFrom(name: Name, former: ReadonlyMap<Name, Name>): Name[] {
    const reached = new Set([name]);
    for (const one of reached)
      for (const into of [former.get(one), this.#people.find(one)?.state.fields?.[INTO]])
        if (typeof into === 'string') reached.add(into);
    return [...reached];
  }

  /** What belongs to these users, shown or not. */
  #gatherBelongings(users: readonly MergedRecord[]): void {
    for (const kind of ownedKindNames) {
      const [now, later]: [Set<number>, Set<number>] = [new Set(), new Set()];
      for (const { id, isNew, merged } of users) {
        const follows = !kindOf(kind).key && this.#people.isShown(merged.name);
        const found = [...this.#waiting(kind, merged.name), ...this.#under(kind, isNew ? undefined : id)];
        for (const one of found) (follows ? later : now).add(one);
      }
      for (const id of this.#formerOwners) for (const one of this.#under(kind, id)) now.add(one);
      this.#gather(kind, [...now]);
      this.#following.push({ kind, ids: [...later] });
    }
  }

  /** The ids of the records that are or were under a user. */
  #under(kind: KindName, user: number | undefined): number[] {
    if (user === undefined) return [];
    const key = keyColumnOf(kind);
    return this.db.column<number>(
      `SELECT ${key} FROM ${kindOf(kind).table} WHERE userId = ?
       UNION ALL SELECT ${key === 'id' ? 'recordId' : 'userId'} FROM history
       WHERE userId = ? AND record = ? AND action = 'delete'`,
      user,
      user,
      kind,
    );
  }

  #gather(kind: KindName, ids: readonly number[]): void {
    for (let at = 0; at < ids.length; at += AT_ONCE)
      for (const known of this.#fold.of(kind, ids.slice(at, at + AT_ONCE)).values())
        this.#putAsItIs(kind, known);
  }

  #putAsItIs(kind: KindName, known: Known | undefined, isLookedAt = false): void {
    if (known && !this.#of(kind).has(known.state.name))
      this.#put({ ...known, merged: known.state, isNew: false, isLookedAt });
  }

  /** The ids of the records of a user that came from elsewhere and are not shown; those that never were are gathered. */
  #waiting(kind: KindName, owner: Name): number[] {
    const sql = `SELECT id AS key, ${NAME} AS name FROM replicas WHERE owner = ? AND record = ?`;
    const waiting = this.db.all<{ key: number | null; name: Name }>(sql, owner, kind);
    for (const { key, name } of waiting)
      if (key === null) this.#putAsItIs(kind, this.#fold.unseen(kind, name));
    return waiting.flatMap(({ key }) => key ?? []);
  }

  /** Of a kind with keys all records of the users concerned: which shows under its own name depends on the others. */
  #gatherSameKeys(): void {
    for (const kind of ownedKindNames) {
      if (!kindOf(kind).key || isOnePerUser(kind)) continue;
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
      // In this order: replicas are those of all kinds.
      `SELECT DISTINCT ${table}.userId FROM ${table} CROSS JOIN replicas ON replicas.id = ${table}.id
       WHERE replicas.record = ? AND ${table}.${field} <> replicas.state ->> '$.fields.${field}'`,
      kind,
    );
  }
}

/** Whether records wait for users, or users came back or were ever one with others: what was done here may let more show. */
export const hasWaiting = (db: Database): boolean =>
  db.value('SELECT 1 FROM replicas WHERE owner IS NOT NULL LIMIT 1') === 1 ||
  everMerged(db).length > 0 ||
  usersBroughtBack(db).length > 0;

/** What several parts tell of one record, as one state: a later part may only name it. */
function together(states: readonly State[]): readonly State[] {
  const byName = new Map<Name, State>();
  for (const state of states) {
    const before = byName.get(state.name);
    const isJoined = before && !before.outside && !state.outside;
    byName.set(state.name, isJoined ? merge(before, state, statementsOf(state.kind)) : state);
  }
  return byName.size === states.length ? states : [...byName.values()];
}

/** Whether it is another matter by now if a user is there, or under whom the user shows: then what belongs to the user is, too. */
const isShownOtherwise = ({ row, outside, state, merged }: MergedRecord): boolean =>
  !row ||
  Boolean(outside) ||
  state.life !== merged.life ||
  (state.fields?.[INTO] ?? null) !== (merged.fields?.[INTO] ?? null);

/** The clock of what says whose a record is; undefined for users and what they have one of. */
const saidOf = ({ statements }: State): number | undefined => statements['userId']?.stamp[0];

/** Of two names of one record the one with a uid. */
const fullerName = (here: Name, there: Name): Name =>
  partsOf(here)[2] === 0 && isSameName(here, there) ? there : here;

/** Parcels, put together to fewer. */
export function* batches(
  parcels: Iterable<Pick<Parcel, 'states' | 'erased'>>,
): Iterable<Pick<Parcel, 'states' | 'erased'>> {
  let states: State[] = [];
  let erased: readonly Erased[] = [];
  for (const parcel of parcels) {
    states = states.length === 0 ? parcel.states : states.concat(parcel.states);
    erased = parcel.erased;
    if (states.length < AT_ONCE) continue;
    yield { states, erased };
    states = [];
  }
  yield { states, erased };
}
