import type { Context } from '../../context.ts';
import type { HistoryEntry, HistoryFilter } from '../../domain/history.ts';
import { logFilterFields } from '../../domain/log.ts';
import type { Command } from '../input/command.ts';
import { beginningOf } from '../input/days.ts';
import { countOf, idOf, type Options, parseFlags, plainJsonOption } from '../input/options.ts';
import { canvasOf } from '../terminal/canvas.ts';
import { say, writeAll } from '../terminal/io.ts';
import { printList } from '../terminal/output.ts';

/** Entries shown without --limit. */
const LATEST = 30;

const { since } = logFilterFields;

export function addHistoryCommand(program: Command, context: Context): void {
  program
    .command('history')
    .summary('See what was changed, when and by what')
    .description(
      `See what was changed, the latest first: from the command line, by an app, by an import or an undo. It shows the latest ${LATEST}, in a pipe as tab-separated lines; --json gives all.`,
    )
    .option('--user <id>', 'of this user and their logs')
    .option('--log <id>', 'only changes of this log')
    .fields({ since })
    .option('--limit <n>', 'at most N', countOf)
    .addOption(plainJsonOption())
    .examples('sciatica history', 'sciatica history --log 12', 'sciatica undo 12')
    .action((options: Options) => showHistory(context, options));
}

async function showHistory(context: Context, options: Options): Promise<void> {
  const filter = await historyFilter(context, options);
  const { history } = context.store;
  if (options['json']) {
    await printList(context, options, { names, columns: () => [], rows: () => history.blocks(filter) });
    return;
  }
  if (history.list({ ...filter, limit: 1 }).length === 0)
    return say(context, history.last() > 0 ? 'No change matches.' : 'Nothing has been changed yet.');
  const limit = filter.limit ?? LATEST;
  let seen = 0;
  const latest = function* () {
    for (const block of history.blocks({ ...filter, limit: limit + 1 })) {
      const shown = block.slice(0, limit - seen);
      seen += block.length;
      if (shown.length > 0) yield shown;
    }
  };
  await writeAll(context.stdout, await rendered(context, latest()));
  // A script with --limit expects a part of the list, and cron would mail this message.
  const isNews = context.stdout.isTTY || filter.limit === undefined;
  if (isNews && seen > limit)
    say(
      context,
      `${limit === 1 ? 'Only the latest is' : `Only the latest ${limit} are`} shown. For more: --limit N.`,
    );
}

async function rendered(context: Context, blocks: Iterable<HistoryEntry[]>): Promise<Iterable<string>> {
  if (!context.stdout.isTTY) {
    const { tsvOf } = await import('../terminal/tsv.ts');
    return tsvOf(names, blocks);
  }
  const { historyText } = await import('../views/history.ts');
  return historyText(blocks, await canvasOf(context));
}

const names = [
  'seq',
  'change',
  'at',
  'source',
  'caller',
  'undoes',
  'record',
  'id',
  'action',
  'before',
  'after',
] as const satisfies (keyof HistoryEntry)[];

async function historyFilter(context: Context, options: Options): Promise<HistoryFilter> {
  const asked = await parseFlags(context, options, { since });
  const filter: HistoryFilter = {};
  if (options['user'] !== undefined) filter.user = idOf(String(options['user']), '--user');
  if (options['log'] !== undefined) filter.log = idOf(String(options['log']), '--log');
  if (asked.since !== undefined) filter.since = beginningOf(asked.since);
  if (typeof options['limit'] === 'number') filter.limit = options['limit'];
  return filter;
}
