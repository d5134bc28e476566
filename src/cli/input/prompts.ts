import { styleText } from 'node:util';
import type { Context, Input } from '../../context.ts';
import { fromTexts, shown } from '../../domain/codec.ts';
import { SciaticaError } from '../../domain/errors.ts';
import type { BooleanField, ChoiceField, Field, Fields } from '../../domain/fields.ts';
import { type ExerciseType, logFields } from '../../domain/log.ts';
import type { Exercise } from '../../domain/plans/exercise.ts';
import { check, inputOf } from '../../domain/schema.ts';
import { namesMeant, withoutCaseAndMarks } from '../../domain/words/match.ts';
import { DAYS, DAYS_IN_SHORT, faultOfDay, parseDay } from '../../domain/words/spoken-day.ts';
import { counted, escapeControls } from '../output/io.ts';
import { summaryOfUser } from '../views/records.ts';
import { namesOf } from './exercises.ts';
import { Keyboard, LINE_BREAK } from './keyboard.ts';
import type { Streams } from './plain-prompts.ts';

/** Prompts in a terminal. Loaded only when one is shown. */

type Prompts = Pick<typeof import('./plain-prompts.ts'), 'input' | 'confirm' | 'select' | 'search'>;

/** Those of Inquirer need a terminal that moves its cursor. */
const promptsFor = ({ env }: Context): Promise<Prompts> =>
  isDumb(env) ? import('./plain-prompts.ts') : import('@inquirer/prompts');

const isDumb = (env: Context['env']) => env['TERM'] === 'dumb';

/** Shows a prompt on the streams of the context. Ctrl-C, Ctrl-D and SIGINT abort it, and with it the command. */
async function ask<T>(
  context: Context,
  question: (prompts: Prompts, streams: Streams) => Promise<T>,
  takesLines = false,
): Promise<T> {
  // Inquirer colours with Node's styleText, which reads the environment.
  if (!context.mayColour) process.env['NO_COLOR'] = '1';
  const prompts = await promptsFor(context);
  const controller = new AbortController();
  const abort = () => controller.abort();
  // Readline pauses its input when Ctrl-D closes it; the prompt itself would never settle.
  const ended = () => setImmediate(abort);
  process.once('SIGINT', abort);
  const keyboard = keyboardOf(context.stdin);
  keyboard.once('pause', ended);
  keyboard.open(takesLines);
  try {
    return await question(prompts, { input: keyboard, output: context.stderr, signal: controller.signal });
  } finally {
    process.off('SIGINT', abort);
    keyboard.off('pause', ended);
    keyboard.close();
  }
}

const keyboards = new WeakMap<Input, Keyboard>();

function keyboardOf(stdin: Input): Keyboard {
  const keyboard = keyboards.get(stdin) ?? new Keyboard(stdin);
  keyboards.set(stdin, keyboard);
  return keyboard;
}

/**
 * Asks for the value of one field, again if it is invalid, with the message of the schema.
 * @param current the default
 * @returns the value; null for none, which an optional field may have
 */
export async function askField(context: Context, field: Field, current?: unknown): Promise<unknown> {
  if (field.kind === 'choice' || (field.kind === 'boolean' && field.optional))
    return askChoice(context, field, current);
  if (field.kind === 'boolean') return askYesNo(context, `${field.help}?`, current === true);
  const none = field.optional && current !== undefined ? ' (Backspace, then Enter: none)' : '';
  const days = field.kind === 'date' ? ` (${DAYS_IN_SHORT})` : '';
  // The default is shown escaped, so an unchanged answer means the stored value.
  const shownValue = current === undefined ? undefined : escapeControls(String(current));
  const takesLines = field.kind === 'text' && field.blank;
  const read = (typed: string) => {
    if (typed === shownValue) return current;
    const answer = takesLines ? typed.replaceAll(LINE_BREAK, '\n') : typed;
    return answer === '' && field.optional ? null : fieldValue(field, answer.trim(), context.today);
  };
  const answer = await ask(
    context,
    (prompts, streams) =>
      prompts.input(
        {
          message: `${field.help}${none}${days}`,
          // Once it is answered, nobody needs to know what else could have been said.
          theme: { style: { message: (text: string, status: string) => headline(text, days, status) } },
          ...(shownValue === undefined ? {} : { default: shownValue }),
          validate: (text) => faultOf(field, read(text), context.today) ?? true,
        },
        streams,
      ),
    takesLines,
  );
  return read(answer);
}

/** A question in bold, what can be answered in dim letters. */
function headline(text: string, hint: string, status: string): string {
  const question = styleText('bold', text.slice(0, text.length - hint.length));
  return status === 'done' || hint === '' ? question : question + styleText('dim', hint);
}

/** `lower back, left` for lower-back-left. */
const spoken = (choice: string): string => choice.replace(/-(left|right)$/, ', $1').replaceAll('-', ' ');

