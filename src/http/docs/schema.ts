import { type Html, html } from '../../lib/html.ts';
import { alternativesOf, nameOf, type Schema } from './document.ts';
import { paragraphs } from './prose.ts';

/** One line of a table of fields, parameters or headers. */
export interface Field {
  name: string;
  /** Of a parameter: path, query, header. */
  place?: string;
  /** Absent for what is not sent, such as response headers. */
  required?: boolean;
  schema: Schema;
  description?: string | undefined;
  /** The example as it is shown. */
  example?: string | undefined;
}

/** A table of fields; false without any. */
export function fieldTable(label: string, head: string, fields: readonly Field[]): Html | false {
  return (
    fields.length > 0 &&
    html`<table aria-label="${label}">
<thead><tr><th scope="col">${head}</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${fields.map(row)}</tbody>
</table>
`
  );
}

function row({ name, place, required, schema, description, example }: Field): Html {
  const needed = required === undefined ? false : required ? html`<strong>required</strong>` : 'optional';
  return html`<tr><th scope="row"><code>${name}</code> <small>${place && `${place}, `}${needed}</small></th><td>${typeOf(schema)}</td><td>${paragraphs(description)}${example !== undefined && html`<p class="example">For example <code>${example}</code></p>`}</td></tr>\n`;
}

/** The fields of a schema and of the objects in it: `target.weeks`, `errors[].field`. */
export function fieldsOf(schema: Schema, path = ''): Field[] {
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    {
      name: `${path}${name}`,
      required: schema.required?.includes(name) ?? false,
      schema: property,
      description: property.description,
      example: property.examples && JSON.stringify(property.examples[0]),
    },
    ...fieldsOf(property, `${path}${name}.`),
  ]);
  const items = schema.items ? fieldsOf(schema.items, `${path.replace(/\.$/, '')}[].`) : [];
  return [...own, ...items, ...alternativesOf(schema).flatMap((other) => fieldsOf(other, path))];
}

/** The constraints of a value in words; a named schema is a link. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return joined(alternatives.map(typeOf), ' or ');
  if (schema.enum) return html`one of ${joined(schema.enum.map(literal), ', ')}`;
  if ('const' in schema) return literal(schema.const);
  if (schema.prefixItems) return html`[${joined(schema.prefixItems.map(typeOf), ', ')}]`;
  const type = schema.items ? html`array of ${typeOf(schema.items)}` : html`${plainType(schema)}`;
  const limits = limitsOf(schema);
  return html`${type}${limits && html` <span class="limits">${limits}</span>`}${schema.pattern !== undefined && schema.format === undefined && html` <details><summary>pattern</summary><code>${schema.pattern}</code></details>`}`;
}

function plainType({ type = 'anything', format, maxProperties }: Schema): string {
  if (maxProperties === 0) return 'empty object';
  const name = [type].flat().join(' or ');
  return format === undefined ? name : `${name} (${format})`;
}

function limitsOf(schema: Schema): string {
  return [
    range(schema.minimum, schema.maximum, ''),
    range(schema.minLength, schema.maxLength, ' characters'),
    range(schema.minItems, schema.maxItems, ' items'),
  ]
    .filter(Boolean)
    .join(', ');
}

function range(min: number | undefined, max: number | undefined, unit: string): string {
  // Schemas without a bound have the largest exact integer.
  const most = max === Number.MAX_SAFE_INTEGER ? undefined : max?.toLocaleString('en');
  const least = min?.toLocaleString('en');
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}

/** A text without quotation marks, as in a query. */
const literal = (value: unknown): Html =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, i) => [i > 0 && between, part])}`;
}
