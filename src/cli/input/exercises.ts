import { closest } from '../../domain/suggest.ts';
import type { Exercise } from '../../store/records/logs.ts';

/** The exercise with exactly this name. */
export function exerciseNamed(name: unknown, known: readonly Exercise[]): Exercise | undefined {
  return known.find(({ exerciseName }) => exerciseName === name);
}

/** The known name that a new one is close to: another spelling, or a typing mistake. */
export function similarName(name: string, known: readonly Exercise[]): string | undefined {
  if (exerciseNamed(name, known)) return undefined;
  return closest(
    name,
    known.map(({ exerciseName }) => exerciseName),
  );
}
