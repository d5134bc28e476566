import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { type Routine, routineFields, routineRecord } from '../../domain/plans/routine.ts';
import { examples } from '../help.ts';
import { csvOption, jsonOption, type Options } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { printList, sayEmpty } from '../output/output.ts';
import type { Column } from '../views/columns.ts';
import { columnsOf } from '../views/records.ts';

/** `sciatica routines` */
export function addRoutinesCommand(program: Command, context: Context): void {
  const { userId } = routineFields;
  program
    .command('routines')
    .summary('List the routines')
    .description(
      'List the routines: as a table in a terminal, as tab-separated lines in a pipe, where exercises are JSON.',
    )
    .option(`--${userId.flag} <id>`, `${userId.help}, or all`)
    .addOption(jsonOption())
    .addOption(csvOption())
    .addHelpText('after', examples('sciatica routines', 'sciatica routines --json name,exercises'))
    .action((options: Options) => listRoutines(context, options));
}

async function listRoutines(context: Context, options: Options): Promise<void> {
  const userId = resolveListUser(context, options);
  const filter = userId === undefined ? {} : { userId };
  const { routines } = context.store;
  if (routines.count(filter) === 0 && options['json'] === undefined && !options['csv'])
    return sayEmpty(context, options, 'There is no routine yet. To add one: sciatica routine add');
  const { userId: owner, ...others } = routineRecord;
  await printList(context, options, {
    fields: routineRecord,
    columns: (): Column<Routine>[] => columnsOf(userId === undefined ? { ...others, userId: owner } : others),
    json: () => routines.jsonRows(filter),
    rows: () => [routines.list(filter)],
  });
}
