import type { Fields } from '../../domain/fields.ts';
import { actions, sources } from '../../domain/history.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import { objectOf } from '../../domain/schema.ts';
import { userFields, userRecord } from '../../domain/user.ts';
import { batchSchemas } from './actions.ts';
import { insightsSchemas } from './insights.ts';
import { type Json, ref, schemaJson } from './parts.ts';
import { problemSchema } from './problems.ts';

/** The named schemas of the document. */
export function schemas(): Record<string, Json> {
  return {
    User: schemaJson(objectOf(userRecord)),
    UserInput: input(userFields),
    UserPatch: patch(userFields, { painLevel: 4 }),
    UserExerciseLog: schemaJson(objectOf(logRecord)),
    UserExerciseLogInput: input(logFields),
    UserExerciseLogPatch: patch(logFields, { painAfter: 3 }),
    ...insightsSchemas(),
    ...batchSchemas,
    HistoryEntry: historyEntry,
    Problem: problemSchema,
  };
}

const input = (fields: Fields): Json => withId(schemaJson(objectOf(fields)));

const patch = (fields: Fields, example: Json): Json => ({
  ...withId(schemaJson(objectOf(fields).partial())),
  examples: [example],
});

/** A client may send back what it got, id included. */
function withId(schema: Json): Json {
  const id = { description: 'Ignored: the service assigns ids' };
  return { ...schema, properties: { ...(schema['properties'] as Json), id } };
}

const historyEntry: Json = {
  type: 'object',
  description: 'What happened to a record in one change',
  required: ['seq', 'change', 'at', 'source', 'record', 'id', 'action', 'before', 'after'],
  additionalProperties: false,
  properties: {
    seq: { type: 'integer', description: 'Grows with each entry', examples: [7] },
    change: { type: 'integer', description: 'The change it belongs to', examples: [4] },
    at: { type: 'string', format: 'date-time', examples: ['2026-03-02T08:30:00.000Z'] },
    source: { type: 'string', enum: sources, description: 'What made the change' },
    caller: { type: 'string', description: "The name of the caller's token" },
    undoes: { type: 'integer', description: 'The change that this one took back' },
    record: { type: 'string', enum: ['user', 'log'] },
    id: { type: 'integer', description: 'Id of the record', examples: [1] },
    action: { type: 'string', enum: actions },
    before: state('The record before; null when it was created'),
    after: state('The record after; null when it was deleted'),
  },
};

function state(description: string): Json {
  return { description, anyOf: [ref('User'), ref('UserExerciseLog'), { type: 'null' }] };
}
