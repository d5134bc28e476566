import type { Fields, RecordOf } from './fields.ts';
import type { FiltersOf } from './filter.ts';

/** What can be done with the records of a kind over HTTP and, where a person does it, with a command. */
export type Verb = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'delete' | 'restore' | 'history';

/** All that is true of a kind of record. Routes, SQL, files, commands and pages are made from it. */
export interface Kind<Fs extends Fields = Fields> {
  /** The fields, `id` first; a kind with `userId` belongs to users, and goes with them. */
  readonly fields: Fs;
  /** Its table in the database. */
  readonly table: string;
  /** Its path in the API; without the slash the key of its list in a JSON document. */
  readonly path: `/${string}`;
  /**
   * Where the API has its records: in a collection of their own; listed and created below their user; or one record at
   * most below each user.
   */
  readonly place: 'collection' | 'below-user' | 'one-per-user';
  readonly verbs: readonly Verb[];
  /** Its heading in the API reference, and the name of its schema there. */
  readonly tag: string;
  readonly schema: string;
  /** What the API reference calls one, with its article, and several. */
  readonly described: { readonly one: string; readonly many: string };
  /** What a person calls one and several; the noun and the list of its commands. */
  readonly words: { readonly one: string; readonly many: string };
  /** Fields, any of which tells that an object without a name is of this kind. */
  readonly sign: readonly (keyof Fs & string)[];
  /** The filters of its lists that have a name of their own, beside `userId` of what belongs to users. */
  readonly filters?: FiltersOf<Fs>;
  /** Where a user has only one record with the same key: the field that it is made of, the key, and the fault of a second. */
  readonly key?: {
    readonly field: keyof Fs & string;
    of(record: Partial<RecordOf<Fs>>): string;
    readonly taken: string;
  };
}

/** Keeps the types of the definition, which `Kind` alone would widen. */
export const defineKind = <Fs extends Fields, const K extends Kind<Fs>>(
  definition: K & { readonly fields: Fs },
): K => definition;
