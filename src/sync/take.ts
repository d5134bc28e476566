import { isDeepStrictEqual } from 'node:util';
import { SciaticaError } from '../domain/errors.ts';
import { type Collector, type Position, START } from '../store/reconcile/collect.ts';
import type { Parcel } from '../store/reconcile/parcel.ts';
import { addCounts, idsOf, noneReceived } from '../store/reconcile/received.ts';
import type { ReceiveResult, Replication } from '../store/reconcile/replication.ts';
import { latestClock, type Name, type State } from '../store/reconcile/state.ts';
import { rehearse } from '../store/records/changes.ts';
import type { Store } from '../store/store.ts';
import type { Progress, SyncOptions, SyncResult } from './result.ts';

/** What every sync does, whatever carries it. */

/** How far apart two clocks may be, in milliseconds. */
const CLOCK_TOLERANCE_MS = 120_000;

/** What it works with. */
export interface SyncContext {
  store: Store;
  /** Name of the remote, for the history. */
  remote: string;
  /** The clock, in milliseconds since 1970. */
  now: () => number;
  progress?: Progress;
}

/** A sync under way. */
export interface SyncRun extends SyncContext {
  /** Of `store`. */
  replication: Replication;
  options: SyncOptions;
  /** What it has done so far. */
  result: SyncResult;
}

/**
 * Takes over what another database tells, as one change.
 * @param parts one at least; each is read when its turn comes, by `read`
 * @param isFirst whether both meet for the first time
 */
export function takeOver<T>(
  { store, replication, options, result, now, progress }: SyncRun,
  [part, ...others]: readonly T[],
  read: (part: T) => Parcel,
  isFirst: boolean,
): { taken: ReceiveResult; last: Parcel } {
  const { as, acceptDeletions } = options;
  // What follows a time that was wrong once is dated after it, by machines whose clocks are right.
  const known = Math.max(now(), replication.latestTime());
  // By name: what is told is gone through twice where its deletions are too many.
  const users = new Map<Name, State>();
  const next = (one: T): Parcel => {
    const parcel = read(one);
    progress?.('receive', parcel.states.length);
    const time = latestClock(parcel.states) / 1000;
    if (time > known + CLOCK_TOLERANCE_MS) result.ahead = Math.max(result.ahead, time - now());
    for (const state of parcel.states) if (state.kind === 'user') users.set(state.name, state);
    return parcel;
  };
  const first = next(part as T);
  let last = first;
  const parcels = {
    *[Symbol.iterator](): Generator<Parcel> {
      yield first;
      for (const one of others) {
        last = next(one);
        yield last;
      }
    },
  };
  // Of an array it is seen, before any change begins, that it has nothing.
  const taken = replication.receive(others.length === 0 ? [first] : parcels, {
    acceptDeletions,
    before: isFirst && as !== undefined ? () => meet(store, replication, as, first) : undefined,
  });
  addCounts(result.pulled, taken.counts);
  // A record may be in two parts: as it changed here, and as it came from a third machine.
  for (const one of taken.disputes)
    if (!result.disputes.some((known) => isDeepStrictEqual(known, one))) result.disputes.push(one);
  result.refused += taken.refused;
  result.changes.push(...taken.changes);
  // Of the machines of a folder several may tell of one user.
  for (const pair of replication.sameEmails([...users.values()]))
    if (!result.sameEmails.some((known) => isDeepStrictEqual(known, pair))) result.sameEmails.push(pair);
  return { taken, last };
}

/** At the first contact: lets a user here be the one of the other database, where that is said. Inside a change. */
function meet(store: Store, replication: Replication, as: number, { view, states }: Parcel): void {
  store.users.get(as);
  // The one of here may have been there before.
  const users = states.filter(
    ({ kind, name, fields }) => kind === 'user' && fields && replication.idOfUser(name) !== as,
  );
  const [user, second] = view ? users.filter(({ name }) => view.includes(name)) : users;
  if (second)
    throw new SciaticaError(
      'invalid',
      (command) =>
        `--as ${as}: several users come from there, and only one can be user ${as}. Ask there for that one user only (sciatica token add --role patient, or --user of a folder), or merge them afterwards: ${command('user merge')}`,
    );
  if (user) replication.adopt(as, user);
}

/** Counts what would be sent from a position on. */
export function countUnsent({ result }: SyncRun, collector: Collector, from: Position = START): void {
  for (let at = from, isLast = false; !isLast; ) {
    const told = collector.after(at);
    for (const { kind } of told.states) result.pushed[kind].changed++;
    ({ to: at, isLast } = told);
  }
}

/** Takes over as a change that is taken back. @returns what came of it */
export function dryRun({ store, result }: SyncRun, take: () => void): SyncResult {
  rehearse((work) => store.change(work), take);
  result.changes = [];
  for (const dispute of result.disputes) delete dispute.change;
  return result;
}

/** Makes the deletions here that were held back before, and erases what was erased over there, if that was asked for. */
export function applyConsents({ store, replication, options, result }: SyncRun): void {
  if (options.acceptDeletions && replication.held().length > 0) {
    const received = noneReceived();
    replication.settleHeld('delete', received);
    addCounts(result.pulled, received.counts);
    result.changes.push(...[store.latestChange].filter((change) => change !== undefined));
  }
  if (options.acceptErase && store.remotes.holdsErased()) Object.assign(result, store.eraseAsElsewhere());
  // The write-ahead log may still hold who was erased over there, never showed here, and is forgotten by now.
  store.checkpoint();
}

/** The result, with what is left for a person to decide. @param seq as of `SyncResult` */
export function finish({ store, replication, result }: SyncRun, seq: number): SyncResult {
  result.erasedThere = store.remotes.erasedElsewhere();
  // Whoever is merged with one who is to be erased would be erased too; and since they were met, some may have gone.
  const going = idsOf(result.erasedThere, 'user');
  const stays = (id: number) => store.users.has(id) && !going.includes(id);
  result.sameEmails = result.sameEmails.filter(({ id, other }) => stays(id) && stays(other));
  result.held = replication.held();
  result.seq = seq;
  return result;
}
