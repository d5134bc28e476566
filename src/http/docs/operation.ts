import { isDeepStrictEqual } from 'node:util';
import { type Html, html, inElement } from '../../lib/html.ts';
import {
  alternativesOf,
  type Content,
  type Endpoint,
  nameOf,
  type Parameter,
  type Response,
  type Schema,
} from './document.ts';
import { inline, paragraphs } from './prose.ts';
import { filteredFields, problemsOf, type Shared, withoutFilters } from './shared.ts';

/** An operation: description, parameters, body, example, responses. */
export function operation(endpoint: Endpoint, shared: Shared): Html {
  const { operationId, summary, description, security, method, path } = endpoint;
  const like = shared.alike.get(operationId);
  return html`<section>
<h3 id="${operationId}">${summary}</h3>
<p><code><b class="${method.toLowerCase()}">${method}</b> ${path}</code></p>
${description !== like?.description && paragraphs(description)}${security?.length === 0 && html`<p>Needs no authentication.</p>\n`}<pre><code>${inElement(curl(endpoint))}</code></pre>
${like ? likeness(endpoint, like) : [parameters(endpoint, shared), body(endpoint), answers(endpoint, shared)]}</section>
`;
}

/** The differences between an operation and an earlier one. */
function likeness(endpoint: Endpoint, like: Endpoint): Html {
  const { requestBody, responses } = endpoint;
  const contents = [...(requestBody ? [requestBody] : []), ...Object.values(responses)].flatMap((given) =>
    '$ref' in given ? [] : (given.content?.['application/json'] ?? []),
  );
  const types = contents.flatMap(({ schema }) => (schema ? [typeOf(schema)] : []));
  return html`${filters(endpoint)}<p>Otherwise as <a href="#${like.operationId}">${like.summary}</a>${types.length > 0 && html`, with ${joined(types, ', ')}`}.</p>\n`;
}

function parameters(endpoint: Endpoint, shared: Shared): Html | false {
  const { parameters } = endpoint;
  if (parameters.length === 0) return false;
  const plain = withoutFilters(parameters);
  const isShared = ({ name, description }: Parameter) =>
    shared.parameters.get(name)?.description === description;
  const known = plain.filter(isShared).map(({ name }) => name);
  const own = plain.filter((parameter) => !isShared(parameter)).map(parameterField);
  return html`<h4>Parameters</h4>
${fieldList(own)}${
  known.length > 0 && html`<p>${known.join(', ')}: <a href="#parameters">as elsewhere</a>.</p>\n`
}${filters(endpoint)}`;
}

function filters({ parameters }: Endpoint): Html | false {
  const fields = filteredFields(parameters);
  return (
    fields.length > 0 &&
    html`<details><summary>Filters on ${fields.length} fields</summary>
<p>${fields.join(', ')}: <a href="#lists">as in every list</a>.</p></details>\n`
  );
}

/** A parameter as a field. */
export function parameterField({ name, in: place, required = false, description, schema }: Parameter): Field {
  return {
    name,
    place,
    required,
    schema,
    description: description ?? schema.description,
    example: schema.examples && String(schema.examples[0]),
  };
}

function body({ requestBody }: Endpoint): Html | false {
  if (!requestBody) return false;
  const { description, required, content } = requestBody;
  return html`<h4>Body</h4>
${paragraphs(description)}<p>${carried(content)}${!required && ' (optional)'}</p>
${inlineFields(content)}`;
}

function answers(endpoint: Endpoint, shared: Shared): Html {
  const { responses, security } = endpoint;
  const isOpen = security?.length === 0;
  const rows = Object.entries(responses).flatMap(([status, given]) =>
    '$ref' in given ? [] : [responseRow(status, given as Response)],
  );
  const own = [...problemsOf(endpoint).keys()].filter((status) => isOpen || !shared.problems.has(status));
  const named = own.map((status) => (status === 'default' ? 'any other' : status)).join(', ');
  return html`<h4>Answers</h4>
${rows}<p class="refusals"><a href="#problems">Problems</a>: ${named}${!isOpen && `${named && ', and '}those of any request`}.</p>\n`;
}

function responseRow(status: string, { description, headers = {}, content = {} }: Response): Html {
  const names = Object.keys(headers).join(', ');
  return html`<p><b>${status}</b> ${inline(description)}. ${carried(content)}${names && html` <small>${names}</small>`}</p>
${inlineFields(content)}`;
}

/** The schemas of a body; a media type other than JSON is named. */
function carried(content: Content): Html {
  return html`${Object.entries(content).map(([type, { schema }], i) => [
    i > 0 && ', or ',
    type === 'application/json' && schema
      ? typeOf(schema)
      : html`<code>${type}</code>${schema && html`: ${typeOf(schema)}`}`,
  ])}`;
}

/** The fields of bodies with an inline schema, which has no name to link to. */
function inlineFields(content: Content): (Html | false)[] {
  const schemas = Object.values(content).flatMap(({ schema }): Schema[] => (schema ? [schema] : []));
  return schemas.map((schema) => fieldList(fieldsOf(schema)));
}

