import type { Command } from 'commander';
import type { Context } from '../../context.ts';
import type { Remote } from '../../store/sync/remotes.ts';
import { examples } from '../help.ts';
import { type Options, plainJsonOption } from '../input/options.ts';
import { escapeControls, say } from '../output/io.ts';
import { printJson, printRows } from '../output/output.ts';
import type { Column } from '../views/columns.ts';

interface ListedRemote extends Remote {
  token: boolean;
}

/** `sciatica remotes` */
export function addRemotesCommand(program: Command, context: Context): void {
  program
    .command('remotes')
    .summary('list the services to sync with')
    .description('List the services that this database is synced with. No token is shown.')
    .addOption(plainJsonOption())
    .addHelpText('after', examples('sciatica remotes'))
    .action((options: Options) => listRemotes(context, options));
}

async function listRemotes(context: Context, options: Options): Promise<void> {
  const { remotes } = await context.store.sync();
  const { keptToken } = await import('../secret.ts');
  const listed = remotes
    .list()
    .map((remote): ListedRemote => ({ ...remote, token: keptToken(context, remote.name) !== undefined }));
  if (options['json']) printJson(context, listed);
  else if (listed.length === 0) say(context, 'There is no remote yet. Name one: sciatica remote add');
  else {
    const names = ['name', 'url', 'pin', 'ourUser', 'token'];
    await printRows(context, { names, columns: () => columns, rows: () => [listed] });
  }
}

const columns: Column<ListedRemote>[] = [
  { title: 'Name', least: 10, cell: ({ name }) => escapeControls(name) },
  { title: 'URL', least: 20, cell: ({ url }) => escapeControls(url) },
  { title: 'As user', cell: ({ ourUser }) => (ourUser === null ? '' : String(ourUser)) },
  { title: 'Token', cell: ({ token }) => (token ? 'kept' : 'none') },
  { title: 'Pin', turn: 1, cell: ({ pin }) => pin ?? '' },
];
