import { SciaticaError } from '../../domain/errors.ts';
import { type KindName, kindOf } from '../../domain/kinds.ts';
import type { Database } from '../sqlite/database.ts';
import type { Name } from './state.ts';

/** SQL: the name in a row of `replicas` or `erasures`. */
export const NAME = "origin || '.' || originId || '.' || uid";

export const nameOf = (origin: number, id: number, uid: number): Name => `${origin}.${id}.${uid}`;

export function partsOf(name: Name): [origin: number, id: number, uid: number] {
  // split() takes three times as long, which a first sync would feel.
  const first = name.indexOf('.');
  const second = name.indexOf('.', first + 1);
  return [
    Number(name.slice(0, first)),
    Number(name.slice(first + 1, second)),
    Number(name.slice(second + 1)),
  ];
}

/** Whether two names are of one record; one without a uid is that of any. */
export function isSameName(a: Name, b: Name): boolean {
  const [[origin, id, uid], [otherOrigin, otherId, otherUid]] = [partsOf(a), partsOf(b)];
  return origin === otherOrigin && id === otherId && (uid === otherUid || uid === 0 || otherUid === 0);
}

/** So many databases may be new that somebody names whose token is for some users only: each is kept for good. */
const MOST_OF_TOKEN = 100;

/** The databases that names speak of, this one first of all, and which record here has which name. */
export class Names {
  #identities: { origin: number; since: number }[] | undefined;
  readonly #users = new Map<number, Name>();

  constructor(private readonly db: Database) {}

  /**
   * The number of a database here; it gets one if it has none. Only inside a transaction that writes.
   * @param token the id of the token for some users only with which it is named
   * @throws SciaticaError `invalid` when too many were named with that token
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

  /** Whether a database was first named with a token of a patient who is one of these users. */
  isOfPatient(origin: number, users: readonly number[]): boolean {
    const sql = `SELECT 1 FROM origins JOIN tokens ON tokens.id = origins.token WHERE origins.id = ? AND tokens.role = 'patient'
      AND NOT EXISTS (SELECT 1 FROM json_each(tokens.users) WHERE value NOT IN (SELECT value FROM json_each(?)))`;
    return this.db.value(sql, origin, JSON.stringify(users)) === 1;
  }

  /** The UUIDs of databases by their numbers. */
  uuids(): Map<number, string> {
    const origins = this.db.all<{ id: number; uuid: string }>('SELECT id, uuid FROM origins');
    return new Map(origins.map(({ id, uuid }) => [id, uuid]));
  }

  /** The identity under which this database made the entry `seq` of its history: it takes a new one where a copy goes its own way. */
  makerOf(seq: number): number {
    const own = this.#own();
    return (own.find(({ since }) => since < seq) ?? own.at(-1))?.origin ?? 0;
  }

  #own(): readonly { origin: number; since: number }[] {
    this.#identities ??= this.db.all('SELECT origin, since FROM identities ORDER BY since DESC');
    return this.#identities;
  }

  /** The name of the user with an id. */
  ofUser(id: number): Name {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    const name = this.of('user', id);
    this.#users.set(id, name);
    return name;
  }

  /** The name of a record here: as it came, or by the change that created it. */
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

  /** As `idOf`, for many names: null for a record that was never shown here; none for one that is not known. */
  idsOf(kind: KindName, names: readonly Name[]): Map<Name, number | null> {
    const parts = names.map(partsOf);
    // Names from before the uids, and those in files, are those of any uid.
    const known = this.db.all<{ at: number; id: number | null }>(
      `SELECT name.key AS at, replicas.id FROM json_each(?) AS name CROSS JOIN replicas ON origin = name.value ->> 0
         AND originId = name.value ->> 1 AND record = ? AND (uid IN (name.value ->> 2, 0) OR name.value ->> 2 = 0) ORDER BY uid`,
      JSON.stringify(parts),
      kind,
    );
    const found = new Map(known.map(({ at, id }) => [names[at] as Name, id]));
    for (const [i, name] of names.entries()) {
      const [origin = 0, id = 0] = parts[i] ?? [];
      // Of here are the ids that were ever given.
      const isOwn = !found.has(name) && this.#own().some((own) => own.origin === origin);
      const wasGiven = isOwn && id <= this.db.lastId(kindOf(kind).table);
      if (wasGiven && isSameName(this.of(kind, id), name)) found.set(name, id);
    }
    return found;
  }

  /** Forgets what is known of a record by a name: of one that was never shown here, or has a fuller name by now. */
  forget(kind: KindName, name: Name): void {
    const sql = 'DELETE FROM replicas WHERE origin = ? AND originId = ? AND uid = ? AND record = ?';
    this.db.run(sql, ...partsOf(name), kind);
  }

  /** The id here of the record with a name: of what a user has one of, the id of the user. Undefined for one without. */
  idOf(kind: KindName, name: Name): number | undefined {
    return this.idsOf(kind, [name]).get(name) ?? undefined;
  }
}
