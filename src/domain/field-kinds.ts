import type { Fault } from './fault.ts';
import { type Field, grouped, MAX_ID } from './fields.ts';

export type Value = string | number | boolean | readonly object[];

/** What is true of every field of a kind. A new kind also needs its schema (schema.ts) and its SQL (src/store/records/lists/render.ts). */
interface FieldKind<F extends Field> {
  /** What such fields are, in words. */
  readonly many: string;
  /** What a field takes, in words that follow "must be". */
  expectation(field: F): string;
  /** What the data dictionary says of its values. */
  bounds(field: F): object;
  /** What stands for a value in the help of its flag. */
  placeholder(field: F): string;
  /** The fault of a value that the field refused. */
  fault(field: F, value: unknown): Fault;
  /** Whether a value is what a field takes, as the schema has it; where this is not plain, false. Null where only the schema knows. */
  readonly isPlain: ((field: F, value: unknown) => boolean) | null;
  /** How it can be compared. */
  readonly comparedBy: readonly ('value' | 'order' | 'part')[];
  /** Whether a search looks into it. */
  readonly searched: boolean;
  toCell(value: Value): string | number;
  fromCell(cell: string | number): Value;
  /** Parses a text; a malformed one is returned as it is, for the schema to refuse. */
  fromText(text: string): Value;
  /** For a person. */
  shown(value: Value): string;
}

/** Every day but the 29th of February, whose years the schema knows. */
const DAY =
  /^\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)$/;

/** Looks alike everywhere. */
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

/** A text that is no JSON stays as it is. */
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
    // It has a pair of flags without a value.
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
    // The first field of each names it.
    shown: (value) => (value as readonly object[]).map((item) => Object.values(item)[0]).join(', '),
  },
};

/** What is true of a field; of what is no field, as of a text. */
export const kindOfField = <F extends Field>(field: F | undefined): FieldKind<F> =>
  fieldKinds[field?.kind ?? 'text'] as unknown as FieldKind<F>;

/** What a field takes, in words that follow "must be". */
export const expectation = (field: Field): string => kindOfField(field).expectation(field);

/** The fault of a value that its field refused. */
export const faultOf = (field: Field, value: unknown): Fault =>
  value === undefined ? { code: 'missing' } : kindOfField(field).fault(field, value);
