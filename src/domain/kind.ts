import type { Issue } from './errors.ts';
import type { Fields, RecordOf } from './fields.ts';
import type { FiltersOf } from './filter.ts';

/** What can be done with the records of a kind over HTTP and, where a person does it, with a command. */
export type Verb = 'list' | 'create' | 'read' | 'replace' | 'patch' | 'delete' | 'restore' | 'history';

/** The definition of a kind of record. Routes, SQL, files, commands and pages are made from it. */
export interface Kind<Fs extends Fields = Fields> {
  /** The fields, `id` first. Records of a kind with `userId` belong to a user and are deleted with that user. */
  readonly fields: Fs;
  /** Its table in the database. */
  readonly table: string;
  /** Its path in the API; without the slash, the key of its list in a JSON document. */
  readonly path: `/${string}`;
  /**
   * Where the API has its records: in a collection of their own; listed and created below their user; or at most one record
   * below each user.
   */
  readonly place: 'collection' | 'below-user' | 'one-per-user';
  readonly verbs: readonly Verb[];
  /** Its heading in the API reference, and the name of its schema there. */
  readonly tag: string;
  readonly schema: string;
  /** Wording of the API reference: one record with its article, several, and a sentence about them. */
  readonly described: { readonly one: string; readonly many: string; readonly about: string };
  /** Singular and plural noun, for people. */
  readonly words: { readonly one: string; readonly many: string };
  /** Names of its commands where they differ from `words`: noun, list, and the verb that adds a record (`add` by default). */
  readonly commands?: { readonly one: string; readonly many: string; readonly add?: string };
  /** The named filters of its list. */
  readonly filters?: FiltersOf<Fs>;
  /** For the API reference: values of `sort` and `fields`, a patch, and the id of a deletable record of the example user. */
  readonly examples?: {
    readonly sort: string;
    readonly fields: string;
    readonly patch?: Partial<RecordOf<Fs>>;
    readonly deleted: number;
  };
  /**
   * Required fields by which an import recognizes an object whose kind is not stated: any one of them suffices. Kinds with
   * `userId` among them are tried last.
   */
  readonly sign: readonly (keyof Fs & string)[];
  /** Checks rules across several fields of a record or of a change. @param before the record before the change */
  faults?(record: Partial<RecordOf<Fs>>, before?: Partial<RecordOf<Fs>>): Issue[];
  /**
   * For a kind of which a user has only one record per key: the field that the key is made from, the key, the rule in the API
   * reference, and the message that refuses a second record.
   */
  readonly key?: {
    readonly field: keyof Fs & string;
    of(record: Partial<RecordOf<Fs>>): string;
    readonly rule?: string;
    readonly taken: string;
    /**
     * How a merge treats a second record with the same key, made on another machine: its key field is set to `value` for good,
     * where the record with the lowest `by` is the first. Without it, a text key is shown with a number after it, and a record
     * with another kind of key is hidden until the first is gone.
     */
    readonly second?: { readonly value: string; readonly by: keyof Fs & string };
  };
}

/** Whether a merge shows a second record with the same key with a number after its key. */
export const isNumbered = ({ key, fields }: Kind): boolean =>
  key !== undefined && !key.second && fields[key.field]?.kind === 'text';

/** Keeps the literal types of the definition, which `Kind` alone would widen. */
export const defineKind = <Fs extends Fields, const K extends Kind<Fs>>(
  definition: K & { readonly fields: Fs },
): K => definition;
