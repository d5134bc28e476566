import { type Endpoint, type OpenApi, type RequestBody, resolve } from './document.ts';

/** The address of `sciatica serve` without options. */
export const BASE = 'http://localhost:3000';

/** A curl command for a POSIX shell that calls an operation with its required parts, made from the document's examples. */
export function curl(document: OpenApi, { method, path, parameters, requestBody }: Endpoint): string {
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
