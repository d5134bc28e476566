import { Option } from 'commander';
import type { Context } from '../../context.ts';
import { type Role, roles } from '../../domain/access.ts';
import { stateOf, type Token, type TokenState } from '../../domain/token.ts';
import { localDay } from '../../domain/words/day.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { idOf, lifetimeOf, type Options, plainJsonOption } from '../input/options.ts';
import type { Column } from '../terminal/columns.ts';
import { commandLine, escapeControls, print, say, sayDone } from '../terminal/io.ts';
import { printJson, printList } from '../terminal/output.ts';

export function addTokenCommand(program: Command, context: Context): void {
  const token = program
    .command('token')
    .helpCommand(false)
    .summary('Let somebody in over the network, or keep them out')
    .description('The keys to sciatica serve --auth: who may come in, as what, and until when.');

  token
    .command('add')
    .summary('Make a token')
    .description('Make a token for one person or device. It is shown only once: only its hash is stored.')
    .argument('<name>', 'what it is for; changes made with it bear this name')
    .addOption(
      new Option(
        '--role <role>',
        'a patient reads and changes their own records, a provider reads those of the assigned users, an admin may do everything',
      )
        .choices([...roles])
        .makeOptionMandatory(),
    )
    .option('--user <ids>', 'id of the patient, or ids such as 3,5 (without it a provider sees all users)')
    .option('--expires <time>', 'how long it is valid, such as 90d or 12h (otherwise for good)', lifetimeOf)
    .addOption(plainJsonOption())
    .examples(
      'sciatica token add phone --role patient --user 3 --expires 90d',
      'sciatica token add clinic --role provider --user 3,5',
    )
    .action((name: string, options: Options) => addToken(context, name, options));

  token
    .command('ls')
    .summary('List the tokens')
    .description('List the tokens with their last use, to the minute; the tokens themselves cannot be shown.')
    .addOption(plainJsonOption())
    .examples('sciatica token ls')
    .action((options: Options) => listTokens(context, options));

  token
    .command('rm')
    .description(
      'Take a token back. It is refused from the next request on; its name stays taken. It asks first.',
    )
    .argument('<token>', 'name or id of the token')
    .option('--yes', 'do not ask')
    .examples('sciatica token rm phone', 'sciatica token rm phone --yes')
    .action((key: string, options: Options) => removeToken(context, key, options));
}

function addToken(context: Context, name: string, options: Options): void {
  const ids = options['user'] as string | undefined;
  const users =
    ids === undefined ? null : [...new Set(ids.split(',').map((id) => idOf(id, 'Each of --user')))];
  // The users named by --user are in an existing database.
  if (users !== null) context.mayCreate = false;
  const made = context.store.tokens.create({
    name,
    role: options['role'] as Role,
    users,
    lifetime: (options['expires'] as number | undefined) ?? null,
  });
  if (options['json']) {
    printJson(context, { ...asJson(made), token: made.token });
    return;
  }
  // Only the token goes to stdout, so that a script can read it.
  say(
    context,
    `Token ${made.id}, ${escapeControls(name)}: ${made.role}, ${ofUsers(made)}. It is not shown again:`,
  );
  print(context, made.token);
}

async function listTokens(context: Context, options: Options): Promise<void> {
  const now = context.now().getTime();
  const tokens = context.store.tokens
    .list()
    .map((token): ListedToken => ({ ...asJson(token), state: stateOf(token, now) }));
  const [first] = tokens;
  if (first === undefined && !options['json'])
    return say(context, `There is no token yet. Make one: ${commandLine(context, 'token add')}`);
  const names = Object.keys(first ?? {});
  await printList(context, options, { names, columns: () => columns, rows: () => [tokens] });
}

async function removeToken(context: Context, key: string, options: Options): Promise<void> {
  const { tokens } = context.store;
  const { id, name, revokedAt } = tokens.named(key);
  const token = `Token ${id}, ${escapeControls(name)},`;
  if (revokedAt !== null) {
    const day = localDay(new Date(revokedAt));
    return sayDone(context, `${token} was taken back already, on ${day}: it is refused.`);
  }
  await confirmed(context, options, `Take back the token ${escapeControls(name)}?`, 'Nothing was changed.');
  tokens.revoke(key);
  sayDone(context, `${token} is refused from now on.`);
}

/** A token as JSON, with its times as ISO 8601 in UTC. */
type TokenJson = ReturnType<typeof asJson>;
type ListedToken = TokenJson & { state: TokenState };

function asJson({ id, name, role, users, createdAt, expiresAt, lastUsedAt, revokedAt }: Token) {
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  return {
    id,
    name,
    role,
    users,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    lastUsedAt: iso(lastUsedAt),
    revokedAt: iso(revokedAt),
  };
}

function ofUsers({ users }: Pick<Token, 'users'>): string {
  if (users === null) return 'all users';
  return `user${users.length === 1 ? '' : 's'} ${users.join(', ')}`;
}

const toMinute = (iso: string | null, none: string) => iso?.slice(0, 16).replace('T', ' ') ?? none;

const columns: Column<ListedToken>[] = [
  { title: 'Id', right: true, cell: ({ id }) => String(id) },
  { title: 'Name', least: 10, cell: ({ name }) => escapeControls(name) },
  { title: 'Role', cell: ({ role }) => role },
  { title: 'Sees', least: 10, cell: ofUsers },
  { title: 'Last use (UTC)', turn: 1, cell: ({ lastUsedAt }) => toMinute(lastUsedAt, 'never') },
  {
    title: 'Valid until',
    turn: 2,
    cell: ({ state, expiresAt }) => (state === 'valid' ? toMinute(expiresAt, 'for good') : state),
  },
];
