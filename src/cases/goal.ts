import type { Goal } from '../domain/goal.ts';
import type { Target } from '../insights/rhythm.ts';
import type { Guard } from '../store/records/records.ts';
import type { Store } from '../store/store.ts';

export const goalOf = ({ goals }: Store, userId: number): Goal | undefined => goals.list({ userId })[0];

const DAYS_A_WEEK = 7;

/**
 * What the figures of a user are compared with: so many sessions a week, or for somebody who has routines so many days, because
 * a routine of several exercises is several sessions at a time. More than seven are sessions for everybody.
 * @param asked how many a week, otherwise the goal
 */
export function targetOf(store: Store, userId: number, asked?: number): Target | undefined {
  const perWeek = asked ?? goalOf(store, userId)?.sessionsPerWeek;
  if (perWeek === undefined) return undefined;
  const hasRoutines = store.routines.list({ userId }).some(({ exercises }) => exercises.length > 1);
  const isInDays = perWeek <= DAYS_A_WEEK && hasRoutines;
  return { perWeek, counts: isInDays ? 'days' : 'sessions' };
}

/**
 * Sets the goal of a user: the first, or another in the place of the one there is.
 * @throws SciaticaError `invalid` if there is no such user, and what the guard throws
 */
export function setGoal(
  store: Store,
  userId: number,
  sessionsPerWeek: number,
  guard?: Guard,
): { goal: Goal; isFirst: boolean } {
  // Read inside the change: an app may have written meanwhile.
  return store.change(() => {
    const now = goalOf(store, userId);
    return now
      ? { goal: store.goals.update(now.id, { sessionsPerWeek }, guard), isFirst: false }
      : { goal: store.goals.create({ userId, sessionsPerWeek }), isFirst: true };
  });
}

/**
 * Lets one user show under another, as `Replication.mergeUsers`, with the goal where the other has none. One change.
 * @param now the clock, in milliseconds since 1970
 * @throws SciaticaError `not-found` for a user who is one with another already
 */
export async function mergeUsers(store: Store, id: number, into: number, now: number): Promise<void> {
  // What waits shows first, as what came from elsewhere: the undo of the merge deletes nothing of it.
  (await store.as({ origin: { source: 'sync' } }).replication()).receive([]);
  store.users.get(id);
  const replication = await store.replication();
  store.change(() => {
    const goal = goalOf(store, id);
    replication.mergeUsers(id, into, now);
    if (goal && !goalOf(store, into)) setGoal(store, into, goal.sessionsPerWeek);
  });
}

/**
 * Removes the goal of a user.
 * @returns what it was; undefined where there was none
 * @throws what the guard throws
 */
export function removeGoal(store: Store, userId: number, guard?: Guard): Goal | undefined {
  return store.change(() => {
    const now = goalOf(store, userId);
    return now && store.goals.delete(now.id, guard);
  });
}
