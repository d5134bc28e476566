/** The kinds of field. A definition is plain data: flags, prompts, tables, CSV, SQL and OpenAPI are made from it. */
interface FieldBase {
  /** Column heading and name in prompts. */
  readonly label: string;
  /** The command-line flag, without dashes. */
  readonly flag: string;
  /** One line of help. */
  readonly help: string;
  /** Shown beside the question in a prompt. */
  readonly hint?: string;
  /**
   * A record may lack it: absent in JSON, NULL in SQL, an empty cell in CSV. A text that may be blank cannot be
   * optional, for CSV could not tell the two apart.
   */
  readonly optional?: true;
  /**
   * Name of a group of fields that replicas merge as one value: after concurrent changes all of them are taken from one
   * machine, so that the merge makes up no session that nobody had. A field without one is merged by itself.
   */
  readonly statement?: string;
}

interface TextField extends FieldBase {
  readonly kind: 'text';
  readonly example: string;
  /** Most characters (Unicode code points, as JSON Schema counts). */
  readonly max: number;
  /** May be empty or white space only. */
  readonly blank: boolean;
}

interface EmailField extends FieldBase {
  readonly kind: 'email';
  readonly example: string;
  readonly max: number;
}

interface IntegerField extends FieldBase {
  readonly kind: 'integer';
  readonly example: number;
  readonly min: number;
  readonly max: number;
}

export interface BooleanField extends FieldBase {
  readonly kind: 'boolean';
  readonly example: boolean;
}

export interface DateField extends FieldBase {
  readonly kind: 'date';
  /** A day on which something happened to the person: the command line questions days after tomorrow or before birth. */
  readonly past?: true;
  /** The day that a record is about. Filters can match a part of it, such as a month. */
  readonly ofRecord?: true;
  /** The day that a typed month or year stands for: its first or its last. */
  readonly edge?: 'first' | 'last';
  readonly example: string;
}

export interface ChoiceField<C extends string = string> extends FieldBase {
  readonly kind: 'choice';
  readonly example: NoInfer<C>;
  readonly choices: readonly C[];
}

/** An ordered list of objects with the fields `items`; JSON where a value is one text (SQL, CSV). */
export interface ListField<Fs extends Fields = Fields> extends FieldBase {
  readonly kind: 'list';
  readonly items: Fs;
  /** The text field whose value is unique within the list, ignoring letter case. */
  readonly unique: keyof Fs & string;
  /** Bounds of the number of objects. */
  readonly min: number;
  readonly max: number;
  readonly example: readonly object[];
}

export type Field =
  | TextField
  | EmailField
  | IntegerField
  | BooleanField
  | DateField
  | ChoiceField
  | ListField;
export type Fields = Readonly<Record<string, Field>>;

/** The value a field holds. */
export type ValueOf<F extends Field> =
  F extends ListField<infer Fs> ? RecordOf<Fs>[] : F extends ChoiceField<infer C> ? C : F['example'];

type OptionalNames<Fs extends Fields> = {
  [K in keyof Fs]: Fs[K] extends { readonly optional: true } ? K : never;
}[keyof Fs];

/** The record that a set of fields describes. */
export type RecordOf<Fs extends Fields> = {
  -readonly [K in Exclude<keyof Fs, OptionalNames<Fs>>]: ValueOf<Fs[K]>;
} & { -readonly [K in OptionalNames<Fs>]?: ValueOf<Fs[K]> };

/** Some fields of a record, to change it: null clears an optional one. */
export type PatchOf<Fs extends Fields> = {
  -readonly [K in Exclude<keyof Fs, OptionalNames<Fs>>]?: ValueOf<Fs[K]>;
} & { -readonly [K in OptionalNames<Fs>]?: ValueOf<Fs[K]> | null };

type Given<F> = Omit<F, 'kind'>;
/** Keeps in the type whether a field is optional. */
type Made<F, G> = F & Pick<G, keyof G & 'optional'>;

const maker =
  <F extends Field>(kind: F['kind']) =>
  <G extends Given<F>>(field: G) =>
    ({ kind, ...field }) as unknown as Made<F, G>;

export const text = maker<TextField>('text');
export const email = maker<EmailField>('email');
export const integer = maker<IntegerField>('integer');
export const boolean = maker<BooleanField>('boolean');
export const date = maker<DateField>('date');
export const choice = <const C extends string, G extends Given<ChoiceField<C>>>(
  field: G & Given<ChoiceField<C>>,
): Made<ChoiceField<C>, G> => ({ kind: 'choice', ...field });
export const list = <Fs extends Fields>(field: Given<ListField<Fs>>): ListField<Fs> => ({
  kind: 'list',
  ...field,
});

/** Largest id. Below 2^53, so that every id is an exact JSON number. */
export const MAX_ID = 999_999_999_999_999;

/** Largest distance above the last id at which an id from another database or a file is adopted, so that ids are not used up. */
export const MOST_SKIPPED_IDS = 1_000_000;

/** Thousands separated by commas: `10,000`. (toLocaleString loads locale data, which takes 10 ms.) */
export const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ',');
