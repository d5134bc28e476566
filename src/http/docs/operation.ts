import { type Html, html } from '../../lib/html.ts';
import {
  alternativesOf,
  type Content,
  type Endpoint,
  type Header,
  nameOf,
  type OpenApi,
  type RequestBody,
  type Response,
  resolve,
  type Schema,
} from './document.ts';
import { inline, paragraphs, spaced } from './prose.ts';

/** An operation: description, parameters, body, example, responses. */
export function operation(document: OpenApi, endpoint: Endpoint): Html {
  const { operationId, summary, description, security } = endpoint;
  return html`<section>
<h3 id="${operationId}"><a href="#${operationId}">${summary}</a></h3>
<p class="endpoint">${methodAndPath(endpoint)}</p>
${paragraphs(description)}${security?.length === 0 && html`<p>Needs no authentication.</p>\n`}<h4>Example</h4>
<pre><code>${curl(document, endpoint)}</code></pre>
${parameters(endpoint)}${body(document, endpoint)}<h4>Answers</h4>
${answers(document, endpoint)}</section>
`;
}

/** `GET /users/{id}` */
export function methodAndPath({ method, path }: Endpoint): Html {
  return html`<code><b class="method ${method.toLowerCase()}">${method}</b> ${path}</code>`;
}

/** Those of a query are folded where there are many: the filters of a list. */
const MOST_UNFOLDED = 10;

function parameters({ parameters, summary }: Endpoint): Html | false {
  const fields = parameters.map(({ name, in: place, required = false, description, schema }) => ({
    name,
    place,
    required,
    schema,
    description: description ?? schema.description,
    example: schema.examples && String(schema.examples[0]),
  }));
  if (fields.length === 0) return false;
  const table = fieldTable(`Parameters of: ${summary}`, 'Parameter', fields);
  return html`<h4>Parameters</h4>\n${
    fields.length <= MOST_UNFOLDED ? table : folded(`${fields.length} filters and other parameters`, table)
  }`;
}

const folded = (summary: string, content: Html | false): Html | false =>
  content && html`<details class="folded"><summary>${summary}</summary>\n${content}</details>\n`;

function body(document: OpenApi, { requestBody, summary }: Endpoint): Html | false {
  if (!requestBody) return false;
  const { description, required, content } = resolve<RequestBody>(document, requestBody);
  return html`<h4>Body</h4>
${paragraphs(description)}<p>${carried(content)}${!required && ' (optional)'}</p>
${inlineFields(`Body of: ${summary}`, content)}`;
}

function answers(document: OpenApi, { responses, summary }: Endpoint): Html {
  const own = Object.entries(responses).filter(([, given]) => !('$ref' in given));
  const shared = Object.entries(responses).filter(([, given]) => '$ref' in given);
  return html`${own.map(([status, given]) => responseRow(document, status, given as Response, summary))}${folded(
    'Problems',
    html`<p class="refusals">One of the <a href="#problems">problems</a>: ${shared.map(([status, given], i) => [i > 0 && ', ', refusal(status, given)])}.</p>\n`,
  )}`;
}

function responseRow(document: OpenApi, status: string, given: Response, summary: string): Html {
  const { description, headers = {}, content = {} } = given;
  return html`<p><b class="status">${status}</b> ${inline(description)}. ${carried(content)}</p>
${inlineFields(`Body of ${status} of: ${summary}`, content)}${folded('Headers', headerTable(document, `Headers of ${status} of: ${summary}`, headers))}`;
}

function refusal(status: string, given: object): Html {
  const name = '$ref' in given ? nameOf(String(given.$ref)) : '';
  const label = status === 'default' ? 'any other' : `${status} ${spaced(name)}`;
  return html`<a href="#response-${name}">${label}</a>`;
}

/** The media types of a body with their schemas. */
export function carried(content: Content): Html {
  return html`${Object.entries(content).map(([type, { schema }], i) => [
    i > 0 && ', or ',
    html`<code>${type}</code>${schema && html`: ${typeOf(schema)}`}`,
  ])}`;
}

/** The fields of bodies with an inline schema, which has no name to link to. */
function inlineFields(label: string, content: Content): (Html | false)[] {
  const schemas = Object.values(content).flatMap(({ schema }): Schema[] => (schema ? [schema] : []));
  return schemas.map((schema) => fieldTable(label, 'Field', fieldsOf(schema)));
}

/** A table of response headers; false without any. */
export function headerTable(
  document: OpenApi,
  label: string,
  headers: NonNullable<Response['headers']>,
): Html | false {
  const fields = Object.entries(headers).map(([name, given]) => {
    const { description, schema } = resolve<Header>(document, given);
    return { name, schema, description };
  });
  return fieldTable(label, 'Header', fields);
}

/** One line of a table of fields, parameters or headers. */
interface Field {
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

/** The address of `sciatica serve` without options. */
export const BASE = 'http://localhost:3000';

/** A curl command for a POSIX shell that calls an operation with its required parts, made from the document's examples. */
function curl(document: OpenApi, { method, path, parameters, requestBody }: Endpoint): string {
  const required = parameters.filter((parameter) => parameter.required);
  const given = (place: string): [name: string, value: string][] =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, example = schema.examples?.[0] }) => [name, String(example)]);
  let target = path;
  for (const [name, value] of given('path')) target = target.replace(`{${name}}`, encodeURIComponent(value));
  const query = String(new URLSearchParams(given('query')));
  const [type, media] = Object.entries(
    requestBody ? resolve<RequestBody>(document, requestBody).content : {},
  )[0] ?? [''];
  const usual = media ? 'POST' : 'GET';
  return [
    `curl ${method === usual ? '' : `-X ${method} `}${quoted(`${BASE}${target}${query && `?${query}`}`)}`,
    ...given('header').map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(media?.example !== undefined
      ? [
          `-H ${quoted(`Content-Type: ${type}`)}`,
          `-d ${quoted(JSON.stringify(media.example, null, 2).replaceAll('\n', '\n  '))}`,
        ]
      : []),
  ].join(' \\\n  ');
}

/** A word quoted for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w:/.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
