import type { Context, Output } from '../../context.ts';
import { type Wording, worded } from '../../domain/errors.ts';
import { grouped } from '../../domain/fields.ts';
import { commandsOf, ownedKindNames } from '../../domain/kinds.ts';
import { wrap } from './width.ts';

/** Control characters, bidi controls (UAX #9) and lone surrogates: they move the cursor or reorder a line. */
const UNSAFE =
  /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text with its control characters and bidi controls as escapes such as `\u001b`. */
export function escapeControls(text: string): string {
  return text.replace(
    UNSAFE,
    (character) => SHORT[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Data as a terminal may get it: control characters and bidi controls but line ends as escapes, which JSON reads as the
 * same value. Elsewhere, in files and pipes, the text itself.
 */
export function displayable(context: Context, text: string): string {
  return context.stdout.isTTY ? text.replace(/[^\r\n]+|\r(?!\n)/g, escapeControls) : text;
}

/** Writes a message, which is no data, to stderr; with --quiet nothing. */
export function say(context: Context, line: string): void {
  if (!context.quiet) sayAlways(context, line);
}

/** As `say`, with --quiet too: errors, losses, and what a question is about. */
export function sayAlways(context: Context, text: string): void {
  const fitted = fittedTo(context.stderr, text);
  if (context.paging) context.paging.say(fitted);
  else context.stderr.write(`${fitted}\n`);
}

/** A message wrapped for a terminal, as it is elsewhere. */
function fittedTo({ isTTY, columns: width }: Output, text: string): string {
  if (!isTTY || !width) return text;
  const lines = text.split('\n').flatMap((line) => wrap(line.trimStart(), { width }, line.search(/\S|$/)));
  return lines.join('\n');
}

/** Writes to stdout that something was done; with --quiet nothing. */
export function sayDone(context: Context, line: string): void {
  if (!context.quiet) printSentence(context, line);
}

/** Writes to stdout what a command found out, in words; with --quiet too. */
export const printSentence = (context: Context, line: string): void =>
  print(context, fittedTo(context.stdout, line));

/** Writes data to stdout as `displayable` says, with backpressure as `writeAll`. */
export function writeData(context: Context, pieces: Iterable<string>): Promise<void> {
  const shown = function* () {
    for (const piece of pieces) yield displayable(context, piece);
  };
  return writeAll(context.stdout, context.stdout.isTTY ? shown() : pieces);
}

/** The output file that means stdout. */
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

/** A word quoted for a shell. */
export function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Commands that take `--user` for the user whose records they are about, and not for a new owner. */
const OF_A_USER = new RegExp(
  `^(?:${[
    ...ownedKindNames.map(commandsOf).flatMap(({ one, add, many }) => [`${one} ${add}`, many]),
    ...['log (?:again|routine)', '(?:pain|trial)(?! (?:show|edit|rm|plan))'],
    ...['goal', 'summary', 'compare', 'report', 'exercises?', 'routine'],
  ].join('|')})(?= |$)(?!.* --user )`,
);

/**
 * A command line to go on with, such as `sciatica undo 12`, about the database that `--db` has named and, where there are several, the
 * user whom the command is about.
 */
export function commandLine(context: Context, words: string): string {
  const { db, user } = context;
  const isUnclear = user !== undefined && OF_A_USER.test(words) && context.store.users.count() > 1;
  return lineOf(words, isUnclear ? String(user) : undefined, db);
}

/** A command line to go on with after one that failed before its `--user` and `--db` were read. @param typed its words */
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

/** A message whose commands are about the database that `--db` has named. */
export const wordedFor = (context: Context, wording: Wording): string =>
  worded(wording, (words) => commandLine(context, words));

/** `1 log`, `2 logs`, `10,000 logs`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}
