import { CommanderError } from 'commander';
import type { Context } from '../../context.ts';
import { describeIssue, type ErrorCode, explained, SciaticaError } from '../../domain/errors.ts';
import { expectation } from '../../domain/field-kinds.ts';
import type { Field, Fields } from '../../domain/fields.ts';
import { commandsOf, kindNames, kindOf } from '../../domain/kinds.ts';
import { isDay } from '../../domain/words/day.ts';
import { ANY_DAY, isNoName, painIn } from '../../domain/words/pain-words.ts';
import { daysTaken, parseDay } from '../../domain/words/spoken-day.ts';
import { closest, didYouMean, suggestion } from '../../domain/words/suggest.ts';
import { errnoOf } from '../../lib/files.ts';
import { fileSystemError } from '../../store/sqlite/errors.ts';
import { damageIn } from '../../store/sqlite/verify.ts';
import { commandLineAs, escapeControls, quoted, sayAlways, wordedFor } from './io.ts';

export const INTERRUPTED = 130;

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

/** The error for a wrong command line. */
export function usage(message: string): SciaticaError {
  return new SciaticaError('invalid', message);
}

/**
 * Translates an error of the file system into a SciaticaError; returns other errors unchanged.
 * @param explain returns the code and the message for an error number such as ENOENT
 */
export function fileError(error: unknown, explain: (errno: string) => [ErrorCode, string]): unknown {
  const errno = errnoOf(error);
  if (error instanceof SciaticaError || errno === undefined) return error;
  const [code, message] = explain(errno);
  return explained(code, message, error);
}

/** The user has answered no to a confirmation. The message is printed, and the exit code is 1. */
export class Declined extends Error {}

/** An error that the command has already printed on stdout: it only determines the exit code. */
export class AlreadySaid extends Error {
  constructor(readonly error: SciaticaError) {
    super(error.message);
  }
}

/** A command line that failed. */
interface CommandLine {
  /** The full name of the command, to point to its help. */
  command: string;
  /** How it is called, such as `sciatica log show [options] <id>`. */
  usage: string;
  /** The flags that it takes. */
  flags: readonly string[];
  words: readonly string[];
}

/**
 * Reports an error on stderr.
 * @param thrown what the command threw
 * @returns the exit code
 */
export function report(context: Context, thrown: unknown, line: CommandLine): number {
  const error = fileSystemError(thrown);
  if (error instanceof CommanderError) return reportUsage(context, error, line);
  if (isInterrupt(error)) return INTERRUPTED;
  if (error instanceof Declined) {
    sayAlways(context, error.message);
    return 1;
  }
  if (error instanceof AlreadySaid) return exitCodes[error.error.code];
  if (context.env['DEBUG'] === 'sciatica') sayAlways(context, (error as Error)?.stack ?? String(error));
  if (error instanceof SciaticaError) {
    sayAlways(context, `sciatica: ${describeError(context, error)}`);
    return exitCodes[error.code];
  }
  const damage = damageIn(context.databasePath);
  if (damage !== undefined) {
    sayAlways(context, `sciatica: ${escapeControls(wordedFor(context, damage))}`);
    return exitCodes.damaged;
  }
  sayAlways(context, `sciatica: something unforeseen went wrong: ${describeError(context, error)}`);
  sayAlways(context, 'Run it again with DEBUG=sciatica in front to see where.');
  return 1;
}

/** The verbs, each with its names in other programs. */
const VERBS = {
  add: ['new', 'create', 'record'],
  show: ['view', 'get'],
  edit: ['change', 'update'],
  rm: ['delete', 'remove'],
  list: ['ls'],
} as const satisfies Record<string, readonly string[]>;

/** The verb that a word, or its synonym in another program, means. */
const verbOf = (word: string): string | undefined =>
  Object.entries<readonly string[]>(VERBS).find(
    ([verb, others]) => verb === word || others.includes(word),
  )?.[0];

/** The command that lists the records of each noun. */
const LISTS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    kindNames
      .filter((kind) => kindOf(kind).verbs.includes('list'))
      .map(commandsOf)
      .map(({ one, many }) => [one, many]),
  ),
  exercise: 'exercises',
  token: 'token ls',
};

/** The verbs of the nouns that lack some of them. */
const FEWER_VERBS: Readonly<Record<string, readonly string[]>> = {
  exercise: [],
  token: ['add', 'rm'],
  trial: ['add', 'show'],
};

