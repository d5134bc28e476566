import type { Context } from '../../context.ts';
import { type Issue, invalid } from '../../domain/errors.ts';
import { foldedName } from '../../domain/exercise.ts';
import { expectation } from '../../domain/fields.ts';
import { type ExerciseType, exerciseTypes, logFields } from '../../domain/log.ts';
import { type RoutineExercise, routineFields } from '../../domain/routine.ts';
import { choiceMeant } from '../../domain/words/choice.ts';
import { namesMeant, wholeNamesMeant } from '../../domain/words/match.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import { quoted } from '../terminal/io.ts';
import { askSimilar, askType, askWhich, exerciseNamed, namesOf, severalMeant } from './exercises.ts';

const { min, max } = routineFields.exercises;

/** An exercise as it was typed. */
interface Typed {
  text: string;
  /** What it can mean: a known name or a new one; several where that is not clear; none if no type follows the =. */
  names: readonly string[];
  /** The type that follows the =. */
  exerciseType?: ExerciseType | undefined;
}

/** Reads a known name or a part of it, a new name, or `Name=stretch`, which takes the name as it is. */
export function exerciseTyped(text: string, known: readonly RoutineExercise[]): Typed {
  const names = namesOf(known);
  const [, name, said] = wholeNamesMeant(text, names).length > 0 ? [] : (/^(.*)=([^=]*)$/s.exec(text) ?? []);
  if (name === undefined || said === undefined) {
    const meant = namesMeant(text, names);
    return { text, names: meant.length > 0 ? meant : [text] };
  }
  const exerciseType = choiceMeant(said, exerciseTypes);
  const [exerciseName = name.trim()] = wholeNamesMeant(name.trim(), names);
  return { text, names: exerciseType ? [exerciseName] : [], exerciseType };
}

const isNamed = (name: string, names: readonly string[]): boolean =>
  names.some((one) => foldedName(one) === foldedName(name));

/**
 * The exercise, if its name and its type are clear.
 * @param type of a new one without a type
 */
export function settled(
  { names, exerciseType }: Typed,
  known: readonly RoutineExercise[],
  type?: ExerciseType,
): RoutineExercise | undefined {
  const [exerciseName, ...others] = names;
  if (exerciseName === undefined || others.length > 0) return undefined;
  const ofName = exerciseType ?? exerciseNamed(exerciseName, known)?.exerciseType ?? type;
  return ofName && { exerciseName, exerciseType: ofName };
}

/**
 * Checks exercises before the first question.
 * @param mayAsk whether what is not clear can be asked about
 * @throws SciaticaError `invalid` with the fault of each
 */
export function checkTyped(
  all: readonly Typed[],
  known: readonly RoutineExercise[],
  { type, mayAsk }: { type?: ExerciseType | undefined; mayAsk: boolean },
): void {
  const issues = all.flatMap((typed, i): Issue[] => {
    const before = all.slice(0, i).flatMap(({ names }) => (names.length === 1 ? names : []));
    const isOpen = !mayAsk && !settled(typed, known, type);
    const message = faultOfTyped(typed, before) ?? (isOpen ? openIn(typed, known) : undefined);
    return message === undefined ? [] : [{ field: quoted(typed.text), message }];
  });
  if (issues.length > 0) throw invalid(issues);
}

/**
 * What is wrong with an exercise, whatever else is said.
 * @param before names that are in the routine already
 */
function faultOfTyped({ names }: Typed, before: readonly string[]): string | undefined {
  if (names.length === 0) return `must have one of ${exerciseTypes.join(', ')} after the =`;
  return names.every((name) => isNamed(name, before)) ? 'is in the routine already' : undefined;
}

function openIn({ text, names }: Typed, known: readonly RoutineExercise[]): string {
  const example = quoted(`${text}=${exerciseTypes[0]}`);
  if (names.length > 1) return severalMeant(names, `with its type, as in ${example}`);
  return `is a new exercise${didYouMean(text, namesOf(known))}: say its type, as in ${example}, or --type for all of them`;
}

/** Asks for exercises, one after another, until an answer is empty. */
export async function askExercises(
  context: Context,
  known: readonly RoutineExercise[],
): Promise<RoutineExercise[]> {
  const { askLine } = await import('../terminal/prompts.ts');
  const chosen: RoutineExercise[] = [];
  while (chosen.length < max) {
    const names = namesOf(chosen);
    const faultIn = (answer: string) => {
      if (answer === '') return chosen.length < min ? 'A routine has one exercise or more.' : undefined;
      const typed = exerciseTyped(answer, known);
      if (typed.names.some((name) => name.length > logFields.exerciseName.max))
        return `It must be ${expectation(logFields.exerciseName)}.`;
      const fault = faultOfTyped(typed, names);
      return fault && `It ${fault}.`;
    };
    const end = chosen.length < min ? '' : ' (Enter: that is all)';
    const answer = await askLine(context, `Exercise ${chosen.length + 1}${end}`, faultIn);
    if (answer === '') break;
    const others = known.filter(({ exerciseName }) => !isNamed(exerciseName, names));
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
  return { exerciseName: text, exerciseType: type ?? (await askType(context, text)) };
}
