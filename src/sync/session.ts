import { may, type Right } from '../domain/access.ts';
import type { AnyRecord, KindName } from '../domain/kinds.ts';
import type { Store } from '../store/store.ts';
import type { Arrivals } from '../store/sync/arrivals.ts';
import type { Counterpart } from '../store/sync/counterparts.ts';
import type { Differences } from '../store/sync/differences.ts';
import type { SyncState } from '../store/sync/syncs.ts';
import type { SyncTables } from '../store/sync/tables.ts';
import type { State } from './decide.ts';
import type { Progress, SyncResult } from './result.ts';
import type { Me, Service } from './service.ts';

export interface SyncOptions {
  /** The user here who is the one over there, by id; `new` where that one is not here yet. */
  as?: number | 'new' | undefined;
  /** Decides on records that both sides changed: the one that was changed last. Without it they are left as they are. */
  onConflict?: 'newest' | undefined;
  /** Erases here who was erased over there. */
  acceptErase?: boolean | undefined;
  /** Finds out everything and writes nothing, here or there. */
  dryRun?: boolean | undefined;
}

/** One sync: who takes part, what is known, what has come of it. */
export interface Session {
  /** The records here, changed in the name of the remote. */
  store: Store;
  tables: SyncTables;
  service: Service;
  me: Me;
  /** The number of the database over there; 0 while it has none. */
  origin: number;
  state: SyncState;
  /** The user over there who is synced where only one is; null where all are, or while that one is not there yet. */
  theirUser: number | null;
  /** Users over there who were erased here. */
  erasedHere: ReadonlySet<number>;
  /** Users over there who are to be deleted with all that was decided to go with them. */
  deletable: Set<number>;
  /** Records over there that are others than those which are known under their ids. */
  others: Pick<Counterpart, 'record' | 'theirId'>[];
  arrivals: Arrivals;
  differences: Differences;
  options: SyncOptions;
  result: SyncResult;
  progress: Progress;
}

/** Whether the token may do something over there; without authentication everybody may. */
export const allowed = ({ me }: Session, right: Right): boolean => me.role === null || may(me.role, right);

/** The counterpart of a record over there. */
export const ofTheirs = (
  { store, origin }: Session,
  record: KindName,
  theirId: number,
): Counterpart | undefined => store.counterparts.ofTheirs(origin, record, theirId);

/** Whether a record here has no counterpart, or one that is deleted there. */
export function isFree({ store, origin }: Session, record: KindName, ourId: number): boolean {
  const known = store.counterparts.ofOurs(origin, record, ourId);
  return !known || (known.before ?? null) !== null;
}

/** The id over there of a user here; 0 if it is not known. */
export const theirUserOf = ({ store, origin }: Session, ourId: number): number =>
  store.counterparts.ofOurs(origin, 'user', ourId)?.theirId ?? 0;

/**
 * A record from over there with the ids of here.
 * @param ourId of the record itself; 0 if it has none yet
 * @returns undefined when its user is not known here
 */
export function toOurs(
  session: Session,
  record: KindName,
  theirs: AnyRecord,
  ourId: number,
): AnyRecord | undefined {
  if (record === 'user') return { ...theirs, id: ourId };
  const owner = ofTheirs(session, 'user', (theirs as { userId: number }).userId);
  return owner && ({ ...theirs, id: ourId, userId: owner.ourId } as AnyRecord);
}

/** A record from here as it is sent: without its id, of the user over there. @returns undefined when its user is not known there */
export function toTheirs(
  session: Session,
  record: KindName,
  { id: _, ...ours }: AnyRecord,
): object | undefined {
  if (record === 'user') return ours;
  const { store, origin } = session;
  const owner = store.counterparts.ofOurs(origin, 'user', (ours as { userId: number }).userId);
  return owner && { ...ours, userId: owner.theirId };
}

/**
 * The ids of the users here whose records travel: of the one who is synced, of those that the token covers, or of all where it
 * may make new users. Who was erased over there is not among them.
 */
export function travellers(session: Session): number[] {
  const { me, state, differences, store, origin } = session;
  const erased = new Set(differences.erasedThere().map(({ ourId }) => ourId));
  const isCovered = (ourId: number) => {
    if (erased.has(ourId)) return false;
    if (state.ourUser !== null) return ourId === state.ourUser;
    if (me.users === null && allowed(session, 'create user')) return true;
    const counterpart = store.counterparts.ofOurs(origin, 'user', ourId);
    return counterpart !== undefined && (me.users?.includes(counterpart.theirId) ?? true);
  };
  return differences.users().filter(isCovered);
}

/** A record here; null where there is none. */
export const oursOf = ({ store }: Session, record: KindName, ourId: number): State =>
  store.of(record).find(ourId) ?? null;