/** Words that are not commands, and the command or flag that is suggested instead. */
const OTHERWISE: Readonly<Record<string, string>> = {
  version: '--version',
  tokens: 'token ls',
  note: 'log edit --notes',
  notes: 'logs',
  today: 'logs --since today',
  stats: 'summary',
};

/** The noun of a word: `log` for `log` and `logs`. */
const nounOf = (word: string | undefined): string | undefined =>
  Object.keys(LISTS).find((noun) => noun === word || LISTS[noun] === word);

/**
 * The command that was probably meant by an unknown one.
 * @param noun the group of `word`; empty if there is none
 * @param next the word after it, which may be the noun of a verb, as in `add user`; a verb without a noun is about logs
 */
function meantBy(noun: string, word: string, next?: string): string | undefined {
  if (noun === '' && Object.hasOwn(OTHERWISE, word)) return OTHERWISE[word];
  const verb = verbOf(word);
  const of = noun || (nounOf(next) ?? 'log');
  if (verb === 'list') return LISTS[of];
  return verb && (FEWER_VERBS[of]?.includes(verb) ?? of in LISTS) ? `${of} ${verb}` : undefined;
}

/** Commander also throws after --help and --version, with exit code 0, and after it has shown the help of a group. */
function reportUsage(context: Context, error: CommanderError, line: CommandLine): number {
  if (error.exitCode === 0 || error.code === 'commander.help') return 0;
  const message = reworded(error.message.replace(/^error: /, ''), line);
  sayAlways(context, `sciatica: ${escapeControls(message)}`);
  sayAlways(context, `See: ${line.command} --help`);
  return 2;
}

/** The flag, if it is among `flags`, of the field that an unknown flag probably means: `--after` for `--painAfter`. */
function flagOfField(name: string, flags: readonly string[]): string | undefined {
  const fields = kindNames.flatMap((kind): [string, Field][] => Object.entries(kindOf(kind).fields));
  const known = new Map(fields.filter(([, { flag }]) => flags.includes(`--${flag}`)));
  const meant = known.get(closest(name, known.keys()) ?? '');
  return meant && `--${meant.flag}`;
}

