import { INTO, type KindName, kindOf, ownedKindNames } from '../../domain/kinds.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { Fold } from './fold.ts';
import { isSameName, NAME, type Names, partsOf } from './names.ts';
import type { RecordKey } from './received.ts';
import type { Name, State } from './state.ts';
import { UserMerges } from './user-merges.ts';

/** An erased user, or an erased record that had belonged to the user and to others. */
export type Erased = readonly [record: KindName, name: Name];

/** The names of what was erased, here or elsewhere. Nothing that ever belonged to an erased user is received or sent any more. */
export class Erasures {
  /** The names that were erased, by their kind and the id in the name: a name without a uid matches several. */
  readonly #names = new Map<string, Name[]>();

  constructor(
    private readonly db: Database,
    private readonly names: Names,
  ) {
    for (const each of this.all()) this.#index(each);
  }

  #index([record, name]: Erased): void {
    const key = `${record} ${partsOf(name)[1]}`;
    this.#names.set(key, [...(this.#names.get(key) ?? []), name]);
  }

  /** @param users ids: only those of them who were erased, and what `addOthers` noted for them; everything without it */
  all(users?: readonly number[]): Erased[] {
    const erased = this.db
      .all<{ record: KindName; name: Name }>(
        `SELECT record, ${NAME} AS name FROM erasures ${users ? 'WHERE id IN (SELECT value FROM json_each(?))' : ''}`,
        ...(users ? [JSON.stringify(users)] : []),
      )
      .map(({ record, name }): Erased => [record, name]);
    const others = users && this.#others();
    return [...erased, ...(users ?? []).flatMap((id) => others?.[id] ?? [])];
  }

  #others(): Record<number, Erased[]> {
    return storedJson(new Settings(this.db).get('erasedOfOthers') ?? '{}');
  }

  /** Notes erasures that concern other users, by id, as former owners of a record: whoever syncs only these is told of them. */
  addOthers(told: readonly (readonly [user: number, erased: Erased])[]): void {
    if (told.length === 0) return;
    const others = this.#others();
    const known = new Set(Object.entries(others).flatMap(([id, all]) => all.map((one) => `${id} ${one}`)));
    for (const [id, one] of told) {
      if (known.has(`${id} ${one}`)) continue;
      known.add(`${id} ${one}`);
      others[id] = [...(others[id] ?? []), one];
    }
    new Settings(this.db).set('erasedOfOthers', JSON.stringify(others));
  }

  /** Whether a record or user was itself erased, or ever belonged to an erased user. */
  has({ kind, name, owners }: Pick<State, 'kind' | 'name' | 'owners'>): boolean {
    if (this.#names.size === 0) return false;
    return this.isErased(kind, name) || owners.some((owner) => this.isErased('user', owner));
  }

  /** Whether the record or user of this name was itself erased. */
  isErased(kind: KindName, name: Name): boolean {
    return this.#names.get(`${kind} ${partsOf(name)[1]}`)?.some((one) => isSameName(one, name)) ?? false;
  }

  /**
   * Notes erasures. Content that never showed here is deleted at once, since nobody has to consent to that.
   * @returns whether any of them was not known yet
   */
  add(erased: readonly Erased[]): boolean {
    const sql = 'INSERT OR IGNORE INTO erasures (record, origin, originId, uid) VALUES (?, ?, ?, ?)';
    const news = erased.filter(([record, name]) => this.db.run(sql, record, ...partsOf(name)).changes > 0);
    for (const each of news) this.#index(each);
    if (news.length > 0) this.#forgetUnseen();
    return news.length > 0;
  }

  #forgetUnseen(): void {
    const unseen = this.db.all<{ kind: KindName; name: Name; owners: string }>(
      `SELECT record AS kind, ${NAME} AS name, coalesce(state -> '$.owners', '[]') AS owners FROM replicas WHERE id IS NULL`,
    );
    const merges = new UserMerges(new Fold(this.db, this.names));
    for (const { kind, name, owners } of unseen) {
      const isErased = this.has({ kind, name, owners: storedJson<Name[]>(owners) });
      // The records of a merged user show under another one here, so erasing them needs consent.
      const isShown = kind === 'user' && merges.ownerId(name) !== undefined;
      if (isErased && !isShown) this.names.forget(kind, name);
      else if (isErased && !this.isErased('user', merges.rootOf(name))) this.#giveId(name);
    }
  }

  /** Assigns an id to a merged user who never had a row in `users`: users are erased by id. */
  #giveId(name: Name): void {
    const id = this.db.lastId('users') + 1;
    const sql =
      "UPDATE replicas SET id = ? WHERE origin = ? AND originId = ? AND uid = ? AND record = 'user'";
    this.db.run(sql, id, ...partsOf(name));
    this.db.run("UPDATE sqlite_sequence SET seq = ? WHERE name = 'users'", id);
  }

  /** Notes the id that an erased user had here. */
  setId(name: Name, id: number): void {
    const sql =
      "UPDATE erasures SET id = ? WHERE origin = ? AND originId = ? AND uid = ? AND record = 'user'";
    this.db.run(sql, id, ...partsOf(name));
  }

  /** The ids here of the erased records of a kind. */
  #idsOf(kind: KindName): number[] {
    const names = [...this.#names].flatMap(([key, all]) => (key.startsWith(`${kind} `) ? all : []));
    return [...this.names.idsOf(kind, names).values()].filter((id) => id !== null);
  }

  /**
   * The users who were erased elsewhere, or merged into such, and are not erased here with all that was ever theirs; and the records
   * that were erased with somebody who is not known here, or not known to have had them.
   */
  pending(): RecordKey[] {
    if (this.#names.size === 0) return [];
    const users = [...new Set([...this.#idsOf('user'), ...this.#mergedInto()])].filter(
      (id) => isLeft(this.db, 'user', id) || isKnown(this.db, id),
    );
    const fold = new Fold(this.db, this.names);
    const merges = new UserMerges(fold);
    const records = ownedKindNames.flatMap((record) => {
      const ids = this.#idsOf(record).filter((id) => isLeft(this.db, record, id));
      const goes = ({ owners }: State) => owners.some((owner) => merges.isOf(owner, users));
      const others = [...fold.of(record, ids)].filter(([, { state }]) => !goes(state));
      return others.map(([id]): RecordKey => ({ record, id }));
    });
    return [...users.map((id): RecordKey => ({ record: 'user', id })), ...records];
  }

  /** Whether backups may hold what was erased: a file that was set back or restored does not know all that it once held. */
  mayBeInBackups(): boolean {
    const settings = new Settings(this.db);
    const wasSetBack = this.db.value('SELECT count(*) > 1 FROM identities') === 1;
    if (!wasSetBack && settings.gaps.restored === undefined) return false;
    return Number(settings.get('erasedInBackups') ?? 0) !== this.all().length;
  }

  /** Notes that the backups hold nothing of what has been erased so far. */
  noteBackups(): void {
    new Settings(this.db).set('erasedInBackups', String(this.all().length));
  }

  /** The ids here of users who point at an erased user (`user merge`): the merge may become known after the erasure. */
  #mergedInto(): number[] {
    return this.db.column(
      `SELECT id FROM replicas WHERE record = 'user' AND id IS NOT NULL
       AND state ->> '$.fields.${INTO}' IN (SELECT ${NAME} FROM erasures WHERE record = 'user')`,
    );
  }
}

/** Whether `replicas` holds a user of this id, with or without a row in `users`. */
export const isKnown = (db: Database, id: number): boolean =>
  db.value("SELECT 1 FROM replicas WHERE id = ? AND record = 'user'", id) === 1;

/** Whether anything of a record is left here: its row, or the history of a deleted one. Of an erased record nothing is. */
export const isLeft = (db: Database, kind: KindName, id: number): boolean =>
  db.value(
    `SELECT 1 FROM ${kindOf(kind).table} WHERE id = ?
     UNION ALL SELECT 1 FROM history WHERE recordId = ? AND record = ? AND action <> 'erase' LIMIT 1`,
    id,
    id,
    kind,
  ) === 1;
