import type { Field, Fields } from '../../../domain/fields.ts';

/**
 * The SQL expression of a record as JSON, with the bytes of JSON.stringify; an optional field that is NULL is left out.
 * format() is faster than json_object().
 */
export function jsonOf(fields: Fields): string {
  const parts = Object.entries(fields).map(([name, field]) => {
    const { format, value } = rendered(name, field);
    const member = `,"${name}":${format}`;
    return field.optional
      ? { format: '%s', value: `iif(${name} IS NULL, '', format('${member}', ${value}))` }
      : { format: member, value };
  });
  const template = parts.map(({ format }) => format).join('');
  const values = parts.map(({ value }) => value);
  // Each member brings the comma in front of it: what comes first must not.
  return template.startsWith(',')
    ? `format('{${template.slice(1)}}', ${values})`
    : `'{' || substr(format('${template}', ${values}), 2) || '}'`;
}

function rendered(name: string, { kind }: Field): { format: string; value: string } {
  switch (kind) {
    case 'integer':
      return { format: '%d', value: name };
    case 'boolean':
      return { format: '%s', value: `iif(${name}, 'true', 'false')` };
    // Checked by the schema to hold nothing that JSON escapes.
    case 'choice':
    case 'date':
      return { format: '"%s"', value: name };
    // Stored as JSON.stringify gave it.
    case 'list':
      return { format: '%s', value: name };
    case 'text':
    case 'email':
      return { format: '%s', value: `json_quote(${name})` };
  }
}

/**
 * The SQL expression of a record as a line of CSV, with the bytes of `csvOf`. `csv_cell` and `raw_csv_cell` are functions
 * of every connection.
 * @param raw leave out the `'` in front of texts that a spreadsheet would run as a formula
 * @param more expressions of further cells, of integers
 */
export function csvLineOf(fields: Fields, raw: boolean, more: readonly string[] = []): string {
  const cells = Object.entries(fields).map(([name, field]) => {
    const cell = cellOf(name, field, raw);
    return field.optional ? `iif(${name} IS NULL, '', ${cell})` : cell;
  });
  const all = [...cells, ...more];
  return `format('${all.map(() => '%s').join(',')}' || char(13, 10), ${all})`;
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
  const isQuoted = `${name} GLOB '*[,"' || char(10, 13) || ']*'`;
  const quoted = `'"' || replace(${name}, '"', '""') || '"'`;
  return `iif(${isHarmless}, iif(${isQuoted}, ${quoted}, ${name}), ${cell}(${name}))`;
}
