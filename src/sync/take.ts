import { type AnyRecord, type KindName, kindNames, ownedKindNames } from '../domain/kinds.ts';
import type { Arrival } from '../store/sync/arrivals.ts';
import type { Counterpart } from '../store/sync/counterparts.ts';
import { decide, newer, type State, same } from './decide.ts';
import { addConflict, type ConflictKind, conflictKind } from './result.ts';
import { allowed, isFree, ofTheirs, oursOf, type Session, theirUserOf, toOurs } from './session.ts';

/** An arrival, and the record here that is its counterpart. */
interface Met {
  arrival: Arrival;
  counterpart: Counterpart;
  ours: State;
  theirs: State;
}

/**
 * Takes over what has arrived, inside one change: what only they changed is changed here; what both changed is a conflict,
 * decided by `onConflict` or left. What only we changed is for `send`.
 */
export class Taking {
  /** Records whose place another one still has. */
  #deferred: Arrival[] = [];
  /** Users who were deleted there: they go last, once it is known what is left of them here. */
  readonly #users: Met[] = [];
  /** Records of users who were deleted here, by those users. */
  readonly #ownerless = new Map<number, { arrival: Arrival; theirs: AnyRecord }[]>();
  /** Users who were erased there: nothing of them is taken. */
  readonly #erased = new Set<number>();

  /**
   * @param isAnew everything has arrived, not only what changed
   * @param pairsTwins whether a record that holds the same as one here, both without counterpart, is that one
   */
  constructor(
    private readonly session: Session,
    private readonly isAnew: boolean,
    private readonly pairsTwins: boolean,
  ) {}

