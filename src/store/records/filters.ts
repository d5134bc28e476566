import { toCell } from '../../domain/codec.ts';
import type { Filter, Operator } from '../../domain/filter.ts';
import type { Condition } from '../sqlite/condition.ts';

/** How each operator compares a column with a value. */
const comparisons: Readonly<Record<Operator, string>> = { eq: '=', gte: '>=', lte: '<=' };

/** Makes the conditions of a list from the values of its filters; a filter without a value makes none. */
export function conditionsFor(filters: Readonly<Record<string, Filter>>): (values: object) => Condition[] {
  const compiled = Object.entries(filters).map(([name, { column, operator, field }]) => ({
    name,
    field,
    sql: `${column} ${comparisons[operator]} ?`,
  }));
  return (values) => {
    const given = values as Readonly<Record<string, unknown>>;
    const conditions: Condition[] = [];
    for (const { name, field, sql } of compiled) {
      const cell = toCell(field, given[name]);
      if (cell !== null) conditions.push({ sql, values: [cell] });
    }
    return conditions;
  };
}
