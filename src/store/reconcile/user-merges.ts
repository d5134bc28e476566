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
  /** The user that it points at, as of the last write of its row in `replicas`. */
  into: Name;
  /** Whether the history has later entries of the user: it was deleted or restored here. */
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

/** The ids of users who were restored here since `replicas` last noted them: what others changed meanwhile has to be shown. */
export const usersBroughtBack = (db: Database): number[] =>
  db.column(
    `SELECT id FROM replicas INDEXED BY replicas_by_name WHERE record = 'user' AND EXISTS (SELECT 1 FROM history
       WHERE history.recordId = replicas.id AND history.record = 'user' AND action = 'create' AND history.seq > replicas.seq)`,
  );

/** The names of the users for whom a merge was ever stated, even if it was taken back. */
export const everMerged = (db: Database): Name[] =>
  db.column(
    `SELECT ${NAME} FROM replicas INDEXED BY replicas_by_name
     WHERE record = 'user' AND state ->> '$.s.${INTO}' IS NOT NULL`,
  );

/**
 * By merged user, those under whom it ever showed, even if the merge was taken back: whoever syncs these is told of an erasure.
 */
export const shownAs = (db: Database): Record<Name, Name[]> =>
  storedJson(new Settings(db).get('shownAs') ?? '{}');

export function noteShownAs(db: Database, name: Name, root: Name): void {
  if (name === root) return;
  const all = shownAs(db);
  const known = all[name] ?? [];
  if (known.includes(root)) return;
  new Settings(db).set('shownAs', JSON.stringify({ ...all, [name]: [...known, root] }));
}

/** Follows the pointers of `user merge` from a user to the one under whom its records show. Caches users that were looked up. */
export class UserMerges {
  readonly #known = new Map<Name, Known | undefined>();
  readonly #ownerIds = new Map<Name, number | undefined>();

  constructor(private readonly fold: Fold) {}

  /** Looks up many users in one query. */
  load(names: readonly Name[]): void {
    const missing = [...new Set(names)].filter((name) => !this.#known.has(name));
    for (const [name, { here }] of this.fold.named('user', missing)) this.#known.set(name, here);
  }

  find(name: Name): Known | undefined {
    if (!this.#known.has(name)) this.load([name]);
    return this.#known.get(name);
  }

  /** The row of a one-per-user kind. @param user the id here */
  rowOf(kind: KindName, user: number): Row | undefined {
    return this.fold.of(kind, [user]).get(user)?.row;
  }

  set(known: Known): void {
    this.#ownerIds.clear();
    this.#known.set(known.state.name, known);
  }

  /** Whether a user is present: known in full, and not deleted unless the deletion is held back. */
  isThere(name: Name): boolean {
    const user = this.find(name);
    if (!user?.state.fields || user.outside) return false;
    return user.state.life % 2 === 1 || user.held === true;
  }

  /**
   * The user under whom a user's records show, at the end of its chain of pointers. A pointer to an absent user does not count;
   * of a cycle the oldest pointer does not.
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

  /** Whether a user is present and not merged into another one, so that it has a row. */
  isShown(name: Name): boolean {
    return this.isThere(name) && this.rootOf(name) === name;
  }

  /** The id here of the user under whom a user's records show; undefined while none does. Cached. */
  ownerId(name: Name): number | undefined {
    if (!this.#ownerIds.has(name)) {
      const root = this.rootOf(name);
      this.#ownerIds.set(name, this.isThere(root) ? this.find(root)?.id : undefined);
    }
    return this.#ownerIds.get(name);
  }

  /** Whether a user is among these ids, or points at one of them, even through others. @param users ids; undefined for all */
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
