import type { Fields } from '../../domain/fields.ts';
import { logFields, logRecord } from '../../domain/log.ts';
import { goalFields, goalRecord } from '../../domain/plans/goal.ts';
import { routineFields, routineRecord } from '../../domain/plans/routine.ts';
import { objectOf, partialOf, schemaOf } from '../../domain/schema.ts';
import { userFields, userRecord } from '../../domain/user.ts';
import { insightsSchemas } from '../routes/insights.ts';
import { batchSchemas } from './actions.ts';
import { historySchemas } from './history.ts';
import { type Json, schemaJson } from './parts.ts';
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
    ...historySchemas(),
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
