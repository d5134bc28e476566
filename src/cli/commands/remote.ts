import { hostname } from 'node:os';
import type { Context } from '../../context.ts';
import { invitationOf } from '../../domain/pairing.ts';
import { localMinute } from '../../domain/words/day.ts';
import { pause } from '../../lib/sleep.ts';
import { idsOf } from '../../store/reconcile/received.ts';
import { folderAddress } from '../../store/sync/folder-address.ts';
import type { Remote } from '../../store/sync/remotes.ts';
import { type Address, checkAddress } from '../../sync/address.ts';
import type { Command } from '../input/command.ts';
import { confirmed } from '../input/edit.ts';
import { type Options, plainJsonOption } from '../input/options.ts';
import { checkToken, forgetToken, keepToken, keptToken, readToken } from '../input/token-file.ts';
import type { Column } from '../terminal/columns.ts';
import { usage } from '../terminal/errors.ts';
import { commandLine, counted, escapeControls, say, sayAlways, sayDone } from '../terminal/io.ts';
import { printList } from '../terminal/output.ts';
import {
  besideLines,
  erasedHereLines,
  erasedLines,
  heldLines,
  notedLines,
  stillThereLines,
} from '../views/sync.ts';
import {
  type AddOptions,
  addFolder,
  addUsers,
  checkName,
  folderIn,
  folderKey,
  type KeyOptions,
  ourUserOf,
} from './remote-folder.ts';

export function addRemoteCommands(program: Command, context: Context): void {
  const remote = program
    .command('remote')
    .summary('Name a folder or a service to sync with')
    .description(
      'Name a folder that is carried between your machines (Syncthing, iCloud Drive, Dropbox, a stick), or a service (sciatica serve --auth), with which this database is synced: sciatica sync NAME.',
    );

  remote
    .command('add')
    .summary('Name a folder or a service')
    .description(
      `Name a folder: sciatica remote add FOLDER. Each machine writes only its own files there, encrypted with the folder's key. The first machine makes the key and shows it; the others ask for it. Named again with --user or --all, a folder takes the records of more users.

Or name a service. Its token is read from a file or, in a terminal, typed without being shown. What sciatica pair shows there (https://…/app/#code=…) stands for URL, pin and token, once. sciatica asks the service at once whether it lets this machine in; if nobody answers, the remote is kept all the same.

Keys and tokens are kept in a file beside the database that nobody else can read, and in no backup. No record is sent before sciatica sync.`,
    )
    .argument('<name>', 'letters, digits, - and _; a folder needs none')
    .argument(
      '[where]',
      'folder, or address of the service, such as https://home.example:3000, or what sciatica pair shows there',
    )
    .option('--user <ids>', 'of a folder: the users whose records go there, separated by commas')
    .option('--all', 'of a folder: the records of all users go there')
    .option('--key-file <file>', 'of a folder: file that holds its key (- for stdin)')
    .option('--plain', 'of a folder: do not encrypt what is written there')
    .option('--token-file <file>', 'of a service: file that holds the token')
    .option(
      '--pin <pin>',
      'pin of the key of its certificate, as the machine of the service shows it (sha256-…)',
    )
    .option(
      '--as <id>',
      'the user here who is the same person as the one over there, if both sides have users',
    )
    .examples(
      'sciatica remote add ~/Sync/diary',
      'sciatica remote add stick /media/stick/diary --user 1',
      'sciatica remote add stick --user 2',
      'sciatica remote add home https://home.example:3000 --token-file token.txt',
      "sciatica remote add home 'https://…/app/#code=…&pin=…' --as 1",
    )
    .action((name: string, where: string | undefined, options: AddOptions) => {
      if (addUsers(context, name, where, options)) return;
      const folder = folderIn(name, where);
      return folder ? addFolder(context, folder, options) : addService(context, name, where, options);
    });

  remote
    .command('key')
    .summary('Show or change the key of a folder')
    .description(
      'Show the key of a folder, to take it to another machine. With --new, make another, for instance after a laptop was lost: the other machines need it before they can go on. With --key-file, take the one that another machine has. Both first take over what the other machines wrote with the former key.',
    )
    .argument('<name>', 'name of the remote')
    .option('--new', 'make another key')
    .option('--key-file <file>', 'file that holds the key from now on (- for stdin)')
    .option('--yes', 'do not ask')
    .examples(
      'sciatica remote key diary',
      'sciatica remote key diary --new',
      'sciatica remote key diary --key-file -',
    )
    .action((name: string, options: KeyOptions) => folderKey(context, name, options));

  remote
    .command('rm')
    .summary('Forget a folder or a service')
    .description(
      'Forget a folder and its key, or a service and its token. What was synced stays on both sides, and sciatica still knows which record is which. With --forget, what came from there is removed here and nothing is sent, as if the two had never met.',
    )
    .argument('<name>', 'name of the remote')
    .option('--forget', 'also remove here what came from there')
    .option('--yes', 'do not ask')
    .examples('sciatica remote rm home', 'sciatica remote rm home --forget')
    .action((name: string, options: Options) => removeRemote(context, name, options));

  program
    .command('remotes')
    .summary('list the folders and services to sync with')
    .description(
      'List the folders and services that this database is synced with, when each was last in step, the deletions from elsewhere that are held back until you agree, what was erased elsewhere and is not erased here, and what was changed both here and elsewhere lately. No token is shown.',
    )
    .addOption(plainJsonOption())
    .option('--accept-deletions', 'make the deletions that are held back')
    .option('--restore-deletions', 'keep those records instead, here and elsewhere')
    .option('--accept-erase', 'erase here, for good, the people and records that were erased elsewhere')
    .examples('sciatica remotes', 'sciatica remotes --restore-deletions')
    .action((options: Options) => listRemotes(context, options));
}

