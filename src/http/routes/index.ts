import type { Kind, Verb } from '../../domain/kind.ts';
import { kindOf, ownedKindNames } from '../../domain/kinds.ts';
import { openApi } from '../openapi/document.ts';
import { type Collection, collectionOf } from '../protocol/collection.ts';
import type { Route } from '../protocol/route.ts';
import { batchRoute } from './batch.ts';
import { changesRoute, historyRoute } from './changes.ts';
import { goalRoutes } from './goal.ts';
import { insightsRoutes } from './insights.ts';
import { listOfUserRoute, listRoute } from './list.ts';
import { pairRoute } from './pairing.ts';
import {
  createOfUserRoute,
  createRoute,
  deleteRoute,
  patchRoute,
  readRoute,
  replaceRoute,
} from './records.ts';
import { docsRoute, documentRoute, healthRoute, meRoute, rootRoute } from './service.ts';
import { restoreRoute, undoRoute } from './undo.ts';

/** What can be done with the records of a kind. */
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

/** Where the verb needs the user in the path, for kinds without a collection of their own. */
const belowUser: Partial<typeof inCollection> = { list: listOfUserRoute, create: createOfUserRoute };

const collectionRoutes = (collection: Collection): Route[] => [
  ...(collection.isOwned ? [listOfUserRoute(collection)] : []),
  ...collection.kind.verbs.map((verb) => inCollection[verb](collection)),
];

const routesBelowUser = (collection: Collection): Route[] =>
  collection.kind.verbs.flatMap((verb) => belowUser[verb]?.(collection) ?? []);

const routesOfOne = (collection: Collection): Route[] =>
  collection.kind.verbs.flatMap((verb) => (belowUser[verb] ? [] : [inCollection[verb](collection)]));

const ownedAt = (place: Kind['place']): Collection[] =>
  ownedKindNames.filter((name) => kindOf(name).place === place).map(collectionOf);

const ofUsers = ownedAt('below-user');

const document = (base: string) => openApi(routes, base);

/** The whole service. */
export const routes: readonly Route[] = [
  ...collectionRoutes(collectionOf('user')),
  ...insightsRoutes,
  ...ownedAt('collection').flatMap(collectionRoutes),
  ...ofUsers.flatMap(routesBelowUser),
  ...goalRoutes,
  ...ofUsers.flatMap(routesOfOne),
  changesRoute,
  undoRoute,
  batchRoute,
  meRoute,
  pairRoute,
  healthRoute,
  documentRoute(document),
  rootRoute,
  docsRoute(document),
];
