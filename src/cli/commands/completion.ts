import { existsSync } from 'node:fs';
import { Argument, type Command, type Option } from 'commander';
import type { Context } from '../../context.ts';
import { timesOfDay } from '../../domain/day-pain.ts';
import { commandsOf, kindNames, type OwnedKindName } from '../../domain/kinds.ts';
import { logFields } from '../../domain/log.ts';
import { comparators, trialFields } from '../../domain/trial.ts';
import type { Records } from '../../store/records/records.ts';
import type { Store } from '../../store/store.ts';
import type { Command as OwnCommand } from '../input/command.ts';
import { resolveUser } from '../input/resolve-user.ts';
import { WhereOption } from '../input/where.ts';
import { escapeControls } from '../terminal/io.ts';
import { describe, summaryOfRoutine } from '../views/records.ts';

export function addCompletionCommand(program: OwnCommand, context: Context): void {
  program
    .command('completion')
    .summary('Print the script that completes commands in a shell')
    .description('Print the script that lets a shell complete commands, flags, exercises and users.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .examples(
      'source <(sciatica completion bash)          # in ~/.bashrc',
      'source <(sciatica completion zsh)           # in ~/.zshrc',
      'sciatica completion fish | source           # in config.fish',
    )
    .action((shell: string) => {
      context.stdout.write(scripts[shell] ?? '');
    });
}

/**
 * The scripts that shells load. They pass the typed line and receive the candidates as data, and never evaluate either.
 * Loading one a second time changes nothing.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `# Completion of sciatica for bash: source <(sciatica completion bash)
_sciatica() {
  local line first=1
  COMPREPLY=()
  while IFS= read -r line; do
    if [ -z "$first" ]; then
      COMPREPLY+=("$line")
    elif [ "$line" = files ]; then
      compopt -o default 2>/dev/null
      return
    else
      first=
    fi
  done < <(sciatica complete bash "\${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
}
complete -F _sciatica sciatica
`,
  zsh: `# Completion of sciatica for zsh: source <(sciatica completion zsh)
_sciatica() {
  local line
  local -a lines values shown
  lines=("\${(@f)$(sciatica complete zsh -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  if [[ \${lines[1]} == files ]]; then
    [[ $PREFIX == -*=* ]] && compset -P '*='
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${\${line/$'\\t'/  -- }%  -- }")
  done
  (( $#values )) && compadd -V sciatica -M 'm:{[:lower:]}={[:upper:]}' -l -d shown -a values
}
_sciatica_register() {
  precmd_functions=(\${precmd_functions:#_sciatica_register})
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
  compdef _sciatica sciatica
}
# At the first prompt, because compinit, wherever it stands in .zshrc, forgets what was registered before it.
precmd_functions=(\${precmd_functions:#_sciatica_register} _sciatica_register)
`,
  fish: `# Completion of sciatica for fish: sciatica completion fish | source
function __sciatica_complete
    set -l lines (sciatica complete fish (commandline -cp) 2>/dev/null)
    if test "$lines[1]" = files
        __fish_complete_path (commandline -ct)
    else if test (count $lines) -gt 1
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c sciatica -e
complete -c sciatica -f -k -a '(__sciatica_complete)'
`,
};

/**
 * Prints the completions of the word at the cursor for the scripts of `sciatica completion`: a line `files` or `words`,
 * then a line for each candidate, with a tab before its description (not for bash).
 * @param argv the shell, then its input: for bash the line up to the cursor and COMP_WORDBREAKS, for fish that line, for
 *   zsh the words after `sciatica`, of which the last is the one at the cursor
 */
export async function complete(context: Context, program: Command, argv: readonly string[]): Promise<void> {
  const [shell, ...said] = argv;
  const [line = '', breaks = ''] = shell === 'bash' ? said : [said.join('\n')];
  const typed = wordsOf(line, breaks);
  const words = shell === 'zsh' ? said.slice(said[0] === '--' ? 1 : 0) : argumentsOf(typed);
  const completion = await completionOf(context, program, words.length > 0 ? words : ['']);
  const last = typed.at(-1);
  const shown = ({ value, description }: Candidate) => {
    if (shell !== 'bash' || !last) return [`${value}\t${description}`];
    const text = forBash(value, last);
    return text === undefined ? [] : [text];
  };
  const lines = completion === 'files' ? ['files'] : ['words', ...completion.flatMap(shown)];
  context.stdout.write(`${lines.join('\n')}\n`);
}

