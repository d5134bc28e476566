import { routineFields } from '../../domain/plans/routine.ts';
import type { Operation } from './operation.ts';
import { ETAG, IF_NONE_MATCH, NOT_MODIFIED, ok, ref, taken } from './parts.ts';
import { IDEMPOTENCY_KEY, many } from './records.ts';

const { name, exercises } = routineFields;

export const listRoutinesOperation: Operation = {
  tag: 'Routines',
  id: 'listUserRoutines',
  summary: 'List the routines of a user',
  description: 'In id order.',
  headers: [IF_NONE_MATCH],
  success: { '200': ok('The routines, in id order', many(ref('Routine')), ETAG), '304': NOT_MODIFIED },
};

export const createRoutineOperation: Operation = {
  tag: 'Routines',
  id: 'createUserRoutine',
  summary: 'Create a routine of a user',
  description: 'A single routine has a path of its own, which Location names.',
  headers: [IDEMPOTENCY_KEY],
  body: taken(ref('UserRoutineInput'), { name: name.example, exercises: exercises.example }),
  success: {
    '201': ok('The new routine', ref('Routine'), {
      ...ETAG,
      Location: { description: 'Path of the routine', required: true, schema: { type: 'string' } },
    }),
  },
};
