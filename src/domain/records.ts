import type { Issue } from './errors.ts';
import { type Log, logRecord } from './log.ts';
import { foldedName } from './plans/exercise.ts';
import { type Goal, goalRecord } from './plans/goal.ts';
import { type Routine, routineRecord } from './plans/routine.ts';
import { type User, userRecord } from './user.ts';

/** The kinds of record and their fields, `id` first. */
export const recordFields = {
  user: userRecord,
  log: logRecord,
  routine: routineRecord,
  goal: goalRecord,
} as const;
export type Noun = keyof typeof recordFields;

/** Users first: the others belong to them. */
export const nouns = Object.keys(recordFields) as readonly Noun[];

/** A record of any kind. */
export type AnyRecord = User | Log | Routine | Goal;

/** The kinds of which a user has only one record with the same key. */
export type UniqueNoun = 'routine' | 'goal';

/** The field that the key is made of, and the key. */
export const uniqueKeys = {
  routine: { field: 'name', keyOf: ({ name }: Pick<Routine, 'name'>) => foldedName(name) },
  goal: { field: 'userId', keyOf: () => '' },
} as const;

/** The fault of a record whose key another record of the user has. */
export function keyFault(noun: UniqueNoun): Issue {
  const { field } = uniqueKeys[noun];
  const message = noun === 'routine' ? 'is the name of another routine of the user' : 'has a goal already';
  return { field, message, fault: { code: 'in-conflict' } };
}
