import { SciaticaError } from '../../domain/errors.ts';
import { type ExerciseType, exerciseTypes } from '../../domain/log.ts';
import { foldedName } from '../../domain/plans/exercise.ts';
import type { Routine, RoutineExercise } from '../../domain/plans/routine.ts';
import { wholeNamesMeant } from '../../domain/words/match.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import type { Store } from '../../store/store.ts';
import { usage } from '../errors.ts';
import { escapeControls, quoted } from '../output/io.ts';

/** What a user does, from logs and routines, each exercise once: the latest of the logs first. */
export function knownExercises({ logs, routines }: Store, userId: number): RoutineExercise[] {
  const all = [...logs.exercises(userId), ...routines.list({ userId }).flatMap(({ exercises }) => exercises)];
  const names = all.map(({ exerciseName }) => exerciseName);
  return all
    .filter(({ exerciseName }, i) => names.indexOf(exerciseName) === i)
    .map(({ exerciseName, exerciseType }) => ({ exerciseName, exerciseType }));
}

export const exerciseNames = (store: Store, userId: number): string[] =>
  knownExercises(store, userId).map(({ exerciseName }) => exerciseName);

/**
 * A user's routine by its name, whatever the case of its letters, or by its id.
 * @throws SciaticaError `not-found`
 */
export function routineNamed({ routines }: Store, userId: number, text: string): Routine {
  const all = routines.list({ userId });
  const found =
    all.find(({ name }) => foldedName(name) === foldedName(text)) ??
    all.find(({ id }) => String(id) === text);
  if (found) return found;
  const names = all.map(({ name }) => name);
  throw new SciaticaError(
    'not-found',
    names.length === 0
      ? 'There is no routine yet. To add one: sciatica routine add'
      : `There is no routine ${quoted(escapeControls(text))}${didYouMean(text, names)}. See: sciatica routines`,
  );
}

/** An exercise of which nobody knows yet whether it stretches or strengthens. */
export interface Untyped {
  exerciseName: string;
  exerciseType?: ExerciseType | undefined;
}

/**
 * Reads exercises as they are typed: a name that is known, or `Name=stretch`.
 * @param type of those that say none and are not known
 * @throws SciaticaError `invalid` for a type that there is not
 */
export function exercisesTyped(
  texts: readonly string[],
  known: readonly RoutineExercise[],
  type: ExerciseType | undefined,
): Untyped[] {
  const names = known.map(({ exerciseName }) => exerciseName);
  const typeOf = (name: string) => known.find(({ exerciseName }) => exerciseName === name)?.exerciseType;
  return texts.map((text) => {
    const [whole] = wholeNamesMeant(text, names);
    if (whole !== undefined) return { exerciseName: whole, exerciseType: typeOf(whole) };
    const [, name, said] = /^(.*)=([^=]*)$/s.exec(text) ?? [];
    if (name === undefined || said === undefined) return { exerciseName: text, exerciseType: type };
    const exerciseType = exerciseTypes.find((one) => one === said.trim().toLowerCase());
    if (!exerciseType)
      throw usage(`${quoted(escapeControls(text))}: after = must come one of ${exerciseTypes.join(', ')}.`);
    const [exerciseName = name.trim()] = wholeNamesMeant(name.trim(), names);
    return { exerciseName, exerciseType };
  });
}

/** @throws SciaticaError `invalid` that names each exercise without a type, and says how to give it one */
export function requireTypes(exercises: readonly Untyped[], names: readonly string[]): RoutineExercise[] {
  const untyped = exercises.filter(({ exerciseType }) => exerciseType === undefined);
  if (untyped.length > 0) {
    const [first] = untyped;
    const listed = untyped.map(
      ({ exerciseName }) => `${quoted(escapeControls(exerciseName))}${didYouMean(exerciseName, names)}`,
    );
    const example = quoted(escapeControls(`${first?.exerciseName}=${exerciseTypes[0]}`));
    throw usage(
      `Never recorded so far: ${listed.join(', ')}. Say of which type, as in ${example}, or with --type for all of them.`,
    );
  }
  return exercises as RoutineExercise[];
}
