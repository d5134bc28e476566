import type { Kind, Verb } from '../../domain/kind.ts';
import { kindOf, ownedKindNames } from '../../domain/kinds.ts';
import { meantBy, suggestion } from '../../domain/words/suggest.ts';
import { openApi } from '../openapi/document.ts';
import { type Collection, collectionOf } from '../protocol/collection.ts';
import { parseQuery } from '../protocol/query.ts';
import type { Match, Route } from '../protocol/route.ts';
import { Problem } from '../wire/problem.ts';
import { partsOf } from '../wire/request.ts';
import { batchRoute } from './batch.ts';
import { exchangeRoute } from './exchange.ts';
import { goalRoutes } from './goal.ts';
import { changesRoute, historyRoute, undoRoute } from './history.ts';
import { insightsRoutes, trialStatusRoute } from './insights.ts';
import { listOfUserRoute, listRoute } from './list.ts';
import { pairRoute, renewRoute, unpairRoute } from './pairing.ts';
import {
  createOfUserRoute,
  createRoute,
  deleteRoute,
  patchRoute,
  readRoute,
  replaceRoute,
} from './records.ts';
import { restoreRoute } from './restore.ts';
import { docsRoute, documentRoute, healthRoute, meRoute, rootRoute } from './service.ts';

/** How the route of each verb is made. */
const inCollection: Record<Verb, (collection: Collection) => Route> = {
  list: listRoute,
  create: createRoute,
  read: readRoute,
  replace: replaceRoute,
  patch: patchRoute,
  delete: deleteRoute,
  restore: restoreRoute,
  history: historyRoute,
};

/** The same for kinds without a collection of their own: they are listed and created below their user. */
const belowUser: typeof inCollection = { ...inCollection, list: listOfUserRoute, create: createOfUserRoute };

const routesOf = (collection: Collection, verbs = inCollection): Route[] =>
  collection.kind.verbs.map((verb) => verbs[verb](collection));

const ownedAt = (place: Kind['place']): Collection[] =>
  ownedKindNames.filter((name) => kindOf(name).place === place).map(collectionOf);

const document = (base: string) => openApi(routes, base);

/** All routes of the service. */
export const routes: readonly Route[] = [
  ...routesOf(collectionOf('user')),
  ...insightsRoutes,
  ...ownedAt('collection').flatMap((each) => [listOfUserRoute(each), ...routesOf(each)]),
  trialStatusRoute,
  ...ownedAt('below-user').flatMap((each) => routesOf(each, belowUser)),
  ...goalRoutes,
  changesRoute,
  undoRoute,
  batchRoute({ match, nothingAt }),
  exchangeRoute,
  meRoute,
  renewRoute,
  unpairRoute,
  pairRoute,
  healthRoute,
  documentRoute(document),
  rootRoute,
  docsRoute(document),
];

const byPath = new Map<string, Map<string, Route>>();
for (const route of routes) {
  const methods = byPath.get(route.path) ?? new Map<string, Route>();
  byPath.set(
    route.path,
    methods.set(route.method, route.query || route.filters ? route : withoutQuery(route)),
  );
}

/** A route that describes no query parameters, made to refuse any. */
function withoutQuery(route: Route): Route {
  const checked =
    <T extends { search: string }, R>(work: (asked: T) => R) =>
    (asked: T): R => {
      parseQuery(asked.search, {});
      return work(asked);
    };
  const { handle, write } = route;
  return {
    ...route,
    handle: checked(handle),
    ...(write && { write: { ...write, begin: checked(write.begin) } }),
  };
}

/** A segment that is the id of a record, with its slash. */
const ID = /\/([1-9][0-9]{0,14})(?=\/|$)/;

/** Finds the routes of a request target; undefined if there are none. */
export function match(target: string): Match | undefined {
  const { pattern, id, search } = patternOf(target);
  const methods = byPath.get(pattern);
  return methods && { methods, id, search };
}

/** The path of a request target with {id} for the first id in it. */
function patternOf(target: string): { pattern: string; id: number; search: string } {
  const { path: sent, search } = partsOf(target);
  const path = withoutTrailingSlash(decoded(sent));
  const found = ID.exec(path);
  // A literal {id} in a target must not match a pattern.
  if (!found) return { pattern: path.includes('{') ? '' : path, id: 0, search };
  const [segment, id] = found;
  const pattern = `${path.slice(0, found.index)}/{id}${path.slice(found.index + segment.length)}`;
  return { pattern, id: Number(id), search };
}

/** The 404 for a request target without routes. It suggests the path that was probably meant. */
export function nothingAt(target: string): Problem {
  const { pattern, id } = patternOf(target);
  let known = [...byPath.keys()].filter((path) => path !== '/').map((path) => path.slice(1).split('/'));
  const meant: string[] = [];
  for (const [i, segment] of pattern.slice(1).split('/').entries()) {
    const next = known.flatMap((path) => path[i] ?? []);
    const one = next.includes(segment) ? segment : meantBy(segment, next);
    known = known.filter((path) => one !== undefined && path[i] === one);
    meant.push(one?.replace('{id}', String(id)) ?? '');
  }
  const isPath = known.some(({ length }) => length === meant.length);
  return new Problem(404, `There is nothing at this path${isPath ? suggestion(`/${meant.join('/')}`) : ''}.`);
}

/** Decodes a path, except for the slash and other reserved characters, which no segment of a path here has. */
function decoded(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

const withoutTrailingSlash = (path: string) =>
  path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
