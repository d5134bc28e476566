import type { Context } from '../../context.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { date } from '../../domain/fields.ts';
import { nounOf } from '../../domain/kinds.ts';
import { logFilterFields } from '../../domain/log.ts';
import { addDays } from '../../domain/words/day.ts';
import { DAYS } from '../../domain/words/spoken-day.ts';
import type { Command } from '../input/command.ts';
import { beginningOf } from '../input/days.ts';
import { countOf, idOf, type Options, parseFlags, plainJsonOption } from '../input/options.ts';
import type { Column } from '../terminal/columns.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, say, sayDone } from '../terminal/io.ts';
import { printJson, printList } from '../terminal/output.ts';
import { countedKind } from '../views/holding.ts';

const { since } = logFilterFields;
const before = date({
  label: 'Before',
  flag: 'before',
  help: 'The first day to keep',
  example: '2026-01-01',
});

export function addAuditCommand(program: Command, context: Context): void {
  const audit = program
    .command('audit')
    .summary('See who asked for what over the network')
    .description(
      'See who asked for which records over the network, the latest first. Only sciatica serve --auth keeps this record.',
    )
    .option('--user <id>', 'only requests about this user, including lists that may have held the user')
    .fields({ since })
    .option('--limit <n>', 'at most N', countOf, 100)
    .addOption(plainJsonOption())
    .examples('sciatica audit --since -7d', 'sciatica audit --user 3 --json')
    .action((options: Options) => showAudit(context, options));

  audit
    .command('prune')
    .summary('Remove old entries')
    .description(
      `Remove the entries made before a day, at least ${LEAST_DAYS} days back. One entry stays that says how many and from when; it cannot be removed.`,
    )
    .requiredOption('--before <day>', `${before.help} (YYYY-MM-DD, ${DAYS})`)
    .addOption(plainJsonOption())
    .examples('sciatica audit prune --before -365d')
    .action((_: Options, command: Command) => pruneAudit(context, command.optsWithGlobals()));
}

/** Least age of entries that can be removed, in days. */
const LEAST_DAYS = 30;

async function pruneAudit(context: Context, options: Options): Promise<void> {
  const { before: day = '' } = await parseFlags(context, options, { before });
  const latest = addDays(context.today, -LEAST_DAYS);
  if (day > latest) throw usage(`--before must be at least ${LEAST_DAYS} days back: ${latest} or earlier.`);
  const pruned = context.store.audit.prune(beginningOf(day), context.now().getTime());
  const [from, to] = [pruned?.first, pruned?.last].map((at) =>
    at === undefined ? null : new Date(at).toISOString(),
  );
  if (options['json']) printJson(context, { removed: pruned?.count ?? 0, from, to });
  else if (!pruned) sayDone(context, 'Nothing was removed: there are no older entries.');
  else
    sayDone(
      context,
      `Removed ${counted(pruned.count, 'request')}, ${from?.slice(0, 10)} to ${to?.slice(0, 10)} (UTC). One entry that says so stays.`,
    );
}

async function showAudit(context: Context, options: Options): Promise<void> {
  const { user } = options;
  const asked = await parseFlags(context, options, { since });
  const entries = context.store.audit.list({
    ...(user !== undefined && { user: idOf(String(user), '--user') }),
    ...(asked.since !== undefined && { since: beginningOf(asked.since) }),
    limit: Number(options['limit']),
  });
  const [first] = entries;
  if (first === undefined && !options['json'])
    return say(
      context,
      context.store.audit.list({ limit: 1 }).length > 0
        ? 'No entry matches.'
        : `Nobody asked for anything. It is noted by ${commandLine(context, 'serve --auth')}`,
    );
  const names = Object.keys(first ?? {});
  await printList(context, options, { names, columns: () => columns, rows: () => [entries] });
}

function describeRecords({ record, first, last, count }: AuditEntry): string {
  if (record === 'audit') return counted(count, 'request');
  if (first === null) return '';
  return first === last ? `${nounOf(record)} ${first}` : `${countedKind(count, record)}, ${first} to ${last}`;
}

const columns: Column<AuditEntry>[] = [
  { title: 'When (UTC)', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
  {
    title: 'Who',
    least: 10,
    cell: ({ who, token, record }) =>
      record === 'audit'
        ? 'command line'
        : token === null
          ? 'nobody'
          : escapeControls(who ?? `token ${token}, gone`),
  },
  { title: 'What', cell: ({ method, route }) => `${method} ${route}` },
  { title: 'Records', cell: describeRecords },
  { title: 'Status', right: true, cell: ({ status }) => String(status) },
  { title: 'From', cell: ({ address }) => escapeControls(address) },
];
