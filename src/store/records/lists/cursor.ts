import { type Cell, toCell } from '../../../domain/codec.ts';
import { invalid } from '../../../domain/errors.ts';
import type { Field, Fields } from '../../../domain/fields.ts';
import { parseSort, type SortKey } from '../../../domain/sort.ts';
import type { Condition } from '../../sqlite/condition.ts';

/**
 * Keyset cursors: the position of a record in a sort order, as base64url of the JSON array [sort, value of
 * each sort key …] (https://use-the-index-luke.com/no-offset).
 */

/** The cursor of the records after a given one. @param json that record, with the sort keys */
export function cursorAfter(json: string, sort: string | undefined, fields: Fields): string {
  const record = JSON.parse(json) as Record<string, unknown>;
  const keys = parseSort(sort ?? 'id', Object.keys(fields));
  const place = [sort ?? 'id', ...keys.map(({ field }) => record[field] ?? null)];
  return encode(place);
}

const encode = (place: unknown[]) => Buffer.from(JSON.stringify(place)).toString('base64url');

/** The cursor of the records after an id, in a list sorted by id. */
export const cursorOfId = (id: number): string => encode(['id', id]);

/**
 * The condition that a row comes after a cursor.
 * @param sort the sort order of the list
 * @throws SciaticaError `invalid` for a text that is no cursor, or a cursor of another order
 */
export function isAfter(cursor: string, sort: string | undefined, fields: Fields): Condition {
  const keys = parseSort(sort ?? 'id', Object.keys(fields));
  const [order, ...place] = decode(cursor);
  const fits =
    order === (sort ?? 'id') &&
    place.length === keys.length &&
    keys.every(({ field }, i) => isValueOf(fields[field], place[i]));
  if (!fits) throw invalid([{ field: 'cursor', message: 'must be the cursor of a page with the same sort' }]);
  const cells = keys.map(({ field }, i) => toCell(fields[field], place[i]));
  return keys.reduceRight<Condition | undefined>(
    (rest, key, i) => comesAfter(key, cells[i] ?? null, fields[key.field]?.optional ?? false, rest),
    undefined,
  ) as Condition;
}

/** f > v OR (f = v AND rest). SQLite sorts NULL before every value (https://sqlite.org/datatype3.html#sort_order). */
function comesAfter(
  { field, descending }: SortKey,
  cell: Cell,
  isOptional: boolean,
  rest: Condition | undefined,
): Condition {
  const tie = rest && { sql: `(${rest.sql})`, values: rest.values };
  if (cell === null) {
    const [past, same] = [descending ? 'FALSE' : `${field} IS NOT NULL`, `${field} IS NULL`];
    return tie
      ? { sql: `(${past} OR ${same} AND ${tie.sql})`, values: tie.values }
      : { sql: past, values: [] };
  }
  const sign = descending ? '<' : '>';
  const nullsFollow = descending && isOptional;
  if (!tie)
    return nullsFollow
      ? { sql: `(${field} ${sign} ? OR ${field} IS NULL)`, values: [cell] }
      : { sql: `${field} ${sign} ?`, values: [cell] };
  if (nullsFollow)
    return {
      sql: `(${field} ${sign} ? OR ${field} IS NULL OR ${field} = ? AND ${tie.sql})`,
      values: [cell, cell, ...tie.values],
    };
  // The leading bound on f lets SQLite seek in an index.
  return {
    sql: `${field} ${sign}= ? AND (${field} ${sign} ? OR ${tie.sql})`,
    values: [cell, cell, ...tie.values],
  };
}

function decode(cursor: string): unknown[] {
  try {
    const place: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    return Array.isArray(place) ? place : [];
  } catch {
    return [];
  }
}

function isValueOf(field: Field | undefined, value: unknown): boolean {
  if (value === null) return field?.optional === true;
  return typeof value === typeof field?.example;
}
