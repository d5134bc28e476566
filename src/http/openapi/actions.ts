import { MOST_AT_ONCE, objectOf } from '../../domain/schema.ts';
import { undoFields } from '../handlers/reversal/undo.ts';
import type { Operation } from './operation.ts';
import { exampleOf, type Json, ok, ref, schemaJson, taken } from './parts.ts';
import { IDEMPOTENCY_KEY } from './records.ts';

const integer = (description: string, example: number): Json => ({
  type: 'integer',
  description,
  examples: [example],
});

export const undoOperation: Operation = {
  tag: 'Changes',
  id: 'undoChange',
  summary: 'Take a change back',
  description:
    'What it created goes, what it deleted comes back with its id, what it updated is as before. It is a change of its own, which can be undone. 404 unless the caller may write every record in it.',
  body: taken(schemaJson(objectOf(undoFields)), exampleOf(undoFields)),
  success: {
    '200': ok('It is taken back', {
      type: 'object',
      required: ['undoes', 'entries', 'since'],
      properties: {
        undoes: integer('The change that was taken back', 4),
        entries: integer('How many entries it had', 1),
        since: integer('What /changes?since= takes to give what the undoing did', 7),
      },
    }),
  },
};

const REQUEST = { method: 'PATCH', url: '/userExerciseLogs/1', body: { painAfter: 3 } };

/** The schemas of a batch, by name. */
export const batchSchemas: Record<string, Json> = {
  BatchRequest: {
    type: 'object',
    required: ['method', 'url'],
    additionalProperties: false,
    properties: {
      method: { type: 'string', enum: ['POST', 'PUT', 'PATCH', 'DELETE'] },
      url: {
        type: 'string',
        description: 'Path of the record or the list',
        examples: ['/userExerciseLogs/1'],
      },
      headers: {
        type: 'object',
        additionalProperties: false,
        properties: { 'If-Match': { type: 'string', description: 'Entity tag that the record must have' } },
      },
      body: {
        type: 'object',
        description: 'As the path takes it; none for DELETE',
        additionalProperties: true,
      },
    },
    examples: [REQUEST],
  },
  BatchResponse: {
    type: 'object',
    required: ['status', 'headers', 'body'],
    properties: {
      status: integer('As the request would have had alone', 200),
      headers: { type: 'object', additionalProperties: { type: 'string' } },
      body: { description: 'As the request would have had alone; null for a record that was erased since' },
    },
  },
};

export const batchOperation: Operation = {
  tag: 'Changes',
  id: 'writeBatch',
  summary: 'Do several writes, all or none',
  description:
    'In order, as one change. Each needs the right that it would need alone. When one fails, nothing is saved, and the problem has its status and its `index`. `/batch`, `/undo` and `restore` cannot be inside.',
  headers: [IDEMPOTENCY_KEY],
  body: taken(
    {
      type: 'object',
      required: ['requests'],
      additionalProperties: false,
      properties: {
        requests: { type: 'array', minItems: 1, maxItems: MOST_AT_ONCE, items: ref('BatchRequest') },
      },
    },
    { requests: [REQUEST] },
  ),
  success: {
    '200': ok(
      'The responses, in order',
      { type: 'array', maxItems: MOST_AT_ONCE, items: ref('BatchResponse') },
      {
        'Idempotency-Replayed': {
          description: 'true on the first answer when it is given again; absent otherwise',
          schema: { type: 'string', const: 'true' },
        },
      },
    ),
  },
};
