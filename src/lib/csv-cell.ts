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

/** Takes off the `'` that `csvCell` puts in front of a text. */
export const unmarked = (text: string): string => text.replace(MARK, '');
