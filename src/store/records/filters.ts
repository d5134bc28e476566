import { toCell } from '../../domain/codec.ts';
import type { Filter, Operator } from '../../domain/filter.ts';
import type { Condition } from '../sqlite/condition.ts';

/** How each operator compares a column with a value. */
const comparisons: Readonly<Record<Operator, string>> = { eq: '=', gte: '>=', lte: '<=' };

/** The conditions that the values of a list's filters make; a filter without a value makes none. */
export function conditionsOf(filters: Readonly<Record<string, Filter>>, values: object): Condition[] {
  const given = values as Readonly<Record<string, unknown>>;
  return Object.entries(filters).flatMap(([name, { column, operator, field }]) => {
    const cell = toCell(field, given[name]);
    return cell === null ? [] : [{ sql: `${column} ${comparisons[operator]} ?`, values: [cell] }];
  });
}