/** The words after the name of the command, which may follow assignments of variables. */
function argumentsOf(typed: ReturnType<typeof wordsOf>): string[] {
  const texts = typed.map(({ text }) => text);
  return texts.slice(texts.findIndex((text) => !/^\w+=/.test(text)) + 1);
}

interface Candidate {
  value: string;
  description: string;
}

/** The completions of a word; `files` if the shell is to complete file names. */
type Completion = Candidate[] | 'files';

/** Returns the records that can be meant. @param userId the user of the command line; undefined if that is not clear */
type Source = (context: Context, userId: number | undefined) => Candidate[] | Promise<Candidate[]>;

/** Maximum number of records offered, and of users. */
const OFFERED = 20;
const MOST_USERS = 100;

/**
 * The completions of the last of the words after `sciatica`. Creates no database; one that cannot be read gives no
 * candidates, because the command itself will report it.
 */
async function completionOf(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<Completion> {
  const { command, path, pending, args, onlyArguments, user } = read(context, program, words.slice(0, -1));
  const word = words.at(-1) ?? '';
  const completion = async (): Promise<Completion> => {
    if (!command) return [];
    if (pending) return optionValues(context, pending, user);
    const [flag, value] = flagIn(word);
    if (!onlyArguments && flag.startsWith('-') && value !== undefined) {
      const option = optionNamed(program, command, flag);
      const values = option ? await optionValues(context, option, user) : [];
      if (values === 'files') return values;
      return values.map((found) => ({ ...found, value: `${flag}=${found.value}` }));
    }
    if (!onlyArguments && word.startsWith('-')) return flagsOf(command);
    return command.commands.length > 0
      ? subcommandsOf(command)
      : argumentValues(context, command, path, args, user);
  };
  const found = await completion();
  if (found === 'files') return found;
  return found
    .filter(({ value }) => startsAlike(value, word) && escapeControls(value) === value)
    .map(({ value, description }) => ({ value, description: escapeControls(description) }));
}

/** Parses the words before the one at the cursor, as commander would. */
function read(context: Context, program: Command, words: readonly string[]) {
  const reading = {
    /** Undefined after an unknown command. */
    command: program as Command | undefined,
    path: '',
    /** The flag whose value is the next word. */
    pending: undefined as Option | undefined,
    args: [] as string[],
    /** After `--`. */
    onlyArguments: false,
    /** The value of `--user`. */
    user: undefined as string | undefined,
  };
  const take = (option: Option | undefined, value: string) => {
    if (option?.long === '--db') context.db = value;
    if (option?.long === `--${logFields.userId.flag}`) reading.user = value;
  };
  for (const word of words) {
    const { command, pending } = reading;
    if (!command) break;
    if (pending) {
      take(pending, word);
      reading.pending = undefined;
    } else if (word === '--') reading.onlyArguments = true;
    else if (word.startsWith('-') && !reading.onlyArguments) {
      const [flag, value] = flagIn(word);
      const option = optionNamed(program, command, flag);
      if (option?.required && value === undefined) reading.pending = option;
      if (value) take(option, value);
    } else if (command.commands.length > 0) {
      const child = command.commands.find((one) => one.name() === word);
      // In a group that takes words itself, such as `pain`, they belong to `add`.
      const isOwnWord = !child && command.registeredArguments.length > 0;
      reading.command = isOwnWord ? command.commands.find((one) => one.name() === 'add') : child;
      reading.path = `${reading.path} ${isOwnWord ? 'add' : word}`.trim();
      if (isOwnWord) reading.args.push(word);
    } else reading.args.push(word);
  }
  return reading;
}

/** `--db=FILE` as the flag and its value, which is undefined without an equals sign. */
function flagIn(word: string): [flag: string, value: string | undefined] {
  const end = word.indexOf('=');
  return end < 0 ? [word, undefined] : [word.slice(0, end), word.slice(end + 1)];
}

const optionNamed = (program: Command, command: Command, flag: string): Option | undefined =>
  [...command.options, ...program.options].find(({ long, short }) => long === flag || short === flag);

const subcommandsOf = (command: Command): Candidate[] =>
  command.commands.map((child) => ({ value: child.name(), description: child.summary() }));

function flagsOf(command: Command): Candidate[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return options.flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

const words = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: '' }));