async function addService(
  context: Context,
  name: string,
  address: string | undefined,
  options: AddOptions,
): Promise<void> {
  if (address === undefined)
    throw usage(
      `There is no folder ${escapeControls(name)} here. Give one, as in ${commandLine(context, 'remote add ~/Sync/diary')}, or a name and an address, as in ${commandLine(context, 'remote add home https://home.example:3000')}`,
    );
  checkName(name);
  for (const flag of ['user', 'all', 'keyFile', 'plain'] as const)
    if (options[flag] !== undefined)
      throw usage(`--${flag === 'keyFile' ? 'key-file' : flag} goes with a folder, not with a service.`);
  const invitation = invitationOf(address);
  if (invitation && (options.pin ?? options.tokenFile) !== undefined)
    throw usage('The link from sciatica pair has the pin and the token: leave out --pin and --token-file.');
  const { url, pin } = checkAddress(invitation?.url ?? address, invitation?.pin ?? options.pin);
  const ourUser = ourUserOf(context, options);
  const { remotes } = context.store;
  remotes.requireFree(name);
  const token = invitation
    ? await exchangedToken({ url, pin }, invitation.code)
    : await tokenOf(context, options);
  // Not after an invitation: the service has just exchanged its code.
  const { probe } = await import('../../sync/connection.ts');
  const obstacle = invitation ? undefined : await probe({ url, pin }, token);
  remotes.add({ name, url: url.href, pin: pin ?? null, ourUser });
  // An earlier remote of that name, removed when its user was erased, may have left a token.
  forgetToken(context, name);
  if (token !== undefined) keepToken(context, name, token);
  const next = commandLine(context, `sync ${name} --dry-run`);
  const withToken = token === undefined ? 'without a token' : 'with a token';
  sayDone(context, `Remote ${name} is ${url.href}, ${withToken}.\nNext: ${next}`);
  if (obstacle) say(context, `Note: ${escapeControls(obstacle)} The remote is kept, but was not tried.`);
}

async function exchangedToken(address: Address, code: string): Promise<string> {
  const { connectionTo } = await import('../../sync/connection.ts');
  const { Service } = await import('../../sync/service.ts');
  const connection = connectionTo(address);
  // Names of tokens begin with a letter.
  const name =
    hostname()
      .replace(/[^\w.-]/g, '')
      .replace(/^[^A-Za-z]+/, '')
      .slice(0, 50) || 'machine';
  try {
    return await new Service(connection.send, undefined, pause).pair(code, name);
  } finally {
    connection.close();
  }
}

/** The token from the file, or typed in a terminal; undefined for none. */
async function tokenOf(context: Context, { tokenFile }: AddOptions): Promise<string | undefined> {
  if (tokenFile !== undefined) return readToken(context, tokenFile);
  if (!context.interactive) return undefined;
  const { askSecret } = await import('../terminal/prompts.ts');
  const typed = await askSecret(context, 'Token (Enter for none)');
  return typed === '' ? undefined : checkToken(typed, 'The answer');
}

