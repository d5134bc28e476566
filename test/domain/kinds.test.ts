import { expect, test } from 'vitest';
import { kindNames, kindOf, statementsOf, withArticle } from '../../src/domain/kinds.ts';

test('what is said together counts together in a merge', () => {
  const of = (name: Parameters<typeof statementsOf>[0]) => Object.fromEntries(statementsOf(name));
  expect(of('log')).toEqual({
    userId: ['userId'],
    exercise: ['exerciseType', 'exerciseName'],
    date: ['date'],
    pain: ['painBefore', 'painAfter', 'effective'],
    notes: ['notes'],
    medication: ['medication'],
  });
  expect(of('goal')).toEqual({ goal: ['sessionsPerWeek'] });
  expect(of('user')).toMatchObject({ email: ['email'], into: ['into'] });
  expect(of('trial')).toEqual({
    userId: ['userId'],
    question: [
      ...['exerciseName', 'against', 'otherExercise', 'outcome', 'question', 'start', 'days', 'difference'],
      'seed',
    ],
    state: ['state'],
  });
});

test('since and until include their day, and take its first or last day of a month', () => {
  const kinds = kindNames.filter((name) => kindOf(name).filters?.['since']);
  expect(kinds).toContain('log');
  for (const name of kinds)
    expect(kindOf(name).filters).toMatchObject({
      since: { column: 'date', operator: 'gte', field: { edge: 'first' } },
      until: { column: 'date', operator: 'lte', field: { edge: 'last' } },
    });
});

test.each([
  ['exercise log', 'an exercise log'],
  ['user', 'a user'],
  ['log', 'a log'],
])('%s has its article: %s', (noun, words) => expect(withArticle(noun)).toBe(words));
