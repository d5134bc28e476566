import type { Issue } from './errors.ts';
import type { Fields, PatchOf, RecordOf } from './fields.ts';
import type { Kind } from './kind.ts';
import { logKind } from './log.ts';
import { goalKind } from './plans/goal.ts';
import { routineKind } from './plans/routine.ts';
import { userKind } from './user.ts';

/** The kinds of record by their names in the history. Users first: the others belong to them. */
export const kinds = {
  user: userKind,
  log: logKind,
  routine: routineKind,
  goal: goalKind,
} as const;
export type KindName = keyof typeof kinds;

export const kindNames = Object.keys(kinds) as readonly KindName[];

/** The kinds that belong to users. */
export const ownedKindNames = kindNames.filter((name): name is OwnedKindName => name !== 'user');
export type OwnedKindName = Exclude<KindName, 'user'>;

/** A kind by its name, with what only some have. */
export const kindOf = (name: KindName): Kind => kinds[name] as unknown as Kind;

/** The record of a kind, what is sent to create or replace one, and to change one. */
export type RecordOfKind<K extends KindName> = RecordOf<(typeof kinds)[K]['fields']>;
export type InputOf<K extends KindName> = Omit<RecordOfKind<K>, 'id'>;
export type PatchOfKind<K extends KindName> = (typeof kinds)[K]['fields'] extends infer Fs extends Fields
  ? PatchOf<{ [F in Exclude<keyof Fs, 'id'>]: Fs[F] }>
  : never;

/** A record of any kind. */
export type AnyRecord = { [K in KindName]: RecordOfKind<K> }[KindName];

/** The kinds of which a user has only one record with the same key. */
export type KeyedKindName = {
  [K in KindName]: (typeof kinds)[K] extends { readonly key: object } ? K : never;
}[KindName];

/** The key of a record among those of its user; undefined for a kind without. */
export const keyOf = (name: KindName, record: object): string | undefined => kindOf(name).key?.of(record);

/** The fault of a record whose key another record of the user has. */
export function keyFault(name: KindName): Issue {
  const { field = 'id', taken: message = '' } = kindOf(name).key ?? {};
  return { field, message, fault: { code: 'in-conflict' } };
}