async function optionValues(context: Context, option: Option, user: string | undefined): Promise<Completion> {
  if (option.flags.includes('<file>')) return 'files';
  if (option.argChoices) return words(option.argChoices);
  if (option instanceof WhereOption) return words(option.beginnings);
  if (option.flags.includes('<day>')) return words(['today', 'yesterday']);
  return fromStore(context, flagSources[option.name()], user);
}

async function argumentValues(
  context: Context,
  command: Command,
  path: string,
  args: readonly string[],
  user: string | undefined,
): Promise<Completion> {
  const all = command.registeredArguments;
  const argument: Argument | undefined = all[args.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (!argument) return [];
  if (argument.argChoices) return words(argument.argChoices);
  if (argument.name() === 'file') return 'files';
  const sources = argumentSources[path] ?? [];
  return fromStore(context, sources[Math.min(args.length, sources.length - 1)], user);
}

async function fromStore(
  context: Context,
  source: Source | undefined,
  user: string | undefined,
): Promise<Candidate[]> {
  try {
    if (!source || !existsSync(context.databasePath)) return [];
    context.quiet = true;
    return await source(context, resolveUser(context, user));
  } catch {
    return [];
  }
}

/** Candidates among one user's records. If the user is not clear, there are none, so that nobody else's are revealed. */
const own =
  (find: (store: Store, userId: number) => Candidate[]): Source =>
  ({ store }, userId) =>
    userId === undefined ? [] : find(store, userId);

const exerciseNames = own(({ logs }, userId) =>
  logs
    .exercises(userId)
    .map(({ exerciseName, exerciseType }) => ({ value: exerciseName, description: exerciseType })),
);

const comparedWith: Source = async (context, userId) => [
  ...words(comparators.slice(1)),
  ...(await exerciseNames(context, userId)),
];

const userIds: Source = ({ store }) =>
  store.users
    .list({ limit: MOST_USERS })
    .map((user) => ({ value: String(user.id), description: describe('user', user) }));

const idsOf = (kind: OwnedKindName): Source =>
  own((store, userId) => {
    const records: Records<OwnedKindName> = store.of(kind);
    return records
      .list({ userId, sort: kind === 'log' ? '-date,-id' : '-id', limit: OFFERED })
      .map((record) => ({ value: String(record.id), description: describe(kind, record) }));
  });

const routineNames = own(({ routines }, userId) =>
  routines
    .list({ userId })
    .map((routine) => ({ value: routine.name, description: summaryOfRoutine(routine) })),
);

const times: Source = () => words(timesOfDay);

const changes: Source = async ({ store }, userId) => {
  if (userId === undefined) return [];
  const { describeEntry } = await import('../views/history.ts');
  const entries = store.history.list({ user: userId, limit: OFFERED });
  return entries
    .filter(({ change }, i) => entries[i - 1]?.change !== change)
    .map((entry) => ({ value: String(entry.change), description: describeEntry(entry) }));
};

const tokens: Source = ({ store }) =>
  store.tokens
    .list()
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ name, role }) => ({ value: name, description: role }));

const remotes: Source = ({ store }) =>
  store.remotes.list().map(({ name, url }) => ({ value: name, description: url }));

/** The candidates for flags whose values are records, by the name of the flag. */
const flagSources: Readonly<Record<string, Source>> = {
  [logFields.exerciseName.flag]: exerciseNames,
  [logFields.userId.flag]: userIds,
  [trialFields.against.flag]: comparedWith,
  as: userIds,
  into: userIds,
  log: idsOf('log'),
};

