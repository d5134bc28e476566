import type { Database } from '../sqlite/database.ts';
import { type NameParts, type Names, nameOf, partsOf } from './names.ts';
import type { Name, State } from './state.ts';

/** The users who were erased, here or elsewhere, by their names: nothing that ever belonged to one is taken or sent any more. */
export class Erasures {
  readonly #names: ReadonlySet<Name>;

  constructor(
    private readonly db: Database,
    private readonly names: Names,
  ) {
    this.#names = new Set(this.all());
  }

  all(): Name[] {
    return this.db.all<NameParts>('SELECT origin, originId AS id, uid FROM erasures').map(nameOf);
  }

  /** Whether a record is of a user who was erased, or ever was. */
  has({ kind, name, owners }: State): boolean {
    if (this.#names.size === 0) return false;
    return (kind === 'user' && this.#isErased(name)) || owners.some((owner) => this.#isErased(owner));
  }

  /** A name from before the uids is that of any uid. */
  #isErased(name: Name): boolean {
    return this.#names.has(name) || this.#names.has(nameOf({ ...partsOf(name), uid: 0 }));
  }

  /** Notes who was erased. @returns how many were not known to be */
  add(erased: readonly Name[]): number {
    let added = 0;
    for (const name of erased) {
      const { origin, id, uid } = partsOf(name);
      added += this.db.run(
        'INSERT OR IGNORE INTO erasures (origin, originId, uid) VALUES (?, ?, ?)',
        origin,
        id,
        uid,
      ).changes;
    }
    return added;
  }

  /** The ids of the users here who were erased elsewhere, and are not erased here. */
  pending(): number[] {
    return this.all().flatMap((name) => {
      const id = this.names.idOf('user', name);
      return id !== undefined && this.db.value('SELECT 1 FROM users WHERE id = ?', id) === 1 ? [id] : [];
    });
  }
}
