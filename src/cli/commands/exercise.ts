import type { Context } from '../../context.ts';
import { absent, type SciaticaError } from '../../domain/errors.ts';
import { type Exercise, exerciseFields } from '../../domain/exercise.ts';
import { logFields } from '../../domain/log.ts';
import type { RoutineExercise } from '../../domain/routine.ts';
import { wholeNamesMeant } from '../../domain/words/match.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { exerciseNamed, namesOf, probableNames } from '../input/exercises.ts';
import { csvOption, jsonOption, type Options } from '../input/options.ts';
import { resolveListUser, resolveUserOrAsk } from '../input/resolve-user.ts';
import { knownExercises } from '../input/routines.ts';
import { usage } from '../terminal/errors.ts';
import { counted, escapeControls, say, sayDone } from '../terminal/io.ts';
import { printList, wrongHint } from '../terminal/output.ts';
import { columnsOf, whose } from '../views/records.ts';
import { sayNone } from './logs.ts';

export function addExerciseCommands(program: Command, context: Context): void {
  const { userId } = logFields;
  program
    .command('exercises')
    .summary('List the exercises done so far')
    .description(
      'List the exercises done so far, with their sessions and the last day, the latest first: as a table in a terminal, as tab-separated lines in a pipe.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`)
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples('sciatica exercises', 'sciatica exercises --user all --csv')
    .action((options: Options) => listExercises(context, options));

  const exercise = program
    .command('exercise')
    .helpCommand(false)
    .summary('Rename an exercise, or merge it into another')
    .description('Change the name of an exercise in all its sessions.');

  exercise
    .command('rename')
    .summary('Rename an exercise, or merge it into another')
    .description(
      'Give an exercise another name in all logs, routines and trials of a user at once. If there is already an exercise of that name, it asks, and the two become one, of the type of that one; a trial that compares them keeps its names. One undo takes it back.',
    )
    .argument('<old>', 'its present name')
    .argument('<new>', 'its new name')
    .fields({ userId })
    .option('--yes', 'do not ask')
    .examples("sciatica exercise rename 'Piriformis Strech' 'Piriformis Stretch'")
    .action((from: string, to: string, options: Options) => rename(context, from, to, options));
}

/**
 * Renames an exercise of a user, or merges it into another, as one change.
 * @throws SciaticaError `invalid` for a new name that is not valid or the present one, or a merge that needs a terminal or
 *   --yes; `not-found` for an unknown exercise; Declined
 */
async function rename(context: Context, old: string, wanted: string, options: Options): Promise<void> {
  const { store } = context;
  const { check, objectOf } = await import('../../domain/schema.ts');
  const { renameExercise } = await import('../../store/records/logs.ts');
  const { name: typed } = check(objectOf({ name: logFields.exerciseName }), { name: wanted });
  const userId = await resolveUserOrAsk(context, options['user']);
  const known = store.logs.exercises(userId);
  const all = knownExercises(store, userId);
  const ofTrials = store
    .of('trial')
    .list({ userId })
    .flatMap(({ exerciseName, otherExercise }) => [exerciseName, otherExercise ?? []].flat());
  const names = [...new Set([...namesOf(all), ...ofTrials])];
  const from = names.includes(old)
    ? [old]
    : wholeNamesMeant(
        old,
        names.filter((name) => name !== typed),
      );
  if (from.length === 0) throw unknownExercise(old, typed, names);
  const sessionsOf = (name: string) => exerciseNamed(name, known)?.sessions ?? 0;
  const others = names.filter((name) => !from.includes(name)).sort((a, b) => sessionsOf(b) - sessionsOf(a));
  // A name that differs in case or marks only is the known one; of several, that with the most sessions.
  const [to = typed] = wholeNamesMeant(typed, others);
  if (from.includes(to)) throw usage(`The exercise is called ${inQuotes(to)} already.`);
  await askAboutMerge(context, options, { all, from, to, sessionsOf });
  const { logs, routines, trials } = renameExercise(
    store,
    userId,
    from,
    exerciseNamed(to, all) ?? { exerciseName: to },
  );
  const what = [
    counted(logs, 'log'),
    ...(routines > 0 ? [counted(routines, 'routine')] : []),
    ...(trials > 0 ? [counted(trials, 'trial')] : []),
  ].join(', ');
  sayDone(
    context,
    `Renamed ${listedNames(from)} to ${inQuotes(to)}${whose(context, [userId], 'for')}: ${what}.`,
  );
  say(context, wrongHint(context).trim());
}

const inQuotes = (name: string) => `"${escapeControls(name)}"`;
const listedNames = (names: readonly string[]) => names.map(inQuotes).join(' and ');

function unknownExercise(old: string, typed: string, names: readonly string[]): SciaticaError {
  if (names.includes(typed) && wholeNamesMeant(old, names).length > 0)
    return usage(`The exercise is called ${inQuotes(typed)} already.`);
  // A rename takes whole names only: parts of names are suggestions.
  const probable = probableNames(old, names).map(escapeControls).join(' or ');
  const meant = probable && ` (did you mean ${probable}?)`;
  return absent((command) => `There is no exercise ${inQuotes(old)}${meant}. See: ${command('exercises')}`);
}

/** Asks for confirmation if the rename merges two exercises: only an undo could separate them again. */
async function askAboutMerge(
  context: Context,
  options: Options,
  {
    all,
    from,
    to,
    sessionsOf,
  }: {
    all: readonly RoutineExercise[];
    from: readonly string[];
    to: string;
    sessionsOf: (name: string) => number;
  },
): Promise<void> {
  if (!exerciseNamed(to, all)) return;
  const moved = counted(
    from.reduce((sum, name) => sum + sessionsOf(name), 0),
    'session',
  );
  const typeOf = (name: string) => exerciseNamed(name, all)?.exerciseType;
  const type = from.every((name) => typeOf(name) === typeOf(to)) ? '' : ` (${typeOf(to)})`;
  const merge = `${moved} of ${listedNames(from)} into ${inQuotes(to)}${type}, which has ${sessionsOf(to)}`;
  await confirmed(context, options, `Merge ${merge}?`, 'Nothing was renamed.', `merge ${merge}`);
}

async function listExercises(context: Context, options: Options): Promise<void> {
  const userId = resolveListUser(context, options);
  const exercises = context.store.logs.exercises(userId);
  if (exercises.length === 0 && options['json'] === undefined && !options['csv'])
    return sayNone(context, userId === undefined ? {} : { userId });
  await printList(context, options, {
    names: Object.keys(exerciseFields),
    columns: () => columnsOf<Exercise>(exerciseFields),
    rows: () => [exercises],
  });
}
