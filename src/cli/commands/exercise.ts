import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { examples } from '../help.ts';
import type { Options } from '../input/options.ts';

/** `sciatica exercise rename` */
export function addExerciseCommand(program: Command, context: Context): void {
  const exercise = program
    .command('exercise')
    .helpCommand(false)
    .summary('Rename an exercise, or merge it into another')
    .description('What is true of all sessions of an exercise: its name.');

  exercise
    .command('rename')
    .summary('Rename an exercise, or merge it into another')
    .description(
      'Give an exercise another name, in all logs and routines of a user at once. If there is an exercise of that name already, the two become one, after a question. One undo takes it back.',
    )
    .argument('<old>', 'its name now')
    .argument('<new>', 'its name from now on')
    .option(`--${logFields.userId.flag} <id>`, logFields.userId.help)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples("sciatica exercise rename 'Piriformis Strech' 'Piriformis Stretch'"))
    .action(async (from: string, to: string, options: Options) => {
      const { renameExercise } = await import('../input/exercise-rename.ts');
      await renameExercise(context, from, to, options);
    });
}
