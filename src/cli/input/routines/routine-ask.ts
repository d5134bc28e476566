import type { Context } from '../../../context.ts';
import { expectation } from '../../../domain/fields.ts';
import { type ExerciseType, logFields } from '../../../domain/log.ts';
import { type RoutineExercise, routineFields } from '../../../domain/plans/routine.ts';
import { escapeControls } from '../../output/io.ts';
import { askWhich, exerciseNamed, namesOf, similarName } from '../exercises.ts';
import { askKind, askLine, askYesNo } from '../prompts.ts';
import { exerciseTyped, faultOf, isAmong, settled, type Typed } from './typed-exercises.ts';

/** Prompts for a routine. Loaded only when one is shown. */

const { min, max } = routineFields.exercises;

/** Asks for exercises, one after another, until an answer is empty. */
export async function askExercises(
  context: Context,
  known: readonly RoutineExercise[],
): Promise<RoutineExercise[]> {
  const chosen: RoutineExercise[] = [];
  while (chosen.length < max) {
    const names = namesOf(chosen);
    const faultIn = (answer: string) => {
      if (answer === '') return chosen.length < min ? 'A routine has one exercise or more.' : undefined;
      const typed = exerciseTyped(answer, known);
      if (typed.names.some((name) => name.length > logFields.exerciseName.max))
        return `It must be ${expectation(logFields.exerciseName)}.`;
      const fault = faultOf(typed, names);
      return fault && `It ${fault}.`;
    };
    const end = chosen.length < min ? '' : ' (Enter: that is all)';
    const answer = await askLine(context, `Exercise ${chosen.length + 1}${end}`, faultIn);
    if (answer === '') break;
    const others = known.filter(({ exerciseName }) => !isAmong(exerciseName, names));
    const typed = exerciseTyped(answer, others);
    chosen.push(settled(typed, others) ?? (await askOpen(context, typed, others)));
  }
  return chosen;
}

/**
 * Asks which exercise is meant: one of several, or a known one of a similar name; and of which type a new one is.
 * @param type of a new one
 */
export async function askOpen(
  context: Context,
  { text, names }: Typed,
  known: readonly RoutineExercise[],
  type?: ExerciseType,
): Promise<RoutineExercise> {
  const meant =
    names.length > 1 ? await askWhich(context, text, names, true) : await askSimilar(context, text, known);
  const exercise = exerciseNamed(meant, known);
  if (exercise) return exercise;
  return { exerciseName: text, exerciseType: type ?? (await askKind(context, text)) };
}

async function askSimilar(
  context: Context,
  text: string,
  known: readonly RoutineExercise[],
): Promise<string | undefined> {
  const similar = similarName(text, known);
  return similar && (await askYesNo(context, `Did you mean ${escapeControls(similar)}?`, true))
    ? similar
    : undefined;
}
