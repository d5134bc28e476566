import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Context } from '../../context.ts';
import { type Role, roles } from '../../domain/access.ts';
import { stateOf, type Token } from '../../domain/token.ts';
import { examples } from '../help.ts';
import { idOf, type Options, plainJsonOption } from '../input/options.ts';
import { escapeControls, print, say } from '../output/io.ts';
import { printJson, printTable, sayEmpty } from '../output/output.ts';
import type { Column } from '../views/table.ts';

/** `sciatica token add|ls|rm` */
export function addTokenCommand(program: Command, context: Context): void {
  const token = program
    .command('token')
    .helpCommand(false)
    .summary('Let somebody in over the network, or no longer')
    .description('The keys to sciatica serve --auth: who may come in, as what, and until when.');

  token
    .command('add')
    .summary('Make a token')
    .description('Make a token for one person or device. It is shown this once: only its hash is stored.')
    .argument('<name>', 'what it is for; changes made with it bear this name')
    .addOption(
      new Option(
        '--role <role>',
        'a patient reads and changes the own records, a provider reads those of the users assigned, an admin may do everything',
      )
        .choices([...roles])
        .makeOptionMandatory(),
    )
    .option('--user <ids>', 'id of the patient, or ids such as 3,5 (a provider without sees all)')
    .option('--expires <time>', 'how long it is valid, such as 90d or 12h (otherwise for good)', lifetimeOf)
    .addOption(plainJsonOption())
    .addHelpText(
      'after',
      examples(
        'sciatica token add phone --role patient --user 3 --expires 90d',
        'sciatica token add clinic --role provider --user 3,5',
      ),
    )
    .action((name: string, options: Options) => addToken(context, name, options));

  token
    .command('ls')
    .summary('List the tokens')
    .description('List the tokens with their last use, to the minute; the tokens themselves cannot be shown.')
    .addOption(plainJsonOption())
    .addHelpText('after', examples('sciatica token ls'))
    .action((options: Options) => listTokens(context, options));

  token
    .command('rm')
    .summary('Take a token back')
    .description('Take a token back. It is refused from the next request on; its name stays taken.')
    .argument('<token>', 'name or id of the token')
    .addHelpText('after', examples('sciatica token rm phone'))
    .action((key: string) => removeToken(context, key));
}

const HOUR = 3_600_000;

function lifetimeOf(text: string): number {
  const [, count = '', unit] = /^(\d{1,5})([dh])$/.exec(text) ?? [];
  if (Number(count) < 1) throw new InvalidArgumentError('It must be days or hours, such as 90d or 12h.');
  return Number(count) * (unit === 'd' ? 24 : 1) * HOUR;
}

function addToken(context: Context, name: string, options: Options): void {
  const ids = options['user'] as string | undefined;
  const users =
    ids === undefined ? null : [...new Set(ids.split(',').map((id) => idOf(id, 'Each of --user')))];
  const made = context.store.tokens.create({
    name,
    role: options['role'] as Role,
    users,
    lifetime: (options['expires'] as number | undefined) ?? null,
  });
  if (options['json']) {
    printJson(context, { ...shown(made), token: made.token });
    return;
  }
  // Alone on stdout, so that a script can take it; what it is goes to the person.
  say(
    context,
    `Token ${made.id}, ${escapeControls(name)}: ${made.role}, ${ofUsers(made)}. It is not shown again:`,
  );
  print(context, made.token);
}

async function listTokens(context: Context, options: Options): Promise<void> {
  const tokens = context.store.tokens.list();
  if (options['json']) {
    const now = context.now().getTime();
    printJson(
      context,
      tokens.map((token) => ({ ...shown(token), state: stateOf(token, now) })),
    );
  } else if (tokens.length === 0)
    sayEmpty(context, options, 'There is no token yet. Make one: sciatica token add');
  else await printTable(context, { columns: columns(context), rows: () => [tokens] });
}

function removeToken(context: Context, key: string): void {
  const { id, name } = context.store.tokens.revoke(key);
  print(context, `Token ${id}, ${escapeControls(name)}, is refused from now on.`);
}

const moment = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** As JSON: moments as ISO 8601 in UTC. */
function shown({ id, name, role, users, createdAt, expiresAt, lastUsedAt, revokedAt }: Token): object {
  const moments = { createdAt, expiresAt, lastUsedAt, revokedAt };
  return {
    id,
    name,
    role,
    users,
    ...Object.fromEntries(Object.entries(moments).map(([key, at]) => [key, moment(at)])),
  };
}

function ofUsers({ users }: Token): string {
  if (users === null) return 'all users';
  return `user${users.length === 1 ? '' : 's'} ${users.join(', ')}`;
}

function columns(context: Context): Column<Token>[] {
  const minute = (at: number | null, none: string) => moment(at)?.slice(0, 16).replace('T', ' ') ?? none;
  return [
    { title: 'Id', right: true, cell: ({ id }) => String(id) },
    { title: 'Name', shrinks: 'first', cell: ({ name }) => escapeControls(name) },
    { title: 'Role', cell: ({ role }) => role },
    { title: 'Sees', shrinks: 'first', cell: ofUsers },
    { title: 'Last use (UTC)', cell: ({ lastUsedAt }) => minute(lastUsedAt, 'never') },
    {
      title: 'Valid until',
      cell: (token) => {
        const state = stateOf(token, context.now().getTime());
        return state === 'valid' ? minute(token.expiresAt, 'for good') : state;
      },
    },
  ];
}
