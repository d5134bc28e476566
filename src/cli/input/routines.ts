import { createHash } from 'node:crypto';
import type { Context } from '../../context.ts';
import { absent } from '../../domain/errors.ts';
import type { Routine, RoutineExercise } from '../../domain/routine.ts';
import { foldedName, namesMeant } from '../../domain/words/match.ts';
import { didYouMean } from '../../domain/words/suggest.ts';
import type { Store } from '../../store/store.ts';
import { usage } from '../terminal/errors.ts';
import { escapeControls, quoted } from '../terminal/io.ts';
import { summaryOfRoutine } from '../views/records.ts';
import { namesOf } from './exercises.ts';

/** The exercises of a user, each once: those of the logs, the latest first, then others of routines. */
export function knownExercises({ logs, routines }: Store, userId: number): RoutineExercise[] {
  const all = [...logs.exercises(userId), ...routines.list({ userId }).flatMap(({ exercises }) => exercises)];
  const names = namesOf(all);
  return all
    .filter(({ exerciseName }, i) => names.indexOf(exerciseName) === i)
    .map(({ exerciseName, exerciseType }) => ({ exerciseName, exerciseType }));
}

/** The routine with a name, ignoring case, else with an id. */
function routineOf(all: readonly Routine[], text: string): Routine | undefined {
  return (
    all.find(({ name }) => foldedName(name) === foldedName(text)) ?? all.find(({ id }) => String(id) === text)
  );
}

/**
 * A user's routine by its whole name or its id.
 * @throws SciaticaError `not-found`
 */
export function routineNamed({ routines }: Store, userId: number, text: string): Routine {
  const all = routines.list({ userId });
  return routineOf(all, text) ?? fail(all, text);
}

/**
 * A user's routine by its name, a part of it, or its id; if several match, the user is asked.
 * @throws SciaticaError `invalid` with the matches if there is no terminal to ask in; `not-found`
 */
export async function routineMeant(context: Context, userId: number, text: string): Promise<Routine> {
  const all = context.store.routines.list({ userId });
  const whole = routineOf(all, text);
  if (whole) return whole;
  const names = namesMeant(
    text,
    all.map(({ name }) => name),
  );
  const found = all.filter(({ name }) => names.includes(name));
  const [first, ...others] = found;
  if (first === undefined) return fail(all, text);
  if (others.length === 0) return first;
  if (!context.interactive)
    throw usage(`${quoted(text)} can mean ${names.join(', ')}: say more of the name.`);
  const { askChoiceOf } = await import('../terminal/prompts.ts');
  const choices = found.map((routine) => ({ value: routine, name: summaryOfRoutine(routine) }));
  return askChoiceOf(context, 'Which routine?', choices);
}

function fail(all: readonly Routine[], text: string): never {
  const names = all.map(({ name }) => name);
  throw absent((command) =>
    names.length === 0
      ? `There is no routine yet. To add one: ${command('routine add')}`
      : `There is no routine ${quoted(escapeControls(text))}${didYouMean(text, names)}. See: ${command('routines')}`,
  );
}

/** Shuffles exercises by hashes of their names. @param draw the seed: the same one gives the same order */
export function shuffled(exercises: readonly RoutineExercise[], draw: string): RoutineExercise[] {
  const lot = ({ exerciseName }: RoutineExercise) =>
    createHash('sha256').update(`${draw}\n${exerciseName}`).digest('hex');
  return exercises.toSorted((a, b) => (lot(a) < lot(b) ? -1 : 1));
}