/** The candidates for each argument of a command; the last ones also apply to all further arguments. */
const argumentSources: Readonly<Record<string, readonly (Source | undefined)[]>> = {
  ...Object.fromEntries(
    kindNames.flatMap((kind) =>
      ['show', 'edit', 'rm'].map((verb) => [
        `${commandsOf(kind).one} ${verb}`,
        [kind === 'user' ? userIds : idsOf(kind)],
      ]),
    ),
  ),
  'log add': [exerciseNames, undefined],
  'log again': [exerciseNames, undefined],
  'log routine': [routineNames],
  'exercise rename': [exerciseNames],
  'trial start': [exerciseNames],
  'pain add': [undefined, times, undefined],
  'routine add': [undefined, exerciseNames],
  'routine show': [routineNames],
  'routine edit': [routineNames, exerciseNames],
  'routine rm': [routineNames],
  'user erase': [userIds],
  'user merge': [userIds],
  'user use': [userIds],
  'token rm': [tokens],
  sync: [remotes],
  'remote rm': [remotes],
  'remote key': [remotes],
  undo: [changes],
};

/** The words of a command line that is being typed, as the shell will read them. Nothing is expanded or run. */

interface TypedWord {
  /** The word without its quotes. */
  text: string;
  /** As it was typed. */
  raw: string;
  /** The quote that is still open at its end. */
  quote: "'" | '"' | '';
  /** Index in `raw` of the part that bash treats as the word: after the last unquoted character of COMP_WORDBREAKS. */
  part: number;
}

/**
 * Splits a line, up to the cursor, into words.
 * @param breaks COMP_WORDBREAKS of bash
 * @returns at least one: the last is the word at the cursor, which may be empty
 */
export function wordsOf(line: string, breaks = ''): TypedWord[] {
  const words: TypedWord[] = [];
  const empty: TypedWord = { text: '', raw: '', quote: '', part: 0 };
  let word = { ...empty };
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (word.quote === '' && /\s/.test(character)) {
      if (word.raw !== '') words.push(word);
      word = { ...empty };
      continue;
    }
    word.raw += character;
    if (character === '\\' && word.quote !== "'") {
      i++;
      word.raw += line.charAt(i);
      // In double quotes a backslash is literal, except before these (POSIX Shell 2.2.3).
      const isEscape = word.quote === '' || /["\\$`]/.test(line.charAt(i));
      word.text += isEscape ? line.charAt(i) : `\\${line.charAt(i)}`;
    } else if (character === word.quote) word.quote = '';
    else if (word.quote === '' && (character === "'" || character === '"')) word.quote = character;
    else {
      word.text += character;
      if (word.quote === '' && breaks.includes(character)) word.part = word.raw.length;
    }
  }
  return [...words, word];
}

/**
 * The text with which bash replaces the part of the word at the cursor that it treats as the word: after an open quote,
 * or after the last character of COMP_WORDBREAKS.
 * @returns the rest of the value, quoted to fit; undefined if the value does not begin as the word does
 */
export function forBash(value: string, word: TypedWord): string | undefined {
  if (word.quote !== '') {
    const start = word.raw.lastIndexOf(word.quote) + 1;
    const before = wordsOf(word.raw.slice(0, start - 1))[0]?.text ?? '';
    return startsAlike(value, before) ? quotedIn(value.slice(before.length), word.quote) : undefined;
  }
  const before = wordsOf(word.raw.slice(0, word.part))[0]?.text ?? '';
  return startsAlike(value, before) ? escaped(value.slice(before.length)) : undefined;
}

const startsAlike = (value: string, start: string): boolean =>
  value.toLowerCase().startsWith(start.toLowerCase());

function quotedIn(value: string, quote: string): string {
  return quote === "'" ? value.replaceAll("'", "'\\''") : value.replace(/["\\$`]/g, '\\$&');
}

/** A backslash before each character that could mean something to the shell. */
const escaped = (value: string): string => value.replace(/[^\p{L}\p{N}\p{M}_./,+@%-]/gu, '\\$&');
