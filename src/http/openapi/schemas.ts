import type { Fields } from '../../domain/fields.ts';
import { actions, sources } from '../../domain/history.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import { goalFields, goalRecord } from '../../domain/plans/goal.ts';
import { routineFields, routineRecord } from '../../domain/plans/routine.ts';
import { nouns } from '../../domain/records.ts';
import { objectOf, partialOf, schemaOf } from '../../domain/schema.ts';
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
    Routine: schemaJson(objectOf(routineRecord)),
    RoutineInput: input(routineFields),
    UserRoutineInput: routineOfUser(),
    Goal: schemaJson(objectOf(goalRecord)),
    GoalInput: input({ sessionsPerWeek: goalFields.sessionsPerWeek }, ['userId']),
    ...insightsSchemas(),
    ...batchSchemas,
    HistoryEntry: historyEntry,
    Problem: problemSchema,
  };
}

/** @param ignored further fields that a client may send back as it got them */
const input = (fields: Fields, ignored: readonly string[] = []): Json =>
  withIgnored(schemaJson(objectOf(fields)), ignored);

/** The path says whose routine it is. */
function routineOfUser(): Json {
  const { userId, ...fields } = routineFields;
  const schema = input(fields);
  const properties = schema['properties'] as Json;
  return { ...schema, properties: { ...properties, userId: schemaJson(schemaOf(userId)) } };
}

const patch = (fields: Fields, example: Json): Json => ({
  ...withIgnored(schemaJson(partialOf(fields))),
  examples: [example],
});

/** A client may send back what it got, id included. */
function withIgnored(schema: Json, names: readonly string[] = []): Json {
  const ignored: Json = {
    id: { description: 'Ignored: the service assigns ids' },
    ...Object.fromEntries(names.map((name) => [name, { description: 'Ignored: the path says it' }])),
  };
  return { ...schema, properties: { ...(schema['properties'] as Json), ...ignored } };
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
    record: { type: 'string', enum: nouns },
    id: { type: 'integer', description: 'Id of the record', examples: [1] },
    action: { type: 'string', enum: actions },
    before: state('The record before; null when it was created'),
    after: state('The record after; null when it was deleted'),
  },
};

function state(description: string): Json {
  return {
    description,
    anyOf: [ref('User'), ref('UserExerciseLog'), ref('Routine'), ref('Goal'), { type: 'null' }],
  };
}
