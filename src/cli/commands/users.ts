import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import { type UserFilter, userRecord } from '../../domain/user.ts';
import { examples } from '../help.ts';
import { countOf, csvOption, jsonOption, type Options } from '../input/options.ts';
import { sortOf, sortOption } from '../input/sort.ts';
import { addMatchingOptions, matchingOf } from '../input/where.ts';
import { counted, say } from '../output/io.ts';
import { printList, sayEmpty } from '../output/output.ts';
import { userColumns } from '../views/records.ts';

/** `sciatica users` */
export function addUsersCommand(program: Command, context: Context): void {
  const command = program
    .command('users')
    .summary('List the users')
    .description(
      'List the users, in the order they were added or that of --sort: as a table in a terminal, as tab-separated lines in a pipe.',
    );
  addMatchingOptions(command, userRecord)
    .addOption(sortOption('-age,id'))
    .addOption(new Option('--limit <n>', 'the first so many').argParser(countOf))
    .addOption(jsonOption())
    .addOption(csvOption())
    .addHelpText(
      'after',
      examples(
        'sciatica users',
        'sciatica users --json id,lastName',
        'sciatica users --sort lastName,firstName --limit 10',
        "sciatica users --where 'age>=60'",
      ),
    )
    .action((options: Options) => listUsers(context, options));
}

async function listUsers(context: Context, options: Options): Promise<void> {
  const { users } = context.store;
  const matching = await matchingOf(context, options, userRecord);
  const filter: UserFilter = { ...matching, ...(await sortOf(options, userRecord)) };
  if (typeof options['limit'] === 'number') filter.limit = options['limit'];
  const plain = options['json'] === undefined && !options['csv'];
  if (plain && users.count() === 0) {
    sayEmpty(context, options, 'There is no user yet. Start with: sciatica user add');
    return;
  }
  const total = plain ? users.count(matching) : undefined;
  if (total === 0) {
    sayEmpty(context, options, 'No user matches.');
    return;
  }
  await printList(context, options, {
    fields: userRecord,
    columns: userColumns,
    json: () => users.jsonRows(filter),
    rows: () => users.chunks(filter),
  });
  const { limit } = filter;
  if (context.stdout.isTTY && total !== undefined && limit !== undefined && limit < total)
    say(context, `${limit} of ${counted(total, 'user')}.`);
}
