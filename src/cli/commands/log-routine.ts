import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { examples } from '../help.ts';
import { addFieldOptions, jsonOption, type Options } from '../input/options.ts';

const { userId, date } = logFields;

/** `sciatica log routine` */
export function addLogRoutineCommand(log: Command, context: Context): void {
  const command = log
    .command('routine')
    .summary('Record the exercises of a routine')
    .description(
      'Record the exercises of a routine, with two numbers for each: the pain before and after; what follows them is a note. In a terminal, s skips an exercise, b goes back to the one before, and nothing is saved before the last answer. All of them are one change, so one undo takes them back. An exercise counts as effective if the pain fell.',
    )
    .argument('<name>', 'name of the routine or a part of it, or its id')
    .option(
      '--set <exercise=before,after>',
      "pain before and after an exercise, named by its name or a part of it, as in 'Bird Dog=6,4', with a note as in 'Bird Dog=6,4 stiff', or 'Bird Dog=s' to skip it; once for each",
      (text: string, before: string[]) => [...before, text],
      [],
    )
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(command, { date });
  command
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica log routine morning',
        "sciatica log routine morning --set 'Piriformis Stretch=6,4' --set 'Bird Dog=s'",
      ),
    )
    .action(async (name: string, options: Options) => {
      const { logRoutine } = await import('../input/routines/log-routine.ts');
      await logRoutine(context, name, options);
    });
}
