import type { Context } from '../../context.ts';
import { kindOfField } from '../../domain/field-kinds.ts';
import type { Fields } from '../../domain/fields.ts';
import { fieldsOfFilters } from '../../domain/filter.ts';
import { commandsOf, type FilterOf, isOwned, type KindName, kindOf } from '../../domain/kinds.ts';
import type { Command } from '../input/command.ts';
import { countOf, csvOption, jsonOption, parseFlags } from '../input/options.ts';
import { resolveListUser } from '../input/resolve-user.ts';
import { addMatchingOptions, matchingOf, sortOf, sortOption } from '../input/where.ts';
import { commandLine, counted, say } from '../terminal/io.ts';
import { type Options, printList } from '../terminal/output.ts';
import { columnsOf } from '../views/records.ts';
import { verbsOf } from './verbs.ts';

/** Adds the flags that filter and sort a list to a command. `--user all` means all users. */
export function addListFilters(command: Command, kind: KindName): Command {
  const { userId, ...others } = kindOf(kind).fields;
  if (userId) command.option(`--${userId.flag} <id>`, `${userId.help}, or all`);
  command.fields(namedFilters(kind));
  const ordered = Object.keys(others).find(
    (name) => name !== 'id' && kindOfField(others[name]).comparedBy.includes('order'),
  );
  return addMatchingOptions(command, kindOf(kind).fields).addOption(
    sortOption(ordered ? `-${ordered},id` : '-id'),
  );
}

/** The filters of a kind that have flags of their own, except `--user`, which also takes `all`. */
function namedFilters(kind: KindName): Fields {
  const { userId: _, ...named } = fieldsOfFilters(kindOf(kind).filters ?? {});
  return named;
}

/**
 * Parses the flags of `addListFilters`, and `--limit`.
 * @throws SciaticaError `invalid` with every fault, `not-found` for a user that does not exist
 */
export async function listFilterOf<K extends KindName>(
  context: Context,
  options: Options,
  kind: K,
): Promise<FilterOf<K>> {
  const { fields } = kindOf(kind);
  const filter: FilterOf<KindName> = {
    ...(await parseFlags(context, options, namedFilters(kind))),
    ...(await matchingOf(context, options, fields)),
    ...(await sortOf(options, fields)),
    ...(typeof options['limit'] === 'number' && { limit: options['limit'] }),
  };
  // With a condition on userId in `--where`, the default user does not narrow the list.
  const namesUsers = filter.where?.some(({ field }) => field === 'userId') && options['user'] === undefined;
  const userId = isOwned(kind) && !namesUsers ? resolveListUser(context, options) : undefined;
  return (userId === undefined ? filter : { ...filter, userId }) as FilterOf<K>;
}

/** Adds `sciatica <kinds>`, which lists them. @param lines examples */
export function addListCommand(
  program: Command,
  context: Context,
  kind: KindName,
  lines: readonly string[],
): Command {
  const { words } = kindOf(kind);
  const command = program
    .command(commandsOf(kind).many)
    .summary(`List the ${words.many}`)
    .description(
      `List the ${words.many}, in the order they were added or that of --sort: as a table in a terminal, as tab-separated lines in a pipe.`,
    );
  return addListFilters(command, kind)
    .option('--limit <n>', 'only the first N', countOf)
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples(...lines)
    .action((options: Options) => listRecords(context, options, kind));
}

/** Lists the matching records in the output format of the flags. @throws SciaticaError `invalid`, `not-found` */
export async function listRecords(context: Context, options: Options, kind: KindName): Promise<void> {
  const {
    fields,
    words: { one, many },
  } = kindOf(kind);
  const records = verbsOf(context, kind);
  const filter: FilterOf<KindName> & { userId?: number } = await listFilterOf(context, options, kind);
  const { userId, limit, ...matching } = filter;
  const owner = userId === undefined ? {} : { userId };
  const isPlain = options['json'] === undefined && !options['csv'];
  if (isPlain && records.count(owner) === 0) {
    // A user comes first: other records need one.
    const hint = isOwned(kind) ? 'To add one' : 'Start with';
    const { one: noun, add } = commandsOf(kind);
    return say(context, `There is no ${one} yet. ${hint}: ${commandLine(context, `${noun} ${add}`)}`);
  }
  const total = isPlain ? records.count({ ...matching, ...owner }) : undefined;
  if (total === 0) return say(context, `No ${one} matches.`);
  const { userId: user, ...others } = fields;
  await printList<object>(context, options, {
    names: Object.keys(fields),
    columns: () => columnsOf(user && userId === undefined ? { ...others, userId: user } : others),
    json: () => records.jsonRows(filter),
    rows: () => records.chunks(filter),
  });
  if (context.stdout.isTTY && total !== undefined && limit !== undefined && limit < total)
    say(context, `${limit} of ${counted(total, one, many)}.`);
}
