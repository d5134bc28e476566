import { integer, type RecordOf } from './fields.ts';
import { defineKind } from './kind.ts';
import { logFields } from './log.ts';
import { id } from './user.ts';

/** How often a user means to exercise; the service adds the id. A user has one goal, or none. */
export const goalFields = {
  userId: { ...logFields.userId, help: 'Id of the user whose goal it is' },
  sessionsPerWeek: integer({
    label: 'Sessions a week',
    flag: 'target',
    help: 'Sessions a week to aim at; for somebody with routines, up to 7 counts days',
    min: 1,
    max: 100,
    example: 4,
  }),
};

export const goalRecord = { id, ...goalFields };

export const goalKind = defineKind({
  fields: goalRecord,
  table: 'goals',
  path: '/goals',
  place: 'one-per-user',
  verbs: ['read', 'replace', 'delete'],
  tag: 'Goals',
  schema: 'Goal',
  described: { one: 'a goal', many: 'goals', about: 'How often a user means to exercise.' },
  words: { one: 'goal', many: 'goals' },
  sign: ['sessionsPerWeek'],
  key: { field: 'userId', of: () => '', taken: 'has a goal already' },
});

export type GoalInput = RecordOf<typeof goalFields>;
export type Goal = RecordOf<typeof goalRecord>;
