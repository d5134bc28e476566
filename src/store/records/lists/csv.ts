import type { Field, Fields } from '../../../domain/fields.ts';

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
      return textCell(name, `${raw ? 'raw_' : ''}csv_cell`);
  }
}

/**
 * What is empty or begins with an ASCII letter, or a sign between those, is never taken for a formula: SQLite quotes it where that is needed, for
 * calling a function of JavaScript twice in each line takes a third of the time of an export.
 */
function textCell(name: string, cell: string): string {
  const isHarmless = `(${name} BETWEEN 'A' AND '{' OR ${name} = '')`;
  const isQuoted = [`','`, `'"'`, 'char(10)', 'char(13)'].map((part) => `${name} GLOB '*' || ${part} || '*'`);
  const quoted = `'"' || replace(${name}, '"', '""') || '"'`;
  return `iif(${isHarmless}, iif(${isQuoted.join(' OR ')}, ${quoted}, ${name}), ${cell}(${name}))`;
}
