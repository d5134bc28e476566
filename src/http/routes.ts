import { BODY, LIST, OPEN, PAIR, READ, READ_ONE, WRITE, WRITE_ONE } from './failures.ts';
import { batch } from './handlers/batch.ts';
import { changes } from './handlers/changes.ts';
import { history } from './handlers/history.ts';
import { list, listOfUser } from './handlers/list.ts';
import { pair } from './handlers/pairing/pair.ts';
import { create, createOne, patch, read, remove, replace, written } from './handlers/records.ts';
import { logs, users } from './handlers/resource.ts';
import { ownerParameter, restoreOwned, restoreUser } from './handlers/reversal/restore.ts';
import { undo } from './handlers/reversal/undo.ts';
import { docs, document, health, me, root } from './handlers/service.ts';
import { batchOperation, undoOperation } from './openapi/actions.ts';
import { changesOperation } from './openapi/changes.ts';
import { openApi } from './openapi/document.ts';
import { pairOperation } from './openapi/pairing.ts';
import {
  createOperation,
  deleteOperation,
  historyOperation,
  listOperation,
  patchOperation,
  readOperation,
  replaceOperation,
  restoreOperation,
  userLogsOperation,
} from './openapi/records.ts';
import {
  docsOperation,
  documentOperation,
  healthOperation,
  meOperation,
  rootOperation,
} from './openapi/service.ts';
import { planRoutes } from './plan-routes.ts';
import type { Route } from './route.ts';
import { insightsRoutes } from './routes/insights.ts';

/** The whole service. */
export const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/users',
    right: 'read user',
    errors: LIST,
    operation: listOperation(users),
    handle: list(users),
  },
  {
    method: 'POST',
    path: '/users',
    right: 'create user',
    errors: [...WRITE, ...BODY, 'UnprocessableEntity'],
    operation: createOperation(users),
    handle: create(users),
    write: createOne(users),
  },
  {
    method: 'GET',
    path: '/users/{id}',
    right: 'read user',
    errors: READ_ONE,
    operation: readOperation(users),
    handle: read(users),
  },
  {
    method: 'PUT',
    path: '/users/{id}',
    right: 'change user',
    errors: [...WRITE_ONE, ...BODY],
    operation: replaceOperation(users),
    ...written(replace(users)),
  },
  {
    method: 'PATCH',
    path: '/users/{id}',
    right: 'change user',
    errors: [...WRITE_ONE, ...BODY],
    operation: patchOperation(users, { painLevel: 4 }),
    ...written(patch(users)),
  },
  {
    method: 'DELETE',
    path: '/users/{id}',
    right: 'delete user',
    errors: WRITE_ONE,
    operation: deleteOperation(users, 2, ' with all logs'),
    ...written(remove(users)),
  },
  {
    method: 'POST',
    path: '/users/{id}/restore',
    right: 'create user',
    errors: [...WRITE, 'NotFound', 'Conflict', 'UnprocessableEntity'],
    operation: restoreOperation(users, 2, {}),
    handle: restoreUser,
  },
  {
    method: 'GET',
    path: '/users/{id}/history',
    right: 'read user',
    errors: READ_ONE,
    operation: historyOperation(users),
    handle: history(users),
  },
  ...insightsRoutes,
  {
    method: 'GET',
    path: '/users/{id}/userExerciseLogs',
    right: 'read log',
    errors: [...LIST, 'NotFound'],
    operation: userLogsOperation(logs),
    handle: listOfUser(logs),
    isOwner: true,
  },
  {
    method: 'GET',
    path: '/userExerciseLogs',
    right: 'read log',
    errors: LIST,
    operation: listOperation(logs),
    handle: list(logs),
  },
  {
    method: 'POST',
    path: '/userExerciseLogs',
    right: 'create log',
    errors: [...WRITE, ...BODY, 'UnprocessableEntity'],
    operation: createOperation(logs),
    handle: create(logs),
    write: createOne(logs),
  },
  {
    method: 'GET',
    path: '/userExerciseLogs/{id}',
    right: 'read log',
    errors: READ_ONE,
    operation: readOperation(logs),
    handle: read(logs),
  },
  {
    method: 'PUT',
    path: '/userExerciseLogs/{id}',
    right: 'change log',
    errors: [...WRITE_ONE, ...BODY],
    operation: replaceOperation(logs),
    ...written(replace(logs)),
  },
  {
    method: 'PATCH',
    path: '/userExerciseLogs/{id}',
    right: 'change log',
    errors: [...WRITE_ONE, ...BODY],
    operation: patchOperation(logs, { painAfter: 3 }),
    ...written(patch(logs)),
  },
  {
    method: 'DELETE',
    path: '/userExerciseLogs/{id}',
    right: 'delete log',
    errors: WRITE_ONE,
    operation: deleteOperation(logs, 2),
    ...written(remove(logs)),
  },
  {
    method: 'POST',
    path: '/userExerciseLogs/{id}/restore',
    right: 'create log',
    errors: [...WRITE, ...BODY, 'NotFound', 'Conflict', 'UnprocessableEntity'],
    operation: restoreOperation(logs, 2, ownerParameter),
    handle: restoreOwned(logs),
  },
  {
    method: 'GET',
    path: '/userExerciseLogs/{id}/history',
    right: 'read log',
    errors: READ_ONE,
    operation: historyOperation(logs),
    handle: history(logs),
  },
  ...planRoutes,
  {
    method: 'GET',
    path: '/changes',
    right: 'read changes',
    errors: [...READ, 'Gone'],
    operation: changesOperation,
    handle: changes,
  },
  {
    method: 'POST',
    path: '/undo',
    right: 'undo',
    errors: [...WRITE, ...BODY, 'NotFound', 'Conflict'],
    operation: undoOperation,
    handle: undo,
  },
  {
    method: 'POST',
    path: '/batch',
    right: 'send batch',
    errors: [...WRITE_ONE, ...BODY, 'UnprocessableEntity'],
    operation: batchOperation,
    handle: batch,
  },
  {
    method: 'GET',
    path: '/me',
    right: 'read self',
    errors: READ,
    operation: meOperation,
    handle: me,
  },
  {
    method: 'POST',
    path: '/pair',
    right: 'pair',
    errors: [...PAIR, ...BODY],
    operation: pairOperation,
    handle: pair,
  },
  {
    method: 'GET',
    path: '/health',
    right: null,
    errors: OPEN,
    operation: healthOperation,
    handle: health,
  },
  {
    method: 'GET',
    path: '/openapi.json',
    right: null,
    errors: OPEN,
    operation: documentOperation,
    handle: document((base) => openApi(routes, base)),
  },
  {
    method: 'GET',
    path: '/',
    right: null,
    errors: OPEN,
    operation: rootOperation,
    handle: root,
  },
  {
    method: 'GET',
    path: '/docs',
    right: null,
    errors: OPEN,
    operation: docsOperation,
    handle: docs((base) => openApi(routes, base)),
  },
];
