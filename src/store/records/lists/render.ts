import type { Field, Fields } from '../../../domain/fields.ts';

/**
 * The SQL expression that renders a record as JSON, byte for byte as JSON.stringify does; an optional field
 * that is NULL is left out. Uses format(), which is faster than json_object().
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
  // Each member begins with a comma: strip the first one.
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
    // Validation ensures that these hold nothing that JSON escapes.
    case 'choice':
    case 'date':
      return { format: '"%s"', value: name };
    // Stored as the output of JSON.stringify.
    case 'list':
      return { format: '%s', value: name };
    case 'text':
    case 'email':
      return { format: '%s', value: `json_quote(${name})` };
  }
}

/**
 * The SQL expression that renders a record as a line of CSV, byte for byte as `csvOf` does. `csv_cell` and
 * `raw_csv_cell` are SQL functions of every connection.
 * @param raw leave out the `'` that stops spreadsheets from running a text as a formula
 * @param more expressions of further cells, which must be integers
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
    // Validation ensures that these hold nothing that CSV quotes.
    case 'integer':
    case 'choice':
    case 'date':
      return name;
    case 'boolean':
      return `iif(${name}, 'true', 'false')`;
    // A JSON array, which no spreadsheet runs as a formula.
    case 'list':
      return `raw_csv_cell(${name})`;
    case 'text':
    case 'email':
      return textCell(name, `${raw ? 'raw_' : ''}csv_cell`);
  }
}

/**
 * The SQL expression of a text cell. An empty text, or one that begins with an ASCII letter or one of [ \ ] ^
 * _ `, is never a formula: SQLite itself quotes it if needed, because two calls of a JavaScript function in
 * each line take a third of the time of an export.
 */
function textCell(name: string, cell: string): string {
  const isHarmless = `(${name} BETWEEN 'A' AND '{' OR ${name} = '')`;
  const isQuoted = `${name} GLOB '*[,"' || char(10, 13) || ']*'`;
  const quoted = `'"' || replace(${name}, '"', '""') || '"'`;
  return `iif(${isHarmless}, iif(${isQuoted}, ${quoted}, ${name}), ${cell}(${name}))`;
}
