/**
 * Beginnings of a cell that a spreadsheet runs as a formula (https://owasp.org/www-community/attacks/CSV_Injection), also with
 * full-width signs, and behind white space and zero-width characters, which some programs drop. And `'`, so that one that
 * was added can be told from one that was there.
 */
const RISKY = "[\\s\\u00ad\\u200b-\\u200f\\u2060]*[=+\\-@'\\uff0b\\uff0d\\uff1d\\uff20]|[\\t\\r\\n]";
const MARKED = new RegExp(`^(?:${RISKY})`);
const MARK = new RegExp(`^'(?=${RISKY})`);

/** A text as a CSV cell: in quotes if necessary (RFC 4180, 2), and with a `'` in front if a spreadsheet would run it. */
export const csvCell = (text: string): string => rawCsvCell(MARKED.test(text) ? `'${text}` : text);

/** As `csvCell`, without the `'`. */
export const rawCsvCell = (text: string): string =>
  /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;

const MONTH =
  '(?:jan|feb|fév|mar|mär|apr|avr|may|mai|jun|jui|jul|aug|aoû|sep|oct|okt|nov|dec|dez|déc)\\p{L}*\\.?';
/** Text that Excel turns into a number, a date or a truth value when it opens a file, in English, German or French. */
const CONVERTED = new RegExp(
  `^\\s*(?:[\\d.,:/\\s%e€$£()+-]*\\d[\\d.,:/\\s%e€$£()+-]*|\\d{1,4}[\\s./-]*${MONTH}[\\s./-]*\\d{0,4}|${MONTH}[\\s./-]*\\d{1,4}|true|false|wahr|falsch|vrai|faux)\\s*$`,
  'iu',
);

/** A text as a cell for Excel, between semicolons: with a `'` in front also if Excel would convert it. */
export function excelCell(text: string): string {
  const cell = MARKED.test(text) || CONVERTED.test(text) ? `'${text}` : text;
  return /[",;\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Removes the `'` that `csvCell` and `excelCell` put in front of a text. */
export const unmarked = (text: string): string =>
  text.startsWith("'") && CONVERTED.test(text.slice(1)) ? text.slice(1) : text.replace(MARK, '');