function askChoice(context: Context, field: ChoiceField | BooleanField, current: unknown): Promise<unknown> {
  const values: unknown[] = field.kind === 'choice' ? [...field.choices] : [true, false];
  if (field.optional) values.push(null);
  const choices = values.map((value) => ({ value, name: spoken(shown(field, value)) || 'none' }));
  const initial = current ?? (field.optional ? null : values[0]);
  return ask(context, (prompts, streams) =>
    prompts.select({ message: field.help, choices, default: initial }, streams),
  );
}

/** Questions of some fields that are not those of their kind, by field. */
export type Questions = Readonly<Record<string, (current: unknown) => Promise<unknown>>>;

/** Asks for each field. @returns their values by name */
export async function askFields(
  context: Context,
  fields: Fields,
  current: Readonly<Record<string, unknown>> = {},
  questions: Questions = {},
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields))
    answers[name] = await (questions[name]?.(current[name]) ?? askField(context, field, current[name]));
  return answers;
}

/**
 * Asks for a line of text, again while it has a fault.
 * @param faultOf what is wrong with an answer, as a sentence; undefined if nothing is
 */
export async function askLine(
  context: Context,
  message: string,
  faultOf: (answer: string) => string | undefined,
  initial?: string,
): Promise<string> {
  const answer = await ask(context, (prompts, streams) =>
    prompts.input(
      {
        message,
        ...(initial === undefined ? {} : { default: initial }),
        validate: (text) => faultOf(text.trim()) ?? true,
      },
      streams,
    ),
  );
  return answer.trim();
}

function fieldValue(field: Field, text: string, today: string): unknown {
  return fromTexts({ field }, { field: field.kind === 'date' ? parseDay(text, today) : text })['field'];
}

function faultOf(field: Field, value: unknown, today: string): string | undefined {
  const fault = field.kind === 'date' && typeof value === 'string' ? faultOfDay(value, today) : undefined;
  if (fault) return `It ${fault}`;
  try {
    check(inputOf({ field }), { field: value });
    return undefined;
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
    return `It ${error.issues[0]?.message}${field.kind === 'date' ? `, or ${DAYS}` : ''}`;
  }
}

/** Asks for a text that is not empty. */
export function askText(context: Context, message: string): Promise<string> {
  const validate = (text: string) => text.trim() !== '' || 'It must not be empty';
  return ask(context, (prompts, streams) => prompts.input({ message, validate }, streams));
}

/** Asks for a text that is not shown while it is typed. */
export async function askSecret(context: Context, message: string): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  return (await ask(context, (_, streams) => password({ message, mask: false }, streams))).trim();
}

export function askYesNo(context: Context, message: string, yes: boolean): Promise<boolean> {
  return ask(context, (prompts, streams) => prompts.confirm({ message, default: yes }, streams));
}

/** Asks whether an exercise helped. */
export const askHelped = (context: Context, helped: boolean): Promise<boolean> =>
  askYesNo(context, 'Did it help?', helped);

/** Asks to pick one of several. */
export function askChoiceOf<T>(
  context: Context,
  message: string,
  choices: readonly { value: T; name: string }[],
): Promise<T> {
  return ask(context, (prompts, streams) => prompts.select<T>({ message, choices: [...choices] }, streams));
}

/** Asks for the type of a new exercise, whose name may be a typing mistake. */
export async function askKind(context: Context, name: string): Promise<ExerciseType> {
  const field = { ...logFields.exerciseType, help: `Kind of ${escapeControls(name)}, a new exercise` };
  return (await askField(context, field)) as ExerciseType;
}

/** Asks for a user. @returns the id */
export function askUser(context: Context): Promise<number> {
  const choices = context.store.users.list().map((user) => ({ value: user.id, name: summaryOfUser(user) }));
  return ask(context, (prompts, streams) => prompts.select({ message: 'Which user?', choices }, streams));
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
  const field = logFields.exerciseName;
  if (recorded.length === 0) return String(await askField(context, field, current));
  const known = recorded.toSorted(
    (a, b) => Number(b.exerciseName === current) - Number(a.exerciseName === current),
  );
  const source = (term: string | undefined) => {
    const text = term?.trim() ?? '';
    const names = namesOf(known);
    const meant = text === '' ? names : namesMeant(text, names);
    const found = known.filter(({ exerciseName }) => meant.includes(exerciseName)).map(choiceOf);
    const isNew =
      text !== '' && names.every((name) => withoutCaseAndMarks(name) !== withoutCaseAndMarks(text));
    return isNew
      ? [...found, { value: text, name: escapeControls(text), description: 'A new exercise' }]
      : found;
  };
  const validate = (name: string) => faultOf(field, name, context.today) ?? true;
  return ask(context, (prompts, streams) =>
    prompts.search({ message: field.help, source, validate }, streams),
  );
}

function choiceOf({ exerciseName, exerciseType, sessions, date }: Exercise) {
  return {
    value: exerciseName,
    name: escapeControls(exerciseName),
    description: `${exerciseType}, ${counted(sessions, 'session')}, the latest on ${date}`,
  };
}