  run(): void {
    const { arrivals, origin, progress, me } = this.session;
    arrivals.takeConflicts(origin, me.users, this.isAnew);
    let count = 0;
    for (const record of kindNames) {
      if (record === 'log') this.#takeNewLogs();
      for (const arrival of arrivals.of(record)) {
        this.#settle(arrival);
        progress('take', ++count);
      }
    }
    for (const [userId, waiting] of this.#ownerless) this.#settleOwnerless(userId, waiting);
    this.#retry();
    for (const met of this.#users) this.#deleteUser(met);
    this.session.differences.dropTwins();
  }

  #takeNewLogs(): void {
    const { tables, origin, state, result, differences } = this.session;
    const twins = this.pairsTwins ? differences.twins : undefined;
    const options = { keepsIds: state.keepsIds, erased: this.#erased, twins };
    result.pulled.log.created += tables.newLogsFrom(origin).take(options);
  }

  /** Tries again what had no place, as long as that helps. */
  #retry(): void {
    for (let before = Number.POSITIVE_INFINITY; this.#deferred.length < before; ) {
      const again = this.#deferred;
      before = again.length;
      this.#deferred = [];
      for (const arrival of again) this.#settle(arrival);
    }
    for (const arrival of this.#deferred) this.#leave(arrival, 'name taken', null);
    this.#deferred = [];
  }

  #settle(arrival: Arrival): void {
    const { session } = this;
    const { record, theirId, state, isErased } = arrival;
    const counterpart = ofTheirs(session, record, theirId);
    if (this.#erased.has(arrival.theirUser)) return;
    if (isErased) {
      this.#erased.add(arrival.theirUser);
      if (counterpart) this.#noteErasure(arrival, counterpart);
      else session.tables.syncs.removeErased(session.origin, theirId);
      return;
    }
    const record_ = state === null ? null : (JSON.parse(state) as AnyRecord);
    const theirs = record_ && toOurs(session, record, record_, counterpart?.ourId ?? 0);
    if (theirs === undefined) return;
    if (theirs && record !== 'user' && !this.#hasOwner(arrival, theirs, counterpart)) return;
    if (!counterpart) {
      if (theirs) this.#takeNew(arrival, theirs);
      return;
    }
    const ours = oursOf(session, record, counterpart.ourId);
    if (theirs && !ours && counterpart.before && !arrival.isLater) {
      // Both had deleted it, and nothing says that this is the same one: its id may have been given again.
      session.store.counterparts.remove(session.origin, record, theirId);
      this.#takeNew(arrival, theirs);
    } else this.#meet({ arrival, counterpart, ours, theirs });
  }

  /** The user who was erased there is erased here after this change, or waits for consent. */
  #noteErasure(arrival: Arrival, { ourId }: Counterpart): void {
    const { arrivals, origin, result } = this.session;
    arrivals.keepConflict(origin, arrival);
    result.erasedThere.push(ourId);
  }

  /** Whether the user of a record is here; if not, it is decided with all that came of this user. */
  #hasOwner(arrival: Arrival, theirs: AnyRecord, counterpart: Counterpart | undefined): boolean {
    const { userId } = theirs as { userId: number };
    if (this.session.store.users.has(userId)) return true;
    // What was there before goes with its user.
    if (counterpart && same(arrival.record, theirs, counterpart.agreed)) return false;
    const others = this.#ownerless.get(userId);
    if (others) others.push({ arrival, theirs });
    else this.#ownerless.set(userId, [{ arrival, theirs }]);
    return false;
  }

  /**
   * Records of a user who was deleted here. If conflicts are decided and one of them is newer than the deletion, the user comes
   * back; otherwise they wait until the user is deleted there as well.
   */
  #settleOwnerless(userId: number, waiting: readonly { arrival: Arrival; theirs: AnyRecord }[]): void {
    const { session } = this;
    const { store, origin, options, arrivals, result } = session;
    const owner = store.counterparts.ofOurs(origin, 'user', userId);
    const isDecided = options.onConflict !== undefined && owner?.agreed;
    const isNewer = waiting.some(({ arrival }) => this.#winner('user', userId, arrival) === 'theirs');
    if (isDecided && isNewer) {
      store.users.restore(owner.agreed as never);
      result.pulled.user.created++;
      for (const { arrival } of waiting) this.#settle(arrival);
    } else if (isDecided && allowed(session, 'delete user')) {
      session.deletable.add(owner.theirId);
      for (const { arrival } of waiting) arrivals.keepConflict(origin, arrival);
    } else for (const { arrival, theirs } of waiting) this.#leave(arrival, 'user deleted here', null, theirs);
  }

  /** A record that is new here. */
  #takeNew(arrival: Arrival, theirs: AnyRecord): void {
    const { session } = this;
    const { record } = arrival;
    const other = session.store.of(record).withSameKey(theirs);
    if (other) {
      if (isFree(this.session, record, other.id)) this.#pair(arrival, other, { ...theirs, id: other.id });
      else this.#deferred.push(arrival);
      return;
    }
    const twin = this.pairsTwins ? session.differences.takeTwin(record, theirs) : undefined;
    if (twin !== undefined) this.#agree(arrival, twin, { ...theirs, id: twin });
    else this.#create(arrival, theirs);
  }

