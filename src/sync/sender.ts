import type { Right } from '../domain/access.ts';
import { type AnyRecord, type KindName, kindOf } from '../domain/kinds.ts';
import type { Push } from '../store/sync/syncs.ts';
import { deliver, type Outcome } from './deliver.ts';
import type { Refused } from './refused.ts';
import { addRefused } from './result.ts';
import { pathOf } from './service.ts';
import { allowed, type Session } from './session.ts';

/** The optional fields of a kind as null: those that a PUT does not name stay. */
function absentOf(record: KindName): Record<string, null> {
  const optional = Object.entries(kindOf(record).fields).filter(([, field]) => field.optional);
  return Object.fromEntries(optional.map(([name]) => [name, null]));
}

/** Sends the writing requests of one sync, and notes what the service does not take. */
export class Sender {
  /** Something over there has changed meanwhile: it has to be read once more. */
  isStale = false;
  #sent = 0;

  constructor(
    readonly session: Session,
    private readonly makeKey: () => string,
  ) {}

  async push(push: Omit<Push, 'key'>, headers: Record<string, string> = {}): Promise<Outcome> {
    const outcome = await deliver(this.session, { ...push, key: this.makeKey() }, headers);
    this.#sent += push.records.length;
    this.session.progress('send', this.#sent);
    return outcome;
  }

  /** Changes a record over there, if it is as its entity tag says. @param theirUser whose it is there, of a goal */
  async change(
    record: KindName,
    ours: AnyRecord,
    body: object,
    { theirId, theirUser, etag }: { theirId: number; theirUser: number; etag: string },
  ): Promise<void> {
    const path = pathOf(record, theirId, theirUser);
    const { refused } = await this.push(
      {
        method: 'PUT',
        path,
        body: JSON.stringify({ ...absentOf(record), ...body }),
        record,
        records: [ours],
        theirId,
      },
      { 'if-match': etag },
    );
    if (refused) this.refuseUnlessStale(record, ours.id, refused);
    else this.session.result.pushed[record].changed++;
  }

  /** Whether the token has the right; if not, the record is refused. */
  may(record: KindName, id: number, right: Right): boolean {
    if (allowed(this.session, right)) return true;
    this.refuseAll(record, [id], right);
    return false;
  }

  /** Refuses records because the token has not the right. */
  refuseAll(record: KindName, ids: readonly number[], right: Right): void {
    const reason = `a token with the role ${this.session.me.role} may not ${right.replace(' ', ' a ')}`;
    for (const id of ids) this.refuse(record, id, reason);
  }

  /** Refuses a record, unless it is only that something there has changed meanwhile. */
  refuseUnlessStale(record: KindName, id: number, { status, message }: Refused): void {
    // Precondition Failed and Not Found (RFC 9110, 15.5); or the user of the record is gone.
    if (status === 412 || status === 404 || /userId/.test(message)) this.isStale = true;
    else this.refuse(record, id, message);
  }

  refuse(record: KindName, id: number, reason: string): void {
    addRefused(this.session.result, { record, id, reason });
  }
}
