import { type HistoryEntry, UNKNOWN_PAST } from '../domain/history.ts';
import { type AnyRecord, type KindName, kindOf, ownedKindNames, ownerOf } from '../domain/kinds.ts';
import type { Arrival } from '../store/sync/arrivals.ts';
import { same } from './decide.ts';
import { ofTheirs, type Session, toOurs, travellers } from './session.ts';

/** Reads from over there what may have changed, and lays it aside. */

/**
 * Reads the changes since the last sync.
 * @returns the position up to which all has arrived
 * @throws SciaticaError `outdated` when some of them are not there any more: `receiveAll` then
 */
export async function receiveChanges(session: Session, since: number): Promise<number> {
  for (let position = since; ; ) {
    const page = await session.service.changes(position);
    session.arrivals.put(page.entries.flatMap((entry) => arrivalOf(session, entry) ?? []));
    session.progress('receive', session.arrivals.count);
    position = page.position;
    if (page.isLast) return position;
  }
}

/**
 * Reads every record. Where there are records here, it also reads the history over there: it says what came after
 * what was agreed on, and what was deleted.
 * @returns the position up to which all has arrived
 */
export async function receiveAll(session: Session): Promise<number> {
  const { service, arrivals, store, origin, differences } = session;
  // Asked first: what changes while the lists are read is read again.
  const before = await service.position();
  const users: number[] = [];
  for await (const records of service.list('user')) {
    const wanted = records.filter(({ id }) => isWanted(session, id));
    users.push(...wanted.map(({ id }) => id));
    putRecords(session, 'user', wanted);
  }
  const others = ownedKindNames.filter((kind) => kindOf(kind).place === 'collection');
  for (const kind of others)
    for await (const records of service.list(kind))
      putRecords(
        session,
        kind,
        records.filter((record) => isWanted(session, ownerOf(kind, record))),
      );
  for (const user of users)
    for (const { record, value } of await plansOf(session, user)) putRecords(session, record, [value]);
  if (store.users.count() === 0) return receiveChanges(session, before);
  const position = await receiveHistory(session, before);
  const known = origin === 0 ? [] : differences.expected(travellers(session));
  for (const expected of known)
    arrivals.putIfNew(
      expected
        .filter(({ theirUser }) => isWanted(session, theirUser))
        .map((one) => ({ ...one, state: null, at: null, isLater: false, isErased: false })),
    );
  return position;
}

/** A user may be gone by now: the changes then say so. */
async function plansOf(session: Session, user: number): Promise<{ record: KindName; value: AnyRecord }[]> {
  try {
    return await session.service.plans(user);
  } catch (error) {
    if ((error as { status?: number }).status === 404) return [];
    throw error;
  }
}

function putRecords(session: Session, record: KindName, records: readonly AnyRecord[]): void {
  const { arrivals, progress } = session;
  arrivals.put(
    records.map((one) => ({
      record,
      theirId: one.id,
      theirUser: ownerOf(record, one),
      state: JSON.stringify(one),
      at: null,
      isLater: false,
      isErased: false,
    })),
  );
  progress('receive', arrivals.count);
}

/** Goes through the whole history over there. */
async function receiveHistory(session: Session, listedAt: number): Promise<number> {
  for (let since = 0; ; ) {
    const page = await session.service.changes(since);
    for (const entry of page.entries) learn(session, entry, entry.seq > listedAt);
    since = page.position;
    if (page.isLast) return since;
  }
}

/**
 * Takes from an entry when a record was changed last, whether what was agreed on came before, and that it was deleted.
 * @param isNew the entry came after the lists were asked for
 */
function learn(session: Session, entry: HistoryEntry, isNew: boolean): void {
  const { arrivals } = session;
  const arrival = arrivalOf(session, entry);
  if (!arrival) return;
  const known = arrivals.find(arrival.record, arrival.theirId);
  const isLater = known?.isLater === true || followsAgreed(session, entry);
  if (!isLater && !known?.at && isAnother(session, entry))
    session.others.push({ record: entry.record, theirId: entry.id });
  if (isNew || arrival.isErased || (!known?.state && arrival.state === null)) {
    arrivals.put([{ ...arrival, isLater: arrival.state === null || isLater }]);
  } else if (known?.state) arrivals.put([{ ...known, at: arrival.at, isLater }]);
}

/**
 * Whether the first entry of a record makes another one than is known under its id: since the last sync a backup was restored there where
 * nothing told which ids had been given.
 */
function isAnother(session: Session, { record, id, action, seq }: HistoryEntry): boolean {
  const { position } = session.state;
  const isSinceRestored = position >= 0 && seq > position + UNKNOWN_PAST / 2;
  return isSinceRestored && action === 'create' && Boolean(ofTheirs(session, record, id)?.agreed);
}

/** Whether an entry has the record as it was agreed on, or deletes what was agreed to be deleted. */
function followsAgreed(session: Session, { record, id, before, after }: HistoryEntry): boolean {
  const counterpart = ofTheirs(session, record, id);
  if (!counterpart) return false;
  if (!counterpart.agreed) return after === null;
  return [before, after].some((state) => {
    const ours = state && toOurs(session, record, state, counterpart.ourId);
    return ours ? same(record, ours, counterpart.agreed) : false;
  });
}

/** What an entry says of a record now; undefined for a record that is none of ours. */
function arrivalOf(session: Session, entry: HistoryEntry): Arrival | undefined {
  const { record, id, action, before, after } = entry;
  if (action === 'erase' && session.state.ourUser === null)
    return { ...NOTHING, record, theirId: id, theirUser: id, isErased: true };
  const owner = (state: AnyRecord | null) => {
    const user = record === 'user' ? id : state && ownerOf(record, state);
    return user !== null && isWanted(session, user) ? user : undefined;
  };
  const now = after && owner(after);
  // One that went to a user who is not synced is gone.
  const theirUser = now ?? owner(record === 'user' ? after : before);
  if (theirUser === undefined) return undefined;
  return {
    record,
    theirId: id,
    theirUser,
    state: now ? JSON.stringify(after) : null,
    at: Date.parse(entry.at) || null,
    isLater: true,
    isErased: action === 'erase',
  };
}

const NOTHING = { state: null, at: null, isLater: true };

/** Whether the records of a user over there are synced: not of one who was erased here. */
function isWanted({ state, theirUser, erasedHere }: Session, user: number): boolean {
  return (state.ourUser === null || user === theirUser) && !erasedHere.has(user);
}
