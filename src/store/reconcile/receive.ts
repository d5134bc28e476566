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

/** Which states a sender may send, and how they are merged. */
export interface Limits extends Deletions {
  /** The ids of the users whose records the sender may send; all without it. */
  users?: readonly number[] | undefined;
  /** Replaces a received state before it is merged with what is known here: an import repeats what an undo took back. */
  again?: ((told: State, here: Known) => State) | undefined;
  /** Leaves statements that replace concurrent ones of here for changes of their own. */
  setsApart?: boolean | undefined;
}

/** The highest causal length from a token for some users: nobody deletes and restores by hand so often. */
const MOST_LIVES_OF_TOKEN = 1_000_000;

/** Most owners of a record, and most users merged into those of a token, that a token for some users may send. */
const MOST_PEOPLE_OF_TOKEN = 100;

/** Most states per exchange that are set apart: the rest is merged with all others. */
const MOST_APART = 100;

/** How many records are computed, and states merged, at once: more take more memory, fewer more time. */
const AT_ONCE = 5_000;

/** SQL: the records that were created once more after an entry of the history, as by a restore. */
const BROUGHT_BACK = `SELECT record, recordId AS id, userId FROM history AS entry WHERE seq > ? AND action = 'create' AND EXISTS (
  SELECT 1 FROM history WHERE recordId = entry.recordId AND record = entry.record AND seq < entry.seq)`;

/** Merges received states with those here, and updates the tables. To be used inside a change. */
export class Receiver {
  readonly #names: Names;
  readonly #fold: Fold;
  readonly #merges: UserMerges;
  readonly #gathered = new Map<KindName, Map<Name, MergedRecord>>(kindNames.map((kind) => [kind, new Map()]));
  readonly #erasures: Erasures;
  /** Records that are written after their users, in batches: a user may have more than memory holds. */
  readonly #deferred: { kind: KindName; ids: readonly number[] }[] = [];
  /** The ids of users under whom the records of merged users showed until now. */
  readonly #formerOwners = new Set<number>();

  /** @param received the results are added to it */
  constructor(
    private readonly db: Database,
    private readonly limits: Limits = {},
    private readonly received = noneReceived(),
  ) {
    this.#names = new Names(db);
    this.#fold = new Fold(db, this.#names);
    this.#merges = new UserMerges(this.#fold);
    this.#erasures = new Erasures(db, this.#names);
  }

  /** Merges states of any kinds, in any order. */
  run(states: readonly State[]): void {
    this.#gatherAnew('user', usersBroughtBack(this.db));
    for (const kind of kindNames) {
      const ofKind = states.filter((state) => state.kind === kind);
      const ids = new Map(ofKind.map((state) => [state, partsOf(state.name)[1]]));
      // By their original ids, so that new ids here are in the same order.
      ofKind.sort((a, b) => (ids.get(a) ?? 0) - (ids.get(b) ?? 0));
      this.#mergeAll(kind, together(ofKind));
    }
    this.#finish([...this.#of('user').values()].filter(isShownOtherwise));
  }

  /** Computes anew what shows of records, after a consent or a merge of users. @param change gives the state of a record */
  rerun(change: (known: Known) => State, kind: KindName, ids: readonly number[]): void {
    this.#gatherAnew(kind, ids, (known) => ({ ...known, state: change(known), held: false }));
    this.#finish([...this.#of('user').values()]);
  }

