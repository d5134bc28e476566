import type { Context } from '../../context.ts';
import { SciaticaError } from '../../domain/errors.ts';
import type { Exercise } from '../../domain/exercise.ts';
import { type ExerciseType, logFields } from '../../domain/log.ts';
import { namesMeant, withoutCaseAndMarks } from '../../domain/words/match.ts';
import { closest, didYouMean } from '../../domain/words/suggest.ts';
import { usage } from '../terminal/errors.ts';
import { counted, escapeControls, quoted } from '../terminal/io.ts';

type Named = Pick<Exercise, 'exerciseName'>;

export const namesOf = (known: readonly Named[]): string[] => known.map(({ exerciseName }) => exerciseName);

/** The exercise with exactly this name. */
export function exerciseNamed<T extends Named>(name: unknown, known: readonly T[]): T | undefined {
  return known.find(({ exerciseName }) => exerciseName === name);
}

/** The known name that a new one is close to: another spelling, or a typing mistake. */
export function similarName(name: string, known: readonly Named[]): string | undefined {
  return exerciseNamed(name, known) ? undefined : closest(name, namesOf(known));
}

/** What was probably meant by a name that must be whole: the known ones that it is a part of, else one close to it. */
export function probableNames(name: string, names: readonly string[]): string[] {
  if (names.includes(name)) return [];
  const meant = namesMeant(name, names);
  return meant.length > 0 ? meant : [closest(name, names) ?? []].flat();
}

/**
 * The exercise that a typed text means; several are asked about.
 * @param mayBeNew whether no match is a new exercise of that name
 * @throws SciaticaError `invalid` that names the several where nobody can be asked; `not-found`
 */
export async function exerciseMeant(
  context: Context,
  text: string,
  known: readonly Exercise[],
  mayBeNew: boolean,
): Promise<string> {
  const names = namesMeant(text, namesOf(known));
  const [name, ...others] = names;
  if (name === undefined && mayBeNew) return text;
  if (name === undefined)
    throw new SciaticaError(
      'not-found',
      `No exercise done before is called ${quoted(text)}${didYouMean(text, namesOf(known))}.`,
    );
  if (others.length === 0) return name;
  if (!context.interactive) {
    const message = severalMeant(names, mayBeNew ? `with --name ${quoted(text)}` : undefined);
    throw usage(`${quoted(text)} ${message}.`);
  }
  return askWhich(context, text, names, mayBeNew);
}

/**
 * What to say of a text that can mean several names.
 * @param asNew how to give it as the name of a new exercise, where there may be one
 */
export function severalMeant(names: readonly string[], asNew?: string): string {
  const otherwise = asNew ? `, or name a new exercise ${asNew}` : '';
  return `can mean ${names.join(', ')}: say more of the name${otherwise}`;
}

/** Asks which of several names a text means. @param mayBeNew whether it can also be a new one */
export async function askWhich(
  context: Context,
  text: string,
  names: readonly string[],
  mayBeNew: boolean,
): Promise<string> {
  const { askChoiceOf } = await import('../terminal/prompts.ts');
  const choices = names.map((name) => ({ value: name, name: escapeControls(name) }));
  const isNew = { value: text, name: `${escapeControls(text)} (new)` };
  const question = `Which exercise is ${escapeControls(text)}?`;
  return askChoiceOf(context, question, mayBeNew ? [...choices, isNew] : choices);
}

/**
 * Asks for an exercise: a search in those recorded before, the latest first, or a new name.
 * @param current comes first in the list
 */
export async function askExercise(
  context: Context,
  recorded: readonly Exercise[],
  current?: unknown,
): Promise<string> {
  const { askField, askSearch, faultOfValue } = await import('../terminal/prompts.ts');
  const field = logFields.exerciseName;
  if (recorded.length === 0) return String(await askField(context, field, current));
  const known = recorded.toSorted(
    (a, b) => Number(b.exerciseName === current) - Number(a.exerciseName === current),
  );
  const names = namesOf(known);
  const source = (term: string | undefined) => {
    const text = term?.trim() ?? '';
    const meant = text === '' ? names : namesMeant(text, names);
    const found = known.filter(({ exerciseName }) => meant.includes(exerciseName)).map(choiceOf);
    const isNew =
      text !== '' && names.every((name) => withoutCaseAndMarks(name) !== withoutCaseAndMarks(text));
    return isNew
      ? [...found, { value: text, name: escapeControls(text), description: 'A new exercise' }]
      : found;
  };
  return askSearch(context, field.help, source, (name) => faultOfValue(field, name, context.today));
}

function choiceOf({ exerciseName, exerciseType, sessions, date }: Exercise) {
  return {
    value: exerciseName,
    name: escapeControls(exerciseName),
    description: `${exerciseType}, ${counted(sessions, 'session')}, the latest on ${date}`,
  };
}

/** Asks for the type of a new exercise, whose name may be a typing mistake. */
export async function askType(context: Context, name: string): Promise<ExerciseType> {
  const { askField } = await import('../terminal/prompts.ts');
  const field = { ...logFields.exerciseType, help: `Kind of ${escapeControls(name)}, a new exercise` };
  return (await askField(context, field)) as ExerciseType;
}

/** Asks whether a new name was meant for the known one that is close to it. @returns that one if so */
export async function askSimilar(
  context: Context,
  text: string,
  known: readonly Named[],
): Promise<string | undefined> {
  const { askYesNo } = await import('../terminal/prompts.ts');
  const similar = similarName(text, known);
  return similar && (await askYesNo(context, `Did you mean ${escapeControls(similar)}?`, true))
    ? similar
    : undefined;
}