  /** Two records that both sides have made, of which there can be only one. */
  #pair(arrival: Arrival, other: AnyRecord, theirs: AnyRecord): void {
    const { record, theirId } = arrival;
    const { counterparts } = this.session.store;
    const former = counterparts.ofOurs(this.session.origin, record, other.id);
    if (former) counterparts.remove(this.session.origin, record, former.theirId);
    const counterpart = { record, theirId, ourId: other.id, agreed: null };
    counterparts.set(this.session.origin, counterpart);
    this.#meet({ arrival, counterpart, ours: other, theirs });
  }

  #create(arrival: Arrival, theirs: AnyRecord): void {
    const { store, state, differences, result } = this.session;
    const { record, theirId } = arrival;
    const { id: _, ...input } = theirs;
    const verbs = store.of(record);
    let id = theirId;
    if (state.keepsIds && theirId > differences.lastId(record)) verbs.restore({ ...theirs, id });
    else ({ id } = verbs.create(input));
    this.#agree(arrival, id, { ...theirs, id });
    result.pulled[record].created++;
  }

  /** A record that both know. */
  #meet(met: Met): void {
    const { arrival, counterpart, ours, theirs } = met;
    const { record, isLater } = arrival;
    const { agreed, before } = counterpart;
    if (!agreed && before && ours && theirs) {
      // Both had deleted it, and have it again.
      this.#agree(arrival, counterpart.ourId, before);
      this.#meet({ ...met, counterpart: { ...counterpart, agreed: before } });
      return;
    }
    // Ours goes with a user who was erased there; theirs is another's by now.
    if (ours && theirs && this.#isOfErased(ours)) {
      this.#take(met);
      return;
    }
    switch (decide({ record, base: counterpart.agreed, ours, theirs, isLater })) {
      case 'agree':
        this.#agree(arrival, counterpart.ourId, theirs);
        return;
      case 'pull':
      case 'delete here':
        this.#take(met);
        return;
      case 'push':
        return;
      case 'conflict':
        this.#decideConflict(met);
    }
  }

  /** Whether a record here belongs to a user who was erased there. */
  #isOfErased(ours: AnyRecord): boolean {
    const hasErased = this.#erased.size > 0 && 'userId' in ours;
    return hasErased && this.#erased.has(theirUserOf(this.session, ours.userId));
  }

  #decideConflict(met: Met): void {
    const { arrival, counterpart, ours, theirs } = met;
    const { record } = arrival;
    if (this.session.options.onConflict === undefined) {
      this.#leave(arrival, conflictKind(arrival.isLater, ours, theirs), ours, theirs);
      return;
    }
    if (this.#winner(record, counterpart.ourId, arrival) === 'theirs') this.#take(met);
    // What they have is known, and ours differs from it: it is sent as a change, or restored.
    else this.#agree(arrival, counterpart.ourId, theirs);
  }

  #winner(record: KindName, ourId: number, { at }: Arrival): 'ours' | 'theirs' {
    return newer(this.session.differences.changedAt(record, ourId), at ?? undefined);
  }

  /** Makes ours as theirs is. */
  #take(met: Met): void {
    const { store, origin, result } = this.session;
    const { arrival, counterpart, ours, theirs } = met;
    const { record } = arrival;
    const verbs = store.of(record);
    if (!theirs) {
      if (record === 'user') {
        this.#users.push(met);
        return;
      }
      verbs.delete(counterpart.ourId);
      result.pulled[record].deleted++;
    } else {
      const other = verbs.withSameKey(theirs, counterpart.ourId);
      if (other && !ours && isFree(this.session, record, other.id)) {
        // What was deleted here has been made anew: that is its counterpart now.
        store.counterparts.remove(origin, record, arrival.theirId);
        this.#takeNew(arrival, theirs);
        return;
      }
      if (other) {
        this.#deferred.push(arrival);
        return;
      }
      if (ours) verbs.replace(counterpart.ourId, theirs);
      else verbs.restore(theirs);
      result.pulled[record][ours ? 'changed' : 'created']++;
    }
    this.#agree(arrival, counterpart.ourId, theirs);
  }

  /** Deletes a user who was deleted there, unless there are records here that are not there. */
  #deleteUser(met: Met): void {
    const { store, differences, options, result } = this.session;
    const { arrival, counterpart, ours } = met;
    const { ourId } = counterpart;
    const left = ownedKindNames.filter((kind) => store.of(kind).count({ userId: ourId }) > 0);
    if (left.length > 0) {
      if (options.onConflict === undefined) {
        this.#leave(arrival, 'records left here', ours);
        return;
      }
      if (newer(differences.belongingsChangedAt(ourId), arrival.at ?? undefined) === 'ours') {
        this.#agree(arrival, ourId, null);
        return;
      }
    }
    store.users.delete(ourId);
    differences.setUserDeleted(ourId);
    result.pulled.user.deleted++;
  }

  /** Notes what both sides have now, or that neither has it any more. */
  #agree({ record, theirId }: Arrival, ourId: number, agreed: State): void {
    const { store, origin } = this.session;
    if (agreed) store.counterparts.set(origin, { record, theirId, ourId, agreed: { ...agreed, id: ourId } });
    else store.counterparts.setDeleted(origin, record, theirId);
  }

  /** Leaves a record as it is on both sides, until somebody decides. */
  #leave(arrival: Arrival, kind: ConflictKind, ours: State, theirs: State = null): void {
    const { arrivals, origin, result } = this.session;
    arrivals.keepConflict(origin, arrival);
    addConflict(result, { kind, record: arrival.record, theirId: arrival.theirId }, ours, theirs);
  }
}
