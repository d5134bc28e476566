import { type Routine, renamedExercises } from '../../domain/plans/routine.ts';
import type { Logs } from './logs.ts';
import type { Owned } from './owned.ts';

interface Records {
  logs: Logs;
  routines: Owned<Routine>;
  change<T>(work: () => T): T;
}

/**
 * Gives a user's exercises another name, in logs and routines, as one change.
 * @param from the names as they are stored
 * @returns how many logs and routines were changed
 */
export function renameExercise(
  store: Records,
  userId: number,
  from: readonly string[],
  to: string,
): { logs: number; routines: number } {
  return store.change(() => {
    const logs = store.logs.rename(userId, from, to);
    const routines = store.routines
      .list({ userId })
      .filter(({ exercises }) => exercises.some(({ exerciseName }) => from.includes(exerciseName)));
    for (const routine of routines)
      store.routines.replace(routine.id, {
        ...routine,
        exercises: renamedExercises(routine.exercises, from, to),
      });
    return { logs, routines: routines.length };
  });
}
