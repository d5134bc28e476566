import type { Context } from '../../context.ts';
import { absent, type Issue, invalid } from '../../domain/errors.ts';
import type { Exercise } from '../../domain/exercise.ts';
import { exerciseTypes } from '../../domain/exercise-types.ts';
import { expectation } from '../../domain/field-kinds.ts';
import { type ExerciseType, logFields } from '../../domain/log.ts';
import { type RoutineExercise, routineFields } from '../../domain/routine.ts';
import { choiceMeant } from '../../domain/words/choice.ts';
import { foldedName, namesMeant, wholeNamesMeant, withoutCaseAndMarks } from '../../domain/words/match.ts';
import { dayInName, isNoName } from '../../domain/words/pain-words.ts';
import { closest, didYouMean } from '../../domain/words/suggest.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, quoted } from '../terminal/io.ts';
import { dayAsWord } from './days.ts';

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

/** Suggestions for a name that must be given in full: the known names that it can abbreviate, else one close to it. */
export function probableNames(name: string, names: readonly string[]): string[] {
  if (names.includes(name)) return [];
  const meant = namesMeant(name, names);
  return meant.length > 0 ? meant : [closest(name, names) ?? []].flat();
}

/**
 * The name of the exercise that a typed text means; if several match, the user is asked.
 * @param mayBeNew whether a text without a match is the name of a new exercise
 * @throws SciaticaError `invalid` with the matches if there is no terminal to ask in, or for no name; `not-found`
 */
export async function exerciseMeant(
  context: Context,
  text: string,
  known: readonly Exercise[],
  mayBeNew: boolean,
): Promise<string> {
  const names = namesMeant(text, namesOf(known));
  const [name, ...others] = names;
  if (name === undefined && mayBeNew) return nameOfNew(context, text);
  if (name === undefined)
    throw absent(`No exercise done before is called ${quoted(text)}${didYouMean(text, namesOf(known))}.`);
  if (others.length === 0) return name;
  if (!context.interactive) {
    const message = severalMeant(names, mayBeNew ? `with --name ${quoted(text)}` : undefined);
    throw usage(`${quoted(text)} ${message}.`);
  }
  return askWhich(context, text, names, mayBeNew && !isNoName(text));
}

/** Checks the name of a new exercise. @throws SciaticaError `invalid` for a text that is no name, or contains a day */
function nameOfNew(context: Context, text: string): string {
  const literally = `--name ${quoted(escapeControls(text))}`;
  if (isNoName(text))
    throw usage(
      `${quoted(escapeControls(text))} does not look like the name of an exercise. In one line: ${commandLine(context, 'log add NAME 6 4')}. If it is one: ${literally}`,
    );
  const day = dayInName(text);
  if (day === undefined) return text;
  throw dayAsWord(context, day, 'log add NAME 6 4', `. If it is part of the name: ${literally}`);
}

/**
 * The fault of a text that can mean several names, to follow the text.
 * @param asNew how to enter it as the name of a new exercise; undefined if that is not allowed
 */
export function severalMeant(names: readonly string[], asNew?: string): string {
  const otherwise = asNew ? `, or name a new exercise ${asNew}` : '';
  return `can mean ${names.join(', ')}: say more of the name${otherwise}`;
}

/** Asks which of several names a text means. @param mayBeNew whether it may also be the name of a new exercise */
async function askWhich(
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
 * @param current the present exercise, which comes first in the list
 */
export async function askExercise(
  context: Context,
  recorded: readonly Exercise[],
  current?: unknown,
): Promise<string> {
  const { askLine, askSearch, faultOfValue } = await import('../terminal/prompts.ts');
  const field = logFields.exerciseName;
  if (recorded.length === 0) {
    const fault = (name: string) =>
      name !== '' && isNoName(name)
        ? 'It does not look like the name of an exercise'
        : faultOfValue(field, name, context.today);
    return askLine(context, field.help, fault, current === undefined ? undefined : String(current));
  }
  const known = recorded.toSorted(
    (a, b) => Number(b.exerciseName === current) - Number(a.exerciseName === current),
  );
  const names = namesOf(known);
  const source = (term: string | undefined) => {
    const text = term?.trim() ?? '';
    const meant = text === '' ? names : namesMeant(text, names);
    const found = known.filter(({ exerciseName }) => meant.includes(exerciseName)).map(choiceOf);
    const isNew =
      text !== '' &&
      !isNoName(text) &&
      names.every((name) => withoutCaseAndMarks(name) !== withoutCaseAndMarks(text));
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

/** Asks for the type of a new exercise. The question repeats the name, to reveal a typing mistake. */
export async function askType(context: Context, name: string): Promise<ExerciseType> {
  const { askField } = await import('../terminal/prompts.ts');
  const field = { ...logFields.exerciseType, help: `Kind of ${escapeControls(name)}, a new exercise` };
  return (await askField(context, field)) as ExerciseType;
}

/** Asks whether a known name, similar to a new one, was meant. @returns the known one if so */
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

const { min, max } = routineFields.exercises;

/** An exercise as it was typed. */
interface Typed {
  text: string;
  /** The names that it can mean, known or new: several if it is ambiguous; none if what follows the = is no type. */
  names: readonly string[];
  /** The type that follows the =. */
  exerciseType?: ExerciseType | undefined;
}

/** Parses a known name or a part of it, a new name, or `Name=stretch`, where a part of a name is a new name. */
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
 * The exercise, if its name and its type are clear; otherwise undefined.
 * @param type default for new exercises (`--type`)
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
 * Checks exercises before the first prompt.
 * @param mayAsk whether prompts can resolve what is not clear
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
 * The fault of an exercise that no prompt can resolve; undefined if there is none.
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
 * Asks which exercise is meant: one of several, or a known one with a similar name; and for the type of a new one.
 * @param type of a new one, which is then not asked for
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
