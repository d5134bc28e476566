import { type Fields, integer, text } from '../../domain/fields.ts';
import { logFilterFields, logRecord } from '../../domain/log.ts';
import { checkUserInput, checkUserPatch } from '../../domain/schema.ts';
import { userRecord } from '../../domain/user.ts';
import { checkLogChange, checkNewLog } from '../../store/records/checks.ts';
import type { Page, ShortPage } from '../../store/records/table.ts';
import type { Store } from '../../store/store.ts';

/** What the handlers need of a record's verbs; those of users and logs both have it. */
export interface Verbs {
  has(id: number): boolean;
  json(id: number): string;
  count(filter: object): number;
  shortPage(filter: object): ShortPage;
  page(filter: object, limit: number): Page;
  jsonRows(filter: object): Generator<string[]>;
  create(input: object): { id: number };
  createAll(inputs: readonly object[]): { id: number }[];
  replace(id: number, input: object, guard?: (json: string) => void): object;
  update(id: number, patch: object, guard?: (json: string) => void): object;
  delete(id: number, guard?: (json: string) => void): object;
}

/** A kind of record as the service shows it. */
export interface Resource {
  path: '/users' | '/userExerciseLogs';
  noun: 'user' | 'log';
  /** The query parameters of its list. */
  parameters: Fields;
  verbs(store: Store): Verbs;
  /** Checks what is to become a record. @throws SciaticaError `invalid` with every fault */
  check(store: Store, value: unknown): object;
  /** Checks what is to change in a record. @throws SciaticaError `invalid` with every fault */
  checkPatch(store: Store, value: unknown): object;
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

export const users: Resource = {
  path: '/users',
  noun: 'user',
  parameters: listParameters('lastName,id'),
  verbs: (store) => store.users as unknown as Verbs,
  check: (_, value) => checkUserInput(value),
  checkPatch: (_, value) => checkUserPatch(value),
};

export const logs: Resource = {
  path: '/userExerciseLogs',
  noun: 'log',
  parameters: { ...logFilterFields, ...listParameters('-date,id') },
  verbs: (store) => store.logs as unknown as Verbs,
  check: ({ logs }, value) => checkNewLog(logs, value),
  checkPatch: ({ logs }, value) => checkLogChange(logs, value),
};

export const recordFields = { [users.path]: userRecord, [logs.path]: logRecord };
