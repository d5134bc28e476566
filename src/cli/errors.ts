import { CommanderError } from 'commander';
import type { Context } from '../context.ts';
import { describeIssue, type ErrorCode, SciaticaError } from '../domain/errors.ts';
import type { Field, Fields } from '../domain/fields.ts';
import { escapeControls, say } from './output/io.ts';

export const INTERRUPTED = 130;

/** What a person may type for a day besides the day itself. */
export const DAYS = 'today, yesterday, -3d';

const exitCodes: Readonly<Record<ErrorCode, number>> = {
  invalid: 2,
  'not-found': 3,
  conflict: 4,
  stale: 4,
  outdated: 4,
  busy: 1,
  full: 1,
  unusable: 1,
  damaged: 1,
  gone: 1,
  uncertain: 1,
};

/** A command that cannot be carried out as it was typed. */
export function usage(message: string): SciaticaError {
  return new SciaticaError('invalid', message);
}

/** The person said no. */
export class Declined extends Error {}

/**
 * Tells the person what went wrong, on stderr.
 * @param command the command that was typed, for a pointer to its help
 * @returns the exit code
 */
export function report(context: Context, error: unknown, command: string): number {
  if (error instanceof CommanderError) return reportUsage(context, error, command);
  if (isInterrupt(error)) return INTERRUPTED;
  if (error instanceof Declined) {
    say(context, error.message);
    return 1;
  }
  if (context.env['DEBUG'] === 'sciatica') say(context, (error as Error)?.stack ?? String(error));
  if (error instanceof SciaticaError) {
    say(context, `sciatica: ${described(error)}`);
    return exitCodes[error.code];
  }
  const message = error instanceof Error ? error.message : String(error);
  say(context, `sciatica: something unforeseen went wrong: ${escapeControls(message)}`);
  say(context, 'Run it again with DEBUG=sciatica in front to see where.');
  return 1;
}

/** Commander throws for --help and --version too, with exit code 0; a group without a verb has shown its help. */
function reportUsage(context: Context, error: CommanderError, command: string): number {
  if (error.exitCode === 0 || error.code === 'commander.help') return 0;
  const message = error.message
    .replace(/^error: /, '')
    .replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)')
    .replace(
      /^command-argument value '(.*)' is invalid for argument '(.*)'\. Allowed choices are (.*)\.$/s,
      "$2 must be one of $3, not '$1'",
    );
  say(context, `sciatica: ${escapeControls(message)}`);
  say(context, `See: ${command} --help`);
  return 2;
}

/** What the prompts throw when Ctrl-C ends them. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && /^(ExitPromptError|AbortPromptError|AbortError)$/.test(error.name);
}

function described({ message, issues }: SciaticaError): string {
  if (issues.length === 0) return escapeControls(message);
  const lines = issues.map((issue) => escapeControls(describeIssue(issue)));
  if (lines.length === 1) return lines.join('');
  return [`${lines.length} values are missing or wrong:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/**
 * Runs `work`; the faults it finds name the flags that the person typed instead of the fields.
 * @param words other words for the fault of a field
 * @throws what `work` threw
 */
export function namingFlags<T>(
  fields: Fields,
  work: () => T,
  words: Readonly<Record<string, string>> = {},
): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SciaticaError) || error.code !== 'invalid') throw error;
    throw new SciaticaError(
      error.code,
      error.message,
      error.issues.map(({ field, message }) => ({
        field: flagOf(fields, field),
        message: words[field] ?? typed(fields[field], message),
      })),
    );
  }
}

/** On a command line a day has more forms than in a record. */
function typed(field: Field | undefined, message: string): string {
  return field?.kind === 'date' ? `${message}, or ${DAYS}` : message;
}

function flagOf(fields: Fields, name: string): string {
  const field = fields[name];
  if (!field) return name === 'sort' ? '--sort' : name;
  return field.kind === 'boolean' ? `--${field.flag} or --no-${field.flag}` : `--${field.flag}`;
}