/** A field, or a parameter. */
export interface Field {
  name: string;
  /** Of a parameter: path, query, header. */
  place?: string;
  required?: boolean;
  schema: Schema;
  description?: string | undefined;
  /** The example as it is shown. */
  example?: string | undefined;
}

/** Fields with their types and meanings; false without any. */
export function fieldList(fields: readonly Field[]): Html | false {
  return fields.length > 0 && html`<dl class="fields">\n${fields.map(item)}</dl>\n`;
}

function item({ name, place, required, schema, description, example }: Field): Html {
  const meaning = html`${description && inline(description)}${example !== undefined && html`${description && ': '}<code>${inElement(example)}</code>`}`;
  return html`<dt><code>${name}</code> <small>${place && `${place}, `}${typeOf(schema)}${required === false && ', optional'}</small></dt>${meaning.markup && html`<dd>${meaning}</dd>`}\n`;
}

/** The fields of a schema and of the objects in it, each once: `target.weeks`, `errors[].field`. */
export function fieldsOf(schema: Schema): Field[] {
  const fields = new Map<string, Field>();
  for (const field of allFieldsOf(schema, '')) {
    const same = fields.get(field.name);
    fields.set(field.name, same ? { ...same, schema: either(same.schema, field.schema) } : field);
  }
  return [...fields.values()];
}

/** A schema that accepts either of two; of two equal ones, the first. */
function either(one: Schema, other: Schema): Schema {
  const known = one.anyOf ?? [one];
  return known.some((schema) => isDeepStrictEqual(schema, other)) ? one : { anyOf: [...known, other] };
}

function allFieldsOf(schema: Schema, path: string): Field[] {
  const isRequired = (name: string) => schema.required?.includes(name) ?? false;
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
    {
      name: `${path}${name}`,
      required: isRequired(name),
      schema: isRequired(name) ? property : withoutNull(property),
      description: property.description,
      example: property.examples && JSON.stringify(property.examples[0]),
    },
    ...allFieldsOf(property, `${path}${name}.`),
  ]);
  const items = schema.items ? allFieldsOf(schema.items, `${path.replace(/\.$/, '')}[].`) : [];
  return [...own, ...items, ...alternativesOf(schema).flatMap((other) => allFieldsOf(other, path))];
}

/** Without null: the operation says that null clears an optional field, so the field does not repeat it. */
const withoutNull = ({ type, enum: values, ...schema }: Schema): Schema => ({
  ...schema,
  ...(type && { type: [type].flat().find((one) => one !== 'null') ?? 'null' }),
  ...(values && { enum: values.filter((value) => value !== null) }),
});

/** Most values of an enum that are listed; for more, their number is shown. */
const MOST_NAMED = 12;

/** The constraints of a value in words; a named schema is a link. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return joined(alternatives.map(typeOf), ' or ');
  if (schema.enum && schema.enum.length > MOST_NAMED) return html`one of ${schema.enum.length} values`;
  if (schema.enum) return html`one of ${joined(schema.enum.map(literal), ', ')}`;
  if ('const' in schema) return literal(schema.const);
  const type = schema.items ? html`array of ${typeOf(schema.items)}` : html`${plainType(schema)}`;
  const limits = limitsOf(schema);
  return html`${type}${limits && ` ${limits}`}`;
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
  // In a schema, the largest exact integer stands for no bound.
  const most = max === Number.MAX_SAFE_INTEGER ? undefined : max?.toLocaleString('en');
  const least = min?.toLocaleString('en');
  if (least !== undefined && most !== undefined) return `${least} to ${most}${unit}`;
  if (least !== undefined) return `at least ${least}${unit}`;
  return most === undefined ? '' : `at most ${most}${unit}`;
}

/** A value as code; a text without quotation marks, as in a query. */
export const literal = (value: unknown): Html =>
  html`<code>${typeof value === 'string' ? value : JSON.stringify(value)}</code>`;

/** Joins pieces of markup with a text between them. */
export function joined(parts: readonly Html[], between: string): Html {
  return html`${parts.map((part, i) => [i > 0 && between, part])}`;
}

/** The base URL of `sciatica serve` without options. */
export const BASE = 'http://localhost:3000';

/** A curl command for a POSIX shell that calls an operation with its required parts, made from the document's examples. */
function curl({ method, path, parameters, requestBody }: Endpoint): string {
  const required = parameters.filter((parameter) => parameter.required);
  const given = (place: string): [name: string, value: string][] =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema, example = schema.examples?.[0] }) => [name, String(example)]);
  let target = path;
  for (const [name, value] of given('path')) target = target.replace(`{${name}}`, encodeURIComponent(value));
  const query = String(new URLSearchParams(given('query')));
  const [type, media] = Object.entries(requestBody?.content ?? {})[0] ?? [''];
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
