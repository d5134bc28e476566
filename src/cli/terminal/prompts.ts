import { PassThrough, Writable } from 'node:stream';
import { styleText } from 'node:util';
import type { Context, Input, Output } from '../../context.ts';
import { fromTexts, shown } from '../../domain/codec.ts';
import { SciaticaError } from '../../domain/errors.ts';
import type { BooleanField, ChoiceField, Field, Fields } from '../../domain/fields.ts';
import { check, inputOf } from '../../domain/schema.ts';
import { saysNone, textMeant } from '../../domain/typed.ts';
import { DAYS_IN_SHORT, daysTaken, faultOfDay } from '../../domain/words/spoken-day.ts';
import { escapeControls } from './io.ts';
import type { Streams } from './plain-prompts.ts';
import { wrap } from './width.ts';

/** Prompts in a terminal. Imported on demand, only to show one. */

type Prompts = Pick<typeof import('./plain-prompts.ts'), 'input' | 'confirm' | 'select' | 'search'>;

/** The prompts of Inquirer need a terminal that can move its cursor. */
const promptsFor = ({ env }: Context): Promise<Prompts> =>
  env['TERM'] === 'dumb' ? import('./plain-prompts.ts') : import('@inquirer/prompts');

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
  // Ctrl-D closes readline, which pauses its input; the prompt would never settle.
  const ended = () => setImmediate(abort);
  process.once('SIGINT', abort);
  const keyboard = keyboardOf(context.stdin);
  const screen = new Screen(context.stderr);
  const leave = () => screen.leave();
  const redraw = () => screen.redraw();
  keyboard.once('pause', ended).on('stopping', leave).on('continued', redraw);
  keyboard.open(takesLines);
  try {
    return await question(prompts, { input: keyboard, output: screen, signal: controller.signal });
  } finally {
    process.off('SIGINT', abort);
    keyboard.off('pause', ended).off('stopping', leave).off('continued', redraw);
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
 * Asks for the value of one field until it is valid; a fault is shown with the message of the schema.
 * @param current the default value
 * @returns the value; null for none, which an optional field may have
 */
export async function askField(context: Context, field: Field, current?: unknown): Promise<unknown> {
  if (field.kind === 'choice' || (field.kind === 'boolean' && field.optional))
    return askChoice(context, field, current);
  if (field.kind === 'boolean') return askYesNo(context, `${field.help}?`, current === true);
  const none = field.optional && current !== undefined ? ' (Backspace, then Enter: none)' : '';
  const hint = hintOf(context, field, current);
  const takesLines = field.kind === 'text' && (field.blank || /[\r\n]/.test(String(current)));
  // The default is shown escaped, so an unchanged answer means the stored value.
  const inLine = takesLines ? onOneLine(String(current)) : String(current);
  const shownValue = current === undefined ? undefined : escapeControls(inLine);
  const read = (typed: string) => {
    if (typed === shownValue) return current;
    const answer = takesLines ? typed.replaceAll(LINE_BREAK, '\n') : typed;
    return saysNone(field, answer) ? null : fieldValue(field, answer.trim(), context.today);
  };
  const answer = await ask(
    context,
    (prompts, streams) =>
      prompts.input(
        {
          message: fitted(context, `${field.help}${none}${hint}`),
          // The hint disappears once the question is answered.
          theme: { style: { message: (text: string, status: string) => headline(text, hint, status) } },
          ...(shownValue === undefined ? {} : { default: shownValue }),
          validate: (text) => verdict(context, faultOfValue(field, read(text), context.today)),
        },
        streams,
      ),
    takesLines,
  );
  return read(answer);
}

/** A space and, in brackets, a hint on possible answers; empty if the field has none. */
function hintOf(context: Context, field: Field, current: unknown): string {
  const hint = field.hint ?? (field.kind === 'date' ? DAYS_IN_SHORT : '');
  const isToday = field.kind === 'date' && current === context.today ? '; Enter: today' : '';
  return hint && ` (${hint}${isToday})`;
}

/** Styles a question: bold, and until it is answered followed by its hint in dim letters. */
function headline(text: string, hint: string, status: string): string {
  const end = text.length - hint.length;
  const question = styleText('bold', text.slice(0, end));
  return status === 'done' || hint === '' ? question : question + styleText('dim', text.slice(end));
}

/** `lower back, left` for lower-back-left. */
const spoken = (choice: string): string => choice.replace(/-(left|right)$/, ', $1').replaceAll('-', ' ');

function askChoice(context: Context, field: ChoiceField | BooleanField, current: unknown): Promise<unknown> {
  const values: unknown[] = field.kind === 'choice' ? [...field.choices] : [true, false];
  if (field.optional) values.push(null);
  const choices = values.map((value) => ({ value, name: spoken(shown(field, value)) || 'none' }));
  return askChoiceOf(context, field.help, choices, current ?? (field.optional ? null : values[0]));
}

/** Custom prompts by field name, for fields that are not asked for by the prompt of their kind. */
export type Questions = Readonly<
  Record<string, (current: unknown, answers: Readonly<Record<string, unknown>>) => Promise<unknown>>
>;

/** Asks for each field. @returns their values by name */
export async function askFields(
  context: Context,
  fields: Fields,
  current: Readonly<Record<string, unknown>> = {},
  questions: Questions = {},
): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(fields))
    answers[name] = await (questions[name]?.(current[name], answers) ??
      askField(context, field, current[name]));
  return answers;
}

