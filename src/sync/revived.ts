import type { HistoryEntry } from '../domain/history.ts';
import type { AnyRecord, Noun } from '../domain/records.ts';
import { same } from './decide.ts';
import { ofTheirs, oursOf, type Session, toOurs, verbsOf } from './session.ts';

/** Notes which record over there is the one that was brought back, which may have been taken over already as a new one. */

interface Revived {
  record: 'user' | 'log';
  /** The id of the record that was deleted over there. */
  theirId: number;
  /** The record here that stays. */
  ourId: number;
  /** As it was brought back; undefined if that was erased since. */
  made: AnyRecord | undefined;
  /** What was last done to it over there. */
  last: HistoryEntry | undefined;
}

/** To be called inside a change. @returns whether another round has to settle what became of it over there */
export function settleRevived(session: Session, { record, theirId, ourId, made, last }: Revived): boolean {
  const { store, arrivals, origin } = session;
  store.counterparts.remove(origin, record, theirId);
  arrivals.dropConflict(origin, record, theirId);
  if (!made) return false;
  const copy = ofTheirs(session, record, made.id);
  if (copy && copy.ourId !== ourId) dropCopy(session, record, copy.ourId, ourId);
  // What both sides have made of it since is compared with how it was brought back.
  store.counterparts.remove(origin, record, made.id);
  const agreed = toOurs(session, record, made, ourId) ?? null;
  store.counterparts.set(origin, { record, theirId: made.id, ourId, agreed });
  const now = last ? last.after : made;
  if (now && agreed && same(record, now, made)) return false;
  arrivals.keepConflict(origin, {
    record,
    theirId: made.id,
    theirUser: record === 'user' ? made.id : ((now ?? made) as unknown as { userId: number }).userId,
    state: now && JSON.stringify(now),
    at: (last && Date.parse(last.at)) || null,
    isLater: true,
    isErased: false,
  });
  return true;
}

/** Deletes a copy that an earlier sync took over; what was changed in it later than in the record that stays goes into that. */
function dropCopy(session: Session, record: 'user' | 'log', copyId: number, ourId: number): void {
  const { store, origin, differences } = session;
  const copy = oursOf(session, record, copyId);
  const agreed = store.counterparts.ofOurs(origin, record, copyId)?.agreed ?? null;
  const at = (id: number) => differences.changedAt(record, id) ?? 0;
  const isNewer = copy && !same(record, copy, agreed) && at(copyId) > at(ourId);
  if (record === 'user') moveAll(session, copyId, ourId);
  if (copy) verbsOf(store, record).delete(copyId);
  if (isNewer && oursOf(session, record, ourId))
    verbsOf(store, record).replace(ourId, { ...copy, id: ourId });
}

/** Gives everything of one user to another. */
function moveAll(session: Session, from: number, to: number): void {
  const { store, differences } = session;
  differences.changeOwner(from, to);
  for (const noun of ['log', 'routine', 'goal'] as const) {
    const verbs = verbsOf(store, noun);
    for (const one of store.of(noun).list({ userId: from })) {
      const moved = { ...one, userId: to } as AnyRecord;
      const rival = verbs.rivalOf?.(moved, one.id);
      if (rival) meet(session, noun, one.id, rival.id);
      else verbs.replace(one.id, moved);
    }
  }
}

/** Of a copy and a record of which there can be only one, the record stays, and is what the copy was over there. */
function meet({ store, origin }: Session, noun: Noun, copyId: number, ourId: number): void {
  const copy = store.counterparts.ofOurs(origin, noun, copyId);
  verbsOf(store, noun).delete(copyId);
  if (!copy) return;
  const ours = store.counterparts.ofOurs(origin, noun, ourId);
  for (const { theirId } of ours ? [ours, copy] : [copy]) store.counterparts.remove(origin, noun, theirId);
  const agreed = copy.agreed && { ...copy.agreed, id: ourId };
  store.counterparts.set(origin, { ...copy, ourId, agreed });
}
