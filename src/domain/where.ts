import type * as z from 'zod/mini';
import { fromTexts } from './codec.ts';
import { type Issue, invalid, issue } from './errors.ts';
import { faultOf } from './field-kinds.ts';
import type { Fields } from './fields.ts';
import { type Comparison, type Filter, filtersOf, MOST_VALUES, operators } from './filter.ts';
import { schemaOf } from './schema.ts';

/** A condition as the caller wrote it, not parsed yet. */
interface AskedCondition {
  /** The name of the filter, such as `painAfter_gte`. */
  filter: string;
  /** Name by which a fault of it is reported. */
  name: string;
  text: string;
}

/** Checks conditions on the fields of a record. */
export class Conditions {
  /** The filters by name. */
  readonly filters: Readonly<Record<string, Filter>>;
  readonly #schemas = new Map<string, z.ZodMiniType>();

  constructor(fields: Fields) {
    this.filters = filtersOf(fields);
  }

  has(filter: string): boolean {
    return Object.hasOwn(this.filters, filter);
  }

  /**
   * Parses conditions; those with the same filter become one with several values.
   * @param issues receives every fault
   */
  read(asked: readonly AskedCondition[], issues: Issue[]): Comparison[] {
    if (asked.length > MOST_VALUES) {
      issues.push({
        field: asked[MOST_VALUES]?.name ?? '',
        message: `is one of more than ${MOST_VALUES} values`,
      });
      return [];
    }
    const found = new Map<string, Comparison & { readonly values: string[] }>();
    for (const { filter, name, text } of asked) {
      const { column, operator, field } = this.filters[filter] as Filter;
      const value = fromTexts({ value: field }, { value: text })['value'];
      const result = this.#schemaOf(filter).safeParse(value);
      const earlier = found.get(filter);
      if (!result.success)
        issues.push({
          field: name,
          message: result.error.issues[0]?.message ?? 'is invalid',
          fault: faultOf(field, value),
        });
      else if (!earlier) found.set(filter, { field: column, operator, values: [result.data as string] });
      else if (operators[operator].several !== 'once') earlier.values.push(result.data as string);
      else issues.push(issue(name, 'is given twice: give it once', 'repeated'));
    }
    return [...found.values()];
  }

  #schemaOf(filter: string): z.ZodMiniType {
    let schema = this.#schemas.get(filter);
    if (!schema) {
      schema = schemaOf((this.filters[filter] as Filter).field);
      this.#schemas.set(filter, schema);
    }
    return schema;
  }
}

/** As `Conditions.read`. @throws SciaticaError `invalid` with every fault */
export function readConditions(fields: Fields, asked: readonly AskedCondition[]): Comparison[] {
  const issues: Issue[] = [];
  const where = new Conditions(fields).read(asked, issues);
  if (issues.length > 0) throw invalid(issues);
  return where;
}
