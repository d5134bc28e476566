import { toText } from '../domain/codec.ts';
import { csvCell, excelCell, rawCsvCell } from '../lib/csv-cell.ts';

const BATCH = 500;

export const csvHeader = (fields: readonly string[]): string => `${fields.join(',')}\r\n`;

type Records = Iterable<Readonly<Record<string, unknown>>>;

interface Options {
  /** Leave out the `'` in front of texts that a spreadsheet would run as a formula. */
  raw?: boolean;
  /** For Excel: a byte order mark, semicolons and, in these fields, a `'` before text that it would read as a number or date. */
  excel?: readonly string[] | undefined;
}

const BOM = '\ufeff';

/** Renders records as CSV (RFC 4180), the header first, in pieces of at most `BATCH` records. */
export function* csvOf(
  fields: readonly string[],
  records: Records,
  options: Options = {},
): Generator<string> {
  yield options.excel ? `${BOM}${fields.join(';')}\r\n` : csvHeader(fields);
  yield* csvLinesOf(fields, records, options);
}

/** As `csvOf`, without the header. */
export function* csvLinesOf(
  fields: readonly string[],
  records: Records,
  options: Options = {},
): Generator<string> {
  const { excel, raw } = options;
  const separator = excel ? ';' : ',';
  const text = raw ? rawCsvCell : csvCell;
  const cell = (field: string, value: unknown) => {
    if (typeof value !== 'string') return rawCsvCell(toText(value));
    return excel?.includes(field) ? excelCell(value) : text(value);
  };
  let [piece, count] = ['', 0];
  for (const record of records) {
    piece += `${fields.map((field) => cell(field, record[field])).join(separator)}\r\n`;
    if (++count % BATCH > 0) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
