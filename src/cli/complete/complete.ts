import { existsSync } from 'node:fs';
import type { Argument, Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { type KindName, kindNames, kindOf } from '../../domain/kinds.ts';
import { logFields } from '../../domain/log.ts';
import type { Paging } from '../../domain/sort.ts';
import { WhereOption } from '../input/where.ts';
import { escapeControls } from '../terminal/io.ts';
import { describe, summaryOfRoutine } from '../views/records.ts';
import { forBash, startsAlike, wordsOf } from './shell-words.ts';

/**
 * Prints what the word at the cursor can become, for the scripts of `sciatica completion`: a line `files` or `words`,
 * then a line for each candidate, a tab between it and its description.
 * @param argv the shell, then what it knows: bash the line up to the cursor and COMP_WORDBREAKS, fish the line, zsh the
 *   words after `sciatica`, the last of them the one at the cursor
 */
export async function complete(context: Context, program: Command, argv: readonly string[]): Promise<void> {
  const [shell, ...said] = argv;
  const [line = '', breaks = ''] = shell === 'bash' ? said : [said.join('\n')];
  const typed = wordsOf(line);
  const words = shell === 'zsh' ? said.slice(said[0] === '--' ? 1 : 0) : argumentsOf(typed);
  const { files, candidates } = await completionOf(context, program, words.length > 0 ? words : ['']);
  const last = typed.at(-1);
  const shown = ({ value, description }: Candidate) => {
    if (shell !== 'bash' || !last) return [`${value}\t${description}`];
    const text = forBash(value, last, breaks);
    return text === undefined ? [] : [text];
  };
  const lines = [files ? 'files' : 'words', ...candidates.flatMap(shown)];
  context.stdout.write(`${lines.join('\n')}\n`);
}

/** The words after the command itself, before which variables can be set. */
function argumentsOf(typed: ReturnType<typeof wordsOf>): string[] {
  const texts = typed.map(({ text }) => text);
  return texts.slice(texts.findIndex((text) => !/^\w+=/.test(text)) + 1);
}

interface Candidate {
  value: string;
  description: string;
}

/** What a word can become. */
interface Completion {
  /** The shell completes the names of files. */
  files: boolean;
  candidates: Candidate[];
}

type Source = (context: Context) => Candidate[] | Promise<Candidate[]>;

const FILES: Completion = { files: true, candidates: [] };
/** Records offered where they are many. */
const OFFERED = 20;

/**
 * The completions of the last of the words after `sciatica`. It creates no database, and a database that cannot be read
 * has no candidates: the command itself reports it.
 */
async function completionOf(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<Completion> {
  const { command, path, pending, args, onlyArguments } = read(context, program, words.slice(0, -1));
  const word = words.at(-1) ?? '';
  const completion = async (): Promise<Completion> => {
    if (!command) return { files: false, candidates: [] };
    if (pending) return optionValues(context, pending);
    const [flag = '', value] = word.split('=', 2);
    if (!onlyArguments && flag.startsWith('-') && value !== undefined) {
      const option = optionNamed(program, command, flag);
      if (!option) return { files: false, candidates: [] };
      const { files, candidates } = await optionValues(context, option);
      return {
        files,
        candidates: candidates.map((found) => ({ ...found, value: `${flag}=${found.value}` })),
      };
    }
    if (!onlyArguments && word.startsWith('-')) return { files: false, candidates: flagsOf(command) };
    return command.commands.length > 0
      ? { files: false, candidates: subcommandsOf(command) }
      : argumentValues(context, command, path, args);
  };
  const { files, candidates } = await completion();
  const fits = ({ value }: Candidate) => startsAlike(value, word) && escapeControls(value) === value;
  return {
    files,
    candidates: candidates
      .filter(fits)
      .map(({ value, description }) => ({ value, description: escapeControls(description) })),
  };
}

interface Reading {
  /** Undefined after a word that is no command. */
  command: Command | undefined;
  path: string;
  /** The flag whose value is next. */
  pending: Option | undefined;
  args: string[];
  /** After `--`. */
  onlyArguments: boolean;
}

/** Reads the words before the one at the cursor, as commander would. */
function read(context: Context, program: Command, words: readonly string[]): Reading {
  const reading: Reading = { command: program, path: '', pending: undefined, args: [], onlyArguments: false };
  for (const word of words) {
    const { command, pending } = reading;
    if (!command) break;
    if (pending) {
      if (pending.long === '--db') context.db = word;
      reading.pending = undefined;
    } else if (word === '--') reading.onlyArguments = true;
    else if (word.startsWith('-') && !reading.onlyArguments) {
      const [flag = '', value] = word.split('=', 2);
      const option = optionNamed(program, command, flag);
      if (option?.required && value === undefined) reading.pending = option;
      if (option?.long === '--db' && value) context.db = value;
    } else if (command.commands.length > 0) {
      reading.command = command.commands.find((child) => child.name() === word);
      reading.path = `${reading.path} ${word}`.trim();
    } else reading.args.push(word);
  }
  return reading;
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

async function optionValues(context: Context, option: Option): Promise<Completion> {
  if (option.flags.includes('<file>')) return FILES;
  if (option.argChoices) return { files: false, candidates: words(option.argChoices) };
  if (option instanceof WhereOption) return { files: false, candidates: words(option.beginnings) };
  if (option.flags.includes('<day>')) return { files: false, candidates: words(['today', 'yesterday']) };
  return fromStore(context, flagSources[option.name()]);
}

async function argumentValues(
  context: Context,
  command: Command,
  path: string,
  args: readonly string[],
): Promise<Completion> {
  const all = command.registeredArguments;
  const argument: Argument | undefined = all[args.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (!argument) return { files: false, candidates: [] };
  if (argument.argChoices) return { files: false, candidates: words(argument.argChoices) };
  if (argument.name() === 'file') return FILES;
  const sources = argumentSources[path] ?? [];
  return fromStore(context, sources[Math.min(args.length, sources.length - 1)]);
}

async function fromStore(context: Context, source: Source | undefined): Promise<Completion> {
  try {
    const candidates = source && existsSync(context.databasePath) ? await source(context) : [];
    return { files: false, candidates };
  } catch {
    return { files: false, candidates: [] };
  }
}

const exerciseNames: Source = ({ store }) =>
  store.logs
    .exercises()
    .map(({ exerciseName, exerciseType }) => ({ value: exerciseName, description: exerciseType }));

/** Which records of a kind are offered, where not the last that were added. */
const offered: { readonly [K in KindName]?: Paging } = {
  user: { limit: 100 },
  log: { sort: '-date,-id', limit: OFFERED },
};

const idsOf =
  (kind: KindName): Source =>
  ({ store }) =>
    store
      .of(kind)
      .list(offered[kind] ?? { sort: '-id', limit: OFFERED })
      .map((record) => ({ value: String(record.id), description: describe(kind, record) }));

const routineNames: Source = ({ store }) =>
  store.routines.list().map((routine) => ({ value: routine.name, description: summaryOfRoutine(routine) }));

const changes: Source = async ({ store }) => {
  const { describeEntry } = await import('../views/history.ts');
  const entries = store.history.list({ limit: OFFERED });
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

/** Values of flags that are records, by the flag's name. */
const flagSources: Readonly<Record<string, Source>> = {
  [logFields.exerciseName.flag]: exerciseNames,
  [logFields.userId.flag]: idsOf('user'),
  as: idsOf('user'),
  log: idsOf('log'),
};

/** Values of arguments that are records, by the command: of each argument, the last for those that follow too. */
const argumentSources: Readonly<Record<string, readonly (Source | undefined)[]>> = {
  ...Object.fromEntries(
    kindNames.flatMap((kind) =>
      ['show', 'edit', 'rm'].map((verb) => [`${kindOf(kind).words.one} ${verb}`, [idsOf(kind)]]),
    ),
  ),
  'log add': [exerciseNames, undefined],
  'log again': [exerciseNames, undefined],
  'log routine': [routineNames],
  'exercise rename': [exerciseNames],
  'routine add': [undefined, exerciseNames],
  'routine show': [routineNames],
  'routine edit': [routineNames, exerciseNames],
  'routine rm': [routineNames],
  'user erase': [idsOf('user')],
  'user use': [idsOf('user')],
  'token rm': [tokens],
  sync: [remotes],
  'remote rm': [remotes],
  undo: [changes],
};
