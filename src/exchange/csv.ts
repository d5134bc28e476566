import { toText } from '../domain/codec.ts';
import { csvCell, rawCsvCell } from '../lib/csv-cell.ts';

const BATCH = 500;

/** The header of a CSV file. */
export const csvHeader = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;

type Records = Iterable<Readonly<Record<string, unknown>>>;

interface Options {
  /** Leave out the `'` in front of texts that a spreadsheet would run as a formula. */
  raw?: boolean;
}

/** Renders records as CSV (RFC 4180), the header first, in pieces of some hundred records. */
export function* csvOf(
  fields: readonly string[],
  records: Records,
  options: Options = {},
): Generator<string> {
  yield csvHeader(fields);
  yield* csvLinesOf(fields, records, options);
}

/** As `csvOf`, without the header. */
export function* csvLinesOf(
  fields: readonly string[],
  records: Records,
  options: Options = {},
): Generator<string> {
  const text = options.raw ? rawCsvCell : csvCell;
  const cell = (value: unknown) => (typeof value === 'string' ? text(value) : rawCsvCell(toText(value)));
  let [piece, count] = ['', 0];
  for (const record of records) {
    piece += `${fields.map((field) => cell(record[field])).join(',')}\r\n`;
    if (++count % BATCH > 0) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
