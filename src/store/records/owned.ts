import { type Issue, invalid } from '../../domain/errors.ts';
import { type KeyedKindName, keyFault, keyOf, kinds } from '../../domain/kinds.ts';
import type { Matching } from '../../domain/lists/filter.ts';
import type { Paging } from '../../domain/lists/sort.ts';
import type { RunChange } from '../history/changes.ts';
import { type Condition, isAmong } from '../sqlite/condition.ts';
import type { Database } from '../sqlite/database.ts';
import { isLong } from './lists/cost.ts';
import { conditionsFor } from './lists/filters.ts';
import type { Chunk } from './lists/rows.ts';
import { type OwnedJson, type Page, type Query, type ShortPage, Table } from './table.ts';
import type { Guard } from './users.ts';

/** Which records of a list, and which part of it. */
export interface OwnedFilter extends Matching, Paging {
  userId?: number;
}

/** What the records of a kind need of the store. */
interface Surroundings {
  db: Database;
  change: RunChange;
  logs: { userFaults(userId: unknown): Issue[] };
  /** The ids of the users whose records are visible; all without it. */
  users?: readonly number[] | undefined;
}

/**
 * The verbs of routines and goals: a user has few of them, and of each key only one. Each that writes is a change of
 * its own, unless it is called inside one.
 */
export class Owned<R extends { id: number; userId: number }> {
  readonly #table: Table<R>;
  readonly #conditionsOf: (filter: OwnedFilter) => Condition[];

  constructor(
    private readonly noun: KeyedKindName,
    private readonly store: Surroundings,
  ) {
    const { db, users } = store;
    const fields = kinds[noun].fields;
    const userId = { column: 'userId', operator: 'eq', field: fields.userId } as const;
    this.#conditionsOf = conditionsFor(fields, { userId });
    this.#table = new Table(db, noun, users ? [isAmong('userId', users)] : []);
  }

  has = (id: number): boolean => this.#table.has(id);
  find = (id: number): R | undefined => this.#table.find(id);
  /** @throws SciaticaError `not-found` */
  get = (id: number): R => this.#table.get(id);
  /** The record as JSON. @throws SciaticaError `not-found` */
  json = (id: number): string => this.#table.json(id);
  ownedJson = (id: number): OwnedJson => this.#table.ownedJson(id);

  /** Whether others should not wait for this list (see cost.ts). */
  isLong = (filter: OwnedFilter, goesOn = false): boolean =>
    isLong({ db: this.store.db, table: `${this.noun}s`, users: this.store.users }, filter, goesOn);
  count = (filter: OwnedFilter = {}): number => this.#table.count(this.#conditionsOf(filter));
  /** As `count`, outside of changes. */
  total = (filter: OwnedFilter): number => this.#table.total(this.#conditionsOf(filter));
  list = (filter: OwnedFilter = {}): R[] => this.#table.list(this.#query(filter));
  shortPage = (filter: OwnedFilter, withIds = false): ShortPage =>
    this.#table.shortPage(this.#query(filter), withIds);
  page = (filter: OwnedFilter, limit: number): Page => this.#table.page(this.#query(filter), limit);
  chunks = (filter: OwnedFilter = {}): Generator<R[]> => this.#table.chunks(this.#query(filter));
  jsonChunks = (filter: OwnedFilter = {}): Generator<Chunk> => this.#table.jsonChunks(this.#query(filter));
  jsonRows = (filter: OwnedFilter = {}): Generator<string[]> => this.#table.jsonRows(this.#query(filter));

  /** @throws SciaticaError `invalid` if there is no such user, or the user has one with this key */
  create(input: Omit<R, 'id'>): R {
    return this.store.change(() => {
      this.#require(input);
      return this.#table.insert(input);
    });
  }

  /** Inserts a record with the id it has. @throws SciaticaError as `create` */
  restore(record: R): void {
    this.store.change(() => {
      this.#require(record);
      this.#table.insert(record);
    });
  }

  /**
   * Puts another record in the place of this one.
   * @throws SciaticaError `not-found`, and as `create`, and what the guard throws
   */
  replace(id: number, input: Omit<R, 'id'>, guard?: Guard): R {
    return this.store.change(() => {
      guard?.(this.json(id));
      this.get(id);
      this.#require(input, id);
      return this.#table.update(input, id);
    });
  }

  /** Changes the fields that are given. @throws SciaticaError as `replace` */
  update(id: number, patch: object): R {
    return this.store.change(() => this.replace(id, { ...this.get(id), ...patch }));
  }

  /**
   * Deletes the record; returns what was deleted.
   * @throws SciaticaError `not-found`, and what the guard throws
   */
  delete(id: number, guard?: Guard): R {
    return this.store.change(() => {
      guard?.(this.json(id));
      const record = this.get(id);
      this.#table.delete(id);
      return record;
    });
  }

  /** The record of the same user that has the key of this one, but for the one with `id`. */
  withSameKey(record: Omit<R, 'id'>, id?: number): R | undefined {
    const key = keyOf(this.noun, record);
    const { userId } = record as unknown as R;
    return this.list({ userId }).find((other) => other.id !== id && keyOf(this.noun, other) === key);
  }

  #require(record: Omit<R, 'id'>, id?: number): void {
    const issues = this.store.logs.userFaults((record as unknown as R).userId);
    if (issues.length > 0) throw invalid(issues);
    if (this.withSameKey(record, id)) throw invalid([keyFault(this.noun)]);
  }

  #query(filter: OwnedFilter): Query {
    return { ...filter, where: this.#conditionsOf(filter) };
  }
}
