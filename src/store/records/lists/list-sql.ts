import type { Fields } from '../../../domain/fields.ts';
import { parseSort } from '../../../domain/sort.ts';
import { type Condition, joined } from '../../sqlite/condition.ts';
import { cursorAfter, isAfter } from './cursor.ts';
import { jsonOf } from './render.ts';
import type { Query, Row } from './rows.ts';

/** The SQL of the lists of a kind of record. */
export class ListSql {
  readonly #columns: readonly string[];
  readonly #json: string;

  /**
   * @param always conditions of every list
   */
  constructor(
    private readonly table: string,
    private readonly fields: Fields,
    private readonly always: readonly Condition[],
  ) {
    this.#columns = Object.keys(fields);
    this.#json = jsonOf(fields);
  }

  /** The query of the first `limit` records that match, or of all. */
  query(select: string, { where, sort, cursor, offset = 0 }: Query, limit: number | undefined): Condition {
    const keys = parseSort(sort ?? 'id', this.#columns);
    const { sql, values } = joined([
      ...this.always,
      ...where,
      ...(cursor === undefined ? [] : [isAfter(cursor, sort, this.fields)]),
    ]);
    const order = keys.map(({ field, descending }) => `${field}${descending ? ' DESC' : ''}`);
    // Not bound: SQLite prepares a statement anew each time a value is bound to its LIMIT (ExprIsInteger in expr.c).
    const end = limit === undefined && offset === 0 ? '' : ` LIMIT ${limit ?? -1}`;
    const list = `SELECT ${select} FROM ${this.table}${sql} ORDER BY ${order}${end}`;
    return offset === 0 ? { sql: list, values } : { sql: `${list} OFFSET ?`, values: [...values, offset] };
  }

  /** The expression of a record as JSON, or of the fields that are asked for. */
  jsonOf({ fields }: Query): string {
    return fields ? jsonOf(this.#some(fields)) : this.#json;
  }

  /** As `jsonOf`, of the fields that make a cursor. */
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
