/**
 * What a spreadsheet runs as a formula when a cell begins with it (https://owasp.org/www-community/attacks/CSV_Injection),
 * the full-width forms of the signs too, behind white space and marks without width, which some programs drop. And `'`,
 * so that what is put in front can be told from what was there.
 */
const RISKY = "[\\s\\u00ad\\u200b-\\u200f\\u2060]*[=+\\-@'\\uff0b\\uff0d\\uff1d\\uff20]|[\\t\\r\\n]";
const MARKED = new RegExp(`^(?:${RISKY})`);
const MARK = new RegExp(`^'(?=${RISKY})`);

/** A text as a cell of CSV: in quotes where it has to be (RFC 4180, 2), a `'` in front where a spreadsheet would run it. */
export const csvCell = (text: string): string => rawCsvCell(MARKED.test(text) ? `'${text}` : text);

/** As `csvCell`, with nothing in front. */
export const rawCsvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const MONTH =
  '(?:jan|feb|fév|mar|mär|apr|avr|may|mai|jun|jui|jul|aug|aoû|sep|oct|okt|nov|dec|dez|déc)\\p{L}*\\.?';
/** Text that Excel turns into a number, a date or a truth value when it opens a file, in English, German or French. */
const CONVERTED = new RegExp(
  `^\\s*(?:[\\d.,:/\\s%e€$£()+-]*\\d[\\d.,:/\\s%e€$£()+-]*|\\d{1,4}[\\s./-]*${MONTH}[\\s./-]*\\d{0,4}|${MONTH}[\\s./-]*\\d{1,4}|true|false|wahr|falsch|vrai|faux)\\s*$`,
  'iu',
);

/** A text as a cell for Excel, between semicolons: with a `'` in front of what it would turn into something else too. */
export function excelCell(text: string): string {
  const cell = MARKED.test(text) || CONVERTED.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Takes off the `'` that `csvCell` and `excelCell` put in front of a text. */
export const unmarked = (text: string): string =>
  text.startsWith("'") && CONVERTED.test(text.slice(1)) ? text.slice(1) : text.replace(MARK, '');