/** Rewords a message of commander in the style of the other errors, and adds suggestions. */
const reworded = (message: string, { command, usage, flags, words }: CommandLine): string =>
  message
    .replace(/\n\(Did you mean (.*)\?\)$/, ' (did you mean $1?)')
    .replace(
      /^too many arguments(?: for '(.*)')?\. Expected (\d+) arguments?.*$/s,
      (_, name: string, most: string) => {
        if (Number(most) === 0) {
          const behind = words.slice(words.indexOf(name) + 1);
          const meant = meantBy(nounOf(name) ?? name, behind[0] ?? '');
          const day = flags.includes('--since') && isDay(parseDay(behind.join(' '), ANY_DAY, 'first'));
          const right = meant
            ? commandLineAs(words, meant)
            : day
              ? `--since ${quoted(behind.join(' '))}`
              : undefined;
          return `${name} takes no words after it${suggestion(right)}`;
        }
        return `${name} takes ${most} word${most === '1' ? '' : 's'} only (quote a name with spaces). Usage: ${usage}`;
      },
    )
    .replace(
      /^missing required argument '(.*)'$/,
      (_, name: string) => `<${name}> is missing. Usage: ${usage}`,
    )
    .replace(/^required option '(--[\w-]+) (.*)' not specified$/, '$1 is missing: say $1 $2')
    .replace(/^option '(?:-\w, )?(--[\w-]+) (.*)' argument missing$/, '$1 needs a value: $1 $2')
    .replace(
      /^option '(--[\w-]+).*' cannot be used with option '(--[\w-]+).*'$/,
      '$1 and $2 cannot both be given',
    )
    .replace('Allowed choices are ', 'It must be one of ')
    .replace(
      /^option '(?:-\w, )?(--[\w-]+).*' argument '(.*)' is invalid\. It must be (.*)\.$/s,
      "$1 must be $3, not '$2'",
    )
    .replace(
      /^command-argument value '(.*)' is invalid for argument '(.*)'\. It must be (.*)\.$/s,
      "<$2> must be $3, not '$1'",
    )
    .replace(
      /^(unknown command '(.*?)')( \(did you mean .*)?$/s,
      (all, unknown: string, word: string, similar = '') => {
        const noun = command.replace(/^sciatica ?/, '');
        const said = words.slice(words.indexOf(word));
        const meant =
          /^\d+$/.test(word) && noun !== 'log' && noun in LISTS
            ? `${noun} show ${word}`
            : meantBy(noun, word, said[1]);
        if (meant) return `there is no command '${word}' here (did you mean ${commandLineAs(words, meant)}?)`;
        if (painIn([word]).levels.length > 0 || (noun === 'log' && isNoName(word)))
          return `${word} is no command. To record an exercise: ${commandLineAs(words, 'log add NAME 6 4')}. The last one once more: ${commandLineAs(words, 'log again 6 4')}`;
        const flags = said.findIndex((each) => /^--(user|db)\b/.test(each));
        const spoken = flags < 0 ? said : said.slice(0, flags);
        const isSession = painIn(spoken).levels.length === 2;
        // A word similar to a command is a mistyped command, not an exercise.
        const isName =
          noun === '' ? isSession && !/log|pain|trial/.test(similar) : noun === 'log' && !similar;
        const session = (isSession ? spoken : [word, '6', '4']).map(quoted).join(' ');
        return isName
          ? `${unknown} (to record an exercise: ${commandLineAs(words, `log add ${session}`)})`
          : `${all}${similar || noun ? '' : didYouMean(word, ['help'])}`;
      },
    )
    .replace(
      /^unknown option '(--(format|json|csv))(?:=(.*?))?'.*$/s,
      (all, flag: string, name: string, format = words[words.indexOf(flag) + 1]) => {
        const [meant, value] = name === 'format' ? [`--${format}`, ''] : ['--format', ` ${name}`];
        return flags.includes(meant) ? `unknown option '${flag}' (did you mean ${meant}${value}?)` : all;
      },
    )
    .replace(
      /^unknown option '--([\w-]{1,40}).*'$/s,
      (all, name: string) => `${all}${suggestion(flagOfField(name, flags))}`,
    )
    .replace(/^unknown option '(?:-y|-r?f|--force)'$/, (all) =>
      flags.includes('--yes') ? `${all} (did you mean --yes?)` : all,
    )
    .replace(/^unknown option '-v'.*$/, "unknown option '-v' (did you mean -V?)")
    .replace(
      /^unknown option '.*'$/s,
      // The options of a group belong after its subcommand.
      usage.endsWith(' [command]') ? '$& (the options of a command come after it)' : '$&',
    );

/** Whether a prompt was aborted, as by Ctrl-C or Ctrl-D. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Error && /^(ExitPromptError|AbortPromptError|AbortError)$/.test(error.name);
}

/** The message of an error for the user, with all issues, control characters escaped. */
export function describeError(context: Context, error: unknown): string {
  if (!(error instanceof SciaticaError))
    return escapeControls(error instanceof Error ? error.message : String(error));
  const { wording, issues } = error;
  if (issues.length === 0) return escapeControls(wordedFor(context, wording));
  const lines = issues.map((issue) => escapeControls(describeIssue(issue)));
  if (lines.length === 1) return lines.join('');
  return [`${lines.length} values are missing or wrong:`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/**
 * Runs `work`, and rewrites its validation error so that the issues name flags instead of fields.
 * @param words messages by field that replace those of the issues
 * @throws the rewritten error; any other error of `work` unchanged
 */
export function namingFlags<T>(
  fields: Fields,
  work: () => T,
  words: Readonly<Record<string, string>> = {},
): T {
  try {
    return work();
  } catch (error) {
    throw inFlags(error, fields, words);
  }
}

/** An error rewritten as by `namingFlags`, for asynchronous work. @param words as for `namingFlags` */
export function inFlags(
  error: unknown,
  fields: Fields,
  words: Readonly<Record<string, string>> = {},
): unknown {
  if (!(error instanceof SciaticaError) || error.code !== 'invalid') return error;
  return new SciaticaError(
    error.code,
    error.message,
    error.issues.map(({ field, message }) => ({
      field: flagOf(fields, field),
      message: words[field] ?? typed(fields[field], message),
    })),
  );
}

/** Adds to a fault of a day the words for days that flags accept: the schema only knows YYYY-MM-DD. */
function typed(field: Field | undefined, message: string): string {
  // A boolean is set by a pair of flags, which take no value.
  if (field?.kind === 'boolean') return message.replace(': it must be true or false', '');
  const isOfDay = field?.kind === 'date' && message.endsWith(expectation(field));
  return isOfDay ? `${message}, or ${daysTaken(field)}` : message;
}

function flagOf(fields: Fields, name: string): string {
  const field = fields[name];
  if (!field) return name === 'sort' ? '--sort' : name;
  return field.kind === 'boolean' ? `--${field.flag} or --no-${field.flag}` : `--${field.flag}`;
}
