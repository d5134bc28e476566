import type { Kind } from '../routes.ts';
import type { Json } from './parts.ts';

/** The schema of every error. */
export const problemSchema: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', examples: ['about:blank'] },
    title: { type: 'string', examples: ['Bad Request'] },
    status: { type: 'integer', examples: [400] },
    detail: { type: 'string', examples: ['The request has faults; errors names each.'] },
    errors: {
      type: 'array',
      description: 'Every fault of the input',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string', examples: ['painLevel'] },
          message: { type: 'string', examples: ['must be a whole number from 1 to 10'] },
        },
      },
    },
  },
};

/** The errors, by name. */
export const problems: Record<string, Json> = {
  BadRequest: problem('Malformed JSON, an invalid field or query value'),
  Unauthorized: problem('Authentication is on and there is no valid token', {
    'WWW-Authenticate': { description: 'Bearer and Basic', required: true, schema: { type: 'string' } },
  }),
  Forbidden: problem('A foreign Host, Origin or site, or something that the role of the token may not do'),
  NotFound: problem('No such record'),
  Gone: problem('What is to be gone on from is not in the history any more: read everything anew'),
  PreconditionFailed: problem('The record is not the one that If-Match names'),
  PayloadTooLarge: problem('The body is larger than 64 KiB'),
  UnsupportedMediaType: problem('The body is not application/json in UTF-8'),
  UnprocessableEntity: problem('The Idempotency-Key came with another body before'),
  TooManyRequests: problem(
    'The caller comes too often, which counts with authentication, or has too many streams open',
    {
      'Retry-After': { description: 'Seconds', required: true, schema: { type: 'integer' } },
    },
  ),
  ServiceUnavailable: problem(
    'Another program held the database for too long; Retry-After says when to try again',
    {
      'Retry-After': { description: 'Seconds', schema: { type: 'integer' } },
    },
  ),
  InsufficientStorage: problem('The disk is full; nothing was saved'),
  Refused: problem(
    'What can happen to any request: 405 with Allow, 408 when it takes too long to arrive, 417 for an unknown Expect, 431 when its headers are too large, 500 when something broke here',
  ),
};

const service = {
  '400': 'BadRequest',
  '403': 'Forbidden',
  '429': 'TooManyRequests',
  '503': 'ServiceUnavailable',
};
const reads = { ...service, '401': 'Unauthorized' };
const writes = { ...reads, '507': 'InsufficientStorage' };
const bodies = { '413': 'PayloadTooLarge', '415': 'UnsupportedMediaType' };
const missing = { '404': 'NotFound' };
const conditional = { '412': 'PreconditionFailed' };

/** By which errors each kind of route can fail: their names by status. */
export const failures: Record<Kind, Record<string, string>> = {
  list: reads,
  read: { ...reads, ...missing },
  create: { ...writes, ...bodies, '422': 'UnprocessableEntity' },
  replace: { ...writes, ...missing, ...conditional, ...bodies },
  patch: { ...writes, ...missing, ...conditional, ...bodies },
  remove: { ...writes, ...missing, ...conditional },
  history: { ...reads, ...missing },
  summary: { ...reads, ...missing },
  report: { ...reads, ...missing },
  changes: { ...reads, '410': 'Gone' },
  health: service,
  document: service,
  docs: service,
};

function problem(description: string, headers?: Json): Json {
  const schema = { $ref: '#/components/schemas/Problem' };
  return { description, ...(headers && { headers }), content: { 'application/problem+json': { schema } } };
}
