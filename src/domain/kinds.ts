import { type Issue, issue } from './errors.ts';
import type { Fields, PatchOf, RecordOf } from './fields.ts';
import type { Filter, Matching } from './filter.ts';
import { goalKind } from './goal.ts';
import type { Kind } from './kind.ts';
import { logKind } from './log.ts';
import { painEntryKind } from './pain-entry.ts';
import { routineKind } from './routine.ts';
import type { Paging } from './sort.ts';
import { trialDayKind, trialKind } from './trial.ts';
import { userKind } from './user.ts';

/** The kinds of record by their names in the history. Users first: the others belong to them. */
export const kinds = {
  user: userKind,
  log: logKind,
  routine: routineKind,
  goal: goalKind,
  painEntry: painEntryKind,
  trial: trialKind,
  trialDay: trialDayKind,
} as const;
export type KindName = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as readonly KindName[];

export const isKindName = (value: unknown): value is KindName => kindNames.some((name) => name === value);

/** An object with one value for each kind. */
export const byKind = <T>(of: (name: KindName) => T): Record<KindName, T> =>
  Object.fromEntries(kindNames.map((name) => [name, of(name)])) as Record<KindName, T>;

/** The kinds that belong to users. */
export type OwnedKindName = Exclude<KindName, 'user'>;
export const isOwned = (name: KindName): name is OwnedKindName => name !== 'user';
export const ownedKindNames = kindNames.filter(isOwned);

/** A kind by its name, typed with the optional members that only some kinds have. */
export const kindOf = (name: KindName): Kind => kinds[name] as unknown as Kind;

/** The singular noun of a kind, for people. */
export const nounOf = (name: KindName): string => kindOf(name).words.one;

/** A noun with its article: `an appointment`. A leading u takes "a", as in "a user". */
export const withArticle = (noun: string): string => `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The names of a kind's commands: the noun, the list, and the verb that adds a record. */
export const commandsOf = (name: KindName) => ({
  add: 'add',
  ...(kindOf(name).commands ?? kindOf(name).words),
});

type Each = { [K in KindName]: RecordOf<(typeof kinds)[K]['fields']> };

/** The record of a kind. */
export type RecordOfKind<K extends KindName> = Each[K];
/** The input that creates or replaces a record. */
export type InputOf<K extends KindName> = { [N in KindName]: Omit<Each[N], 'id'> }[K];
/** The input that changes a record. */
export type PatchOfKind<K extends KindName> = {
  [N in KindName]: (typeof kinds)[N]['fields'] extends infer Fs extends Fields
    ? PatchOf<{ [F in Exclude<keyof Fs, 'id'>]: Fs[F] }>
    : never;
}[K];

type Named<F> = F extends { readonly filters: infer Fs extends Readonly<Record<string, Filter>> }
  ? Partial<RecordOf<{ [N in keyof Fs]: Fs[N]['field'] }>>
  : unknown;
/** Which records of a kind's list, in what order, and which part of it. */
export type FilterOf<K extends KindName> = {
  [N in KindName]: Matching &
    Paging &
    (N extends 'user' ? unknown : { userId?: number }) &
    Named<(typeof kinds)[N]>;
}[K];

/** A record of any kind. */
export type AnyRecord = RecordOfKind<KindName>;
/** A record of a kind that belongs to users. */
export type OwnedRecord = RecordOfKind<OwnedKindName>;

/** Id of the user to whom a record belongs; a user belongs to itself. */
export const ownerOf = (name: KindName, record: object): number =>
  name === 'user' ? (record as { id: number }).id : (record as { userId: number }).userId;

/** The key of a record, unique among its user's records of the kind; undefined for a kind without keys. */
export const keyOf = (name: KindName, record: object): string | undefined => kindOf(name).key?.of(record);

/** Statement of a user: the user that it was merged into. */
export const INTO = 'into';

/**
 * The groups of fields that a merge of replicas treats as one value, by the name of the group (`statement`). A kind with one
 * record per user is one group.
 */
export function statementsOf(name: KindName): ReadonlyMap<string, readonly string[]> {
  const groups = statements.get(name) ?? groupsOf(name);
  statements.set(name, groups);
  return groups;
}

const statements = new Map<KindName, ReadonlyMap<string, readonly string[]>>();

function groupsOf(name: KindName): ReadonlyMap<string, readonly string[]> {
  const { fields, place } = kindOf(name);
  const groups = new Map<string, string[]>();
  for (const [field, { statement = field }] of Object.entries(fields)) {
    if (field === 'id' || (place === 'one-per-user' && field === 'userId')) continue;
    const group = place === 'one-per-user' ? name : statement;
    groups.set(group, [...(groups.get(group) ?? []), field]);
  }
  if (name === 'user') groups.set(INTO, [INTO]);
  return groups;
}

/** The fault of a record whose key another record of the user has. */
export function keyFault(name: KindName): Issue {
  const { field = 'id', taken: message = '' } = kindOf(name).key ?? {};
  return issue(field, message, 'in-conflict');
}
