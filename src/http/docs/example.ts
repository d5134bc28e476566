import {
  alternativesOf,
  type Endpoint,
  type OpenApi,
  type RequestBody,
  resolve,
  type Schema,
} from './document.ts';

/** The address of `sciatica serve` without options. */
export const BASE = 'http://localhost:3000';

/** A curl command for a POSIX shell that calls an operation with its required parts, made from the document's examples. */
export function curl(document: OpenApi, { method, path, parameters, requestBody }: Endpoint): string {
  const required = parameters.filter((parameter) => parameter.required);
  const given = (place: string): [name: string, value: string][] =>
    required
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => [name, String(exampleOf(document, schema))]);
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
    ...(media?.schema
      ? [
          `-H ${quoted(`Content-Type: ${type}`)}`,
          `-d ${quoted(JSON.stringify(exampleOf(document, media.schema), null, 2).replaceAll('\n', '\n  '))}`,
        ]
      : []),
  ].join(' \\\n  ');
}

/** A valid value, from the schema's examples: of an object the required properties, or all if none is required. */
export function exampleOf(document: OpenApi, given: Schema): unknown {
  const schema = resolve<Schema>(document, given);
  const [first] = schema.examples ?? schema.enum ?? ('const' in schema ? [schema.const] : []);
  if (first !== undefined) return first;
  const [alternative] = alternativesOf(schema);
  if (alternative) return exampleOf(document, alternative);
  if (schema.items) return [exampleOf(document, schema.items)];
  const { properties = {}, required = Object.keys(properties) } = schema;
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => required.includes(name))
      .map(([name, property]) => [name, exampleOf(document, property)]),
  );
}

/** A word quoted for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w:/.-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
