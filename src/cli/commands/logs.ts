import { Option } from 'commander';
import type { Context } from '../../context.ts';
import { commandsOf, kindOf, ownedKindNames } from '../../domain/kinds.ts';
import { type Log, type LogFilter, logRecord } from '../../domain/log.ts';
import type { Command } from '../input/command.ts';
import { namesOf, probableNames } from '../input/exercises.ts';
import { countOf, csvOption, jsonOption, type Options } from '../input/options.ts';
import { addListFilters, listFilterOf } from '../records/list.ts';
import { palette } from '../terminal/canvas.ts';
import type { Column } from '../terminal/columns.ts';
import { commandLine, counted, escapeControls, quoted, say } from '../terminal/io.ts';
import { printList } from '../terminal/output.ts';
import { logColumns, nameOf } from '../views/records.ts';

/** Rows shown without --limit and --all. */
const LATEST = 30;

/** Maximum number of rows read at once. More are read in chunks, on a separate connection, so that memory stays bounded. */
const SHORT = 1000;

export function addLogsCommand(program: Command, context: Context): void {
  const logs = program
    .command('logs')
    .description(
      `List what was recorded: the latest ${LATEST}, as a table in a terminal and as tab-separated lines in a pipe. --json and --csv give everything that matches, in the order it was recorded. --limit N gives the latest N in every format, the latest first; with --sort, the first N in that order.`,
    );
  addListFilters(logs, 'log')
    .option('--limit <n>', 'only the latest N; with --sort, the first N', countOf)
    .addOption(new Option('--all', 'everything that matches').conflicts('limit'))
    .addOption(jsonOption())
    .addOption(csvOption())
    .examples(
      'sciatica logs',
      'sciatica logs --user 3 --type stretch',
      'sciatica logs --since -30d --effective --sort painAfter',
      "sciatica logs --where 'painAfter>=7' --where 'notes~tingling'",
      'sciatica logs --user all --json id,date,painAfter',
    )
    .action((options: Options) => listLogs(context, options));
}

async function listLogs(context: Context, options: Options): Promise<void> {
  const { logs } = context.store;
  const filter = await listFilterOf(context, options, 'log');
  const asTable = options['json'] === undefined && !options['csv'];
  const shown = asTable || filter.limit !== undefined ? tableFilter(filter, options) : filter;
  const { limit: _, ...everything } = filter;
  const total = asTable ? logs.count(everything) : undefined;
  if (total === 0) await sayNone(context, filter);
  else
    await printList<Log>(context, options, {
      names: Object.keys(logRecord),
      columns: () => columnsFor(context, shown),
      json: () => logs.jsonRows(shown),
      rows: () =>
        shown.limit === undefined || shown.limit > SHORT ? logs.chunks(shown) : [logs.list(shown)],
    });
  // A script with --limit expects a part of the list, and cron would mail this message.
  const isNews = context.stdout.isTTY || filter.limit === undefined;
  if (isNews && total !== undefined && shown.limit !== undefined && shown.limit < total)
    say(context, `${shown.limit} of ${counted(total, 'log')}. For more: --limit N or --all.`);
}

function tableFilter(filter: LogFilter, options: Options): LogFilter {
  const sorted = { ...filter, sort: filter.sort ?? '-date,-id' };
  return options['all'] ? sorted : { ...sorted, limit: filter.limit ?? LATEST };
}

async function columnsFor(context: Context, { userId }: LogFilter): Promise<Column<Log>[]> {
  const colours = await palette(context);
  if (userId !== undefined) return logColumns(colours);
  const names = new Map(context.store.users.list().map((user) => [user.id, nameOf(user)]));
  return logColumns(colours, (id) => names.get(id) ?? '');
}

/** The counts of dated records other than sessions, with the commands that list them: `2 pain entries (sciatica pains)`. */
function otherDays(context: Context, whose: { userId?: number }): string[] {
  return ownedKindNames.flatMap((kind) => {
    const { filters = {}, words } = kindOf(kind);
    const count = 'since' in filters ? context.store.of(kind).count(whose) : 0;
    const list = commandLine(context, commandsOf(kind).many);
    return count === 0 ? [] : [`${counted(count, words.one, words.many)} (${list})`];
  });
}

/** Says how many records the statistics exclude (`countedLogs`); nothing if there are none. */
export async function sayLeftOut(context: Context, leftOut: number): Promise<void> {
  // Loaded on demand: few diaries have any.
  const { leftOutSentence } = await import('../../insights/wording.ts');
  const sentence = leftOutSentence(leftOut);
  if (sentence) say(context, sentence);
}

/**
 * Explains an empty list, and what to do next.
 * @param leftOut number of records that the statistics exclude
 */
export async function sayNone(context: Context, filter: LogFilter, leftOut = 0): Promise<void> {
  if (leftOut > 0) return sayLeftOut(context, leftOut);
  const { logs, users } = context.store;
  const { userId } = filter;
  const whose = userId === undefined ? {} : { userId };
  if (logs.count(whose) === 0) {
    const first = users.count() === 0 ? `${commandLine(context, 'user add')}, then ` : '';
    const others = otherDays(context, whose);
    const none =
      others.length === 0
        ? 'Nothing is recorded yet. Start with'
        : `No session is recorded yet, only ${others.join(' and ')}. To record one`;
    say(context, `${none}: ${first}${commandLine(context, 'log add')}`);
    return;
  }
  say(context, 'No log matches.');
  if (filter.exerciseName === undefined) return;
  const names = probableNames(filter.exerciseName, namesOf(logs.exercises(filter.userId)));
  const flags = names.map((name) => `--name ${quoted(escapeControls(name))}`);
  if (flags.length > 0) say(context, `Did you mean ${flags.join(' or ')}?`);
}
