import { type User, type UserFilter, type UserInput, type UserPatch, userRecord } from '../../domain/user.ts';
import type { History } from '../history/history.ts';
import { isAmong } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { type Page, type Query, Table } from './table.ts';

/** Looks at a record before it is changed; throws to refuse the change. */
export type Guard = (json: string) => void;

/** The verbs of a user. Each that writes is one transaction. */
export class Users {
  readonly #table: Table<User>;

  constructor(
    db: Database,
    private readonly history: History,
    scope?: readonly number[],
  ) {
    this.#table = new Table(db, 'users', 'user', userRecord, scope && [isAmong('id', scope)]);
  }

  has = (id: number): boolean => this.#table.has(id);
  find = (id: number): User | undefined => this.#table.find(id);
  /** @throws SciaticaError `not-found` */
  get = (id: number): User => this.#table.get(id);
  /** The record as JSON. @throws SciaticaError `not-found` */
  json = (id: number): string => this.#table.json(id);

  count = (): number => this.#table.count([]);
  list = (filter: UserFilter = {}): User[] => this.#table.list(query(filter));
  page = (filter: UserFilter, limit: number) => this.#table.page(query(filter), limit);
  boundedPage = (filter: UserFilter, limit: number): Page => this.#table.boundedPage(query(filter), limit);
  chunks = (filter: UserFilter = {}): Generator<User[]> => this.#table.chunks(query(filter));
  jsonChunks = (filter: UserFilter = {}): Generator<string[]> => this.#table.jsonChunks(query(filter));

  create(input: UserInput): User {
    return this.history.change(() => this.get(this.#table.insert(input)));
  }

  /** Inserts a user with the id it has. */
  restore(user: User): void {
    this.#table.insert(user);
  }

  /**
   * Changes the fields that are given; all seven replace the user.
   * @throws SciaticaError `not-found`
   */
  update(id: number, patch: UserPatch, guard?: Guard): User {
    return this.history.change(() => {
      guard?.(this.json(id));
      this.#table.update({ ...this.get(id), ...patch, id });
      return this.get(id);
    });
  }

  /**
   * Deletes the user and all of the user's logs; returns what was deleted.
   * @throws SciaticaError `not-found`
   */
  delete(id: number, guard?: Guard): User {
    return this.history.change(() => {
      guard?.(this.json(id));
      const user = this.get(id);
      this.#table.delete(id);
      return user;
    });
  }
}

function query({ sort, limit, cursor }: UserFilter): Query {
  return { where: [], sort, limit, cursor };
}