/**
 * Asks for a line of text until it has no fault.
 * @param faultOf returns what is wrong with an answer, as a sentence; undefined if nothing is
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
        message: fitted(context, message),
        ...(initial === undefined ? {} : { default: initial }),
        validate: (text) => verdict(context, faultOf(text.trim())),
      },
      streams,
    ),
  );
  return answer.trim();
}

function fieldValue(field: Field, text: string, today: string): unknown {
  return fromTexts({ field }, { field: textMeant(field, text, today) })['field'];
}

/** What is wrong with the value of a field, as a sentence; undefined if nothing is. */
export function faultOfValue(field: Field, value: unknown, today: string): string | undefined {
  const fault = field.kind === 'date' && typeof value === 'string' ? faultOfDay(value, today) : undefined;
  if (fault) return `It ${fault}`;
  try {
    check(inputOf({ field }), { field: value });
    return undefined;
  } catch (error) {
    if (!(error instanceof SciaticaError)) throw error;
    return `It ${error.issues[0]?.message}${field.kind === 'date' ? `, or ${daysTaken(field)}` : ''}`;
  }
}

/**
 * Wraps a text that Inquirer shows after a prefix of two columns, because Inquirer breaks lines within words.
 * @param before prefix of the lines after the first
 * @param after columns left free for what follows the text
 */
const fitted = ({ stderr }: Context, text: string, { before = '', after = 0 } = {}): string =>
  wrap(text, { width: (stderr.columns || 80) - 2 - after }).join(`\n${before}`);

/** The result of a validation as Inquirer expects it: true, or the fault, wrapped. */
const verdict = (context: Context, fault: string | undefined): string | true =>
  fault === undefined || fitted(context, fault);

/** Asks for a text that is not shown while it is typed. */
export async function askSecret(context: Context, message: string): Promise<string> {
  const { password } = await import('@inquirer/prompts');
  return (
    await ask(context, (_, streams) => password({ message: fitted(context, message), mask: false }, streams))
  ).trim();
}

export function askYesNo(context: Context, message: string, yes: boolean): Promise<boolean> {
  return ask(context, (prompts, streams) =>
    prompts.confirm({ message: fitted(context, message, { after: ' (y/N)'.length }), default: yes }, streams),
  );
}

/** Asks for one of several choices. @param initial the value that is selected at first; by default the first one */
export function askChoiceOf<T>(
  context: Context,
  message: string,
  choices: readonly { value: T; name: string }[],
  initial?: T,
): Promise<T> {
  const shown = choices.map(({ value, name }) => ({ value, ...choiceShown(context, message, name) }));
  const picked = initial === undefined ? {} : { default: initial };
  return ask(context, (prompts, streams) =>
    prompts.select<T>({ message: fitted(context, message), choices: shown, ...picked }, streams),
  );
}

/** A choice as it is shown in the list (`name`), and after the question once it is chosen (`short`). */
function choiceShown(context: Context, message: string, name: string): { name: string; short: string } {
  const question = fitted(context, message);
  const answered = fitted(context, `${message} ${name}`).slice(question.length);
  return { name: fitted(context, name, { before: '  ' }), short: answered.replace(/^ /, '') };
}

/**
 * Asks for one of many by a part of its name, or for a new one.
 * @param source returns the choices that match a text; all choices if it is undefined
 * @param faultOf returns what is wrong with an answer, as a sentence; undefined if nothing is
 */
