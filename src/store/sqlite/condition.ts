export type Value = string | number;

/** A condition in SQL and the values of its question marks. */
export interface Condition {
  sql: string;
  values: Value[];
}

/** The condition that a column holds one of these ids. */
export function isAmong(column: string, ids: readonly number[]): Condition {
  const [first = 0, ...others] = ids;
  return others.length === 0
    ? { sql: `${column} = ?`, values: [first] }
    : { sql: `${column} IN (SELECT value FROM json_each(?))`, values: [JSON.stringify(ids)] };
}

/** The conditions as one WHERE clause, or nothing. */
export function joined(where: readonly Condition[]): Condition {
  return {
    sql: where.length === 0 ? '' : ` WHERE ${where.map(({ sql }) => sql).join(' AND ')}`,
    values: where.flatMap(({ values }) => values),
  };
}
