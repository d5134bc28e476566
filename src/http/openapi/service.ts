import type { Kind } from '../routes.ts';
import { content, ETAG, IF_NONE_MATCH, type Json, NOT_MODIFIED, POLICY } from './parts.ts';

const common = { tags: ['Service'], security: [] };

/** The operation of a route that tells of the service itself. */
export function serviceOperation(kind: Kind): Json {
  switch (kind) {
    case 'health':
      return {
        ...common,
        operationId: 'getHealth',
        summary: 'Whether the service can read its records',
        responses: { '200': { description: 'It can', content: content(HEALTH) } },
      };
    case 'document':
      return {
        ...common,
        operationId: 'getOpenApi',
        summary: 'The OpenAPI document of the service',
        parameters: [IF_NONE_MATCH],
        responses: {
          '200': { description: 'The document', headers: ETAG, content: content(DOCUMENT) },
          '304': NOT_MODIFIED,
        },
      };
    default:
      return {
        ...common,
        operationId: 'getDocs',
        summary: 'The documentation of the service, to be read',
        description: 'The OpenAPI document as one HTML page that loads and runs nothing.',
        parameters: [IF_NONE_MATCH],
        responses: {
          '200': {
            description: 'The page',
            headers: { ...ETAG, ...POLICY },
            content: { 'text/html': { schema: { type: 'string' } } },
          },
          '304': NOT_MODIFIED,
        },
      };
  }
}

const HEALTH: Json = {
  type: 'object',
  required: ['status'],
  properties: { status: { type: 'string', const: 'ok' } },
};

const DOCUMENT: Json = { type: 'object', additionalProperties: true };
