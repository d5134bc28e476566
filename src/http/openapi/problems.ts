import { gapReasons } from '../../domain/errors.ts';
import { faultCodes } from '../../domain/fault.ts';
import { type ProblemType, problemTypes, typeUri } from '../wire/problem.ts';
import { header, type Json, REPLAYED, ref, sureHeader } from './parts.ts';

/** The schema of every error. */
export const problemSchema: Json = {
  type: 'object',
  description: 'Problem details (RFC 9457)',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: {
      type: 'string',
      description: 'The kind of problem: a reference to where /docs explains it',
      enum: (Object.keys(problemTypes) as ProblemType[]).map(typeUri),
    },
    title: { type: 'string', examples: ['Bad Request'] },
    status: { type: 'integer', examples: [400] },
    detail: { type: 'string', examples: ['The request has faults; errors names each.'] },
    reason: { type: 'string', enum: gapReasons, description: 'Of 410 from /changes: why' },
    current: { type: 'object', description: 'Of 412: the record as it is', additionalProperties: true },
    index: { type: 'integer', minimum: 0, description: 'Of /batch: which of its requests failed, from 0' },
    errors: {
      type: 'array',
      description: 'Every fault of the input',
      items: {
        type: 'object',
        required: ['field', 'code', 'message'],
        properties: {
          field: { type: 'string', examples: ['painLevel'] },
          code: { type: 'string', description: 'What is wrong with it', enum: faultCodes },
          minimum: { type: 'integer', description: 'With out-of-range' },
          maximum: { type: 'integer', description: 'With out-of-range' },
          minLength: { type: 'integer', description: 'With blank' },
          maxLength: { type: 'integer', description: 'With too-long' },
          values: { type: 'array', description: 'With not-a-choice', items: { type: 'string' } },
          message: {
            type: 'string',
            description: 'For a person, behind the label of the field',
            examples: ['must be a whole number from 1 to 10'],
          },
        },
      },
    },
  },
};

const ETAG_OF_CURRENT: Json = { ETag: header('Of the record as it is; absent in a batch') };

/** The failures of requests, by name: status and response. */
const problems = {
  BadRequest: refusal('400', 'Malformed JSON, an invalid field or query value'),
  Unauthorized: refusal('401', 'Authentication is on and there is no valid token', {
    'WWW-Authenticate': sureHeader('Bearer and Basic'),
  }),
  Forbidden: refusal(
    '403',
    'A foreign Host, Origin or site, or something that the role of the token may not do; to /pair a wrong code',
  ),
  NotFound: refusal('404', 'No such record'),
  NotAcceptable: refusal('406', 'Accept names no media type that this can be had as'),
  Conflict: refusal('409', 'Something later depends on it, or it cannot be taken back'),
  Gone: refusal('410', 'What is to be gone on from is not in the history any more: read everything anew'),
  RecordGone: refusal(
    '410',
    'The Idempotency-Key came before; what was created is gone, or of several a part erased',
    REPLAYED,
  ),
  PreconditionFailed: refusal(
    '412',
    'The record is not the one that If-Match names; current has it as it is',
    ETAG_OF_CURRENT,
  ),
  PayloadTooLarge: refusal(
    '413',
    'The body is larger than 64 KiB, with several records than 1 MiB, to /pair than 1 KiB',
  ),
  UnsupportedMediaType: refusal('415', 'The body is not application/json in UTF-8', {
    'Accept-Encoding': header('identity'),
  }),
  UnprocessableEntity: refusal('422', 'The Idempotency-Key came with another body before', {
    Location: header('Of the record that was created then'),
  }),
  TooManyRequests: refusal(
    '429',
    'The caller comes too often or has written too much in an hour, which counts with authentication, or has too many streams open',
    { 'Retry-After': sureHeader('Seconds', 'integer') },
  ),
  ServiceUnavailable: refusal(
    '503',
    'Another program held the database for too long, or a long read took too long or found too many others; Retry-After says when to try again',
    { 'Retry-After': header('Seconds', 'integer') },
  ),
  InsufficientStorage: refusal('507', 'The disk is full; nothing was saved'),
  Refused: refusal(
    'default',
    'What can happen to any request: 405 with Allow, 408 when it takes too long to arrive, 417 for an unknown Expect, 431 when its headers are too large, 500 when something broke here',
  ),
} as const;

export type ProblemName = keyof typeof problems;

/** The failures of a request with a body. */
export const BODY = ['PayloadTooLarge', 'UnsupportedMediaType'] as const;

/** The failures of a request with an Idempotency-Key. */
export const REPEATABLE = ['RecordGone', 'UnprocessableEntity'] as const;

/** The responses, by name, that operations refer to. */
export const problemResponses: Json = Object.fromEntries(
  Object.entries(problems).map(([name, { response }]) => [name, response]),
);

/** References to responses, by status. */
export function problemRefs(names: readonly ProblemName[]): Json {
  return Object.fromEntries(
    names.map((name) => [problems[name].status, { $ref: `#/components/responses/${name}` }]),
  );
}

function refusal(status: string, description: string, headers?: Json): { status: string; response: Json } {
  const content = { 'application/problem+json': { schema: ref('Problem') } };
  return { status, response: { description, ...(headers && { headers }), content } };
}
