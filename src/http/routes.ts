import { changes } from './handlers/changes.ts';
import { history } from './handlers/history.ts';
import { report, summary } from './handlers/insights.ts';
import { list } from './handlers/list.ts';
import { create, patch, read, remove, replace } from './handlers/records.ts';
import { logs, users } from './handlers/resource.ts';
import { docs, document, health } from './handlers/service.ts';
import { changesOperation } from './openapi/changes.ts';
import { openApi } from './openapi/document.ts';
import { reportOperation, summaryOperation } from './openapi/insights.ts';
import type { ProblemName } from './openapi/problems.ts';
import {
  createOperation,
  deleteOperation,
  historyOperation,
  listOperation,
  patchOperation,
  readOperation,
  replaceOperation,
} from './openapi/records.ts';
import { docsOperation, documentOperation, healthOperation } from './openapi/service.ts';
import type { Route } from './route.ts';

const OPEN: readonly ProblemName[] = ['BadRequest', 'Forbidden', 'TooManyRequests', 'ServiceUnavailable'];
const READ: readonly ProblemName[] = [...OPEN, 'Unauthorized'];
const LIST: readonly ProblemName[] = [...READ, 'NotAcceptable'];
const READ_ONE: readonly ProblemName[] = [...READ, 'NotFound'];
const BODY: readonly ProblemName[] = ['PayloadTooLarge', 'UnsupportedMediaType'];
const WRITE: readonly ProblemName[] = [...READ, 'InsufficientStorage'];
const WRITE_ONE: readonly ProblemName[] = [...WRITE, 'NotFound', 'PreconditionFailed'];

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
    handle: replace(users),
  },
  {
    method: 'PATCH',
    path: '/users/{id}',
    right: 'change user',
    errors: [...WRITE_ONE, ...BODY],
    operation: patchOperation(users),
    handle: patch(users),
  },
  {
    method: 'DELETE',
    path: '/users/{id}',
    right: 'delete user',
    errors: WRITE_ONE,
    operation: deleteOperation(users, ' with all logs'),
    handle: remove(users),
  },
  {
    method: 'GET',
    path: '/users/{id}/history',
    right: 'read user',
    errors: READ_ONE,
    operation: historyOperation(users),
    handle: history(users),
  },
  {
    method: 'GET',
    path: '/users/{id}/summary',
    right: 'read user',
    errors: READ_ONE,
    operation: summaryOperation,
    handle: summary,
  },
  {
    method: 'GET',
    path: '/users/{id}/report',
    right: 'read user',
    errors: READ_ONE,
    operation: reportOperation,
    handle: report,
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
    handle: replace(logs),
  },
  {
    method: 'PATCH',
    path: '/userExerciseLogs/{id}',
    right: 'change log',
    errors: [...WRITE_ONE, ...BODY],
    operation: patchOperation(logs),
    handle: patch(logs),
  },
  {
    method: 'DELETE',
    path: '/userExerciseLogs/{id}',
    right: 'delete log',
    errors: WRITE_ONE,
    operation: deleteOperation(logs),
    handle: remove(logs),
  },
  {
    method: 'GET',
    path: '/userExerciseLogs/{id}/history',
    right: 'read log',
    errors: READ_ONE,
    operation: historyOperation(logs),
    handle: history(logs),
  },
  {
    method: 'GET',
    path: '/changes',
    right: 'read changes',
    errors: [...READ, 'Gone'],
    operation: changesOperation,
    handle: changes,
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
    handle: document(() => openApi(routes)),
  },
  {
    method: 'GET',
    path: '/docs',
    right: null,
    errors: OPEN,
    operation: docsOperation,
    handle: docs(() => openApi(routes)),
  },
];
