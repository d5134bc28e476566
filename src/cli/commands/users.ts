import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import { userRecord } from '../../domain/user.ts';
import { examples } from '../help.ts';
import { csvOption, jsonOption, type Options } from '../input/options.ts';
import { addMatchingOptions, matchingOf } from '../input/where.ts';
import { printList, sayEmpty } from '../output/output.ts';
import { userColumns } from '../views/records.ts';

/** `sciatica users` */
export function addUsersCommand(program: Command, context: Context): void {
  const command = program
    .command('users')
    .summary('List the users')
    .description(
      'List the users, in the order they were added: as a table in a terminal, as tab-separated lines in a pipe.',
    );
  addMatchingOptions(command, userRecord)
    .addOption(jsonOption())
    .addOption(csvOption())
    .addHelpText(
      'after',
      examples('sciatica users', 'sciatica users --json id,lastName', "sciatica users --where 'age>=60'"),
    )
    .action((options: Options) => listUsers(context, options));
}

async function listUsers(context: Context, options: Options): Promise<void> {
  const { users } = context.store;
  const filter = await matchingOf(context, options, userRecord);
  const plain = options['json'] === undefined && !options['csv'];
  if (plain && users.count() === 0) {
    sayEmpty(context, options, 'There is no user yet. Start with: sciatica user add');
    return;
  }
  if (plain && users.count(filter) === 0) {
    sayEmpty(context, options, 'No user matches.');
    return;
  }
  await printList(context, options, {
    fields: userRecord,
    columns: userColumns,
    json: () => users.jsonRows(filter),
    rows: () => users.chunks(filter),
  });
}
