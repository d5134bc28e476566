import type { Fault } from './fault.ts';
import { type Field, grouped, MAX_ID } from './fields.ts';

export type Value = string | number | boolean | readonly object[];

/** Behaviour of a kind of field. A new kind also needs its schema (schema.ts) and its SQL (src/store/records/lists/render.ts). */
interface FieldKind<F extends Field> {
  /** Plural noun for such fields, used in help. */
  readonly many: string;
  /** The values that a field accepts, in words that follow "must be". */
  expectation(field: F): string;
  /** The bounds of its values, as the data dictionary shows them. */
  bounds(field: F): object;
  /** Placeholder for a value in the help of its flag. */
  placeholder(field: F): string;
  /** The fault of a value that the field refused. */
  fault(field: F, value: unknown): Fault;
  /** Fast check: true only for values that the schema accepts, else the schema decides. Null if only the schema can decide. */
  readonly isPlain: ((field: F, value: unknown) => boolean) | null;
  /** The comparisons that apply: equality (`value`), order, and containing a text (`part`). */
  readonly comparedBy: readonly ('value' | 'order' | 'part')[];
  /** Whether `search` looks into such fields. */
  readonly searched: boolean;
  toCell(value: Value): string | number;
  fromCell(cell: string | number): Value;
  /** Parses a text; a malformed one is returned as it is, for the schema to refuse. */
  fromText(text: string): Value;
  /** Formats a value for a person. */
  shown(value: Value): string;
}

/** Every day of the calendar but 29 February, whose leap years are left to the schema. */
const DAY =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)$/;

/** For values that have one form in SQL, in text and for a person. */
const plain = {
  toCell: (value: Value) => value as string | number,
  fromCell: (cell: string | number) => cell,
  fromText: (text: string) => text,
  shown: String,
};

const words = { ...plain, comparedBy: ['value', 'part'], searched: true } as const;

function faultOfText(value: unknown, max: number, otherwise: Fault): Fault {
  if (typeof value !== 'string') return { code: 'wrong-type' };
  if (!value.isWellFormed() || value.includes('\0')) return { code: 'not-unicode' };
  return [...value].length > max ? { code: 'too-long', maxLength: max } : otherwise;
}

/** Parses JSON; any other text is returned as it is, for the schema to refuse. */
function parsed(text: string): Value {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return text;
  }
}

export const fieldKinds: { readonly [K in Field['kind']]: FieldKind<Extract<Field, { kind: K }>> } = {
  text: {
    ...words,
    many: 'texts',
    expectation: ({ blank, max }) =>
      `text of ${blank ? 0 : 1} to ${grouped(max)} characters${blank ? '' : ', not only spaces'}`,
    bounds: ({ blank, max }) => ({ minLength: blank ? 0 : 1, maxLength: max }),
    placeholder: () => 'text',
    fault: ({ max }, value) => faultOfText(value, max, { code: 'blank', minLength: 1 }),
    isPlain: ({ max, blank }, value) =>
      typeof value === 'string' &&
      value.length <= max &&
      value.isWellFormed() &&
      !value.includes('\0') &&
      (blank || /\S/.test(value)),
  },
  email: {
    ...words,
    many: 'e-mail addresses',
    expectation: ({ example, max }) => `an e-mail address such as ${example}, at most ${max} characters`,
    bounds: ({ max }) => ({ maxLength: max }),
    placeholder: () => 'address',
    fault: ({ max }, value) => faultOfText(value, max, { code: 'not-an-email' }),
    isPlain: null,
  },
  integer: {
    ...plain,
    many: 'numbers',
    expectation: ({ min, max }) =>
      max >= MAX_ID
        ? `a whole number, ${min} or more`
        : `a whole number from ${grouped(min)} to ${grouped(max)}`,
    bounds: ({ min, max }) => ({ minimum: min, maximum: max }),
    placeholder: ({ min, max }) => (max === MAX_ID ? 'id' : `${min}-${max}`),
    fault: ({ min, max }, value) =>
      Number.isInteger(value) ? { code: 'out-of-range', minimum: min, maximum: max } : { code: 'wrong-type' },
    isPlain: ({ min, max }, value) =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    comparedBy: ['value', 'order'],
    searched: false,
    fromText: (text) => (/^-?\d+$/.test(text) ? Number(text) : text),
  },
  boolean: {
    many: 'yes or no',
    expectation: () => 'true or false',
    bounds: () => ({}),
    // Its flags (`--done`, `--no-done`) take no value.
    placeholder: () => '',
    fault: () => ({ code: 'wrong-type' }),
    isPlain: (_, value) => typeof value === 'boolean',
    comparedBy: ['value'],
    searched: false,
    toCell: Number,
    fromCell: (cell) => (cell === 1 ? true : cell === 0 ? false : cell),
    fromText: (text) => (text === 'true' ? true : text === 'false' ? false : text),
    shown: (value) => (value ? 'yes' : 'no'),
  },
  date: {
    ...plain,
    many: 'days',
    expectation: () => 'a calendar day as YYYY-MM-DD',
    bounds: () => ({}),
    placeholder: () => 'day',
    fault: (_, value) => ({ code: typeof value === 'string' ? 'not-a-date' : 'wrong-type' }),
    isPlain: (_, value) => typeof value === 'string' && DAY.test(value),
    comparedBy: ['value', 'order', 'part'],
    searched: false,
  },
  choice: {
    ...words,
    many: 'choices',
    expectation: ({ choices }) => `one of ${choices.join(', ')}`,
    bounds: ({ choices }) => ({ values: choices }),
    placeholder: () => 'kind',
    fault: ({ choices }) => ({ code: 'not-a-choice', values: choices }),
    isPlain: ({ choices }, value) => choices.includes(value as string),
  },
  list: {
    many: 'lists',
    expectation: ({ min, max, items }) =>
      `a list of ${min} to ${max} objects with ${Object.keys(items).join(' and ')}`,
    bounds: ({ min, max }) => ({ minItems: min, maxItems: max }),
    placeholder: () => 'text',
    fault: ({ min, max }, value) =>
      Array.isArray(value) ? { code: 'out-of-range', minimum: min, maximum: max } : { code: 'wrong-type' },
    isPlain: null,
    comparedBy: [],
    searched: false,
    toCell: (value) => JSON.stringify(value),
    fromCell: (cell) => parsed(String(cell)),
    fromText: parsed,
    // The first field of an item is its name.
    shown: (value) => (value as readonly object[]).map((item) => Object.values(item)[0]).join(', '),
  },
};

/** The kind of a field; a column that is no field counts as text. */
export const kindOfField = <F extends Field>(field: F | undefined): FieldKind<F> =>
  fieldKinds[field?.kind ?? 'text'] as unknown as FieldKind<F>;

/** The values that a field accepts, in words that follow "must be". */
export const expectation = (field: Field): string => kindOfField(field).expectation(field);

/** The fault of a value that its field refused. */
export const faultOf = (field: Field, value: unknown): Fault =>
  value === undefined ? { code: 'missing' } : kindOfField(field).fault(field, value);
