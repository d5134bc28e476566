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

/** The steps that a sync with a service and one with a folder share. */

/** How far a clock over there may be ahead before that is reported, in milliseconds. */
const CLOCK_TOLERANCE_MS = 120_000;

/** What every sync needs. */
export interface SyncContext {
  store: Store;
  /** The name of the remote, for the history. */
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
 * Merges what another database sent, as one change.
 * @param parts one at least; each is parsed by `read` when its turn comes
 * @param isFirst whether both meet for the first time, so that `--as` applies
 */
export function takeOver<T>(
  { store, replication, options, result, now, progress }: SyncRun,
  [part, ...others]: readonly T[],
  read: (part: T) => Parcel,
  isFirst: boolean,
): { taken: ReceiveResult; last: Parcel } {
  const { as, acceptDeletions } = options;
  // A wrong time is reported once: from then on, clocks that are right give later times, too.
  const known = Math.max(now(), replication.latestTime());
  // By name, since the parts are iterated twice if their deletions are too many.
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
  // Of an array, `receive` sees before it begins a change that it holds nothing.
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
  // Several machines of a folder may send the same user.
  for (const pair of replication.sameEmails([...users.values()]))
    if (!result.sameEmails.some((known) => isDeepStrictEqual(known, pair))) result.sameEmails.push(pair);
  return { taken, last };
}

/** At the first contact: makes the user `as` here the same as the one of the other database. Inside a change. */
function meet(store: Store, replication: Replication, as: number, { view, states }: Parcel): void {
  store.users.get(as);
  // Without the user of here, who may have been sent there before.
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

/** Counts the states that would be sent after a position. */
export function countUnsent({ result }: SyncRun, collector: Collector, from: Position = START): void {
  for (let at = from, isLast = false; !isLast; ) {
    const told = collector.after(at);
    for (const { kind } of told.states) result.pushed[kind].changed++;
    ({ to: at, isLast } = told);
  }
}

/** Merges in a change that is rolled back. @returns the result */
export function dryRun({ store, result }: SyncRun, take: () => void): SyncResult {
  rehearse((work) => store.change(work), take);
  result.changes = [];
  for (const dispute of result.disputes) delete dispute.change;
  return result;
}

/** Applies the deletions that were held back before, and erases what was erased over there, if the options say so. */
export function applyConsents({ store, replication, options, result }: SyncRun): void {
  if (options.acceptDeletions && replication.held().length > 0) {
    const received = noneReceived();
    replication.settleHeld('delete', received);
    addCounts(result.pulled, received.counts);
    result.changes.push(...[store.latestChange].filter((change) => change !== undefined));
  }
  if (options.acceptErase && store.remotes.holdsErased()) Object.assign(result, store.eraseAsElsewhere());
  // What was erased over there and never showed here is deleted by now, but may be in the write-ahead log.
  store.checkpoint();
}

/** The result, with what is left for a person to decide. @param seq as of `SyncResult` */
export function finish({ store, replication, result }: SyncRun, seq: number): SyncResult {
  result.erasedThere = store.remotes.erasedElsewhere();
  // Without users to be erased, since a merge would erase both, and without those who are gone by now.
  const going = idsOf(result.erasedThere, 'user');
  const stays = (id: number) => store.users.has(id) && !going.includes(id);
  result.sameEmails = result.sameEmails.filter(({ id, other }) => stays(id) && stays(other));
  result.held = replication.held();
  result.seq = seq;
  return result;
}
