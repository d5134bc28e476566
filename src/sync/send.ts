import { type AnyRecord, type KindName, kindNames, kindOf } from '../domain/kinds.ts';
import type { Pair } from '../store/sync/differences.ts';
import { all, allPairs, parts } from './blocks.ts';
import { same } from './decide.ts';
import { restorable, restoreAll } from './restore.ts';
import { Sender } from './sender.ts';
import { collectionOf, pathOf } from './service.ts';
import { allowed, oursOf, type Session, toTheirs, travellers } from './session.ts';

/** Sends what is otherwise here than it was agreed on. */

/** How many records are looked up here at once. */
const BLOCK = 500;

/** Content Too Large (RFC 9110, 15.5.14): a proxy on the way may take less. */
const TOO_LARGE = 413;

/** Whether the service takes new records of a kind one by one, below their user. */
const takesOne = (record: KindName): boolean => kindOf(record).place === 'below-user';

/** A Sending can be ended after every request, and the next one goes on where it was. */
export class Sending {
  readonly #users: readonly number[];
  readonly #sender: Sender;

  constructor(
    private readonly session: Session,
    makeKey: () => string,
  ) {
    this.#users = travellers(session);
    this.#sender = new Sender(session, makeKey);
  }

  /** Something over there has changed meanwhile: it has to be read once more. */
  get isStale(): boolean {
    return this.#sender.isStale;
  }

