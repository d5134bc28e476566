import { SciaticaError } from '../domain/errors.ts';
import type { Store } from '../store/store.ts';
import type { SyncState } from '../store/sync/syncs.ts';
import type { SyncTables } from '../store/sync/tables.ts';
import { recover } from './deliver.ts';
import { receiveAll, receiveChanges } from './receive.ts';
import { emptyResult, type Progress, type SyncResult } from './result.ts';
import { Sending } from './send.ts';
import { type Me, Service, type Wait } from './service.ts';
import type { Session, SyncOptions } from './session.ts';
import { Taking } from './take.ts';
import type { Transport } from './transport.ts';

/** What a sync works with. */
export interface Means {
  store: Store;
  /** Name of the remote, for the history. */
  remote: string;
  transport: Transport;
  token?: string | undefined;
  wait: Wait;
  /** Makes Idempotency-Keys. */
  makeKey: () => string;
  progress?: Progress;
}

/** How often what changed over there meanwhile is read again. */
const ROUNDS = 4;

/** Undoes what a dry run did. */
class DryRun extends Error {}

/**
 * Lets this database and the one behind a service come to hold the same: takes what was recorded there, sends what was
 * recorded here. What both changed is a conflict. It can be ended at any moment; the next one goes on.
 * @throws SciaticaError `invalid` where it is not said which user is which, `conflict` for two databases with one
 *   identity, `unusable` when the service cannot be used, `busy`
 */
export async function sync(means: Means, options: SyncOptions): Promise<SyncResult> {
  const tables = await means.store.sync();
  const service = new Service(means.transport, means.token, means.wait);
  const me = await service.me();
  if (me.database === means.store.id)
    throw new SciaticaError(
      'conflict',
      'This database and the one of the service have the same identity: one is a copy of the other. Give the copy one of its own: sciatica identity new',
    );
  const result = emptyResult(me.database);
  for (let round = 1; round <= ROUNDS; round++) {
    const session = await sessionOf(means, tables, service, me, options, result);
    const isStale = await runRound(session, means);
    if (!isStale) break;
  }
  return result;
}

/** @returns whether something over there changed meanwhile, so that it has to be read again */
async function runRound(session: Session, means: Means): Promise<boolean> {
  const { options, result, tables, store, origin } = session;
  Object.assign(result, { conflicts: [], conflictCount: 0, refused: [], refusedCount: 0, erasedThere: [] });
  if (!options.dryRun && origin !== 0 && !isElsewhere(session)) await recover(session);
  const isAnew =
    tables.syncs.settleUndone(origin) ||
    session.state.position < 0 ||
    isElsewhere(session) ||
    store.horizon !== session.state.horizon;
  const { position, wasAnew } = await receive(session, isAnew);
  // Records that hold the same may be taken for one only where it is not known which is which.
  const hadRecords = store.users.count() > 0;
  tables.newLogsFrom(origin).stage();
  const work = () => takeOver(session, position, wasAnew, wasAnew && hadRecords);
  if (options.dryRun) {
    dryRun(session, means, work);
    return false;
  }
  store.change(work);
  result.change = store.latestChange ?? result.change;
  eraseAccepted(session);
  if (session.erasedHere.size > 0) result.erasedHere = tables.syncs.erased(session.origin);
  // What is changed here from now on may be missed: it is for the next sync.
  result.seq = store.history.last();
  const sending = new Sending(session, means.makeKey);
  await sending.run();
  return sending.isStale;
}

/** The token covers other users than the last time. */
const isElsewhere = ({ me, state }: Session) =>
  state.position >= 0 && JSON.stringify(me.users) !== JSON.stringify(state.scope);

async function receive(session: Session, isAnew: boolean): Promise<{ position: number; wasAnew: boolean }> {
  session.arrivals.clear();
  try {
    if (!isAnew) return { position: await receiveChanges(session, session.state.position), wasAnew: false };
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'outdated') throw error;
  }
  session.arrivals.clear();
  if (session.state.position >= 0) session.result.readAnew = true;
  return { position: await receiveAll(session), wasAnew: true };
}

/** Takes over what has arrived, in the transaction of a change. */
function takeOver(session: Session, position: number, wasAnew: boolean, pairsTwins: boolean): void {
  const { store, tables, me, state } = session;
  session.origin ||= store.counterparts.origin(me.database);
  session.differences = tables.differencesFrom(session.origin);
  const now = tables.syncs.find(session.origin);
  if ((now?.position ?? -1) !== state.position)
    throw new SciaticaError(
      'busy',
      'Another sync of this database has gone on meanwhile. Run this one again.',
    );
  const pair = state.ourUser !== null &&
    session.theirUser !== null && {
      record: 'user' as const,
      theirId: session.theirUser,
      ourId: state.ourUser,
    };
  if (pair && !store.counterparts.ofTheirs(session.origin, 'user', pair.theirId))
    store.counterparts.set(session.origin, { ...pair, agreed: null });
  forgetOthers(session);
  new Taking(session, wasAnew, pairsTwins).run();
  // The key of a request counts for the users that the token covered.
  if (isElsewhere(session)) tables.syncs.end(session.origin, () => {});
  session.state = { ...state, position, scope: me.users, horizon: store.horizon };
  tables.syncs.save(session.origin, session.state);
}

