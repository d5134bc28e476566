import { INTO, type KindName } from '../../domain/kinds.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import type { Fold, Known, Row } from './fold.ts';
import { NAME } from './names.ts';
import { isLater, type Name, type Stamp } from './state.ts';

/** A user who was merged into another. */
interface Merged {
  name: Name;
  /** Into whom, when that was last looked at. */
  into: Name;
  /** Whether the user was deleted or brought back here since. */
  isTouched: boolean;
}

export const mergedUsers = (db: Database): Merged[] =>
  db
    .all<{ name: Name; into: Name; isTouched: number }>(
      `SELECT ${NAME} AS name, state ->> '$.fields.${INTO}' AS "into", EXISTS (SELECT 1 FROM history
         WHERE history.recordId = replicas.id AND history.record = 'user' AND history.seq > replicas.seq) AS isTouched
       FROM replicas INDEXED BY replicas_by_name WHERE record = 'user' AND state ->> '$.fields.${INTO}' IS NOT NULL`,
    )
    .map(({ isTouched, ...merged }) => ({ ...merged, isTouched: isTouched === 1 }));

/** The ids of users who came back here since they were last looked at: what others changed meanwhile shows then. */
export const usersBroughtBack = (db: Database): number[] =>
  db.column(
    `SELECT id FROM replicas INDEXED BY replicas_by_name WHERE record = 'user' AND EXISTS (SELECT 1 FROM history
       WHERE history.recordId = replicas.id AND history.record = 'user' AND action = 'create' AND history.seq > replicas.seq)`,
  );

/** The names of the users of whom it was ever said that they are one with another, or not any more. */
export const everMerged = (db: Database): Name[] =>
  db.column(
    `SELECT ${NAME} FROM replicas INDEXED BY replicas_by_name
     WHERE record = 'user' AND state ->> '$.s.${INTO}' IS NOT NULL`,
  );

/** As whom users ever showed who were merged: the merge may have been taken back, and who was told of it is to hear of an erasing. */
export const shownAs = (db: Database): Record<Name, Name[]> =>
  storedJson(new Settings(db).get('shownAs') ?? '{}');

export function noteShownAs(db: Database, name: Name, root: Name): void {
  if (name === root) return;
  const all = shownAs(db);
  const known = all[name] ?? [];
  if (known.includes(root)) return;
  new Settings(db).set('shownAs', JSON.stringify({ ...all, [name]: [...known, root] }));
}

/** The users that records may belong to, and which of them are one (`user merge`). */
export class UserMerges {
  readonly #known = new Map<Name, Known | undefined>();
  readonly #ownerIds = new Map<Name, number | undefined>();

  constructor(private readonly fold: Fold) {}

  /** Looks many up at once. */
  load(names: readonly Name[]): void {
    const missing = [...new Set(names)].filter((name) => !this.#known.has(name));
    for (const [name, { here }] of this.fold.named('user', missing)) this.#known.set(name, here);
  }

  find(name: Name): Known | undefined {
    if (!this.#known.has(name)) this.load([name]);
    return this.#known.get(name);
  }

  /** The row of what a user has one of. */
  rowOf(kind: KindName, user: number): Row | undefined {
    return this.fold.of(kind, [user]).get(user)?.row;
  }

  set(known: Known): void {
    this.#ownerIds.clear();
    this.#known.set(known.state.name, known);
  }

  /** Whether a user is there: not deleted, or the deletion waits for consent. */
  isThere(name: Name): boolean {
    const user = this.find(name);
    if (!user?.state.fields || user.outside) return false;
    return user.state.life % 2 === 1 || user.held === true;
  }

  /**
   * The user under whom another's records show. A pointer to a user who is not there does not count; of a circle the oldest
   * pointer does not.
   */
  rootOf(name: Name): Name {
    const path: { name: Name; stamp: Stamp }[] = [];
    for (let at = name; ; ) {
      const into = this.#pointer(at);
      if (!into) return at;
      const start = path.findIndex((step) => step.name === at);
      if (start >= 0) return this.#end(path.slice(start));
      path.push({ name: at, stamp: into.stamp });
      at = into.name;
    }
  }

  #pointer(name: Name): { name: Name; stamp: Stamp } | undefined {
    const state = this.find(name)?.state;
    const into = state?.fields?.[INTO];
    const stamp = state?.statements[INTO]?.stamp;
    if (typeof into !== 'string' || !stamp || into === name || !this.isThere(into)) return undefined;
    return { name: into, stamp };
  }

  #end(circle: readonly { name: Name; stamp: Stamp }[]): Name {
    return circle.reduce((oldest, step) => (isLater(oldest.stamp, step.stamp) ? step : oldest)).name;
  }

  /** Whether a user has a row of its own. */
  isShown(name: Name): boolean {
    return this.isThere(name) && this.rootOf(name) === name;
  }

  /** The id of the user here under whom the records of a user show; undefined while none shows. */
  ownerId(name: Name): number | undefined {
    if (!this.#ownerIds.has(name)) {
      const root = this.rootOf(name);
      this.#ownerIds.set(name, this.isThere(root) ? this.find(root)?.id : undefined);
    }
    return this.#ownerIds.get(name);
  }

  /** Whether a user is one of some, or was merged into one of them, who may be one with a third. @param users by their ids; all without it */
  isOf(name: Name, users: readonly number[] | undefined): boolean {
    if (users === undefined) return true;
    const root = this.rootOf(name);
    for (let at = name; ; at = this.#pointer(at)?.name ?? root) {
      const id = this.find(at)?.id;
      if (id !== undefined && users.includes(id)) return true;
      if (at === root) return false;
    }
  }
}
