import type { Goal } from '../domain/goal.ts';
import type { Target } from '../insights/rhythm.ts';
import type { Guard } from '../store/records/records.ts';
import type { Store } from '../store/store.ts';

export const goalOf = ({ goals }: Store, userId: number): Goal | undefined => goals.list({ userId })[0];

const DAYS_A_WEEK = 7;

/**
 * The weekly target that a user's figures are compared with. For a user with a routine of several exercises a target of up to 7
 * counts days, because one run of the routine records several sessions. Otherwise it counts sessions.
 * @param asked target a week; the user's goal by default
 */
export function targetOf(store: Store, userId: number, asked?: number): Target | undefined {
  const perWeek = asked ?? goalOf(store, userId)?.sessionsPerWeek;
  if (perWeek === undefined) return undefined;
  const hasRoutines = store.routines.list({ userId }).some(({ exercises }) => exercises.length > 1);
  const isInDays = perWeek <= DAYS_A_WEEK && hasRoutines;
  return { perWeek, counts: isInDays ? 'days' : 'sessions' };
}

/**
 * Sets the goal of a user: creates it, or changes the existing one.
 * @returns the goal, and whether it is the user's first
 * @throws SciaticaError `invalid` if there is no such user, and what the guard throws
 */
export function setGoal(
  store: Store,
  userId: number,
  sessionsPerWeek: number,
  guard?: Guard,
): { goal: Goal; isFirst: boolean } {
  // Read inside the transaction: another process may have written since.
  return store.change(() => {
    const now = goalOf(store, userId);
    return now
      ? { goal: store.goals.update(now.id, { sessionsPerWeek }, guard), isFirst: false }
      : { goal: store.goals.create({ userId, sessionsPerWeek }), isFirst: true };
  });
}

/**
 * Merges one user into another (`Replication.mergeUsers`) as one change; the goal moves along if the target user has none.
 * @param now the clock, in milliseconds since 1970
 * @throws SciaticaError `not-found` for a user that is merged into another already
 */
export async function mergeUsers(store: Store, id: number, into: number, now: number): Promise<void> {
  // Apply pending statements from other machines first, as a change of the source `sync`, so that an undo of
  // the merge does not delete what they bring.
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
