import { invalid } from '../../domain/errors.ts';
import type { Fields } from '../../domain/fields.ts';
import type { FilterOf, KindName } from '../../domain/kinds.ts';
import type { Filter } from '../../domain/lists/filter.ts';
import type { Paging } from '../../domain/lists/sort.ts';
import {
  type LogFilter,
  type LogInput,
  type LogPatch,
  logFilterFields,
  logRecord,
} from '../../domain/log.ts';
import { type RoutineInput, routineRecord } from '../../domain/plans/routine.ts';
import { checksOf } from '../../domain/schema.ts';
import { type UserFilter, type UserInput, type UserPatch, userRecord } from '../../domain/user.ts';
import { remembered } from '../../lib/remember.ts';
import { checkChange, checkNew } from '../../store/records/checks.ts';
import type { Chunk } from '../../store/records/lists/rows.ts';
import type { Guard } from '../../store/records/records.ts';
import type { OwnedJson, Page, ShortPage } from '../../store/records/table.ts';
import type { Store } from '../../store/store.ts';
import { type ListQuery, listReader, parametersOfList } from './list-query.ts';

/** A stored record, as far as handlers look into it. */
export interface StoredRecord {
  id: number;
  /** The owner of a log. */
  userId?: number | undefined;
}

/** The verbs of the store that handlers use; those of users and of logs have these types. */
export interface Verbs<F, Input, Patch> {
  json: (id: number) => string;
  ownedJson: (id: number) => OwnedJson;
  /** Whether others should not wait for the list, or for what follows its first part. */
  isLong: (filter: F, goesOn?: boolean) => boolean;
  total: (filter: F) => number;
  shortPage: (filter: F, withIds?: boolean) => ShortPage;
  page: (filter: F, limit: number) => Page;
  jsonChunks: (filter: F) => Generator<Chunk>;
  create: (input: Input) => StoredRecord;
  createAll: (inputs: readonly Input[]) => StoredRecord[];
  replace: (id: number, input: Input, guard?: Guard) => StoredRecord;
  update: (id: number, patch: Patch, guard?: Guard) => StoredRecord;
  delete: (id: number, guard?: Guard) => StoredRecord;
}

/** A kind of record as the interface shows it. */
export interface Collection {
  path: '/users' | '/userExerciseLogs' | '/routines';
  noun: KindName;
}

/** What the list of a kind of record takes. */
export interface Listed extends Collection {
  /** The query parameters of the list that are given once at most. */
  parameters: Fields;
  /** The filters on fields by the names of their parameters. */
  filters: Readonly<Record<string, Filter>>;
}

/** The verbs of lists. */
export type ListVerbs<F> = Pick<
  Verbs<F, never, never>,
  'isLong' | 'total' | 'shortPage' | 'page' | 'jsonChunks'
>;

/** A kind of record of which there are lists. */
export interface Lists<F extends Paging> extends Listed {
  /** Reads the query string of the list: the result is kept, and not to be changed. @throws SciaticaError `invalid` with every fault */
  read(search: string): ListQuery<F>;
  verbs(store: Store): ListVerbs<F>;
}

/** The verbs of single records. */
export type ItemVerbs<Input> = Pick<
  Verbs<never, Input, never>,
  'json' | 'ownedJson' | 'create' | 'replace' | 'delete'
>;

/** A kind of record whose single records have paths of their own. */
export interface Item<Input> extends Collection {
  /** Checks a new or a whole record. @throws SciaticaError `invalid` with every fault */
  check(store: Store, value: unknown): Input;
  verbs(store: Store): ItemVerbs<Input>;
}

/** A collection with its types, its checks, and its verbs in a store. */
export interface Resource<F extends Paging, Input, Patch> extends Item<Input>, Lists<F> {
  /** As `check`, of one of several records: beside faults of others a missing user is a fault that must be named. */
  checkOneOf(store: Store, value: unknown): Input;
  /** Checks the changes of a record. @throws SciaticaError `invalid` with every fault */
  checkPatch(store: Store, value: unknown): Patch;
  verbs(store: Store): Verbs<F, Input, Patch>;
}

const userParameters = parametersOfList(userRecord, {}, { sort: 'lastName,id', fields: 'id,lastName' });
const logParameters = parametersOfList(logRecord, namedFilters(), {
  sort: '-date,id',
  fields: 'id,date,painAfter',
});
const routineParameters = parametersOfList(routineRecord, {}, { sort: 'name,id', fields: 'id,name' });

/** The filters of logs that are no filter on a field by its own name: since and until. */
function namedFilters(): Fields {
  const entries = Object.entries(logFilterFields).filter(([name]) => !Object.hasOwn(logRecord, name));
  return Object.fromEntries(entries);
}

export const users: Resource<UserFilter, UserInput, UserPatch> = {
  path: '/users',
  noun: 'user',
  parameters: userParameters.single,
  filters: userParameters.conditions.filters,
  read: remembered(listReader<UserFilter>(userRecord, userParameters)),
  check: (_, value) => checksOf('user').input(value),
  checkOneOf: (_, value) => checksOf('user').input(value),
  checkPatch: (_, value) => checksOf('user').patch(value),
  verbs: (store) => store.users,
};

export const logs: Resource<LogFilter, LogInput, LogPatch> = {
  path: '/userExerciseLogs',
  noun: 'log',
  parameters: logParameters.single,
  filters: logParameters.conditions.filters,
  read: remembered(listReader<LogFilter>(logRecord, logParameters)),
  check: ({ users }, value) => checkNew(users, 'log', value),
  checkOneOf({ users }, value) {
    const input = checkNew(users, 'log', value);
    const issues = users.userFaults(input.userId);
    if (issues.length > 0) throw invalid(issues);
    return input;
  },
  checkPatch: ({ users }, value) => checkChange(users, 'log', value),
  verbs: (store) => store.logs,
};

export const routines: Item<RoutineInput> & Lists<FilterOf<'routine'>> = {
  path: '/routines',
  noun: 'routine',
  parameters: routineParameters.single,
  filters: routineParameters.conditions.filters,
  read: remembered(listReader<FilterOf<'routine'>>(routineRecord, routineParameters)),
  check: ({ users }, value) => checkNew(users, 'routine', value),
  verbs: (store) => store.routines,
};
