export type Value = string | number;

/** An SQL condition, and the values of its placeholders. */
export interface Condition {
  sql: string;
  values: Value[];
}

/** The condition that a column holds one of some ids; with none, no row meets it. */
export function isAmong(column: string, ids: readonly number[]): Condition {
  const [first = 0, ...others] = ids;
  return others.length === 0
    ? { sql: `${column} = ?`, values: [first] }
    : { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(ids)] };
}

/** Joins conditions to one WHERE clause; an empty text for none. */
export function joined(where: readonly Condition[]): Condition {
  return {
    sql: where.length === 0 ? '' : ` WHERE ${where.map(({ sql }) => sql).join(' AND ')}`,
    values: where.flatMap(({ values }) => values),
  };
}