async function removeRemote(context: Context, name: string, options: Options): Promise<void> {
  const { remotes } = context.store;
  if (options['forget'] && remotes.find(name)) {
    const replication = await context.store.replication();
    const { going, staying } = replication.cameFrom(name);
    const from = `that came from ${escapeControls(name)} since it was added`;
    sayAlways(
      context,
      `${counted(going.length, 'record')} ${from} would go from here. Nothing is sent there.`,
    );
    if (staying.length > 0)
      sayAlways(
        context,
        `${counted(staying.length, 'user')} ${from} would stay, with the records that did not come from there.`,
      );
    await confirmed(context, options, `Remove them here?`, 'Nothing was changed.');
    replication.forget(name);
  }
  const folder = folderAddress(remotes.find(name)?.url ?? '');
  remotes.remove(name);
  forgetToken(context, name);
  sayDone(
    context,
    folder
      ? `Remote ${name} is forgotten, and its key. What this machine wrote into ${escapeControls(folder.path)} is still there: other machines may not have read it yet.`
      : `Remote ${name} is forgotten, and its token. The token is still valid: take it back where the service runs (sciatica token rm).`,
  );
}

interface ListedRemote extends Omit<Remote, 'at'> {
  token: boolean;
  /** When both sides were last in step, as ISO 8601 in UTC; null before the first time. */
  inStepAt: string | null;
}

/** Erases here what was erased elsewhere. @throws SciaticaError `unusable` if a copy is left */
async function eraseAsElsewhere(context: Context): Promise<void> {
  const { erased, copies } = context.store.eraseAsElsewhere();
  if (erased.length === 0) sayDone(context, 'Nothing is here that was erased elsewhere.');
  for (const line of erasedHereLines(erased)) sayDone(context, line);
  const { finishCopies } = await import('../input/erased-copies.ts');
  await finishCopies(context, idsOf(erased, 'user'), copies, { isRetry: erased.length === 0 });
}

/** Accepts or rejects the deletions that are held back. @returns whether a flag asks for that */
async function settleHeld(context: Context, options: Options): Promise<boolean> {
  const [accepts, restores] = [options['acceptDeletions'], options['restoreDeletions']];
  if (accepts && restores) throw usage('--accept-deletions and --restore-deletions cannot both be given.');
  if (!accepts && !restores) return false;
  const replication = await context.store.replication();
  const count = counted(replication.settleHeld(accepts ? 'delete' : 'restore'), 'deletion');
  sayDone(
    context,
    accepts ? `${count} accepted.` : `${count} taken back, here and with the next sync elsewhere.`,
  );
  return true;
}

async function listRemotes(context: Context, options: Options): Promise<void> {
  const { remotes } = context.store;
  const isSettled = await settleHeld(context, options);
  if (options['acceptErase']) await eraseAsElsewhere(context);
  if (isSettled || options['acceptErase']) return;
  const replication = await context.store.replication();
  const stillThere: string[] = [];
  const listed = remotes.list().map(({ at, ...remote }): ListedRemote => {
    const view = remote.database === null ? null : replication.peer(remote.database).view;
    stillThere.push(...stillThereLines(remote.name, remotes.deleted(view, at ?? 0)));
    return {
      ...remote,
      token: keptToken(context, remote.name) !== undefined,
      inStepAt: at === null ? null : new Date(at).toISOString(),
    };
  });
  const names = ['name', 'url', 'pin', 'ourUser', 'token', 'inStepAt'];
  if (listed.length === 0 && !options['json'])
    say(context, `There is no remote yet. Name one: ${commandLine(context, 'remote add')}`);
  else await printList(context, options, { names, columns: () => columns, rows: () => [listed] });
  if (options['json']) return;
  // Among them are those of imported files, and of machines that sync with this one.
  const disputes = remotes.disputes(context.now().getTime());
  const lines = [
    ...stillThere,
    ...listed.flatMap(({ name, url }) =>
      besideLines(context, name, remotes.addedBeside(name, folderAddress(url)?.users)),
    ),
    ...erasedLines(context, remotes.erasedElsewhere()),
    ...heldLines(context, replication.held()),
    ...notedLines(context, disputes),
  ];
  for (const line of lines) say(context, line);
}

const columns: Column<ListedRemote>[] = [
  { title: 'Name', least: 10, cell: ({ name }) => escapeControls(name) },
  { title: 'Where', least: 20, cell: ({ url }) => escapeControls(folderAddress(url)?.path ?? url) },
  { title: 'As user', optional: true, cell: ({ ourUser }) => (ourUser === null ? '' : String(ourUser)) },
  {
    title: 'In step',
    cell: ({ inStepAt }) => (inStepAt === null ? 'never' : localMinute(new Date(inStepAt))),
  },
  { title: 'Token or key', cell: ({ token }) => (token ? 'kept' : 'none') },
  { title: 'Pin', optional: true, turn: 1, cell: ({ pin }) => pin ?? '' },
];
