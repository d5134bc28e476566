import type { Context, Output } from '../../context.ts';
import { type Wording, worded } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { commandsOf, ownedKindNames } from '../../domain/kinds.ts';
import { wrap } from './width.ts';

/** Control characters, bidi controls (UAX #9) and lone surrogates: they move the cursor or reorder a line. */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Escapes control characters, bidi controls and lone surrogates, such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Escapes data for a terminal as `escapeControls` does, except line ends; a JSON parser reads the escapes as the same
 * values. For files and pipes, returns the text unchanged.
 */
export function displayable(context: Context, text: string): string {
  return context.stdout.isTTY ? text.replace(/[^\r\n]+|\r(?!\n)/g, escapeControls) : text;
}

/** Writes a message to stderr, because it is not data; with `--quiet`, nothing. */
export function say(context: Context, line: string): void {
  if (!context.quiet) sayAlways(context, line);
}

/** As `say`, but also with `--quiet`: errors, lost data, and what the user is about to confirm. */
export function sayAlways(context: Context, text: string): void {
  const fitted = fittedTo(context.stderr, text);
  if (context.paging) context.paging.say(fitted);
  else context.stderr.write(`${fitted}\n`);
}

/** Wraps a message to the width of a terminal; for files and pipes, returns it unchanged. */
function fittedTo({ isTTY, columns: width }: Output, text: string): string {
  if (!isTTY || !width) return text;
  const lines = text.split('\n').flatMap((line) => wrap(line.trimStart(), { width }, line.search(/\S|$/)));
  return lines.join('\n');
}

/** Writes the confirmation of a change to stdout; with `--quiet`, nothing. */
export function sayDone(context: Context, line: string): void {
  if (!context.quiet) printSentence(context, line);
}

/** Writes the result of a command as a sentence to stdout, also with `--quiet`. */
export const printSentence = (context: Context, line: string): void =>
  print(context, fittedTo(context.stdout, line));

/** Writes data to stdout, escaped by `displayable`, with the backpressure of `writeAll`. */
export function writeData(context: Context, pieces: Iterable<string>): Promise<void> {
  const shown = function* () {
    for (const piece of pieces) yield displayable(context, piece);
  };
  return writeAll(context.stdout, context.stdout.isTTY ? shown() : pieces);
}

/** The name of an output file that stands for stdout. */
export const STDOUT = '-';

/** Writes a line of data to stdout. */
export function print(context: Context, line: string): void {
  context.stdout.write(`${line}\n`);
}

/**
 * Writes pieces with backpressure. Between pieces the event loop runs, so that Ctrl-C and a closed pipe are noticed
 * at once. Stops without an error when the reader has closed the pipe.
 */
export async function writeAll(output: Output, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    if (output.destroyed) return;
    if (output.write(piece)) await new Promise((resolve) => setImmediate(resolve));
    else await drained(output);
  }
}

/** Resolves when the stream can take more, or has ended. */
function drained(output: Output): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of ['drain', 'close', 'error']) output.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) output.on(event, done);
  });
}

/** Quotes a word for a POSIX shell, unless it needs no quotes. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Command lines without `--user` that accept it to select whose records they are about, not to set a new owner. */
const OF_A_USER = new RegExp(
  `^(?:${[
    ...ownedKindNames.map(commandsOf).flatMap(({ one, add, many }) => [`${one} ${add}`, many]),
    ...['log (?:again|routine)', '(?:pain|trial)(?! (?:show|edit|rm|plan))'],
    ...['goal', 'summary', 'compare', 'report', 'exercises?', 'routine'],
  ].join('|')})(?= |$)(?!.* --user )`,
);

/**
 * A command line to suggest in a message, such as `sciatica undo 12`. It repeats `--db` and, if the database has several
 * users and the suggested command depends on one, names the user of the running command.
 */
export function commandLine(context: Context, words: string): string {
  const { db, user } = context;
  const isUnclear = user !== undefined && OF_A_USER.test(words) && context.store.users.count() > 1;
  return lineOf(words, isUnclear ? String(user) : undefined, db);
}

/** As `commandLine`, for a command that failed before its `--user` and `--db` were parsed. @param typed its arguments */
export function commandLineAs(typed: readonly string[], words: string): string {
  const given = (flag: string) => {
    const at = typed.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
    return at < 0 ? undefined : typed[at]?.slice(`${flag}=`.length) || typed[at + 1];
  };
  return lineOf(words, OF_A_USER.test(words) ? given('--user') : undefined, given('--db'));
}

function lineOf(words: string, user: string | undefined, db: string | undefined): string {
  const flags = Object.entries({ user, db }).flatMap(([name, value]) =>
    value ? [`--${name}`, quoted(escapeControls(value))] : [],
  );
  return ['sciatica', words, ...flags].join(' ');
}

/** Renders a message; `commandLine` completes the commands in it. */
export const wordedFor = (context: Context, wording: Wording): string =>
  worded(wording, (words) => commandLine(context, words));

/** `1 log`, `2 logs`, `10,000 logs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
