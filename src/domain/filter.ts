import type { Field, Fields } from './fields.ts';

/** How a filter compares a column with a value. */
export const operators = ['eq', 'gte', 'lte'] as const;
export type Operator = (typeof operators)[number];

/** A filter of a list: the field that it compares, how, and the values that it takes. */
export interface Filter<Name extends string = string> {
  readonly column: Name;
  readonly operator: Operator;
  readonly field: Field;
}

/** The filters of a list by their names; each compares a field of the record. */
export type FiltersOf<Fs extends Fields> = Readonly<Record<string, Filter<keyof Fs & string>>>;

/** What the filters take, as fields: query parameters and flags are made from them. */
export function fieldsOfFilters<F extends Readonly<Record<string, Filter>>>(
  filters: F,
): { [K in keyof F]: F[K]['field'] } {
  const entries = Object.entries(filters).map(([name, { field }]) => [name, field]);
  return Object.fromEntries(entries) as { [K in keyof F]: F[K]['field'] };
}
