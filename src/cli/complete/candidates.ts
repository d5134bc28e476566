import { existsSync } from 'node:fs';
import type { Argument, Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { WhereOption } from '../input/where.ts';
import { escapeControls } from '../output/io.ts';
import { nameOf, summaryOfLog, summaryOfRoutine } from '../views/records.ts';
import { startsAlike } from './shell-words.ts';

export interface Candidate {
  value: string;
  description: string;
}

/** What a word can become. */
export interface Completion {
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
export async function completionOf(
  context: Context,
  program: Command,
  words: readonly string[],
): Promise<Completion> {
  const { command, path, pending, args, onlyArguments } = read(context, program, words.slice(0, -1));
  const word = words.at(-1) ?? '';
  const completion = async (): Promise<Completion> => {
    if (!command) return { files: false, candidates: [] };
    if (pending) return valuesOf(context, pending);
    const [flag = '', value] = word.split('=', 2);
    if (!onlyArguments && flag.startsWith('-') && value !== undefined) {
      const option = optionNamed(program, command, flag);
      if (!option) return { files: false, candidates: [] };
      const { files, candidates } = await valuesOf(context, option);
      return {
        files,
        candidates: candidates.map((found) => ({ ...found, value: `${flag}=${found.value}` })),
      };
    }
    if (!onlyArguments && word.startsWith('-')) return { files: false, candidates: flagsOf(command) };
    return command.commands.length > 0
      ? { files: false, candidates: namesOf(command) }
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

const namesOf = (command: Command): Candidate[] =>
  command.commands.map((child) => ({ value: child.name(), description: child.summary() }));

function flagsOf(command: Command): Candidate[] {
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  return options.flatMap(({ long, description }) => (long ? [{ value: long, description }] : []));
}

const words = (values: readonly string[]): Candidate[] => values.map((value) => ({ value, description: '' }));

async function valuesOf(context: Context, option: Option): Promise<Completion> {
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

const userIds: Source = ({ store }) =>
  store.users.list({ limit: 100 }).map((user) => ({ value: String(user.id), description: nameOf(user) }));

const logIds: Source = ({ store }) =>
  store.logs
    .list({ sort: '-date,-id', limit: OFFERED })
    .map((log) => ({ value: String(log.id), description: summaryOfLog(log) }));

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

const remotes: Source = async ({ store }) =>
  (await store.sync()).remotes.list().map(({ name, url }) => ({ value: name, description: url }));

/** Values of flags that are records, by the flag's name. */
const flagSources: Readonly<Record<string, Source>> = {
  [logFields.exerciseName.flag]: exerciseNames,
  [logFields.userId.flag]: userIds,
  as: userIds,
  log: logIds,
};

/** Values of arguments that are records, by the command: of each argument, the last for those that follow too. */
const argumentSources: Readonly<Record<string, readonly (Source | undefined)[]>> = {
  'log add': [exerciseNames, undefined],
  'log again': [exerciseNames, undefined],
  'log show': [logIds],
  'log edit': [logIds],
  'log rm': [logIds],
  'log routine': [routineNames],
  'exercise rename': [exerciseNames],
  'routine add': [undefined, exerciseNames],
  'routine show': [routineNames],
  'routine edit': [routineNames, exerciseNames],
  'routine rm': [routineNames],
  'user show': [userIds],
  'user edit': [userIds],
  'user rm': [userIds],
  'user erase': [userIds],
  'user use': [userIds],
  'token rm': [tokens],
  sync: [remotes],
  'remote rm': [remotes],
  undo: [changes],
};
