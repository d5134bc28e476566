import { putGoal, readGoal, removeGoal } from '../handlers/plans/goal.ts';
import { deleteGoalOperation, putGoalOperation, readGoalOperation } from '../openapi/goal.ts';
import { BODY, READ_ONE, WRITE_ONE } from '../openapi/problems.ts';
import { batchable, type Route } from '../protocol/route.ts';

/** The goal of a user, of whom there is one at most. */
export const goalRoutes: readonly Route[] = [
  {
    method: 'PUT',
    path: '/users/{id}/goal',
    right: 'change goal',
    errors: [...WRITE_ONE, ...BODY],
    operation: putGoalOperation,
    ...batchable(putGoal),
    isOwner: true,
  },
  {
    method: 'GET',
    path: '/users/{id}/goal',
    right: 'read goal',
    errors: READ_ONE,
    operation: readGoalOperation,
    handle: readGoal,
    isOwner: true,
  },
  {
    method: 'DELETE',
    path: '/users/{id}/goal',
    right: 'delete goal',
    errors: WRITE_ONE,
    operation: deleteGoalOperation,
    ...batchable(removeGoal),
    isOwner: true,
  },
];
