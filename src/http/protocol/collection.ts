import { invalid, SciaticaError } from '../../domain/errors.ts';
import type { Fields } from '../../domain/fields.ts';
import type { Kind } from '../../domain/kind.ts';
import { type InputOf, type KindName, kindOf, type PatchOfKind } from '../../domain/kinds.ts';
import { type Filter, fieldsOfFilters } from '../../domain/lists/filter.ts';
import { checksOf } from '../../domain/schema.ts';
import { remembered } from '../../lib/remember.ts';
import type { Chunk } from '../../store/records/lists/rows.ts';
import type { OwnedJson, Page, ShortPage } from '../../store/records/table.ts';
import type { Guard } from '../../store/records/users.ts';
import type { Store } from '../../store/store.ts';
import { type ListFilter, type ListQuery, listReader, parametersOfList } from './list-query.ts';

/** A stored record, as far as routes look into it. */
export interface StoredRecord {
  id: number;
  /** The owner of what belongs to a user. */
  userId?: number | undefined;
}

type Input = InputOf<KindName>;
type Patch = PatchOfKind<KindName>;

/** The verbs of the store that routes use: those of every kind. */
export interface Verbs {
  has(id: number): boolean;
  json(id: number): string;
  ownedJson(id: number): OwnedJson;
  /** Whether others should not wait for the list, or for what follows its first part. */
  isLong(filter: ListFilter, isContinued?: boolean): boolean;
  total(filter: ListFilter): number;
  shortPage(filter: ListFilter, withIds?: boolean): ShortPage;
  page(filter: ListFilter, limit: number): Page;
  list(filter: ListFilter): StoredRecord[];
  jsonChunks(filter: ListFilter): Generator<Chunk>;
  create(input: Input): StoredRecord;
  createAll(inputs: readonly Input[]): StoredRecord[];
  replace(id: number, input: Input, guard?: Guard): StoredRecord;
  update(id: number, patch: Patch, guard?: Guard): StoredRecord;
  delete(id: number, guard?: Guard): StoredRecord;
}

/** A kind of record as the service has it: its checks, its lists, and its verbs in a store. */
export interface Collection {
  readonly name: KindName;
  readonly kind: Kind;
  /** Whether its records belong to users. */
  readonly isOwned: boolean;
  /** The query parameters of its list that are given once at most. */
  readonly parameters: Fields;
  /** The filters of its list on fields, by the names of their parameters. */
  readonly filters: Readonly<Record<string, Filter>>;
  /** Reads the query string of the list: the result is kept, and not to be changed. @throws SciaticaError `invalid` with every fault */
  read(search: string): ListQuery;
  /** Checks a new or a whole record. @throws SciaticaError `invalid` with every fault */
  check(store: Store, value: unknown): Input;
  /** As `check`, of one of several records: beside faults of others a missing user is a fault that must be named. */
  checkOneOf(store: Store, value: unknown): Input;
  /** Checks the changes of a record. @throws SciaticaError `invalid` with every fault */
  checkPatch(store: Store, value: unknown): Patch;
  verbs(store: Store): Verbs;
}

/** The collection of a kind. */
export function collectionOf(name: KindName): Collection {
  const kind = kindOf(name);
  const { fields, filters = {}, examples } = kind;
  const isOwned = Object.hasOwn(fields, 'userId');
  // A filter by the name of its field is one of the conditions.
  const named = Object.entries(fieldsOfFilters(filters)).filter(([filter]) => !Object.hasOwn(fields, filter));
  const parameters = parametersOfList(fields, Object.fromEntries(named), examples);
  const { input, patch } = checksOf(name);
  const faultsOfUser = (store: Store, value: unknown) =>
    isOwned ? store.logs.userFaults((value as { userId?: unknown } | null)?.userId) : [];
  /** Whether the user is there is looked up when the record is stored, or here to name every fault. */
  const checked = <T>(check: (value: unknown) => T, store: Store, value: unknown): T => {
    try {
      return check(value);
    } catch (error) {
      if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
      const isNamed = error.issues.some(({ field }) => field === 'userId');
      throw invalid([...error.issues, ...(isNamed ? [] : faultsOfUser(store, value))]);
    }
  };
  return {
    name,
    kind,
    isOwned,
    parameters: parameters.single,
    filters: parameters.conditions.filters,
    read: remembered(listReader(fields, parameters)),
    check: (store, value) => checked(input, store, value),
    checkOneOf(store, value) {
      const one = checked(input, store, value);
      const faults = faultsOfUser(store, one);
      if (faults.length > 0) throw invalid(faults);
      return one;
    },
    checkPatch: (store, value) => checked(patch, store, value),
    verbs: (store) => recordsOf(store, name),
  };
}

/** The verbs of a kind in a store. */
export const recordsOf = (store: Store, name: KindName): Verbs => store.of(name) as unknown as Verbs;