export function askSearch(
  context: Context,
  message: string,
  source: (term: string | undefined) => { value: string; name: string; description: string }[],
  faultOf: (answer: string) => string | undefined,
): Promise<string> {
  const validate = (answer: string) => verdict(context, faultOf(answer));
  const shown = (term: string | undefined) =>
    source(term).map(({ value, name, description }) => ({
      value,
      ...choiceShown(context, message, name),
      description: fitted(context, description),
    }));
  return ask(context, (prompts, streams) =>
    prompts.search({ message: fitted(context, message), source: shown, validate }, streams),
  );
}

/** Replaces line breaks in a text while it is edited on one line. */
const LINE_BREAK = '⏎';
const onOneLine = (text: string) => text.replace(/\r\n?|\n/g, LINE_BREAK);

/** Delay in milliseconds before the next part of the type-ahead is passed on, in which a prompt processes the last one. */
const SETTLED = 30;

/**
 * The terminal input of consecutive prompts. Type-ahead is kept for the next prompt, and several pasted lines are one
 * answer for a prompt that accepts them. Ctrl-Z suspends the process, and the prompt continues after `fg`.
 */
class Keyboard extends PassThrough {
  #typed = '';
  #isOpen = false;
  #takesLines = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly stdin: Input & { setRawMode?: (raw: boolean) => unknown }) {
    super();
    stdin.on('data', (chunk: Buffer | string) => {
      this.#typed += chunk.toString();
      if (!this.#timer) this.#pump();
    });
    stdin.once('end', () => this.end());
  }

  /** Called by readline for each prompt. */
  setRawMode(raw: boolean): void {
    this.stdin.setRawMode?.(raw);
  }

  /** @param takesLines whether a pasted line break is part of the answer */
  open(takesLines: boolean): void {
    this.#isOpen = true;
    this.#takesLines = takesLines;
    this.stdin.resume();
    // Later, when the prompt listens.
    this.#later(0);
  }

  close(): void {
    this.#isOpen = false;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #later(wait: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#pump();
    }, wait);
  }

  #pump(): void {
    if (!this.#isOpen || this.#typed === '') return;
    const lines = /^([^\r\n]+)(?:\r\n?|\n)(?=[^\r\n]*[^\r\n])/.test(this.#typed);
    if (this.#takesLines && lines) {
      const text = onOneLine(this.#typed.replace(/[\r\n]+$/, ''));
      this.#typed = '';
      this.write(text);
      return;
    }
    const end = this.#typed.search(/[\r\n\u001a]/);
    // Enter is passed on later than the text: a search prompt ignores it until it has searched for the text.
    const taken = end < 0 ? this.#typed : this.#typed.slice(0, end || 1);
    this.#typed = this.#typed.slice(taken.length);
    if (taken === '\u001a') this.#stop();
    else this.write(taken);
    if (this.#typed !== '') this.#later(SETTLED);
  }

  #stop(): void {
    this.emit('stopping');
    this.setRawMode(false);
    process.once('SIGCONT', () => {
      this.setRawMode(true);
      this.emit('continued');
    });
    process.kill(process.pid, 'SIGTSTP');
  }
}

/** The control sequences with which Inquirer erases a question before it redraws it. */
const ERASING = /^(?:\u001b\[\d+B)?(?:\u001b\[2K(?:\u001b\[1A)?)+\u001b\[G/;

/** The output stream of a prompt. It remembers the question, to redraw it after Ctrl-Z. */
class Screen extends Writable {
  #question = '';

  constructor(private readonly terminal: Output) {
    super({ decodeStrings: false });
  }

  get isTTY(): boolean | undefined {
    return this.terminal.isTTY;
  }

  get columns(): number | undefined {
    return this.terminal.columns;
  }

  override _write(chunk: string | Buffer, _: string, done: () => void): void {
    const text = String(chunk);
    this.#question = ERASING.test(text) ? text.replace(ERASING, '') : this.#question + text;
    this.terminal.write(text);
    done();
  }

  /** Clears the screen below the cursor and begins a line, for the output of other programs. */
  leave(): void {
    this.terminal.write('\u001b[J\r\n');
  }

  /** Shows the question again, below the output of other programs. */
  redraw(): void {
    this.terminal.write(`\r\u001b[J${this.#question}`);
  }
}
