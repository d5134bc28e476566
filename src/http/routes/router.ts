import type { Match, Route } from '../protocol/route.ts';
import { routes } from './index.ts';

const byPath = new Map<string, Map<string, Route>>();
for (const route of routes) {
  const methods = byPath.get(route.path) ?? new Map<string, Route>();
  byPath.set(route.path, methods.set(route.method, route));
}

/** A segment that is the id of a record, with its slash. */
const ID = /\/([1-9][0-9]{0,14})(?=\/|$)/;

/** Finds the routes of a request target in origin form or absolute form (RFC 9112, 3.2); undefined if there are none. */
export function match(target: string): Match | undefined {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const question = origin.indexOf('?');
  const search = question < 0 ? '' : origin.slice(question + 1);
  const path = withoutTrailingSlash(question < 0 ? origin : origin.slice(0, question));
  const found = ID.exec(path);
  if (!found) {
    // A literal {id} is no id.
    const methods = path.includes('{') ? undefined : byPath.get(path);
    return methods && { methods, id: 0, search };
  }
  const [segment, id] = found;
  const pattern = `${path.slice(0, found.index)}/{id}${path.slice(found.index + segment.length)}`;
  const methods = byPath.get(pattern);
  return methods && { methods, id: Number(id), search };
}

const withoutTrailingSlash = (path: string) =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
