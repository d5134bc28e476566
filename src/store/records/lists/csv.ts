import type { Field, Fields } from '../../../domain/fields.ts';
import type { Condition } from '../../sqlite/condition.ts';
import type { Source } from '../../sqlite/snapshot.ts';
import type { Chunk } from './rows.ts';

/**
 * The SQL expression of a record as a line of CSV, with the bytes of `csvOf`. `csv_cell` and `raw_csv_cell` are functions
 * of every connection.
 * @param raw leave out the `'` in front of texts that a spreadsheet would run as a formula
 */
export function csvLineOf(fields: Fields, raw: boolean): string {
  const cells = Object.entries(fields).map(([name, field]) => {
    const cell = cellOf(name, field, raw);
    return field.optional ? `iif(${name} IS NULL, '', ${cell})` : cell;
  });
  return `format('${cells.map(() => '%s').join(',')}' || char(13, 10), ${cells})`;
}

function cellOf(name: string, { kind }: Field, raw: boolean): string {
  switch (kind) {
    // Checked by the schema to hold nothing that CSV quotes.
    case 'integer':
    case 'choice':
    case 'date':
      return name;
    case 'boolean':
      return `iif(${name}, 'true', 'false')`;
    // JSON, which no spreadsheet runs.
    case 'list':
      return `raw_csv_cell(${name})`;
    case 'text':
    case 'email':
      return `${raw ? 'raw_' : ''}csv_cell(${name})`;
  }
}

/** Some lines of CSV, each with its end. */
export interface Lines {
  text: string;
  count: number;
}

/** How many lines SQLite joins at once. */
const MOST_LINES = 250;

/**
 * Lines in the order of their ids, joined by SQLite: a text for each takes twice the time.
 * @param after the query of the first columns `id` and `line` behind an id, or from the start
 */
export function* linesById(
  source: Source,
  after: (id: number | undefined, limit: number) => Condition,
  limit = Number.POSITIVE_INFINITY,
): Generator<Lines> {
  let id: number | undefined;
  for (let left = limit; left > 0; left -= MOST_LINES) {
    const { sql, values } = after(id, Math.min(left, MOST_LINES));
    // The order of a subquery with LIMIT is kept for group_concat (SF_OrderByReqd in SQLite's select.c).
    const joined = `SELECT max(id), count(*), group_concat(line, '') FROM (${sql})`;
    const [last, count, text] = source.read((db) =>
      db.row<[number | null, number, string]>(joined, ...values),
    );
    if (last === null) return;
    yield { text, count };
    id = last;
  }
}

/** Chunks whose rows are lines. */
export function* linesOf(chunks: Iterable<Chunk>): Generator<Lines> {
  for (const { rows } of chunks) yield { text: rows.join(''), count: rows.length };
}