  /** Adds records whose rows in `replicas` are written anew. @param as changes what is known of a record before that */
  #gatherAnew(kind: KindName, ids: readonly number[], as = (known: Known): Known => known): void {
    for (const found of this.#fold.of(kind, ids).values()) {
      const known = as(found);
      this.#put({ ...known, merged: known.state, isNew: false, isLookedAt: true });
    }
  }

  /** @param changed the users who appear, disappear, or show under another one */
  #finish(changed: readonly MergedRecord[]): void {
    this.#gatherBelongings(this.#withMerged(changed));
    this.#gatherWaiting();
    this.#gatherBroughtBack();
    this.#gatherSameKeys();
    this.#project();
    for (const { kind, ids } of this.#deferred)
      for (let at = 0; at < ids.length; at += AT_ONCE) {
        for (const met of this.#gathered.values()) met.clear();
        this.#gather(kind, ids.slice(at, at + AT_ONCE));
        this.#project();
      }
  }

  #project(): void {
    const changed = new Projection(this.db, this.#names, this.#merges, this.#gathered, this.received).run(
      this.limits,
    );
    // Other records that changed too, as those of a restored user, are news to the sender.
    this.received.isEcho &&= changed.every(({ merged, told }) => told && isEqualState(told, merged));
  }

  #of(kind: KindName): Map<Name, MergedRecord> {
    return this.#gathered.get(kind) as Map<Name, MergedRecord>;
  }

  #put(met: MergedRecord): void {
    this.#of(met.merged.kind).set(met.merged.name, met);
    if (met.merged.kind === 'user') this.#merges.set({ ...met, state: met.merged });
  }

  #mergeAll(kind: KindName, states: readonly State[]): void {
    if (states.length === 0) return;
    const known = this.#fold.named(
      kind,
      states.map(({ name }) => name),
    );
    if (kind !== 'user') this.#merges.load(states.map(ownerNameOf));
    const groups = statementsOf(kind);
    for (const told of states) {
      const { id, here } = known.get(told.name) ?? {};
      const state = (here && this.limits.again?.(told, here)) ?? told;
      // Before erasures are looked at: a token must not learn from the count who else was erased.
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
      // Also if the value here wins, since no other machine may notice the dispute.
      const replaced = this.#noteDisputes(here, state, groups);
      const isApart = replaced.size > 0 && this.limits.setsApart && this.received.apart.length < MOST_APART;
      if (isApart) this.received.apart.push({ state, disputes: [...replaced.values()] });
      const taken = isApart ? without(state, replaced) : state;
      const merged = merge({ ...here.state, name: fullerName(here.state.name, state.name) }, taken, groups);
      const isNamed = merged.name === here.state.name;
      if (isNamed && isEqualState(merged, here.state) && !here.outside) continue;
      // The row of a record with an id is replaced by that id; one without is deleted by its former name.
      if (!isNamed && id === undefined) this.#names.forget(kind, here.state.name);
      // After a restore or another deletion, it is not the deletion that was held back.
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

  /** Answers that a record belongs to another user, with a stamp above the sender's, so that it stops showing the record. */
  #noteLeft({ statements: { userId: told } }: State, here: State | undefined): void {
    if (!told || !here || this.#merges.isOf(ownerNameOf(here), this.limits.users)) return;
    const [known, [clock, uid, origin]] = [here.statements['userId']?.stamp, told.stamp];
    const isKnownLater = known && isLater(known, told.stamp);
    this.received.left.push(departed(here, isKnownLater ? known : [clock, uid + 1, origin]));
  }

  /**
   * Whether a departed record is another user's: by a statement later than that of here, or as it shows under one that it left.
   */
  #hasLeft({ statements: { userId: said }, owners }: State, here: State): boolean {
    const { userId: known } = here.statements;
    if (said && known && isLater(known.stamp, said.stamp)) return false;
    if (said && (!known || isLater(said.stamp, known.stamp))) return true;
    return owners.includes(this.#merges.rootOf(ownerNameOf(here)));
  }

  /** Whether a record is back in the view that it had left. A sync says what is so now; a file may be older than that. */
  #isBack(state: State, { outside }: Known): boolean {
    if (!state.fields) return false;
    return this.limits.again === undefined || (saidOf(state) ?? 1) >= Number(outside);
  }

  /** Whether the sender may send a state: only of its users, and nothing that deletes them or gives their records to others. */
  #mayTake(state: State, here: Known | undefined): boolean {
    const { users } = this.limits;
    if (users === undefined) return true;
    // A record may leave the view with a new owner, but a user may not: only an admin deletes users.
    if (state.outside && state.kind === 'user') return false;
    if (state.life > MOST_LIVES_OF_TOKEN || state.owners.length > MOST_PEOPLE_OF_TOKEN) return false;
    const mine = (name: Name) => this.#merges.isOf(name, users);
    // A name without a uid matches any record with its id, also one that another user makes later.
    const isFree = (name: Name) => {
      const [origin, , uid] = partsOf(name);
      return uid !== 0 || mine(name) || this.#names.isOfPatient(origin, users);
    };
    if (!here && ![state.name, ...state.owners].every(isFree)) return false;
    if (state.kind === 'user') {
      // Judged after the merge: statements older than those here have no effect.
      const { fields, life } = here ? merge(here.state, state, statementsOf('user')) : state;
      const into = fields?.[INTO] ?? null;
      const isInto = typeof into === 'string' && mine(into);
      if (!here) return isInto && this.#countMerged(users) < MOST_PEOPLE_OF_TOKEN;
      // A pointer to a user of others would give them its records.
      const isTold = isInto || into === (here.state.fields?.[INTO] ?? null);
      // A user who is deleted on both sides shows under nobody, and is found by its id.
      const isTheirs = mine(state.name) || (here.state.life % 2 === 0 && users.includes(here.id ?? 0));
      return isTold && isTheirs && life % 2 === here.state.life % 2;
    }
    const isHere = !here || mine(ownerNameOf(here.state)) || here.state.owners.every((name) => mine(name));
    const owner = state.fields && !state.outside ? ownerNameOf(state) : undefined;
    return isHere && (owner === undefined ? here !== undefined : mine(owner));
  }

  /** How many users are these, or are merged into them. */
  #countMerged(users: readonly number[]): number {
    const names = new Set([...everMerged(this.db), ...this.#of('user').keys()]);
    return [...names].filter((name) => this.#merges.isOf(name, users)).length;
  }

  /** @returns the statements of here that a concurrent one of there replaces, with the dispute */
  #noteDisputes(
    here: Known,
    there: State,
    groups: ReadonlyMap<string, readonly string[]>,
  ): ReadonlyMap<string, Dispute> {
    const replaced = new Map<string, Dispute>();
    // A merged user has no row: only a dispute about the merge itself is reported.
    const id = here.row?.id ?? (typeof here.state.fields?.[INTO] === 'string' ? here.id : undefined);
    if (id === undefined) return replaced;
    const shown = (name: string, cell: Cell): Cell =>
      (name === 'userId' || name === INTO) && typeof cell === 'string'
        ? (this.#merges.ownerId(cell) ?? null)
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
      // Two users of whom one is merged into the other: nothing differs that shows.
      if (fields.length === 0) continue;
      const counts = isLater(theirs.stamp, ours.stamp) ? 'there' : 'here';
      const at = { here: Math.floor(ours.stamp[0] / 1000), there: Math.floor(theirs.stamp[0] / 1000) };
      const dispute: Dispute = { record: here.state.kind, id, fields, counts, at };
      this.received.disputes.push(dispute);
      if (counts === 'there') replaced.set(group, dispute);
    }
    return replaced;
  }

  /** Adds the records whose owners are present by now, perhaps after an undo or a restore here. */
  #gatherWaiting(): void {
    const owners = this.db.column<Name>('SELECT DISTINCT owner FROM replicas WHERE owner IS NOT NULL');
    for (const owner of owners.filter((name) => this.#merges.ownerId(name) !== undefined))
      for (const kind of ownedKindNames) this.#gather(kind, this.#waiting(kind, owner));
  }

  /** Adds the records that were restored here since the last exchange: their owner may be absent, or another one by now. */
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

  /** Adds the users merged into these, or into users who were deleted or restored here: they show while those are absent. */
  #withMerged(users: readonly MergedRecord[]): MergedRecord[] {
    const merges = this.#merges;
    const changed = new Set(users.map(({ merged }) => merged.name));
    const merged = mergedUsers(this.db);
    for (const { name, isTouched } of merged) {
      const known = merges.find(name);
      if (known && (isTouched || merges.isShown(name) !== (known.row !== undefined))) changed.add(name);
    }
    const former = new Map(merged.map(({ name, into }) => [name, into]));
    for (const { name } of merged) {
      const others = this.#reachedFrom(name, former);
      if (!others.some((one) => changed.has(one))) continue;
      changed.add(name);
      this.#putUnchanged('user', merges.find(name), true);
      for (const one of others) this.#formerOwners.add(merges.find(one)?.id ?? 0);
    }
    return [...changed].flatMap((name) => this.#of('user').get(name) ?? []);
  }

  /** A user, and all users at whom it points or pointed, directly or not. @param former who pointed at whom before this merge */
  #reachedFrom(name: Name, former: ReadonlyMap<Name, Name>): Name[] {
    const reached = new Set([name]);
    for (const one of reached)
      for (const into of [former.get(one), this.#merges.find(one)?.state.fields?.[INTO]])
        if (typeof into === 'string') reached.add(into);
    return [...reached];
  }

  /** Adds all records of these users, shown or not. */
  #gatherBelongings(users: readonly MergedRecord[]): void {
    for (const kind of ownedKindNames) {
      const [now, later]: [Set<number>, Set<number>] = [new Set(), new Set()];
      for (const { id, isNew, merged } of users) {
        const follows = !kindOf(kind).key && this.#merges.isShown(merged.name);
        const found = [...this.#waiting(kind, merged.name), ...this.#under(kind, isNew ? undefined : id)];
        for (const one of found) (follows ? later : now).add(one);
      }
      for (const id of this.#formerOwners) for (const one of this.#under(kind, id)) now.add(one);
      this.#gather(kind, [...now]);
      this.#deferred.push({ kind, ids: [...later] });
    }
  }

  /** The ids of the records that a user has, or had when they were deleted. */
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
        this.#putUnchanged(kind, known);
  }

  #putUnchanged(kind: KindName, known: Known | undefined, isLookedAt = false): void {
    if (known && !this.#of(kind).has(known.state.name))
      this.#put({ ...known, merged: known.state, isNew: false, isLookedAt });
  }

  /** The ids of a user's records in `replicas` that are not shown. Those that never were have none, and are added. */
  #waiting(kind: KindName, owner: Name): number[] {
    const sql = `SELECT id AS key, ${NAME} AS name FROM replicas WHERE owner = ? AND record = ?`;
    const waiting = this.db.all<{ key: number | null; name: Name }>(sql, owner, kind);
    for (const { key, name } of waiting)
      if (key === null) this.#putUnchanged(kind, this.#fold.unseen(kind, name));
    return waiting.flatMap(({ key }) => key ?? []);
  }

  /** Adds all records of the users concerned, for kinds with a key: which one keeps the key depends on the others. */
  #gatherSameKeys(): void {
    for (const kind of ownedKindNames) {
      if (!kindOf(kind).key || isOnePerUser(kind)) continue;
      const owners = new Set([...this.#of(kind).values()].map(({ merged }) => ownerNameOf(merged)));
      const ids = [
        ...[...owners].flatMap((owner) => this.#merges.ownerId(owner) ?? []),
        ...this.#usersWithOtherKeys(kind, kindOf(kind).key?.field ?? ''),
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

  /** The ids of users with a record that shows another key than it has: the one that it gave way to may be gone by now. */
  #usersWithOtherKeys(kind: KindName, field: string): number[] {
    const { table } = kindOf(kind);
    return this.db.column<number>(
      // CROSS JOIN keeps this order: `replicas` has the records of all kinds.
      `SELECT DISTINCT ${table}.userId FROM ${table} CROSS JOIN replicas ON replicas.id = ${table}.id
       WHERE replicas.record = ? AND ${table}.${field} <> replicas.state ->> '$.fields.${field}'`,
      kind,
    );
  }
}

/** Whether changes made here may let more records show: some wait for users, or users were restored or ever merged. */
export const hasWaiting = (db: Database): boolean =>
  db.value('SELECT 1 FROM replicas WHERE owner IS NOT NULL LIMIT 1') === 1 ||
  everMerged(db).length > 0 ||
  usersBroughtBack(db).length > 0;

/** Joins the states of one record from several parts: a later one may be bare. */
function together(states: readonly State[]): readonly State[] {
  const byName = new Map<Name, State>();
  for (const state of states) {
    const before = byName.get(state.name);
    const isJoined = before && !before.outside && !state.outside;
    byName.set(state.name, isJoined ? merge(before, state, statementsOf(state.kind)) : state);
  }
  return byName.size === states.length ? states : [...byName.values()];
}

/** Whether a merge changes if a user shows, or under whom: then its records are affected, too. */
const isShownOtherwise = ({ row, outside, state, merged }: MergedRecord): boolean =>
  !row ||
  Boolean(outside) ||
  state.life !== merged.life ||
  (state.fields?.[INTO] ?? null) !== (merged.fields?.[INTO] ?? null);

/** The clock of the statement of the owner; undefined for users and one-per-user kinds. */
const saidOf = ({ statements }: State): number | undefined => statements['userId']?.stamp[0];

/** Of two names of one record, the one with a uid. */
const fullerName = (here: Name, there: Name): Name =>
  partsOf(here)[2] === 0 && isSameName(here, there) ? there : here;

/** Joins parcels to larger ones of about `AT_ONCE` states. Each parcel lists all erasures, so those of the last one are taken. */
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
