import { invalid } from '../../domain/errors.ts';
import { type Fields, integer, text } from '../../domain/fields.ts';
import { type LogFilter, type LogInput, type LogPatch, logFilterFields } from '../../domain/log.ts';
import type { Noun } from '../../domain/records.ts';
import { checkUserInput, checkUserPatch } from '../../domain/schema.ts';
import type { Paging } from '../../domain/sort.ts';
import type { UserFilter, UserInput, UserPatch } from '../../domain/user.ts';
import { checkLogChange, checkNewLog } from '../../store/records/checks.ts';
import type { Chunk, Page, ShortPage } from '../../store/records/table.ts';
import type { Guard } from '../../store/records/users.ts';
import type { Store } from '../../store/store.ts';
import { queryReader } from './query.ts';

/** A stored record, as far as handlers look into it. */
export interface StoredRecord {
  id: number;
  /** The owner of a log. */
  userId?: number;
}

/** The verbs of the store that handlers use; those of users and of logs have these types. */
export interface Verbs<Filter, Input, Patch> {
  json: (id: number) => string;
  count: (filter: Filter) => number;
  shortPage: (filter: Filter, withIds?: boolean) => ShortPage;
  page: (filter: Filter, limit: number) => Page;
  jsonChunks: (filter: Filter) => Generator<Chunk>;
  create: (input: Input) => StoredRecord;
  createAll: (inputs: readonly Input[]) => StoredRecord[];
  replace: (id: number, input: Input, guard?: Guard) => StoredRecord;
  update: (id: number, patch: Patch, guard?: Guard) => StoredRecord;
  delete: (id: number, guard?: Guard) => StoredRecord;
}

/** A kind of record as the interface shows it. */
export interface Collection {
  path: '/users' | '/userExerciseLogs';
  noun: Noun;
  /** The query parameters of the list. */
  parameters: Fields;
}

/** A collection with its types, its checks, and its verbs in a store. */
export interface Resource<Filter extends Paging, Input, Patch> extends Collection {
  /** Reads the query string of the list. @throws SciaticaError `invalid` with every fault */
  filterOf(search: string): Filter;
  /** Checks a new or a whole record. @throws SciaticaError `invalid` with every fault */
  check(store: Store, value: unknown): Input;
  /** As `check`, of one of several records: beside faults of others a missing user is a fault that must be named. */
  checkOneOf(store: Store, value: unknown): Input;
  /** Checks the changes of a record. @throws SciaticaError `invalid` with every fault */
  checkPatch(store: Store, value: unknown): Patch;
  verbs(store: Store): Verbs<Filter, Input, Patch>;
}

const MAX_PAGE = 1000;

const listParameters = (sortExample: string) => ({
  sort: text({
    label: 'Sort',
    flag: 'sort',
    help: 'Fields separated by commas, - in front for descending',
    max: 200,
    blank: false,
    example: sortExample,
  }),
  limit: integer({
    label: 'Limit',
    flag: 'limit',
    help: 'Most records on a page',
    min: 1,
    max: MAX_PAGE,
    example: 50,
  }),
  cursor: text({
    label: 'Cursor',
    flag: 'cursor',
    help: 'Where the page begins, from the Link header of the page before',
    max: 2000,
    blank: false,
    example: 'WyJpZCIsMl0',
  }),
});

const userParameters = listParameters('lastName,id');
const logParameters = { ...logFilterFields, ...listParameters('-date,id') };

export const users: Resource<UserFilter, UserInput, UserPatch> = {
  path: '/users',
  noun: 'user',
  parameters: userParameters,
  filterOf: queryReader(userParameters),
  check: (_, value) => checkUserInput(value),
  checkOneOf: (_, value) => checkUserInput(value),
  checkPatch: (_, value) => checkUserPatch(value),
  verbs: (store) => store.users,
};

export const logs: Resource<LogFilter, LogInput, LogPatch> = {
  path: '/userExerciseLogs',
  noun: 'log',
  parameters: logParameters,
  filterOf: queryReader(logParameters),
  check: ({ logs }, value) => checkNewLog(logs, value),
  checkOneOf({ logs }, value) {
    const input = checkNewLog(logs, value);
    const issues = logs.userFaults(input.userId);
    if (issues.length > 0) throw invalid(issues);
    return input;
  },
  checkPatch: ({ logs }, value) => checkLogChange(logs, value),
  verbs: (store) => store.logs,
};
