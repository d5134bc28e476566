import type { AnyRecord } from '../domain/kinds.ts';
import type { Push } from '../store/sync/syncs.ts';
import { same } from './decide.ts';
import { Refused } from './refused.ts';
import type { Counts } from './result.ts';
import { readRecord } from './service.ts';
import { type Session, toOurs } from './session.ts';

/** Sends single requests so that each is done once, whatever breaks, and notes what became of it. */

/** What became of a request. */
export interface Outcome {
  /** How many records it wrote. */
  done: number;
  refused?: Refused;
}

/**
 * Sends a request. It is noted before: a sync that ends in the middle finds it with `recover`.
 * @param headers beside its Idempotency-Key
 */
export async function deliver(
  session: Session,
  push: Push,
  headers: Record<string, string>,
): Promise<Outcome> {
  session.tables.syncs.begin(session.origin, push);
  try {
    const answer = await request(session, push, headers);
    const made = push.method === 'DELETE' ? [] : recordsIn(push, answer);
    session.tables.syncs.end(session.origin, () => note(session, push, made));
    return { done: push.records.length };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    session.tables.syncs.end(session.origin, () => {});
    return { done: 0, refused: error };
  }
}

/**
 * Finds out what became of the request that the sync before had under way. A POST is repeated: its key makes sure that it is
 * done once. Of others the record itself tells.
 */
export async function recover(session: Session): Promise<void> {
  const { tables, origin } = session;
  const push = tables.syncs.push(origin);
  if (!push) return;
  const made = push.method === 'POST' ? await repeated(session, push) : await written(session, push);
  tables.syncs.end(origin, () => made && note(session, push, made));
  if (made) session.result.pushed[push.record][countOf(push)] += push.records.length;
}

/** The sync that sent it did not come to count it. */
const countOf = ({ method, theirId }: Push): keyof Counts =>
  method === 'DELETE' ? 'deleted' : method === 'POST' || theirId === null ? 'created' : 'changed';

/** @returns undefined if it was refused */
async function repeated(session: Session, push: Push): Promise<AnyRecord[] | undefined> {
  try {
    return recordsIn(push, await request(session, push, {}));
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

/** @returns the record if it is as the request makes it, none if it is gone, undefined if it was not done */
async function written(
  session: Session,
  { method, path, record, records, theirId }: Push,
): Promise<AnyRecord[] | undefined> {
  const theirUser = Number(/^\/users\/(\d+)/.exec(path)?.[1] ?? 0);
  const found = await session.service.find(record, theirId ?? 0, theirUser);
  if (!found) return method === 'DELETE' ? [] : undefined;
  if (method === 'DELETE') return undefined;
  const ours = toOurs(session, record, found.record, records[0]?.id ?? 0);
  return ours && same(record, ours, records[0] as AnyRecord) ? [found.record] : undefined;
}

/** Sends a request as it was noted. */
function request(
  session: Session,
  { method, path, body, key }: Push,
  headers: Record<string, string>,
): Promise<unknown> {
  const keyed = method === 'POST' ? { 'idempotency-key': key } : {};
  return session.service.write({ method, path, ...(body !== null && { body }) }, { ...keyed, ...headers });
}

/** The records in an answer. */
const recordsIn = ({ record }: Push, answer: unknown): AnyRecord[] =>
  (Array.isArray(answer) ? answer : [answer]).map((one) => readRecord(record, one));

/** Notes which record over there each record is, and as what both know it. */
function note(
  session: Session,
  { method, record, records, theirId }: Push,
  made: readonly AnyRecord[],
): void {
  const { store, origin, differences } = session;
  if (method === 'DELETE') {
    if (theirId === null) return;
    if (record !== 'user') {
      store.counterparts.setDeleted(origin, record, theirId);
      return;
    }
    differences.setUserDeleted(records[0]?.id ?? 0);
    differences.forgetWaiting(theirId);
    return;
  }
  const left = [...records];
  for (const [i, one] of made.entries()) {
    // A repeated request leaves out what was erased since: what is left is told apart by what it holds.
    const isWhole = made.length === records.length;
    const at = isWhole ? i : left.findIndex((ours) => isSame(session, record, ours as AnyRecord, one));
    const [ours] = isWhole ? [records[i]] : at < 0 ? [] : left.splice(at, 1);
    const agreed = ours && toOurs(session, record, one, ours.id);
    if (ours && agreed) store.counterparts.set(origin, { record, theirId: one.id, ourId: ours.id, agreed });
  }
}

function isSame(session: Session, record: Push['record'], ours: AnyRecord, theirs: AnyRecord): boolean {
  const known = toOurs(session, record, theirs, ours.id);
  return known !== undefined && same(record, ours, known);
}