/** Lets what was known under an id that is another record's by now be a record of here only. */
function forgetOthers({ store, origin, state, theirUser, others }: Session): void {
  if (
    state.ourUser !== null &&
    others.some(({ record, theirId }) => record === 'user' && theirId === theirUser)
  )
    throw new SciaticaError(
      'conflict',
      `The service was restored from a backup, and user ${theirUser} over there is another one by now: nothing was sent. Restore a later backup there.`,
    );
  for (const { record, theirId } of others) store.counterparts.remove(origin, record, theirId);
}

/** Does all that can be done here, counts what would be sent, and takes it back. */
function dryRun(session: Session, means: Means, work: () => void): void {
  try {
    session.tables.note(() => {
      work();
      new Sending(session, means.makeKey).count();
      throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
}

/** Erases here who was erased over there, if that is accepted: each in a change of its own, which cannot be undone. */
function eraseAccepted({ store, differences, options, result }: Session): void {
  if (!options.acceptErase) return;
  for (const { ourId } of differences.erasedThere()) {
    store.erase(ourId);
    result.erased.push(ourId);
    result.erasedThere = result.erasedThere.filter((id) => id !== ourId);
  }
}

async function sessionOf(
  means: Means,
  tables: SyncTables,
  service: Service,
  me: Me,
  options: SyncOptions,
  result: SyncResult,
): Promise<Session> {
  const { remote } = means;
  const store = means.store.as({ origin: { source: 'sync', caller: remote } });
  const origin = store.counterparts.findOrigin(me.database) ?? 0;
  const known = tables.syncs.find(origin);
  const { state, theirUser } = known
    ? { state: checkAs(known, options), theirUser: theirsOf(store, origin, known) }
    : await firstContact(store, origin, service, me, options);
  return {
    store,
    tables,
    service,
    me,
    origin,
    state,
    theirUser,
    erasedHere: new Set(tables.syncs.erased(origin)),
    deletable: new Set(),
    others: [],
    arrivals: tables.arrivals(),
    differences: tables.differencesFrom(origin),
    options,
    result,
    progress: means.progress ?? (() => {}),
  };
}

const theirsOf = (store: Store, origin: number, { ourUser }: SyncState): number | null =>
  ourUser === null ? null : (store.counterparts.ofOurs(origin, 'user', ourUser)?.theirId ?? null);

function checkAs(state: SyncState, { as }: SyncOptions): SyncState {
  if (as === undefined || as === 'new' || as === state.ourUser) return state;
  const now = state.ourUser === null ? 'all users' : `user ${state.ourUser}`;
  throw new SciaticaError(
    'invalid',
    `--as ${as}: this database is synced with that service for ${now} already.`,
  );
}

/** Which user here is which over there, where both have some: that has to be said, and only one can be. */
async function firstContact(
  store: Store,
  origin: number,
  service: Service,
  me: Me,
  { as }: SyncOptions,
): Promise<{ state: SyncState; theirUser: number | null }> {
  if (as === 'new' && me.users === null)
    throw new SciaticaError(
      'invalid',
      '--as new: it needs a token for that one user (sciatica token add --role patient), for with this one all users of this database would be sent.',
    );
  if (typeof as === 'number') store.users.get(as);
  const isEmpty = store.users.count() === 0;
  const theirs: number[] = [];
  for await (const users of service.list('user')) theirs.push(...users.map(({ id }) => id));
  const [theirUser = null] = theirs;
  const state: SyncState = {
    position: -1,
    scope: me.users,
    horizon: store.horizon,
    ourUser: typeof as === 'number' ? as : null,
    keepsIds: isEmpty,
  };
  if (typeof as === 'number' && theirs.length > 1)
    throw new SciaticaError(
      'invalid',
      `--as ${as}: the token shows ${theirs.length} users of the service, and only one can be user ${as}. Use a token for that one user (sciatica token add --role patient), or begin with an empty database (--db).`,
    );
  // Imported files may have said it already.
  const ours = (theirId: number) => store.counterparts.ofTheirs(origin, 'user', theirId)?.ourId;
  const said = theirUser === null ? undefined : ours(theirUser);
  if (typeof as === 'number' && said !== undefined && said !== as)
    throw new SciaticaError(
      'invalid',
      `--as ${as}: by the files that were imported, the user over there is user ${said}.`,
    );
  if (as === undefined && !isEmpty && theirs.some((id) => ours(id) === undefined))
    throw new SciaticaError(
      'invalid',
      `Both sides have users. Say which user here is the one over there: --as ID (see: sciatica users), or --as new${theirs.length > 1 ? ', with a token for that one user' : ''}. Or begin with an empty database (--db).`,
    );
  return { state, theirUser: typeof as === 'number' ? theirUser : null };
}
