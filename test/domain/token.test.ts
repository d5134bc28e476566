import { expect, test } from 'vitest';
import type { Role } from '../../src/domain/access.ts';
import { checkToken, isTokenName, stateOf } from '../../src/domain/token.ts';
import { failure } from './samples.ts';

test.each([
  [null, null, 'valid'],
  [null, 1001, 'valid'],
  [null, 1000, 'expired'],
  [500, null, 'revoked'],
  [500, 1000, 'revoked'],
])('revoked at %j and good until %j, it is %s', (revokedAt, expiresAt, state) => {
  expect(stateOf({ revokedAt, expiresAt }, 1000)).toBe(state);
});

test.each([
  ['a', true],
  ["Nora's phone", false],
  ['Pixel 9 (work)', false],
  ['nora.lind@home-2', true],
  ['x'.repeat(100), true],
  ['x'.repeat(101), false],
  ['9', false],
  ['', false],
  ['a\n', false],
  ['a\nb', false],
])('%j can be the name of a token: %s', (name, expected) => expect(isTokenName(name)).toBe(expected));

const token = (role: Role, users: number[] | null, name = 'phone') => ({ name, role, users, lifetime: null });

test.each([
  ['patient', [1]],
  ['provider', null],
  ['provider', []],
  ['provider', [1, 2]],
  ['admin', null],
] as const)('a %s may be of %j', (role, users) => {
  expect(() => checkToken(token(role, users && [...users]))).not.toThrow();
});

test.each([
  ['patient', null],
  ['patient', []],
  ['patient', [1, 2]],
  ['admin', [1]],
] as const)('a %s may not be of %j', (role, users) => {
  const { issues } = failure(() => checkToken(token(role, users && [...users], '9')));
  expect(issues.map(({ field }) => field)).toEqual(['NAME', '--user']);
});
