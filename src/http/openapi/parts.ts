import * as z from 'zod';
import type { Fields } from '../../domain/fields.ts';
import { type Filter, MOST_VALUES, operators } from '../../domain/filter.ts';
import type { Kind } from '../../domain/kind.ts';
import { schemaOf } from '../../domain/schema.ts';

/** Parts of the OpenAPI document that several operations share. */

export type Json = { readonly [key: string]: unknown };

/** A header of a response, which may be absent. */
export const header = (description: string, type = 'string'): Json => ({ description, schema: { type } });

/** A header that every such response has. */
export const sureHeader = (description: string, type?: string): Json => ({
  ...header(description, type),
  required: true,
});

export const ETAG: Json = { ETag: sureHeader('Strong entity tag of the body') };

export const POLICY: Json = {
  'Content-Security-Policy': header('Of the page: its own style sheet and nothing else'),
};

export const ETAG_IF_SHORT: Json = { ETag: header('Strong entity tag; absent when the list is long') };

export const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Makes it safe to send the request again: it gets the first answer, and nothing is created twice',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[ -~]+$',
    examples: ['0f5c3c5e-3f0e-4f0c-9a53-0d8a4c6f2b1e'],
  },
};

export const REPLAYED: Json = {
  'Idempotency-Replayed': {
    description: 'true on the first answer when it is given again; absent otherwise',
    schema: { type: 'string', const: 'true' },
  },
};

/** The headers of a response to what created records. */
export const CREATED_HEADERS: Json = {
  ...REPLAYED,
  ETag: header('Strong entity tag; absent when there are several'),
  Location: header('Path of the record; absent when there are several'),
};

/** @param further headers besides the entity tag */
export function notModified(further: Json = {}): Json {
  return { description: 'The caller has it already', headers: { ...further, ...ETAG } };
}

export const IF_MATCH = requestHeader('If-Match', 'Write only if the record still has this entity tag');
export const IF_NONE_MATCH = requestHeader(
  'If-None-Match',
  'Answer 304 if the record still has this entity tag',
);

/** Request headers and responses of a GET whose body has an entity tag. @param response the one with the status 200 */
export function conditional(response: Json) {
  return {
    headers: [IF_NONE_MATCH],
    success: { '200': response, '304': notModified(response['headers'] as Json) },
  };
}

function requestHeader(name: string, description: string): Json {
  return { name, in: 'header', description, schema: { type: 'string' } };
}

/** The parameters of a query string. */
export function queryParameters(fields: Fields): Json[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    in: 'query',
    description: field.help,
    schema: schemaJson(schemaOf(field)),
  }));
}

/** The parameters of filters on fields: an array for a filter that takes several values, which repeats the name for each. */
export function filterParameters(filters: Readonly<Record<string, Filter>>): Json[] {
  return Object.entries(filters).map(([name, { operator, field }]) => {
    const { several } = operators[operator];
    const schema = schemaJson(schemaOf(field));
    if (several === 'once') return { name, in: 'query', description: field.help, schema };
    return {
      name,
      in: 'query',
      description: `${field.help}; given again: ${several} of them`,
      explode: true,
      schema: { type: 'array', items: schema, maxItems: MOST_VALUES, examples: [[field.example]] },
    };
  });
}

/** A response with a JSON body. */
export function ok(description: string, schema: Json, headers?: Json): Json {
  return { description, ...(headers && { headers }), content: content(schema) };
}

/** @param example a body that the service takes as it is */
export function content(schema: Json, example?: unknown): Json {
  return { 'application/json': { schema, ...(example !== undefined && { example }) } };
}

/** The body of a request. @param example one that a fresh `sciatica demo` takes */
export function taken(schema: Json, example: unknown): Json {
  return { required: true, content: content(schema, example) };
}

/** The response to a DELETE. */
export const GONE = ok('It is gone', { type: 'object', maxProperties: 0 }, {});

/** An object that has all of these properties. */
export const object = (properties: Json): Json => ({
  type: 'object',
  required: Object.keys(properties),
  properties,
});

/** An array. @param bounds further keywords */
export const many = (items: Json, bounds: Json = {}): Json => ({ type: 'array', items, ...bounds });

/** A record of the examples of its fields. */
export function exampleOf(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, { example }]) => [name, example]));
}

/**
 * Words and examples of a kind for descriptions: `a` is the singular with its article, `one` without, `many` the plural;
 * `example` is a new record, `change` a patch, `deleted` the id of a record that may be deleted.
 */
export function termsOf({ fields, schema, tag, described: { one: a, many }, examples }: Kind) {
  const { id: _, ...example } = exampleOf(fields);
  const { patch: change = Object.fromEntries(Object.entries(example).slice(-1)), deleted = 1 } =
    examples ?? {};
  return { tag, schema, a, one: a.replace(/^an? /, ''), many, example, change, deleted };
}

/** A reference to a schema of the document. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

export function schemaJson(schema: z.core.$ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
