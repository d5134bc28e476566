import { type Command, Option } from 'commander';
import type { Context } from '../../context.ts';
import type { AuditEntry } from '../../domain/audit.ts';
import { parseDay } from '../../domain/day.ts';
import { usage } from '../errors.ts';
import { examples } from '../help.ts';
import { countOf, idOf, type Options, plainJsonOption } from '../input/options.ts';
import { escapeControls } from '../output/io.ts';
import { printJson, printRows, sayEmpty } from '../output/output.ts';
import type { Column } from '../views/columns.ts';

/** `sciatica audit` */
export function addAuditCommand(program: Command, context: Context): void {
  program
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
}

async function showAudit(context: Context, options: Options): Promise<void> {
  const { user, since } = options;
  const entries = context.store.audit.list({
    ...(user !== undefined && { user: idOf(String(user), '--user') }),
    ...(since !== undefined && { since: beginning(context, String(since)) }),
    limit: Number(options['limit']),
  });
  if (options['json']) printJson(context, entries);
  else if (entries.length === 0)
    sayEmpty(context, options, 'Nobody asked for anything (sciatica serve --auth notes it).');
  else await printRows(context, { names, columns: () => columns, rows: () => [entries] });
}

/** Local midnight at which a day begins, in milliseconds since 1970. */
function beginning(context: Context, text: string): number {
  const at = new Date(`${parseDay(text, context.today)}T00:00`).getTime();
  if (Number.isNaN(at))
    throw usage('--since must be a calendar day as YYYY-MM-DD, or today, yesterday, -3d.');
  return at;
}

function recordsOf({ record, first, last, count }: AuditEntry): string {
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
    cell: ({ who, token }) => (token === null ? 'nobody' : escapeControls(who ?? `token ${token}, gone`)),
  },
  { title: 'What', cell: ({ method, route }) => `${method} ${route}` },
  { title: 'Records', cell: recordsOf },
  { title: 'Status', right: true, cell: ({ status }) => String(status) },
  { title: 'From', cell: ({ address }) => escapeControls(address) },
];
