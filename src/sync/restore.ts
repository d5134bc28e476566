import type { AnyRecord, KindName } from '../domain/kinds.ts';
import type { Pair } from '../store/sync/differences.ts';
import { allPairs } from './blocks.ts';
import { same } from './decide.ts';
import type { Sender } from './sender.ts';
import { pathOf } from './service.ts';
import { oursOf, type Session, toOurs, toTheirs } from './session.ts';

/**
 * Restores over there, by its id, what was deleted there and is here: because the deletion was undone here, or because what was
 * changed here since is to stay. Of several machines that do so one succeeds, and the others find the record there.
 */

/** How many records are looked up here at once. */
const BLOCK = 500;

/** Statuses of a record that cannot be restored (RFC 9110, 15.5). */
const NOT_FOUND = 404;
const CONFLICT = 409;

/** The records of a kind that are to be restored. */
export const restorable = ({ differences }: Session, record: KindName, users: readonly number[]): Pair[] =>
  allPairs((after) => differences.restored(record, users, after, BLOCK));

/**
 * @param users the users here whose records are sent
 * @returns how many records were restored
 */
export async function restoreAll(
  sender: Sender,
  record: KindName,
  users: readonly number[],
): Promise<number> {
  let restored = 0;
  for (const pair of restorable(sender.session, record, users))
    if (await restoreOne(sender, record, pair, users)) restored++;
  return restored;
}

async function restoreOne(
  sender: Sender,
  record: KindName,
  { ourId, theirId }: Pair,
  users: readonly number[],
): Promise<boolean> {
  const { session } = sender;
  const { store, tables, origin, result } = session;
  const ours = oursOf(session, record, ourId);
  const sent = ours && toTheirs(session, record, ours);
  if (!ours || !sent) return false;
  // Without a counterpart it is sent as a new record.
  const forget = () => tables.note(() => store.counterparts.remove(origin, record, theirId));
  // A user has one goal only, which a new one replaces.
  if (record === 'goal') {
    forget();
    return false;
  }
  if (!sender.may(record, ourId, `create ${record}`)) return false;
  const { refused } = await sender.push({
    method: 'POST',
    path: pathFor(record, theirId, sent),
    // Erasing may have left nothing of it there.
    body: record === 'user' ? null : JSON.stringify(sent),
    record,
    records: [ours],
    theirId,
  });
  if (!refused) {
    result.pushed[record].created++;
    // What came back with a user has to be read.
    sender.isStale ||= record === 'user';
    return true;
  }
  const isImpossible = refused.status === NOT_FOUND || refused.status === CONFLICT;
  if (!isImpossible) sender.refuseUnlessStale(record, ourId, refused);
  else {
    const found = await session.service.find(record, theirId, 0);
    // Somebody has restored it meanwhile: it is read first.
    if (found && isSynced(session, record, found.record, users)) sender.isStale = true;
    // It is given to the user who has it here.
    else if (found && isSameOfErased(session, record, found.record, sent)) {
      if (sender.may(record, ourId, `change ${record}`))
        await sender.change(record, ours, sent, { theirId, theirUser: 0, etag: found.etag });
    } else forget();
  }
  return false;
}

/** Whether a record over there is of a user who is synced. */
function isSynced(session: Session, record: KindName, theirs: AnyRecord, users: readonly number[]): boolean {
  const ours: AnyRecord | undefined = toOurs(session, record, theirs, 0);
  return ours !== undefined && (!('userId' in ours) || users.includes(ours.userId));
}

/** Whether a record over there is of a user who was erased here, and otherwise as it is sent. */
function isSameOfErased({ erasedHere }: Session, record: KindName, theirs: AnyRecord, sent: object): boolean {
  if (!('userId' in theirs && 'userId' in sent && erasedHere.has(theirs.userId))) return false;
  return same(record, { ...theirs, userId: sent.userId } as AnyRecord, sent as AnyRecord);
}

/** The path that restores a record, as one of the user who has it here. */
function pathFor(record: KindName, theirId: number, sent: object): string {
  const path = `${pathOf(record, theirId, 0)}/restore`;
  return 'userId' in sent ? `${path}?userId=${sent.userId}` : path;
}
