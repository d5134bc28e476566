import { routineFields } from '../../domain/plans/routine.ts';
import type { Operation } from './operation.ts';
import { ETAG, ok, ref, taken } from './parts.ts';
import { IDEMPOTENCY_KEY } from './records.ts';

const { name, exercises } = routineFields;

export const createRoutineOperation: Operation = {
  tag: 'Routines',
  id: 'createUserRoutine',
  summary: 'Create a routine of a user',
  description:
    'A single routine has a path of its own, which Location names. A user has one routine of a name, whatever the case of its letters.',
  headers: [IDEMPOTENCY_KEY],
  body: taken(ref('UserRoutineInput'), { name: name.example, exercises: exercises.example }),
  success: {
    '201': ok('The new routine', ref('Routine'), {
      ...ETAG,
      Location: { description: 'Path of the routine', required: true, schema: { type: 'string' } },
    }),
  },
};
