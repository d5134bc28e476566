import { expect, test } from 'vitest';
import type { Verb } from '../../src/domain/kind.ts';
import { kindNames, kindOf } from '../../src/domain/kinds.ts';
import { match, nothingAt, routes } from '../../src/http/routes/index.ts';

test.each(routes.map(({ method, path }) => [method, path] as const))('%s %s is found', (method, path) => {
  const found = match(`${path.replace('{id}', '57')}?a=b`);
  expect(found?.methods.get(method)?.path).toBe(path);
  expect([found?.id, found?.search]).toEqual([path.includes('{id}') ? 57 : 0, 'a=b']);
});

const actions: Record<Verb, string> = {
  list: 'read',
  create: 'create',
  read: 'read',
  replace: 'change',
  patch: 'change',
  delete: 'delete',
  restore: 'create',
  history: 'read',
};

test.each(kindNames)('every verb of a %s has a route', (kind) => {
  const asked = kindOf(kind).verbs.map((verb) => `${actions[verb]} ${kind}`);
  expect(asked.filter((right) => !routes.some((route) => route.right === right))).toEqual([]);
});

test.each<[target: string, path: string | undefined, id?: number]>([
  ['/users', '/users', 0],
  ['/users/', '/users', 0],
  ['/users/7/', '/users/{id}', 7],
  ['/users/7/history', '/users/{id}/history', 7],
  ['/users/999999999999999', '/users/{id}', 999_999_999_999_999],
  ['http://localhost/users/7?x', '/users/{id}', 7],
  ['https://localhost', '/', 0],
  ['http://localhost?x', '/', 0],
  ['HTTP://[::1]:3000/', '/', 0],
  ['*', undefined],
  ['/', '/', 0],
  ['//users', undefined],
  ['/users//', undefined],
  ['/users/{id}', undefined],
  ['/users/0', undefined],
  ['/users/07', undefined],
  ['/users/-7', undefined],
  ['/users/7.0', undefined],
  ['/users/7a', undefined],
  ['/users/1000000000000000', undefined],
  ['/users/7/7', undefined],
  ['/users/7/{id}', undefined],
  ['/7/users', undefined],
  ['/users/7//history', undefined],
  ['/users/history/7', undefined],
  ['/Users', undefined],
])('%s leads to %s', (target, path, id) => {
  const found = match(target);
  expect(found?.methods.get('GET')?.path).toBe(path);
  expect(found?.id).toBe(id);
});

test.each<[target: string, meant: string | undefined]>([
  ['/user', '/users'],
  ['/userexerciselogs', '/userExerciseLogs'],
  ['/logs?userId=1', '/userExerciseLogs'],
  ['/users/7/log', '/users/7/userExerciseLogs'],
  ['/Users/7/Summary', '/users/7/summary'],
  ['/opnapi.json', '/openapi.json'],
  ['/users/7a', undefined],
  ['/users/x/y', undefined],
  ['/nothing', undefined],
  ['//users', undefined],
  ['/users/7/7', undefined],
  ['/users/{id}', undefined],
  [`/${'user'.repeat(1_000)}`, undefined],
  ['*', undefined],
])('of %s, where there is nothing, it is said that %s was probably meant', (target, meant) => {
  const mention = meant ? ` (did you mean ${meant}?)` : '';
  expect(nothingAt(target).message).toBe(`There is nothing at this path${mention}.`);
});
