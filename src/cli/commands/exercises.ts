import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { type Exercise, exerciseFields } from '../../domain/plans/exercise.ts';
import { examples } from '../help.ts';
import { csvOption, jsonOption, type Options } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { printList } from '../output/output.ts';
import type { Column } from '../views/columns.ts';
import { columnsOf } from '../views/records.ts';
import { sayNone } from './logs.ts';

/** `sciatica exercises` */
export function addExercisesCommand(program: Command, context: Context): void {
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
    .addHelpText('after', examples('sciatica exercises', 'sciatica exercises --user all --csv'))
    .action((options: Options) => listExercises(context, options));
}

async function listExercises(context: Context, options: Options): Promise<void> {
  const userId = resolveListUser(context, options);
  const exercises = context.store.logs.exercises(userId);
  if (exercises.length === 0 && options['json'] === undefined && !options['csv'])
    return sayNone(context, userId === undefined ? {} : { userId });
  await printList(context, options, {
    fields: exerciseFields,
    columns: (): Column<Exercise>[] => columnsOf(exerciseFields),
    json: () => [exercises.map((exercise) => JSON.stringify(exercise))],
    rows: () => [exercises],
  });
}
