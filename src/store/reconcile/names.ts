import { SciaticaError } from '../../domain/errors.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import type { Name } from './state.ts';

/** SQL: the `Name` of a row of `replicas` or `erasures`. */
export const NAME = "origin || '.' || originId || '.' || uid";

export const nameOf = (origin: number, id: number, uid: number): Name => `${origin}.${id}.${uid}`;

export function partsOf(name: Name): [origin: number, id: number, uid: number] {
  // Not split(): it takes three times as long, which a first sync of many records would show.
  const first = name.indexOf('.');
  const second = name.indexOf('.', first + 1);
  return [
    Number(name.slice(0, first)),
    Number(name.slice(first + 1, second)),
    Number(name.slice(second + 1)),
  ];
}

/** Whether two names denote the same record. A name without a uid (0) matches every uid. */
export function isSameName(a: Name, b: Name): boolean {
  const [[origin, id, uid], [otherOrigin, otherId, otherUid]] = [partsOf(a), partsOf(b)];
  return origin === otherOrigin && id === otherId && (uid === otherUid || uid === 0 || otherUid === 0);
}

/** Most UUIDs that one restricted token may register in `origins`: its rows are never removed. */
const MOST_OF_TOKEN = 100;

/** Maps databases to their numbers in `origins`, and the records of this database to their names. */
export class Names {
  #identities: { origin: number; since: number }[] | undefined;
  readonly #users = new Map<number, Name>();

  constructor(private readonly db: Database) {}

  /**
   * The number of a database in `origins`, where it is registered if it is new. Only inside a transaction that writes.
   * @param token the id of the token with which it is named, if that is for some users only, or only reads
   * @throws SciaticaError `invalid` when that token has registered too many
   */
  origin(uuid: string, token?: number): number {
    const known = this.db.value<number>('SELECT id FROM origins WHERE uuid = ?', uuid);
    if (known !== undefined) return known;
    if (token !== undefined) {
      const count = this.db.value<number>('SELECT count(*) FROM origins WHERE token = ?', token) ?? 0;
      if (count >= MOST_OF_TOKEN)
        throw new SciaticaError(
          'invalid',
          `This token has named ${MOST_OF_TOKEN} databases, and may name no more. Ask for another token.`,
        );
    }
    return this.db.run('INSERT INTO origins (uuid, token) VALUES (?, ?)', uuid, token ?? null).id;
  }

  /** Whether a database was registered with the token of a patient, all of whose users are among these (ids). */
  isOfPatient(origin: number, users: readonly number[]): boolean {
    const sql = `SELECT 1 FROM origins JOIN tokens ON tokens.id = origins.token WHERE origins.id = ? AND tokens.role = 'patient'
      AND NOT EXISTS (SELECT 1 FROM json_each(tokens.users) WHERE value NOT IN (SELECT value FROM json_each(?)))`;
    return this.db.value(sql, origin, JSON.stringify(users)) === 1;
  }

  /** The UUIDs of all known databases by their numbers in `origins`. */
  uuids(): Map<number, string> {
    const origins = this.db.all<{ id: number; uuid: string }>('SELECT id, uuid FROM origins');
    return new Map(origins.map(({ id, uuid }) => [id, uuid]));
  }

  /**
   * The identity (number in `origins`) under which this database wrote the entry `seq` of its history: a copy takes a new one.
   */
  makerOf(seq: number): number {
    const own = this.#own();
    return (own.find(({ since }) => since < seq) ?? own.at(-1))?.origin ?? 0;
  }

  #own(): readonly { origin: number; since: number }[] {
    this.#identities ??= this.db.all('SELECT origin, since FROM identities ORDER BY since DESC');
    return this.#identities;
  }

  /** The name of the user with an id here. Cached. */
  ofUser(id: number): Name {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    const name = this.of('user', id);
    this.#users.set(id, name);
    return name;
  }

  /** The name of a record here: that of its row in `replicas`, if it has one, or else built from the change that created it. */
  of(kind: KindName, id: number): Name {
    const known = this.db.value<Name>(`SELECT ${NAME} FROM replicas WHERE id = ? AND record = ?`, id, kind);
    if (known !== undefined) return known;
    const made = this.db.get<{ seq: number; uid: number }>(
      `SELECT entry.seq, head.uid FROM history AS entry JOIN history AS head ON head.seq = entry.head
       WHERE entry.recordId = ? AND entry.record = ? AND entry.action = 'create' ORDER BY entry.seq LIMIT 1`,
      id,
      kind,
    );
    return nameOf(this.makerOf(made?.seq ?? 0), id, made?.uid ?? 0);
  }

  /** The ids here of many names: null for a record that never showed here and so has none, no entry for an unknown name. */
  idsOf(kind: KindName, names: readonly Name[]): Map<Name, number | null> {
    const parts = names.map(partsOf);
    // A uid of 0 matches every uid: old names have none, and neither have those in files without states.
    const known = this.db.all<{ at: number; id: number | null }>(
      `SELECT name.key AS at, replicas.id FROM json_each(?) AS name CROSS JOIN replicas ON origin = name.value ->> 0
         AND originId = name.value ->> 1 AND record = ? AND (uid IN (name.value ->> 2, 0) OR name.value ->> 2 = 0) ORDER BY uid`,
      JSON.stringify(parts),
      kind,
    );
    const found = new Map(known.map(({ at, id }) => [names[at] as Name, id]));
    for (const [i, name] of names.entries()) {
      const [origin = 0, id = 0] = parts[i] ?? [];
      // A name of this database itself is known if its id was ever assigned.
      const isOwn = !found.has(name) && this.#own().some((own) => own.origin === origin);
      const wasGiven = isOwn && id <= this.db.lastId(kindOf(kind).table);
      if (wasGiven && isSameName(this.of(kind, id), name)) found.set(name, id);
    }
    return found;
  }

  /** Deletes the row of `replicas` with a name: the record never showed here, was erased, or has a name with a uid by now. */
  forget(kind: KindName, name: Name): void {
    const sql = 'DELETE FROM replicas WHERE origin = ? AND originId = ? AND uid = ? AND record = ?';
    this.db.run(sql, ...partsOf(name), kind);
  }

  /** The id here of the record with a name, or of its user for a one-per-user kind; undefined where there is none. */
  idOf(kind: KindName, name: Name): number | undefined {
    return this.idsOf(kind, [name]).get(name) ?? undefined;
  }
}
