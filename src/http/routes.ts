import { changes } from './handlers/changes.ts';
import { docs } from './handlers/docs.ts';
import { history } from './handlers/history.ts';
import { report, summary } from './handlers/insights.ts';
import { parseQuery } from './handlers/query.ts';
import { create, type Handler, list, patch, read, remove, replace, tagged } from './handlers/records.ts';
import { logs, type Resource, users } from './handlers/resource.ts';
import { openApi } from './openapi/document.ts';
import { json } from './wire/message.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Kind =
  | 'list'
  | 'read'
  | 'create'
  | 'replace'
  | 'patch'
  | 'remove'
  | 'history'
  | 'summary'
  | 'report'
  | 'changes'
  | 'health'
  | 'document'
  | 'docs';

/** One row of the interface. */
export interface Route {
  method: Method;
  path: string;
  /** What it does, from which its description follows. */
  kind: Kind;
  resource?: Resource;
  handle: Handler;
}

const health: Handler = ({ search, store }) => {
  parseQuery(search, {});
  store.users.has(1);
  return json(200, '{"status":"ok"}');
};

const document: Handler = ({ request, search }) => {
  parseQuery(search, {});
  return tagged(request, openApi(routes));
};

/** The whole service. */
export const routes: readonly Route[] = [
  { method: 'GET', path: '/users', kind: 'list', resource: users, handle: list(users) },
  { method: 'POST', path: '/users', kind: 'create', resource: users, handle: create(users) },
  { method: 'GET', path: '/users/{id}', kind: 'read', resource: users, handle: read(users) },
  { method: 'PUT', path: '/users/{id}', kind: 'replace', resource: users, handle: replace(users) },
  { method: 'PATCH', path: '/users/{id}', kind: 'patch', resource: users, handle: patch(users) },
  { method: 'DELETE', path: '/users/{id}', kind: 'remove', resource: users, handle: remove(users) },
  { method: 'GET', path: '/users/{id}/history', kind: 'history', resource: users, handle: history(users) },
  { method: 'GET', path: '/users/{id}/summary', kind: 'summary', resource: users, handle: summary },
  { method: 'GET', path: '/users/{id}/report', kind: 'report', resource: users, handle: report },
  { method: 'GET', path: '/userExerciseLogs', kind: 'list', resource: logs, handle: list(logs) },
  { method: 'POST', path: '/userExerciseLogs', kind: 'create', resource: logs, handle: create(logs) },
  { method: 'GET', path: '/userExerciseLogs/{id}', kind: 'read', resource: logs, handle: read(logs) },
  { method: 'PUT', path: '/userExerciseLogs/{id}', kind: 'replace', resource: logs, handle: replace(logs) },
  { method: 'PATCH', path: '/userExerciseLogs/{id}', kind: 'patch', resource: logs, handle: patch(logs) },
  { method: 'DELETE', path: '/userExerciseLogs/{id}', kind: 'remove', resource: logs, handle: remove(logs) },
  {
    method: 'GET',
    path: '/userExerciseLogs/{id}/history',
    kind: 'history',
    resource: logs,
    handle: history(logs),
  },
  { method: 'GET', path: '/changes', kind: 'changes', handle: changes },
  { method: 'GET', path: '/health', kind: 'health', handle: health },
  { method: 'GET', path: '/openapi.json', kind: 'document', handle: document },
  { method: 'GET', path: '/docs', kind: 'docs', handle: docs(() => openApi(routes)) },
];

/** Where a path leads: its routes and the id in it. */
export interface Match {
  routes: Map<string, Route>;
  id: number;
}

const byPath = new Map<string, Map<string, Route>>();
for (const route of routes) {
  const methods = byPath.get(route.path) ?? new Map<string, Route>();
  byPath.set(route.path, methods.set(route.method, route));
}

/** `/{collection}/{id}` and `/{collection}/{id}/{part}`. */
const WITH_ID = /^(\/[A-Za-z]+)\/([1-9][0-9]{0,14})(\/[A-Za-z]+)?$/;

/** The routes of a path, if there are any; a trailing slash is accepted. */
export function match(path: string): Match | undefined {
  const plain = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const fixed = byPath.get(plain);
  if (fixed && !plain.includes('{')) return { routes: fixed, id: 0 };
  const [, collection, id, part = ''] = WITH_ID.exec(plain) ?? [];
  const item = byPath.get(`${collection}/{id}${part}`);
  return item && { routes: item, id: Number(id) };
}

/** The methods that a path takes, for `Allow`. */
export function allowed({ routes }: Match): string {
  const methods = [...routes.keys()];
  return [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
