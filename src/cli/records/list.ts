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

/** Adds `sciatica <kinds>`, which lists them. @param lines examples */
export function addListCommand(
  program: Command,
  context: Context,
  kind: KindName,
  lines: readonly string[],
): Command {
  const { fields, words } = kindOf(kind);
  const { userId, ...others } = fields;
  const command = program
    .command(commandsOf(kind).many)
    .summary(`List the ${words.many}`)
    .description(
      `List the ${words.many}, in the order they were added or that of --sort: as a table in a terminal, as tab-separated lines in a pipe.`,
    );
  if (userId && isOwned(kind)) command.option(`--${userId.flag} <id>`, `${userId.help}, or all`);
  command.fields(namedFilters(kind));
  const ordered = Object.keys(others).find(
    (name) => name !== 'id' && kindOfField(others[name]).comparedBy.includes('order'),
  );
  return addMatchingOptions(command, fields)
    .addOption(sortOption(ordered ? `-${ordered},id` : '-id'))
    .option('--limit <n>', 'only the first N', countOf)
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples(...lines)
    .action((options: Options) => listRecords(context, options, kind));
}

/** The filters of a list that are no field of the record. */
function namedFilters(kind: KindName): Fields {
  const { fields, filters = {} } = kindOf(kind);
  const named = Object.entries(fieldsOfFilters(filters)).filter(([name]) => !Object.hasOwn(fields, name));
  return Object.fromEntries(named);
}

/** Lists the records that match, in every output format. @throws SciaticaError `invalid`, `not-found` */
export async function listRecords(context: Context, options: Options, kind: KindName): Promise<void> {
  const {
    fields,
    words: { one, many },
  } = kindOf(kind);
  const records = verbsOf(context, kind);
  const userId = isOwned(kind) ? resolveListUser(context, options) : undefined;
  const owner = userId === undefined ? {} : { userId };
  const matching = {
    ...owner,
    ...(await parseFlags(context, options, namedFilters(kind))),
    ...(await matchingOf(context, options, fields)),
  };
  const filter: FilterOf<KindName> = { ...matching, ...(await sortOf(options, fields)) };
  if (typeof options['limit'] === 'number') filter.limit = options['limit'];
  const isPlain = options['json'] === undefined && !options['csv'];
  if (isPlain && records.count(owner) === 0) {
    // The first user comes before everything else.
    const hint = isOwned(kind) ? 'To add one' : 'Start with';
    const { one: noun, add } = commandsOf(kind);
    return say(context, `There is no ${one} yet. ${hint}: ${commandLine(context, `${noun} ${add}`)}`);
  }
  const total = isPlain ? records.count(matching) : undefined;
  if (total === 0) return say(context, `No ${one} matches.`);
  const { userId: user, ...others } = fields;
  await printList<object>(context, options, {
    fields,
    columns: () => columnsOf(user && userId === undefined ? { ...others, userId: user } : others),
    json: () => records.jsonRows(filter),
    rows: () => records.chunks(filter),
  });
  const { limit } = filter;
  if (context.stdout.isTTY && total !== undefined && limit !== undefined && limit < total)
    say(context, `${limit} of ${counted(total, one, many)}.`);
}
