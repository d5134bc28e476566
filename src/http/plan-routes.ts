import { BODY, LIST, READ_ONE, WRITE, WRITE_ONE } from './failures.ts';
import { listOfUser } from './handlers/list.ts';
import { creation } from './handlers/plans/routines.ts';
import { read, remove, replace, written } from './handlers/records.ts';
import { routines } from './handlers/resource.ts';
import { ownerParameter, restoreOwned } from './handlers/reversal/restore.ts';
import {
  deleteOperation,
  readOperation,
  replaceOperation,
  restoreOperation,
  userRoutinesOperation,
} from './openapi/records.ts';
import { createRoutineOperation } from './openapi/routines.ts';
import type { Route } from './route.ts';
import { goalRoutes } from './routes/goal.ts';

/** What a user means to do: routines and the goal. */
export const planRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users/{id}/routines',
    right: 'read routine',
    errors: [...LIST, 'NotFound'],
    operation: userRoutinesOperation(routines),
    handle: listOfUser(routines),
    isOwner: true,
  },
  {
    method: 'POST',
    path: '/users/{id}/routines',
    right: 'create routine',
    errors: [...WRITE, ...BODY, 'NotFound', 'UnprocessableEntity'],
    operation: createRoutineOperation,
    ...creation,
    isOwner: true,
  },
  ...goalRoutes,
  {
    method: 'GET',
    path: '/routines/{id}',
    right: 'read routine',
    errors: READ_ONE,
    operation: readOperation(routines),
    handle: read(routines),
  },
  {
    method: 'PUT',
    path: '/routines/{id}',
    right: 'change routine',
    errors: [...WRITE_ONE, ...BODY],
    operation: replaceOperation(routines),
    ...written(replace(routines)),
  },
  {
    method: 'DELETE',
    path: '/routines/{id}',
    right: 'delete routine',
    errors: WRITE_ONE,
    operation: deleteOperation(routines, 1),
    ...written(remove(routines)),
  },
  {
    method: 'POST',
    path: '/routines/{id}/restore',
    right: 'create routine',
    errors: [...WRITE, ...BODY, 'NotFound', 'Conflict', 'UnprocessableEntity'],
    operation: restoreOperation(routines, 1, ownerParameter),
    handle: restoreOwned(routines),
  },
];