  async run(): Promise<void> {
    for (const kind of kindNames) {
      // What came back with a user is read before anything is written over it.
      if ((await restoreAll(this.#sender, kind, this.#users)) > 0 && kind === 'user') return;
      await this.#create(kind);
    }
    for (const kind of kindNames) await this.#change(kind);
    for (const kind of kindNames.toReversed()) await this.#delete(kind);
  }

  /** What `run` would send. */
  count(): void {
    const { differences, result } = this.session;
    for (const kind of kindNames) {
      const counts = result.pushed[kind];
      counts.created = all((after) => differences.created(kind, this.#users, after, BLOCK)).length;
      counts.created += restorable(this.session, kind, this.#users).length;
      for (const { ourId } of this.#changed(kind))
        counts[this.#travels(kind, ourId) ? 'changed' : 'deleted']++;
      counts.deleted += this.#deleted(kind).length;
    }
  }

  #changed(kind: KindName): Pair[] {
    const { differences } = this.session;
    return allPairs((after) => differences.changed(kind, this.#users, after, BLOCK));
  }

  #deleted(kind: KindName): Pair[] {
    const { differences } = this.session;
    return allPairs((after) => differences.deleted(kind, this.#users, after, BLOCK));
  }

  async #create(record: KindName): Promise<void> {
    const { session } = this;
    for (let after = 0; ; ) {
      const ids = session.differences.created(record, this.#users, after, BLOCK);
      const last = ids.at(-1);
      if (last === undefined) return;
      after = last;
      const records = ids.flatMap((id) => oursOf(session, record, id) ?? []);
      if (!allowed(session, `create ${record}`) && record !== 'goal') {
        this.#sender.refuseAll(record, ids, `create ${record}`);
        continue;
      }
      if (record === 'goal') for (const goal of records) await this.#createGoal(goal);
      else if (takesOne(record)) for (const one of records) await this.#createTogether(record, [one]);
      else for (const together of parts(records)) await this.#createTogether(record, together);
    }
  }

  /** Creates records in one request. Those that the service does not take are left out. */
  async #createTogether(record: KindName, records: readonly AnyRecord[]): Promise<void> {
    const { session } = this;
    const sent = records.filter((one) => toTheirs(session, record, one) !== undefined);
    const [first] = sent;
    if (!first) return;
    const bodies = sent.map((one) => toTheirs(session, record, one));
    const owner = takesOne(record) ? (bodies[0] as { userId: number }).userId : 0;
    const outcome = await this.#sender.push({
      method: 'POST',
      path: collectionOf(record, owner),
      body: JSON.stringify(takesOne(record) ? bodies[0] : bodies),
      record,
      records: sent,
      theirId: null,
    });
    if (!outcome.refused) {
      this.session.result.pushed[record].created += outcome.done;
      return;
    }
    const { faults, message, status } = outcome.refused;
    if (status === TOO_LARGE && sent.length > 1) {
      const half = Math.ceil(sent.length / 2);
      await this.#createTogether(record, sent.slice(0, half));
      await this.#createTogether(record, sent.slice(half));
      return;
    }
    // The user may have been deleted there meanwhile.
    if (status === 404 || /userId/.test(message)) this.#sender.isStale = true;
    for (const [i, one] of sent.entries()) {
      const reason = faults.size > 0 ? faults.get(i) : message;
      if (reason !== undefined) this.#sender.refuse(record, one.id, reason);
    }
    if (faults.size > 0)
      await this.#createTogether(
        record,
        sent.filter((_, i) => !faults.has(i)),
      );
  }

  async #createGoal(goal: AnyRecord): Promise<void> {
    const { session } = this;
    const body = toTheirs(session, 'goal', goal) as { userId: number } | undefined;
    if (!body) return;
    if (!this.#sender.may('goal', goal.id, 'change goal')) return;
    // One that is there by now is read first.
    if (await session.service.find('goal', 0, body.userId)) {
      this.#sender.isStale = true;
      return;
    }
    const outcome = await this.#sender.push(
      {
        method: 'PUT',
        path: pathOf('goal', 0, body.userId),
        body: JSON.stringify(body),
        record: 'goal',
        records: [goal],
        theirId: null,
      },
      { 'if-none-match': '*' },
    );
    if (outcome.refused) this.#sender.refuseUnlessStale('goal', goal.id, outcome.refused);
    else session.result.pushed.goal.created++;
  }

  async #change(record: KindName): Promise<void> {
    for (const pair of this.#changed(record)) {
      if (!this.#travels(record, pair.ourId)) await this.#deleteOne(record, pair);
      else await this.#changeOne(record, pair);
    }
  }

  /** Whether a record belongs to a user who is synced: it may have moved to one who is not. */
  #travels(record: KindName, ourId: number): boolean {
    const ours = oursOf(this.session, record, ourId);
    if (!ours || record === 'user') return true;
    return (
      this.#users.includes((ours as { userId: number }).userId) &&
      toTheirs(this.session, record, ours) !== undefined
    );
  }

  async #changeOne(record: KindName, { ourId, theirId }: Pair): Promise<void> {
    const { session } = this;
    const ours = oursOf(session, record, ourId);
    const body = ours && toTheirs(session, record, ours);
    if (!ours || !body) return;
    if (!this.#sender.may(record, ourId, `change ${record}`)) return;
    const found = await this.#agreed(record, ourId, theirId);
    if (!found) return;
    await this.#sender.change(record, ours, body, { theirId, ...found });
  }

  async #delete(record: KindName): Promise<void> {
    for (const pair of this.#deleted(record)) await this.#deleteOne(record, pair);
  }

  async #deleteOne(record: KindName, { ourId, theirId }: Pair): Promise<void> {
    const { session } = this;
    // What waits for a decision there would go with its user.
    const { deletable, differences } = session;
    if (record === 'user' && !deletable.has(theirId) && differences.isDisputed(theirId)) return;
    if (!this.#sender.may(record, ourId, `delete ${record}`)) return;
    const found = await this.#agreed(record, ourId, theirId);
    if (!found) return;
    const outcome = await this.#sender.push(
      {
        method: 'DELETE',
        path: pathOf(record, theirId, found.theirUser),
        body: null,
        record,
        records: [{ id: ourId }],
        theirId,
      },
      { 'if-match': found.etag },
    );
    if (outcome.refused) this.#sender.refuseUnlessStale(record, ourId, outcome.refused);
    else session.result.pushed[record].deleted++;
  }

  /**
   * The entity tag of a record over there that is as it was agreed on.
   * @returns undefined if it is not: then it has to be read again, and is not written over
   */
  async #agreed(
    record: KindName,
    ourId: number,
    theirId: number,
  ): Promise<{ etag: string; theirUser: number } | undefined> {
    const { session } = this;
    const { store, origin, service } = session;
    const agreed = store.counterparts.ofOurs(origin, record, ourId)?.agreed;
    if (!agreed) return undefined;
    const before = toTheirs(session, record, agreed);
    const theirUser = record === 'user' ? theirId : (before as { userId: number } | undefined)?.userId;
    const found = theirUser === undefined ? undefined : await service.find(record, theirId, theirUser);
    if (
      found &&
      theirUser !== undefined &&
      same(record, found.record, { ...before, id: theirId } as AnyRecord)
    )
      return { etag: found.etag, theirUser };
    this.#sender.isStale = true;
    return undefined;
  }
}
