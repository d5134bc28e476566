import type { Issue } from './errors.ts';
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
  /** What the API reference calls one, with its article, and several, and what it says of them. */
  readonly described: { readonly one: string; readonly many: string; readonly about: string };
  /** What a person calls one and several. */
  readonly words: { readonly one: string; readonly many: string };
  /** The noun and the list of its commands, where they are others than its words, and the verb that adds one, where not `add`. */
  readonly commands?: { readonly one: string; readonly many: string; readonly add?: string };
  /** The filters of its list that have a name of their own. */
  readonly filters?: FiltersOf<Fs>;
  /** In the API reference: values of `sort` and `fields`, a change, and the id of one that may be deleted, of the user of the example. */
  readonly examples?: {
    readonly sort: string;
    readonly fields: string;
    readonly patch?: Partial<RecordOf<Fs>>;
    readonly deleted: number;
  };
  /**
   * Required fields, any of which tells that an object without a name is of this kind. Kinds with `userId` among theirs are tried
   * last.
   */
  readonly sign: readonly (keyof Fs & string)[];
  /** What is wrong with the fields of a record together, or with a change of them. @param before the record that is changed */
  faults?(record: Partial<RecordOf<Fs>>, before?: Partial<RecordOf<Fs>>): Issue[];
  /**
   * Where a user has only one record with the same key: the field that it is made of, the key, the rule in the API
   * reference, and the fault of a second.
   */
  readonly key?: {
    readonly field: keyof Fs & string;
    of(record: Partial<RecordOf<Fs>>): string;
    readonly rule?: string;
    readonly taken: string;
    /**
     * The value that a second one is given for good that another machine made; the first is the one with the least `by`. Without it
     * a text shows with a number after it, and what has another field as its key shows when the first is gone.
     */
    readonly second?: { readonly value: string; readonly by: keyof Fs & string };
  };
}

/** Whether of two records of a user with one key the second shows with a number after it. */
export const isNumbered = ({ key, fields }: Kind): boolean =>
  key !== undefined && !key.second && fields[key.field]?.kind === 'text';

/** Keeps the types of the definition, which `Kind` alone would widen. */
export const defineKind = <Fs extends Fields, const K extends Kind<Fs>>(
  definition: K & { readonly fields: Fs },
): K => definition;
