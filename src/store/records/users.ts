import { type User, type UserFilter, type UserInput, type UserPatch, userRecord } from '../../domain/user.ts';
import type { RunChange } from '../history/changes.ts';
import { type Condition, isAmong } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { isLong } from './lists/cost.ts';
import { conditionsFor } from './lists/filters.ts';
import type { Chunk } from './lists/rows.ts';
import { type OwnedJson, type Page, type Query, type ShortPage, Table } from './table.ts';

const conditionsOf: (filter: UserFilter) => Condition[] = conditionsFor(userRecord);

/** Looks at a record, as JSON, before it is changed; throws to refuse the change. */
export type Guard = (json: string) => void;

/** The verbs of a user. Each that writes is a change of its own, unless it is called inside one. */
export class Users {
  readonly #table: Table<User>;

  constructor(
    private readonly db: Database,
    private readonly change: RunChange,
    private readonly scope?: readonly number[],
  ) {
    this.#table = new Table(db, 'user', scope && [isAmong('id', scope)]);
  }

  has = (id: number): boolean => this.#table.has(id);
  find = (id: number): User | undefined => this.#table.find(id);
  /** @throws SciaticaError `not-found` */
  get = (id: number): User => this.#table.get(id);
  /** The record as JSON. @throws SciaticaError `not-found` */
  json = (id: number): string => this.#table.json(id);
  ownedJson = (id: number): OwnedJson => this.#table.ownedJson(id);

  count = (filter: UserFilter = {}): number => this.#table.count(conditionsOf(filter));
  /** As `count`, outside of changes. */
  total = (filter: UserFilter): number => this.#table.total(conditionsOf(filter));
  list = (filter: UserFilter = {}): User[] => this.#table.list(query(filter));
  shortPage = (filter: UserFilter, withIds = false): ShortPage =>
    this.#table.shortPage(query(filter), withIds);
  page = (filter: UserFilter, limit: number): Page => this.#table.page(query(filter), limit);
  chunks = (filter: UserFilter = {}): Generator<User[]> => this.#table.chunks(query(filter));
  jsonChunks = (filter: UserFilter = {}): Generator<Chunk> => this.#table.jsonChunks(query(filter));
  jsonRows = (filter: UserFilter = {}): Generator<string[]> => this.#table.jsonRows(query(filter));

  /** Whether others should not wait for this list (see cost.ts). */
  isLong = (filter: UserFilter, goesOn = false): boolean =>
    isLong({ db: this.db, table: 'users', users: this.scope }, filter, goesOn);

  create(input: UserInput): User {
    return this.change(() => this.#table.insert(input));
  }

  createAll(inputs: readonly UserInput[]): User[] {
    return this.change(() => inputs.map((input) => this.create(input)));
  }

  /** Inserts a user with the id it has. */
  restore(user: User): void {
    this.change(() => this.#table.insert(user));
  }

  /**
   * Changes the fields that are given.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  update(id: number, patch: UserPatch, guard?: Guard): User {
    return this.#write(id, (user) => ({ ...user, ...patch }) as User, guard);
  }

  /**
   * Puts another record in the place of this one.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  replace(id: number, input: UserInput, guard?: Guard): User {
    return this.#write(id, () => input, guard);
  }

  #write(id: number, next: (user: User) => UserInput, guard: Guard | undefined): User {
    return this.change(() => {
      guard?.(this.json(id));
      return this.#table.update(next(this.get(id)), id);
    });
  }

  /**
   * Deletes the user and all of the user's logs; returns what was deleted.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  delete(id: number, guard?: Guard): User {
    return this.change(() => {
      guard?.(this.json(id));
      const user = this.get(id);
      this.#table.delete(id);
      return user;
    });
  }
}

function query(filter: UserFilter): Query {
  return { ...filter, where: conditionsOf(filter) };
}
