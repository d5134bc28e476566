import { fieldKinds, kindOfField } from './field-kinds.ts';
import { type Field, type Fields, MAX_ID, text } from './fields.ts';

/** How a condition compares a field with values. */
interface OperatorDefinition {
  /** In a query string: what follows the name of the field. */
  readonly suffix: string;
  /** On a command line: what stands between the name and the value. */
  readonly sign: string;
  /** In help: what follows the name of the field. */
  readonly words: string;
  /** What must hold when several values are given; `once`: several are refused. */
  readonly several: 'any' | 'all' | 'once';
  /** The kind of comparison, which a field must support (`comparedBy`). */
  readonly by: 'value' | 'order' | 'part';
}

/** The comparison operators: query parameters, `--where`, SQL, help and OpenAPI are made from them. */
export const operators = {
  eq: { suffix: '', sign: '=', words: 'is', several: 'any', by: 'value' },
  ne: { suffix: '_ne', sign: '!=', words: 'is not', several: 'all', by: 'value' },
  gte: { suffix: '_gte', sign: '>=', words: 'is at least', several: 'once', by: 'order' },
  lte: { suffix: '_lte', sign: '<=', words: 'is at most', several: 'once', by: 'order' },
  gt: { suffix: '_gt', sign: '>', words: 'is more than', several: 'once', by: 'order' },
  lt: { suffix: '_lt', sign: '<', words: 'is less than', several: 'once', by: 'order' },
  like: { suffix: '_like', sign: '~', words: 'contains', several: 'any', by: 'part' },
} as const satisfies Record<string, OperatorDefinition>;

export type Operator = keyof typeof operators;

export const operatorNames = Object.keys(operators) as readonly Operator[];

/** Most values in all conditions of one request for a list. */
export const MOST_VALUES = 500;

/** A condition on one field of a record. */
export interface Comparison {
  readonly field: string;
  readonly operator: Operator;
  /** At least one; `several` of the operator tells how several combine. */
  readonly values: readonly (string | number | boolean)[];
}

/** Which records of a list: those that meet every condition. */
export interface Matching {
  where?: readonly Comparison[];
  /** A text that at least one of the text fields contains, ignoring letter case. */
  search?: string;
}

/** A named filter of a list: the field that it compares, the operator, and the field that describes its value. */
export interface Filter<Name extends string = string> {
  readonly column: Name;
  readonly operator: Operator;
  readonly field: Field;
}

/** The named filters of a list; each compares a field of the record. */
export type FiltersOf<Fs extends Fields> = Readonly<Record<string, Filter<keyof Fs & string>>>;

/** The fields that describe the values of filters, by filter name: query parameters and flags are made from them. */
export function fieldsOfFilters<F extends Readonly<Record<string, Filter>>>(
  filters: F,
): { [K in keyof F]: F[K]['field'] } {
  const entries = Object.entries(filters).map(([name, { field }]) => [name, field]);
  return Object.fromEntries(entries) as { [K in keyof F]: F[K]['field'] };
}

/** The operators that apply to a field. */
export function operatorsOf(field: Field): Operator[] {
  const isWhole = field.kind === 'date' && !field.ofRecord;
  const { comparedBy } = kindOfField(field);
  return operatorNames.filter(
    (name) => comparedBy.includes(operators[name].by) && !(isWhole && name === 'like'),
  );
}

/** The kinds of field to which an operator applies, as plural nouns. */
export const comparedFields = (name: Operator): string[] =>
  Object.values(fieldKinds).flatMap(({ comparedBy, many }) =>
    comparedBy.includes(operators[name].by) ? [many] : [],
  );

/** A filter for every field and operator, by the name that query strings have for it: `painAfter_gte`. */
export function filtersOf(fields: Fields): Record<string, Filter> {
  const entries = Object.entries(fields).flatMap(([column, field]) =>
    operatorsOf(field).map((operator) => [
      `${column}${operators[operator].suffix}`,
      { column, operator, field: valueField(field, operator) },
    ]),
  );
  return Object.fromEntries(entries);
}

/** The field that describes the value of an operator on a field. */
function valueField(field: Field, operator: Operator): Field {
  const { label, flag, help, kind } = field;
  const said = operator === 'eq' ? help : `${help}: ${operators[operator].words}`;
  if (operator === 'like')
    return text({
      label,
      flag,
      help: said,
      max: 200,
      blank: false,
      example: String(field.example).slice(0, 4),
    });
  // Any id can be asked for: an unknown one gives an empty list.
  if (kind === 'integer' && field.max === MAX_ID)
    return {
      ...field,
      help: said,
      min: operator === 'eq' || operator === 'ne' ? field.min : 0,
      max: Number.MAX_SAFE_INTEGER,
    };
  return { ...field, help: said };
}

/** The fields that a search looks into. */
export const searchedFields = (fields: Fields): string[] =>
  Object.keys(fields).filter((name) => kindOfField(fields[name]).searched);

const ASCII = /^[\x00-\x7f]*$/;

/**
 * Case-folds a text for comparison: NFKC, then upper and lower case, so that ß becomes ss and full-width letters match. A final
 * sigma (ς) becomes σ, and the combining dot that a dotted capital I leaves is removed.
 */
export function folded(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  return text
    .normalize('NFKC')
    .toUpperCase()
    .toLowerCase()
    .replaceAll('ς', 'σ')
    .replaceAll('i\u0307', 'i')
    .normalize('NFKC');
}
