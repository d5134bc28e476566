import { expect, test } from 'vitest';
import { isSamePerson, mayBelongById, mayMeanById, type Said } from '../../src/domain/ownership.ts';

const nora = {
  firstName: 'Nora',
  lastName: 'Lind',
  email: 'nora@example.org',
  diagnosisDate: '2026-01-15',
};

test.each([
  [{}, true],
  [{ lastName: 'Patel' }, true],
  [{ email: 'n@example.org' }, true],
  [{ diagnosisDate: '2026-01-16' }, true],
  [{ firstName: ' NORA ', lastName: 'ｌｉｎｄ', email: 'n@example.org' }, true],
  [{ email: 'Nora@Example.org', diagnosisDate: '2026-01-16' }, true],
  [{ firstName: 'Ole' }, false],
  [{ lastName: 'Patel', email: 'n@example.org' }, false],
])('Nora Lind is the same person as one with %j: %s', (other, expected) => {
  expect(isSamePerson(nora, { ...nora, ...other })).toBe(expected);
});

test.each<[Said, usersHere: number, belong: boolean, mean: boolean]>([
  [{}, 0, true, false],
  [{}, 1, true, false],
  [{}, 2, false, false],
  [{ sameIds: false }, 2, false, false],
  [{ sameIds: true }, 2, true, true],
  [{ as: 7 }, 2, true, true],
])('where %j is said and %i users are here', (said, usersHere, belong, mean) => {
  expect([mayBelongById(said, usersHere), mayMeanById(said)]).toEqual([belong, mean]);
});
