import { toCell } from '../../../domain/codec.ts';
import { invalid } from '../../../domain/errors.ts';
import type { Field, Fields } from '../../../domain/fields.ts';
import { type Filter, folded, type Matching, type Operator, searchedFields } from '../../../domain/filter.ts';
import { parseSort } from '../../../domain/sort.ts';
import { type Condition, joined, type Value } from '../../sqlite/condition.ts';
import { cursorAfter, isAfter } from './cursor.ts';
import { jsonOf } from './render.ts';
import type { Query, Row } from './rows.ts';

/** Builds the SQL of lists of a kind of record. */
export class ListSql {
  readonly #columns: readonly string[];
  readonly #json: string;

  /** @param always conditions that every list has */
  constructor(
    private readonly table: string,
    private readonly fields: Fields,
    private readonly always: readonly Condition[],
  ) {
    this.#columns = Object.keys(fields);
    this.#json = jsonOf(fields);
  }

  /** The query of the first `limit` matching records; undefined for all. */
  query(select: string, { where, sort, cursor, offset = 0 }: Query, limit: number | undefined): Condition {
    const keys = parseSort(sort ?? 'id', this.#columns);
    const { sql, values } = joined([
      ...this.always,
      ...where,
      ...(cursor === undefined ? [] : [isAfter(cursor, sort, this.fields)]),
    ]);
    const order = keys.map(({ field, descending }) => `${field}${descending ? ' DESC' : ''}`);
    // Not bound: binding a value to LIMIT makes SQLite prepare the statement again (ExprIsInteger in expr.c).
    const end = limit === undefined && offset === 0 ? '' : ` LIMIT ${limit ?? -1}`;
    const list = `SELECT ${select} FROM ${this.table}${sql} ORDER BY ${order}${end}`;
    return offset === 0 ? { sql: list, values } : { sql: `${list} OFFSET ?`, values: [...values, offset] };
  }

  /** The SQL expression that renders a record, or its requested fields, as JSON. */
  jsonOf({ fields }: Query): string {
    return fields ? jsonOf(this.#some(fields)) : this.#json;
  }

  /** As `jsonOf`, of the fields that a cursor is made from. */
  placeOf({ sort }: Query): string {
    return jsonOf(this.#some(['id', ...parseSort(sort ?? 'id', this.#columns).map(({ field }) => field)]));
  }

  cursorAfter({ _json, _place = _json }: Row, { sort }: Query): string {
    return cursorAfter(_place, sort, this.fields);
  }

  #some(names: readonly string[]): Fields {
    return Object.fromEntries(
      names.flatMap((name) => (this.fields[name] ? [[name, this.fields[name]]] : [])),
    );
  }
}

interface Column {
  name: string;
  isOptional: boolean;
}

const EACH = '(SELECT value FROM json_each(?))';

const bound =
  (sign: string) =>
  ({ name }: Column, cells: Value[]) => ({
    sql: `${name} ${sign} ?`,
    values: cells.slice(0, 1),
  });

/**
 * The SQL of each operator. Several values are bound as one JSON array, so that their number does not change
 * the SQL text, by which statements are cached. `contains` is an SQL function of every connection.
 */
const conditions: Readonly<Record<Operator, (column: Column, cells: Value[]) => Condition>> = {
  eq: ({ name }, cells) =>
    cells.length === 1
      ? { sql: `${name} = ?`, values: cells }
      : { sql: `${name} IN ${EACH}`, values: [JSON.stringify(cells)] },
  ne: ({ name, isOptional }, cells) => {
    const differs = `${name} NOT IN ${EACH}`;
    return {
      sql: isOptional ? `(${name} IS NULL OR ${differs})` : differs,
      values: [JSON.stringify(cells)],
    };
  },
  gte: bound('>='),
  lte: bound('<='),
  gt: bound('>'),
  lt: bound('<'),
  like: ({ name }, cells) => ({ sql: `contains(${name}, ?)`, values: [needlesOf(cells)] }),
};

/** The second argument of `contains`: case-folded texts as a JSON array. */
const needlesOf = (texts: readonly Value[]) => JSON.stringify(texts.map((text) => folded(String(text))));

/**
 * Returns a function that translates a request for a list into conditions.
 * @param fields the fields of the record
 * @param filters its named filters; a filter that is given no value makes no condition
 */
export function conditionsFor(
  fields: Fields,
  filters: Readonly<Record<string, Filter>> = {},
): (asked: Matching) => Condition[] {
  const named = Object.entries(filters).map(([name, { column, operator, field }]) => {
    const compared = columnOf(fields, column).column;
    return { name, field, condition: (cell: Value) => conditions[operator](compared, [cell]) };
  });
  const searched = searchedFields(fields);
  const isFound = `(${searched.map((name) => `contains(${name}, ?)`).join(' OR ')})`;
  return (asked) => {
    const given = asked as Readonly<Record<string, unknown>>;
    const all: Condition[] = [];
    for (const { name, field, condition } of named) {
      const cell = toCell(field, given[name]);
      if (cell !== null) all.push(condition(cell));
    }
    for (const { field: name, operator, values } of asked.where ?? []) {
      const { column, field } = columnOf(fields, name);
      const cells = values.map((value) => toCell(field, value)).filter((cell) => cell !== null);
      all.push(conditions[operator](column, cells));
    }
    if (asked.search !== undefined) {
      const needles = needlesOf([asked.search]);
      all.push({ sql: isFound, values: searched.map(() => needles) });
    }
    return all;
  };
}

/** @throws SciaticaError `invalid` for an unknown field, because its name becomes part of the SQL */
function columnOf(fields: Fields, name: string): { column: Column; field: Field } {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (!field) throw invalid([{ field: 'where', message: 'must name fields of the record' }]);
  return { column: { name, isOptional: field.optional === true }, field };
}
