import type { Issue } from '../../domain/errors.ts';
import { byKind, INTO, type KindName, kindOf } from '../../domain/kinds.ts';
import type { User } from '../../domain/user.ts';
import { rehearse } from './changes.ts';
import { type Guard, NO_SUCH_USER, Records, type Surroundings } from './records.ts';

/** The part of `Replication` that makes users visible again when the user they were merged into is gone. */
interface Revealing {
  receive(nothing: []): unknown;
}

interface UserSurroundings extends Surroundings {
  /** Loaded on demand: most commands do not need it. */
  replication(): Promise<Revealing>;
  /** The id of the user under whom a merged user's records are listed; undefined if there is none. */
  mergedInto(id: number): number | undefined;
}

/** The operations on users. Deleting a user deletes all records that belong to the user. */
export class Users extends Records<'user'> {
  #replication: Revealing | undefined;

  constructor(private readonly surroundings: UserSurroundings) {
    super('user', surroundings);
  }

  /** Loads, if any user was ever merged, what the synchronous `deleteAndReveal` and `countGoing` need: call it before them. */
  async readyToReveal(): Promise<void> {
    const sql = `SELECT 1 FROM replicas INDEXED BY replicas_by_name
      WHERE record = 'user' AND state ->> '$.fields.${INTO}' IS NOT NULL LIMIT 1`;
    if (this.surroundings.db.value(sql) === 1) this.#replication ??= await this.surroundings.replication();
  }

  /** As `delete`. Users who were merged into this one (`user merge`) become visible again, with their records. */
  deleteAndReveal(id: number, guard?: Guard): User {
    return this.surroundings.change(() => {
      const user = this.delete(id, guard);
      this.#replication?.receive([]);
      return user;
    });
  }

  /** How many records of each kind `deleteAndReveal` would delete: those of users who become visible again are not among them. */
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
   * The id of the user who owns what is recorded for user `id`: after a merge the target, so that nothing is lost that a phone or
   * another machine still records for the merged user. Undefined if neither exists or is visible.
   */
  shownAs(id: number): number | undefined {
    if (this.has(id)) return id;
    const { visible, mergedInto } = this.surroundings;
    return visible?.includes(id) === false ? undefined : mergedInto(id);
  }

  /** The faults of a value as the id of a user. A value that is no id has none: the schema reports it. */
  userFaults = (userId: unknown): Issue[] => {
    const isId = Number.isSafeInteger(userId) && (userId as number) > 0;
    return isId && this.shownAs(userId as number) === undefined ? [NO_SUCH_USER] : [];
  };
}
