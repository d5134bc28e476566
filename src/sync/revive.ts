import { hash } from 'node:crypto';
import type { HistoryEntry } from '../domain/history.ts';
import type { AnyRecord, Noun } from '../domain/records.ts';
import type { Push } from '../store/sync/syncs.ts';
import { recordsIn, recover, request } from './deliver.ts';
import { Refused } from './refused.ts';
import { settleRevived } from './revived.ts';
import { collectionOf } from './service.ts';
import { allowed, ofTheirs, oursOf, type Session, toTheirs } from './session.ts';

/**
 * Brings back what was deleted over there and is to stay. Every machine sends it as it was when it was deleted, with a key that
 * all of them make from the deletion: so it is there once, and what each has made of it since is an ordinary change.
 */

/** Kinds whose deletion can be looked up over there. Of routines of one name, and of goals, a user has only one anyway. */
type Revivable = 'user' | 'log';

export const isRevivable = (record: Noun): record is Revivable => record === 'user' || record === 'log';

type Deletion = HistoryEntry & { before: AnyRecord };

/** @returns whether it has to be settled in another round what became of them over there */
export async function revive(session: Session): Promise<boolean> {
  let isStale = false;
  for (const record of ['user', 'log'] as const)
    for (const theirId of session.revivals[record])
      if (await reviveOne(session, record, theirId)) isStale = true;
  return isStale;
}

/** As `recover`, also for what was to be brought back. */
export async function resume(session: Session): Promise<void> {
  const { tables, origin } = session;
  const push = tables.syncs.push(origin);
  if (push?.method !== 'POST' || push.theirId === null) return recover(session);
  try {
    await finish(session, push, push.theirId);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tables.syncs.end(origin, () => {});
  }
}

async function reviveOne(session: Session, record: Revivable, theirId: number): Promise<boolean> {
  const { tables, origin, me, result } = session;
  const counterpart = ofTheirs(session, record, theirId);
  const ours = counterpart && oursOf(session, record, counterpart.ourId);
  if (!ours) return false;
  // Without a counterpart it is sent as a new record.
  const forget = () => {
    session.store.counterparts.remove(origin, record, theirId);
    session.arrivals.dropConflict(origin, record, theirId);
  };
  const deletion = await deletionOf(session, record, theirId);
  const body = deletion && (await bodyOf(session, record, deletion.before, ours));
  if (!body || !allowed(session, `create ${record}`)) {
    tables.note(forget);
    return false;
  }
  const named = JSON.stringify([me.database, record, theirId, deletion.seq]);
  const push: Push = {
    key: `revive-${hash('sha256', named)}`,
    method: 'POST',
    path: collectionOf(record, 0),
    body: JSON.stringify(body),
    record,
    records: [ours],
    theirId,
  };
  tables.syncs.begin(origin, push);
  try {
    const isStale = await finish(session, push, theirId);
    result.pushed[record].created++;
    return isStale;
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    tables.syncs.end(origin, forget);
    return false;
  }
}

/** The entry of the history over there by which a record was deleted. */
async function deletionOf(
  { service }: Session,
  record: Revivable,
  theirId: number,
): Promise<Deletion | undefined> {
  const last = (await service.history(record, theirId)).at(-1);
  return last?.action === 'delete' && last.before ? (last as Deletion) : undefined;
}

/** The record as it was deleted; if its user is gone, of the user who has it here. */
async function bodyOf(
  session: Session,
  record: Revivable,
  { id: _, ...before }: AnyRecord,
  ours: AnyRecord,
): Promise<object | undefined> {
  if (record === 'user') return before;
  const { userId } = before as { userId: number };
  if (await session.service.find('user', userId, userId)) return before;
  const now = toTheirs(session, record, ours) as { userId: number } | undefined;
  return now && { ...before, userId: now.userId };
}

/** Sends the request, and settles what came of it, and that it is answered, in one change. @throws Refused */
async function finish(session: Session, push: Push, theirId: number): Promise<boolean> {
  const { service, store, tables, origin } = session;
  const record = push.record as Revivable;
  const made = await sent(session, push, theirId);
  const last = made && (await service.history(record, made.id)).at(-1);
  return store.change(() => {
    const isStale = settleRevived(session, { record, theirId, ourId: push.records[0]?.id ?? 0, made, last });
    tables.syncs.end(origin, () => {});
    return isStale;
  });
}

/** The record that was brought back, by this machine or by another one. @returns undefined if it was erased since */
async function sent(session: Session, push: Push, theirId: number): Promise<AnyRecord | undefined> {
  try {
    return recordsIn(push, await request(session, push, {}))[0];
  } catch (error) {
    // The key came with another body: another machine has brought it back for another user.
    const found =
      error instanceof Refused && error.status === 422 && (await elsewhere(session, push, theirId));
    if (!found) throw error;
    return found;
  }
}

/** The first record that was created after the deletion with what was deleted, whoever has it. */
async function elsewhere(
  session: Session,
  { record }: Push,
  theirId: number,
): Promise<AnyRecord | undefined> {
  const deletion = await deletionOf(session, record as Revivable, theirId);
  if (!deletion) return undefined;
  const content = (one: AnyRecord) => JSON.stringify({ ...one, id: 0, userId: 0 });
  for (let since = deletion.seq; ; ) {
    const page = await session.service.changes(since);
    const found = page.entries.find(
      ({ record: kind, action, after }) =>
        kind === record && action === 'create' && after && content(after) === content(deletion.before),
    );
    if (found?.after || page.isLast) return found?.after ?? undefined;
    since = page.position;
  }
}
