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

/** Prompts in a terminal. Loaded only when one is shown. */

type Prompts = Pick<typeof import('./plain-prompts.ts'), 'input' | 'confirm' | 'select' | 'search'>;

/** Those of Inquirer need a terminal that moves its cursor. */
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
  // Readline pauses its input when Ctrl-D closes it; the prompt itself would never settle.
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
 * Asks for the value of one field, again if it is invalid, with the message of the schema.
 * @param current the default
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
          // Once it is answered, nobody needs to know what else could have been said.
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

/** What can be answered, in brackets after a space. */
function hintOf(context: Context, field: Field, current: unknown): string {
  const hint = field.hint ?? (field.kind === 'date' ? DAYS_IN_SHORT : '');
  const isToday = field.kind === 'date' && current === context.today ? '; Enter: today' : '';
  return hint && ` (${hint}${isToday})`;
}

/** A question in bold, what can be answered in dim letters. */
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

/** Questions of some fields that are not those of their kind, by field. */
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
 * A text wrapped behind a mark of two columns: Inquirer breaks lines within words.
 * @param before what further lines begin with
 * @param after columns for what stands behind it
 */
const fitted = ({ stderr }: Context, text: string, { before = '', after = 0 } = {}): string =>
  wrap(text, { width: (stderr.columns || 80) - 2 - after }).join(`\n${before}`);

/** What is wrong with an answer. */
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

/** Asks to pick one of several. @param initial the value that is picked at first, otherwise the first one */
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

/** The name of a choice in the list, and behind the question once it is chosen. */
function choiceShown(context: Context, message: string, name: string): { name: string; short: string } {
  const question = fitted(context, message);
  const answered = fitted(context, `${message} ${name}`).slice(question.length);
  return { name: fitted(context, name, { before: '  ' }), short: answered.replace(/^ /, '') };
}

/**
 * Asks for one of many by a part of its name, or for a new one.
 * @param source what fits a text; all without it
 * @param faultOf what is wrong with an answer, as a sentence; undefined if nothing is
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

/** What stands for a line break in a text while it is edited on one line. */
const LINE_BREAK = '⏎';
const onOneLine = (text: string) => text.replace(/\r\n?|\n/g, LINE_BREAK);

/** How long a prompt may take to settle, in milliseconds, before it gets what was typed since. */
const SETTLED = 30;

/**
 * The keys of a terminal for one prompt after the other: what is typed ahead waits for the next prompt, and several
 * pasted lines are one answer where the prompt takes them. Ctrl-Z stops the process, and after fg the prompt goes on.
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

  /** Readline sets it for each prompt. */
  setRawMode(raw: boolean): void {
    this.stdin.setRawMode?.(raw);
  }

  /** @param takesLines whether a pasted line break is part of the answer */
  open(takesLines: boolean): void {
    this.#isOpen = true;
    this.#takesLines = takesLines;
    this.stdin.resume();
    // After the prompt listens.
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
    // A search drops an Enter that comes before it has looked for the text.
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

/** With these control sequences Inquirer erases a question before it draws it again. */
const ERASING = /^(?:\u001b\[\d+B)?(?:\u001b\[2K(?:\u001b\[1A)?)+\u001b\[G/;

/** The terminal as one prompt sees it, which can show its question once more. */
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

  /** Makes room for other programs, below the line with the answer. */
  leave(): void {
    this.terminal.write('\u001b[J\r\n');
  }

  /** What other programs wrote since stands above it. */
  redraw(): void {
    this.terminal.write(`\r\u001b[J${this.#question}`);
  }
}
