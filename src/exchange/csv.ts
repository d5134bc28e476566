import { stringify } from 'csv-stringify/sync';
import { toText } from '../domain/codec.ts';

const BATCH = 500;

/**
 * What a spreadsheet runs as a formula when a cell begins with it (https://owasp.org/www-community/attacks/CSV_Injection),
 * the full-width forms of the signs too, behind white space and marks without width, which some programs drop. And `'`,
 * so that what is put in front can be told from what was there.
 */
const RISKY = "[\\s\\u00ad\\u200b-\\u200f\\u2060]*[=+\\-@'\\uff0b\\uff0d\\uff1d\\uff20]|[\\t\\r\\n]";
const MARKED = new RegExp(`^(?:${RISKY})`);
const MARK = new RegExp(`^'(?=${RISKY})`);

/** Takes off the `'` that `csvOf` puts in front of a text. */
export const unmarked = (text: string): string => text.replace(MARK, '');

/**
 * Renders records as CSV (RFC 4180), the header of field names first.
 * @param options.raw leave out the `'` in front of texts that a spreadsheet would run as a formula
 * @returns the text in pieces of some hundred records
 */
export function* csvOf(
  fields: readonly string[],
  rows: Iterable<Readonly<Record<string, unknown>>>,
  options: { raw?: boolean } = {},
): Generator<string> {
  const cell = (value: unknown) => {
    if (typeof value !== 'string') return toText(value);
    return !options.raw && MARKED.test(value) ? `'${value}` : value;
  };
  let batch: string[][] = [[...fields]];
  for (const row of rows) {
    batch.push(fields.map((field) => cell(row[field])));
    if (batch.length < BATCH) continue;
    yield render(batch);
    batch = [];
  }
  if (batch.length > 0) yield render(batch);
}

function render(rows: string[][]): string {
  return stringify(rows, { record_delimiter: '\r\n', quote_record_delimiter: true });
}
