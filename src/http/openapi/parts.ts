import * as z from 'zod';
import type { Fields } from '../../domain/fields.ts';
import { schemaOf } from '../../domain/schema.ts';

/** The pieces that the descriptions of all operations are put together from. */

export type Json = { [key: string]: unknown };

export const ETAG: Json = {
  ETag: { description: 'Strong entity tag of the body', required: true, schema: { type: 'string' } },
};

export const POLICY: Json = {
  'Content-Security-Policy': {
    description: 'Of the page: its own style sheet and nothing else',
    schema: { type: 'string' },
  },
};

export const ETAG_IF_SHORT: Json = {
  ETag: { description: 'Strong entity tag; absent when the list is long', schema: { type: 'string' } },
};

export const NOT_MODIFIED: Json = { description: 'The caller has it already' };

export const IF_MATCH = header('If-Match', 'Write only if the record still has this entity tag');
export const IF_NONE_MATCH = header('If-None-Match', 'Answer 304 if the record still has this entity tag');

export const IDEMPOTENCY_KEY = header(
  'Idempotency-Key',
  'Makes it safe to send the request again: it gets the first answer, and nothing is created twice',
  { minLength: 1, maxLength: 255, pattern: '^[ -~]+$', examples: ['0f5c3c5e-3f0e-4f0c-9a53-0d8a4c6f2b1e'] },
);

function header(name: string, description: string, bounds: Json = {}): Json {
  return { name, in: 'header', description, schema: { type: 'string', ...bounds } };
}

export function queryParameters(parameters: Fields): Json[] {
  return Object.entries(parameters).map(([name, field]) => ({
    name,
    in: 'query',
    description: field.help,
    schema: schemaJson(schemaOf(field)),
  }));
}

export function content(schema: Json): Json {
  return { 'application/json': { schema } };
}

export function schemaJson(schema: z.ZodType): Json {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return rest;
}
