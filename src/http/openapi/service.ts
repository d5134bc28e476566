import type { Operation } from './operation.ts';
import { ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, ok, POLICY } from './parts.ts';

const HEALTH: Json = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
};

export const healthOperation: Operation = {
  tag: 'Service',
  id: 'getHealth',
  summary: 'Whether the service can read its records',
  success: { '200': ok('It can', HEALTH) },
};

export const documentOperation: Operation = {
  tag: 'Service',
  id: 'getOpenApi',
  summary: 'The OpenAPI document of the service',
  headers: [IF_NONE_MATCH],
  success: {
    '200': ok('The document', { type: 'object', additionalProperties: true }, ETAG),
    '304': NOT_MODIFIED,
  },
};

export const docsOperation: Operation = {
  tag: 'Service',
  id: 'getDocs',
  summary: 'The documentation of the service, to be read',
  description: 'The OpenAPI document as one HTML page that loads and runs nothing.',
  headers: [IF_NONE_MATCH],
  success: {
    '200': {
      description: 'The page',
      headers: { ...ETAG, ...POLICY },
      content: { 'text/html': { schema: { type: 'string' } } },
    },
    '304': NOT_MODIFIED,
  },
};
