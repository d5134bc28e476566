import type { Issue } from '../../domain/errors.ts';
import { byKind, INTO, type KindName, kindOf } from '../../domain/kinds.ts';
import type { User } from '../../domain/user.ts';
import { rehearse } from './changes.ts';
import { type Guard, NO_SUCH_USER, Records, type Surroundings } from './records.ts';

/** What shows who is merged into somebody who is not there any more. */
interface Revealing {
  receive(nothing: []): unknown;
}

interface UserSurroundings extends Surroundings {
  /** Loads it: most commands need none. */
  replication(): Promise<Revealing>;
  /** The user under whom the records of one who was merged show; undefined while none shows. */
  mergedInto(id: number): number | undefined;
}

/** The verbs of users; with a user goes all that belongs to the user. */
export class Users extends Records<'user'> {
  #replication: Revealing | undefined;

  constructor(private readonly surroundings: UserSurroundings) {
    super('user', surroundings);
  }

  /** Loads what `deleteAndReveal` and `countGoing` need where anybody was merged into another user: no change waits for it. */
  async readyToReveal(): Promise<void> {
    const sql = `SELECT 1 FROM replicas INDEXED BY replicas_by_name
      WHERE record = 'user' AND state ->> '$.fields.${INTO}' IS NOT NULL LIMIT 1`;
    if (this.surroundings.db.value(sql) === 1) this.#replication ??= await this.surroundings.replication();
  }

  /** As `delete`; who was merged into the user (`user merge`) shows again. */
  deleteAndReveal(id: number, guard?: Guard): User {
    return this.surroundings.change(() => {
      const user = this.delete(id, guard);
      this.#replication?.receive([]);
      return user;
    });
  }

  /** How many records of each kind `deleteAndReveal` deletes: what shows again under who was merged into the user stays. */
  countGoing(id: number): Record<KindName, number> {
    const { db } = this.surroundings;
    return rehearse(
      (work) => db.write(work),
      () => {
        const last = db.lastId('history');
        this.deleteAndReveal(id);
        return byKind((kind) => {
          const sql = `SELECT count(DISTINCT recordId) FROM history WHERE seq > ? AND record = ? AND action = 'delete'
            AND recordId NOT IN (SELECT id FROM ${kindOf(kind).table})`;
          return db.value<number>(sql, last, kind) ?? 0;
        });
      },
    );
  }

  /**
   * The user under whom is recorded what is said of one: another once it was merged, so that nothing is lost of what a phone or a
   * machine still records for the one of before. Undefined where none is there.
   */
  shownAs(id: number): number | undefined {
    if (this.has(id)) return id;
    const { visible, mergedInto } = this.surroundings;
    return visible?.includes(id) === false ? undefined : mergedInto(id);
  }

  /** What is wrong with a user's id; nothing if it is no id at all, for that is the schema's to say. */
  userFaults = (userId: unknown): Issue[] => {
    const isId = Number.isSafeInteger(userId) && (userId as number) > 0;
    return isId && this.shownAs(userId as number) === undefined ? [NO_SUCH_USER] : [];
  };
}
