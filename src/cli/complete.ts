import { existsSync } from 'node:fs';
import { type Complete, type Command as Completed, RootCommand } from '@bomb.sh/tab';
import type { Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { logFields } from '../domain/log.ts';
import { escapeControls } from './output/io.ts';
import { nameOf } from './views/records.ts';

type Suggest = (complete: Complete) => void;

/**
 * Prints the completions of the last word, for `sciatica complete -- WORDS` of the shell's script.
 * @param words the words after `sciatica`
 */
export function complete(context: Context, program: Command, words: string[]): void {
  const db = words.indexOf('--db');
  if (db >= 0) context.db = words[db + 1];
  const root = new RootCommand();
  describe(context, program, root);
  for (const [path, command] of commandsOf(program)) {
    const completed = root.command(path, command.summary());
    describe(context, command, completed);
    for (const argument of command.registeredArguments) {
      const choices = argument.argChoices ?? [];
      const suggest: Suggest = path.startsWith('user ')
        ? fromStore(context, userIds)
        : (add) => choices.map((choice) => add(choice, ''));
      completed.argument(argument.name(), suggest, argument.variadic);
    }
  }
  root.parse(words);
}

/** Every command with its full name. */
function commandsOf(parent: Command, path = ''): [path: string, command: Command][] {
  return parent.commands.flatMap((command) => {
    const name = `${path}${command.name()}`;
    return [[name, command] as [string, Command], ...commandsOf(command, `${name} `)];
  });
}

function describe(context: Context, command: Command, completed: Completed): void {
  for (const option of [...command.options, ...command.createHelp().visibleOptions(command)]) {
    const name = option.long?.slice(2);
    if (!name || completed.options.has(name)) continue;
    if (option.required) completed.option(name, option.description, suggestions(context, option));
    else completed.option(name, option.description);
  }
}

function suggestions(context: Context, option: Option): Suggest {
  const choices = option.argChoices;
  if (choices) return (add) => choices.map((choice) => add(choice, ''));
  if (option.name() === logFields.exerciseName.flag) return fromStore(context, exerciseNames);
  if (option.name() === logFields.userId.flag) return fromStore(context, userIds);
  return () => {};
}

function exerciseNames({ store }: Context, add: Complete): void {
  for (const { exerciseName } of store.logs.exercises())
    if (escapeControls(exerciseName) === exerciseName) add(exerciseName, '');
}

function userIds({ store }: Context, add: Complete): void {
  for (const user of store.users.list({ limit: 100 })) add(String(user.id), nameOf(user));
}

/** Completion never creates a database, and prints no errors. */
function fromStore(context: Context, suggest: (context: Context, add: Complete) => void): Suggest {
  return (add) => {
    try {
      if (existsSync(context.databasePath)) suggest(context, add);
    } catch {
      // The command itself reports it.
    }
  };
}
