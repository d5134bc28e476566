import type { Context } from '../../../context.ts';
import { expectation } from '../../../domain/fields.ts';
import { logFields } from '../../../domain/log.ts';
import { foldedName } from '../../../domain/plans/exercise.ts';
import type { RoutineExercise } from '../../../domain/plans/routine.ts';
import { routineFields } from '../../../domain/plans/routine.ts';
import type { Exercise } from '../../../store/records/logs.ts';
import { escapeControls } from '../../output/io.ts';
import { similarName } from '../exercises.ts';
import { askField, askLine, askYesNo } from '../prompts.ts';
import { exercisesTyped, type Untyped } from './routines.ts';

/** Prompts for a routine. Loaded only when one is shown. */

const { min, max } = routineFields.exercises;

/** Asks for exercises, one after another, until an answer is empty. */
export async function askExercises(
  context: Context,
  known: readonly RoutineExercise[],
): Promise<RoutineExercise[]> {
  const chosen: RoutineExercise[] = [];
  while (chosen.length < max) {
    const faultOf = (answer: string) => {
      if (answer === '') return chosen.length < min ? 'A routine has one exercise or more.' : undefined;
      if (answer.length > logFields.exerciseName.max)
        return `It must be ${expectation(logFields.exerciseName)}.`;
      const isThere = chosen.some(({ exerciseName }) => foldedName(exerciseName) === foldedName(answer));
      return isThere ? 'It is in the routine already.' : undefined;
    };
    const end = chosen.length < min ? '' : ' (Enter: that is all)';
    const answer = await askLine(context, `Exercise ${chosen.length + 1}${end}`, faultOf);
    if (answer === '') break;
    chosen.push(await askType(context, exercisesTyped([answer], known, undefined)[0] as Untyped, known));
  }
  return chosen;
}

/** The exercise, with a question where its name is close to a known one, and where its type is not known. */
export async function askType(
  context: Context,
  { exerciseName, exerciseType }: Untyped,
  known: readonly RoutineExercise[],
): Promise<RoutineExercise> {
  if (exerciseType) return { exerciseName, exerciseType };
  const similar = similarName(exerciseName, known as unknown as readonly Exercise[]);
  const meant = known.find((exercise) => exercise.exerciseName === similar);
  if (meant && (await askYesNo(context, `Did you mean ${escapeControls(meant.exerciseName)}?`, true)))
    return meant;
  const field = { ...logFields.exerciseType, help: `Kind of ${escapeControls(exerciseName)}` };
  return { exerciseName, exerciseType: (await askField(context, field)) as RoutineExercise['exerciseType'] };
}
