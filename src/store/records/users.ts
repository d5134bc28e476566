import type { Issue } from '../../domain/errors.ts';
import { Records, type Surroundings } from './records.ts';

/** The verbs of users; with a user goes all that belongs to the user. */
export class Users extends Records<'user'> {
  constructor(surroundings: Omit<Surroundings, 'userFaults'>) {
    super('user', { ...surroundings, userFaults: () => [] });
  }

  /** What is wrong with a user's id; nothing if it is no id at all, for that is the schema's to say. */
  userFaults = (userId: unknown): Issue[] => {
    const isId = Number.isSafeInteger(userId) && (userId as number) > 0;
    if (!isId || this.has(userId as number)) return [];
    return [
      { field: 'userId', message: 'must be the id of an existing user', fault: { code: 'no-such-user' } },
    ];
  };
}
