import { goalFields } from '../../domain/plans/goal.ts';
import type { Operation } from './operation.ts';
import { ETAG, IF_MATCH, IF_NONE_MATCH, NOT_MODIFIED, ok, ref, taken } from './parts.ts';

export const readGoalOperation: Operation = {
  tag: 'Goals',
  id: 'getUserGoal',
  summary: 'Read the goal of a user',
  description: 'A user without a goal has none to read: 404.',
  headers: [IF_NONE_MATCH],
  success: { '200': ok('The goal', ref('Goal'), ETAG), '304': NOT_MODIFIED },
};

export const putGoalOperation: Operation = {
  tag: 'Goals',
  id: 'putUserGoal',
  summary: 'Set the goal of a user',
  description: 'Summary and report compare with it, unless the query says another target.',
  headers: [IF_MATCH],
  body: taken(ref('GoalInput'), { sessionsPerWeek: goalFields.sessionsPerWeek.example }),
  success: {
    '200': ok('The goal, which there was before', ref('Goal'), ETAG),
    '201': ok('The goal, which is the first', ref('Goal'), ETAG),
  },
};

export const deleteGoalOperation: Operation = {
  tag: 'Goals',
  id: 'deleteUserGoal',
  summary: 'Remove the goal of a user',
  description: 'Summary and report compare with none any more.',
  headers: [IF_MATCH],
  success: { '200': ok('It is gone', { type: 'object', maxProperties: 0 }, {}) },
};
