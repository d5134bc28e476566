import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { logFields } from '../../domain/log.ts';
import { routineFields } from '../../domain/plans/routine.ts';
import { examples } from '../help.ts';
import { addFieldOptions, jsonOption, type Options } from '../input/options.ts';

const { userId, name } = routineFields;
const { exerciseType } = logFields;
const exercises =
  "its exercises in order, each a name done before or a part of it; a new one with its type, as in 'Bird Dog=strengthening'";
const type = { type: { ...exerciseType, help: 'Kind of the exercises that are new' } };

/** `sciatica routine add|show|edit|rm` */
export function addRoutineCommand(program: Command, context: Context): void {
  const routine = program
    .command('routine')
    .helpCommand(false)
    .summary('Add, show, change or remove a routine')
    .description('Exercises that are done together, to be recorded together: sciatica log routine NAME.');
  const verbs = () => import('../input/routines/routine-verbs.ts');

  const add = routine
    .command('add')
    .summary('Add a routine')
    .description('Add a routine. In a terminal, what is missing is asked for.')
    .argument('[name]', name.help)
    .argument('[exercise...]', exercises)
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(add, type);
  add
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica routine add morning piri cobra',
        "sciatica routine add evening 'Cat-Cow=stretch' 'Glute Bridge=strengthening'",
      ),
    )
    .action(async (called: string | undefined, texts: string[], options: Options) =>
      (await verbs()).addRoutine(context, called, texts, options),
    );

  routine
    .command('show')
    .summary('Show a routine')
    .description('Show a routine.')
    .argument('<name>', 'its name or a part of it, or its id')
    .option(`--${userId.flag} <id>`, userId.help)
    .addOption(jsonOption())
    .addHelpText('after', examples('sciatica routine show morning'))
    .action(async (called: string, options: Options) =>
      (await verbs()).showRoutine(context, called, options),
    );

  const edit = routine
    .command('edit')
    .summary('Change a routine')
    .description(
      'Give a routine other exercises or another name; in a terminal, and without either, be asked for both.',
    )
    .argument('<name>', 'its name, or its id')
    .argument('[exercise...]', exercises)
    .option(`--${userId.flag} <id>`, userId.help);
  addFieldOptions(edit, { name: { ...name, help: 'Its name from now on' }, ...type });
  edit
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        "sciatica routine edit morning 'Bird Dog' 'Piriformis Stretch'",
        'sciatica routine edit morning --name daily',
      ),
    )
    .action(async (called: string, texts: string[], options: Options) =>
      (await verbs()).editRoutine(context, called, texts, options),
    );

  routine
    .command('rm')
    .summary('Remove a routine')
    .description('Remove a routine; what was recorded with it stays. It asks first.')
    .argument('<name>', 'its name, or its id')
    .option(`--${userId.flag} <id>`, userId.help)
    .option('--yes', 'do not ask')
    .addHelpText('after', examples('sciatica routine rm morning'))
    .action(async (called: string, options: Options) =>
      (await verbs()).removeRoutine(context, called, options),
    );
}
