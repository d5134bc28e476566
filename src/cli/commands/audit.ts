import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { addDays } from '../../domain/words/day.ts';
import { parseDay } from '../../domain/words/spoken-day.ts';
import { usage } from '../errors.ts';
import { examples } from '../help.ts';
import { countOf, idOf, type Options, plainJsonOption } from '../input/options.ts';
import { counted, escapeControls, print, sayDone } from '../output/io.ts';
import { printJson, printRows, sayEmpty } from '../output/output.ts';
import type { Column } from '../views/columns.ts';

/** `sciatica audit` */
export function addAuditCommand(program: Command, context: Context): void {
  const audit = program
    .command('audit')
    .summary('See who asked for what over the network')
    .description(
      'See who asked for which records over the network, the latest first. Kept by sciatica serve --auth only.',
    )
    .option('--user <id>', 'what is about this user, lists that may have held the user included')
    .option('--since <day>', 'from this day on (YYYY-MM-DD, today, yesterday, -3d)')
    .addOption(new Option('--limit <number>', 'most entries').argParser(countOf).default(100))
    .addOption(plainJsonOption())
    .addHelpText('after', examples('sciatica audit --since -7d', 'sciatica audit --user 3 --json'))
    .action((options: Options) => showAudit(context, options));

  audit
    .command('prune')
    .summary('Remove old entries')
    .description(
      `Remove the entries from before a day, at least ${LEAST_DAYS} days back. One entry stays that says how many and from when; it cannot be removed.`,
    )
    .requiredOption('--before <day>', 'the first day to keep (YYYY-MM-DD, -90d)')
    .addOption(plainJsonOption())
    .addHelpText('after', examples('sciatica audit prune --before -365d'))
    .action((_: Options, command: Command) => pruneAudit(context, command.optsWithGlobals()));
}

/** Entries younger than this cannot be removed, in days. */
const LEAST_DAYS = 30;

function pruneAudit(context: Context, options: Options): void {
  const before = String(options['before']);
  const limit = beginning(context, before, '--before');
  if (parseDay(before, context.today) > addDays(context.today, -LEAST_DAYS))
    throw usage(
      `--before must be at least ${LEAST_DAYS} days back: ${addDays(context.today, -LEAST_DAYS)} or earlier.`,
    );
  const pruned = context.store.audit.prune(limit, context.now().getTime());
  const [from, to] = [pruned?.first, pruned?.last].map((at) =>
    at === undefined ? null : new Date(at).toISOString(),
  );
  if (options['json']) printJson(context, { removed: pruned?.count ?? 0, from, to });
  else if (!pruned) sayDone(context, 'Nothing was removed: there are no older entries.');
  else
    print(
      context,
      `Removed ${counted(pruned.count, 'request')}, ${from?.slice(0, 10)} to ${to?.slice(0, 10)} (UTC). One entry that says so stays.`,
    );
}

async function showAudit(context: Context, options: Options): Promise<void> {
  const { user, since } = options;
  const entries = context.store.audit.list({
    ...(user !== undefined && { user: idOf(String(user), '--user') }),
    ...(since !== undefined && { since: beginning(context, String(since), '--since') }),
    limit: Number(options['limit']),
  });
  if (options['json']) printJson(context, entries);
  else if (entries.length === 0)
    sayEmpty(context, options, 'Nobody asked for anything (sciatica serve --auth notes it).');
  else await printRows(context, { names, columns: () => columns, rows: () => [entries] });
}

/** Local midnight at which a day begins, in milliseconds since 1970. */
function beginning(context: Context, text: string, flag: string): number {
  const day = parseDay(text, context.today);
  const at = new Date(`${day}T00:00`).getTime();
  if (Number.isNaN(at) || addDays(day, 0) !== day)
    throw usage(`${flag} must be a calendar day as YYYY-MM-DD, or today, yesterday, -3d.`);
  return at;
}

function recordsOf({ record, first, last, count }: AuditEntry): string {
  if (record === 'audit') return counted(count, 'request');
  if (first === null) return '';
  return first === last ? `${record} ${first}` : `${count} ${record}s, ${first} to ${last}`;
}

const names = [
  'at',
  'token',
  'who',
  'method',
  'route',
  'record',
  'userId',
  'first',
  'last',
  'count',
  'status',
  'address',
] as const satisfies (keyof AuditEntry)[];

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
  { title: 'Records', cell: recordsOf },
  { title: 'Status', right: true, cell: ({ status }) => String(status) },
  { title: 'From', cell: ({ address }) => escapeControls(address) },
];
