import { Ajv2020 } from '@redocly/ajv/dist/2020.js';
import { type OpenApi, type Response, resolve } from '../../src/http/docs/document.ts';

interface Answered {
  status: number;
  headers: Record<string, string>;
  text: string;
}

/** What the document says of every operation at once, under `default`. */
const ANYWHERE = [405, 408, 417, 431];

/** Headers of the protocol, which are not of an operation. */
const PROTOCOL = [
  'allow',
  'cache-control',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'cross-origin-resource-policy',
  'date',
  'keep-alive',
  'referrer-policy',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
];

/** A check of answers against the OpenAPI document of the service: it returns what does not agree. */
export function conformance(document: OpenApi) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, 'document');
  return (method: string, path: string, { status, headers, text }: Answered): string[] => {
    const key = method.toLowerCase() as 'get';
    const responses = document.paths[path]?.[key]?.responses ?? {};
    const name = ANYWHERE.includes(status) ? 'default' : String(status);
    if (!responses[name]) return [`${method} ${path}: ${status} is not described`];
    const response = resolve<Response>(document, responses[name]);
    const described = Object.entries(response.headers ?? {});
    const known = [...PROTOCOL, ...described.map(([header]) => header.toLowerCase())];
    const missing = [
      ...described
        .filter(([header, one]) => 'required' in one && !(header.toLowerCase() in headers))
        .map(([header]) => `${method} ${path} ${status}: no ${header}`),
      ...Object.keys(headers)
        .filter((header) => !known.includes(header))
        .map((header) => `${method} ${path} ${status}: ${header} is not described`),
    ];
    const content = response.content ?? {};
    const [type = ''] = (headers['content-type'] ?? '').split(';');
    if (text === '' ? Object.keys(content).length > 0 : !(type in content))
      return [...missing, `${method} ${path} ${status}: a body of type ${type} is not described`];
    if (!type.endsWith('json') || type === 'application/x-ndjson' || text === '') return missing;
    const place =
      responses[name] === response ? ['paths', path, key, 'responses', name] : refOf(responses[name]);
    const pointer = [...place, 'content', type, 'schema'].map(escaped).join('/');
    const validate = ajv.getSchema(`document#/${pointer}`);
    return validate?.(JSON.parse(text))
      ? missing
      : [...missing, `${method} ${path} ${status}: ${ajv.errorsText(validate?.errors)}`];
  };
}

const refOf = (node: object): string[] =>
  String((node as { $ref: string }).$ref)
    .split('/')
    .slice(1);

/** RFC 6901, in the fragment of a URI. */
const escaped = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
