import { existsSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, resolve, sep } from 'node:path';
import type { Context } from '../../context.ts';
import { absent, SciaticaError, unusable } from '../../domain/errors.ts';
import { realPathOf } from '../../lib/files.ts';
import { type FolderAddress, folderAddress, folderUrl } from '../../store/sync/folder-address.ts';
import type { Remote } from '../../store/sync/remotes.ts';
import { isUrl } from '../../sync/address.ts';
import { confirmed } from '../input/edit.ts';
import { folderOf, readKey } from '../input/folder-remote.ts';
import { idOf } from '../input/options.ts';
import { forgetToken, keepToken, keptToken } from '../input/token-file.ts';
import { fileError, usage } from '../terminal/errors.ts';
import { commandLine, escapeControls, print, say, sayDone } from '../terminal/io.ts';

/** The options of `sciatica remote add`. */
export interface AddOptions {
  user?: string;
  all?: true;
  keyFile?: string;
  plain?: true;
  tokenFile?: string;
  pin?: string;
  as?: string;
}

export type KeyOptions = { new?: true; keyFile?: string; yes?: boolean };

interface Named {
  name: string;
  path: string;
}

const NAME = /^[A-Za-z0-9][\w-]{0,49}$/;

/** Checks the name of a remote. @throws SciaticaError `invalid` */
export function checkName(name: string): void {
  if (!NAME.test(name))
    throw usage(`A name must be 1 to 50 letters, digits, - or _, not "${escapeControls(name)}".`);
}

/** The id of the user here who is the user of the remote (`--as`); null without it. @throws SciaticaError `not-found` */
export function ourUserOf(context: Context, { as }: AddOptions): number | null {
  return as === undefined ? null : context.store.users.get(idOf(as, '--as')).id;
}

const isPath = (text: string): boolean => /^([./~]|[A-Za-z]:[\\/])/.test(text) || text.includes(sep);

/** The folder that the arguments name; undefined if they name none. Its default name is the last part of its path. */
export function folderIn(first: string, second: string | undefined): Named | undefined {
  if (isUrl(second ?? first)) return undefined;
  if (second !== undefined)
    return isPath(second) || existsSync(second) ? { name: first, path: resolve(second) } : undefined;
  if (!isPath(first) && !existsSync(first)) return undefined;
  const path = resolve(first);
  const name = basename(path)
    .replace(/[^\w-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '');
  return { name: name.slice(0, 50) || 'folder', path };
}

export async function addFolder(
  context: Context,
  { name, path: given }: Named,
  options: AddOptions,
): Promise<void> {
  checkName(name);
  for (const flag of ['tokenFile', 'pin'] as const)
    if (options[flag] !== undefined)
      throw usage(`--${flag === 'pin' ? 'pin' : 'token-file'} goes with a service, not with a folder.`);
  const { remotes } = context.store;
  remotes.requireFree(name);
  const ourUser = ourUserOf(context, options);
  const address: FolderAddress = {
    path: given,
    users: usersOf(context, options),
    isPlain: options.plain === true,
  };
  const path = existing(given);
  if (realPathOf(context.databasePath).startsWith(path + sep))
    throw usage(
      `The database must not lie in the folder: ${escapeControls(given)} is carried to other machines.`,
    );
  const { key, isNew } = await keyOf(context, path, options);
  const url = folderUrl({ ...address, path });
  remotes.add({ name, url, pin: null, ourUser });
  try {
    if (key !== null) keepToken(context, name, key);
    await (await folderOf(context, { name, url }))?.join();
  } catch (error) {
    remotes.remove(name);
    forgetToken(context, name);
    throw error;
  }
  sayDone(
    context,
    `Remote ${name} is ${escapeControls(path)}, ${key === null ? 'not encrypted' : 'encrypted'}.`,
  );
  if (isNew && key !== null) {
    sayDone(context, 'Its key, for sciatica remote add on the other machines:');
    print(context, key);
  }
  sayDone(context, `Next: ${commandLine(context, `sync ${name}`)}`);
}

/** Adds users to those synced with the folder of an existing remote. @returns whether the arguments ask for that */
export function addUsers(
  context: Context,
  first: string,
  second: string | undefined,
  options: AddOptions,
): boolean {
  const { user, all, plain, ...others } = options;
  const { remotes } = context.store;
  const path = folderIn(first, second)?.path;
  const isIt = ({ name, url }: Remote) =>
    path === undefined
      ? name === first
      : folderAddress(url)?.path === realPathOf(path) && (second === undefined || name === first);
  const { name, url } = remotes.list().find(isIt) ?? { name: first, url: '' };
  const address = folderAddress(url);
  if (!address || (user ?? all) === undefined || (plain ?? address.isPlain) !== address.isPlain) return false;
  if (Object.keys(others).length > 0) return false;
  const more = usersOf(context, options);
  const users = more && address.users && [...new Set([...address.users, ...more])];
  remotes.chooseUsers(name, folderUrl({ ...address, users }));
  const whose = users ? `user ${users.join(' and user ')}` : 'all users';
  sayDone(context, `The records of ${whose} go to ${name}.\nNext: ${commandLine(context, `sync ${name}`)}`);
  return true;
}

/** The ids of the users to sync with a folder; undefined for all. */
function usersOf(context: Context, { user, all }: AddOptions): number[] | undefined {
  if (user !== undefined && all) throw usage('--user and --all cannot both be given.');
  const { users } = context.store;
  if (user !== undefined) {
    const ids = user.split(',').map((id) => idOf(id.trim(), '--user'));
    for (const id of ids) users.get(id);
    return ids;
  }
  const [only, second] = users.list({ limit: 2 });
  if (second && !all)
    throw usage('There are several users: say whose records go there, with --user 1 (or 1,2), or --all.');
  return all ? undefined : only && [only.id];
}

/** The real path of a folder. It is created if only its last part is missing. @throws SciaticaError `unusable` */
function existing(path: string): string {
  try {
    if (!existsSync(path)) {
      if (!existsSync(dirname(path)))
        throw unusable(
          `There is no folder ${escapeControls(dirname(path))}: is the stick or the share connected?`,
        );
      mkdirSync(path, 0o700);
    }
    if (!statSync(path).isDirectory()) throw unusable(`${escapeControls(path)} is no folder.`);
    return realPathOf(path);
  } catch (error) {
    throw fileError(error, (errno) => [
      'unusable',
      `The folder ${escapeControls(path)} cannot be used (${errno}).`,
    ]);
  }
}

/** The key of a folder: that of the machines that use it, or a new one; null for a folder that is not encrypted. */
async function keyOf(
  context: Context,
  path: string,
  { plain, keyFile }: AddOptions,
): Promise<{ key: string | null; isNew: boolean }> {
  const { keysIn } = await import('../../sync/folder-files.ts');
  const { makeKey, FolderCipher } = await import('../../sync/cipher.ts');
  if (plain && keyFile !== undefined) throw usage('--plain and --key-file cannot both be given.');
  const there = keysIn(path);
  const isPlainThere = there.includes(new FolderCipher(null).id);
  if (there.length > 0 && plain !== (isPlainThere || undefined))
    throw usage(
      isPlainThere
        ? 'The other machines do not encrypt what they write there: add --plain to do likewise.'
        : 'The other machines encrypt what they write there: leave out --plain.',
    );
  if (plain) return { key: null, isNew: false };
  const given = keyFile === undefined ? undefined : await readKey(context, keyFile);
  if (there.length === 0) return { key: given ?? (await makeKey()), isNew: given === undefined };
  const key = given ?? (await askKey(context));
  if (!there.includes(new FolderCipher(key).id))
    throw new SciaticaError(
      'invalid',
      'That is not the key of this folder. On a machine that has it: sciatica remote key',
    );
  return { key, isNew: false };
}

async function askKey(context: Context): Promise<string> {
  if (!context.interactive)
    throw usage(
      'The folder has a key: give it with --key-file FILE, or --key-file - on stdin. On a machine that has it: sciatica remote key',
    );
  const { askSecret } = await import('../terminal/prompts.ts');
  const { checkKey } = await import('../../sync/cipher.ts');
  return checkKey(
    await askSecret(context, 'Key of the folder (sciatica remote key shows it on the other machine)'),
  );
}

export async function folderKey(context: Context, name: string, options: KeyOptions): Promise<void> {
  const remote = context.store.remotes.get(name);
  const address = folderAddress(remote.url);
  if (!address) throw usage(`${name} is a service: it has a token, and no key.`);
  if (address.isPlain) throw usage(`${name} is not encrypted: it has no key.`);
  if (options.new && options.keyFile !== undefined) throw usage('--new and --key-file cannot both be given.');
  const { makeKey } = await import('../../sync/cipher.ts');
  if (options.keyFile !== undefined) {
    const key = await readKey(context, options.keyFile);
    await takeOver(context, remote);
    keepToken(context, name, key);
    return sayDone(context, `The key is kept. Next: ${commandLine(context, `sync ${name}`)}`);
  }
  if (options.new) {
    say(context, 'The other machines cannot read what is written here until they have the new key.');
    await confirmed(context, options, 'Make another key?', 'Nothing was changed.');
    await takeOver(context, remote);
    keepToken(context, name, await makeKey());
    // Rewrites this machine's files, which are encrypted with the former key.
    await (await folderOf(context, remote))?.tell();
  }
  const key = keptToken(context, name);
  if (key === undefined) throw absent(`The key of ${name} is not kept here: take it from another machine.`);
  print(context, key);
  if (options.new)
    say(
      context,
      `On each other machine: sciatica remote key NAME --key-file -. Whoever has the former key can still read what the carrier keeps of before.`,
    );
}

/** Before the stored key changes, merges what others wrote with it: a lost laptop, for one, will never use the new key. */
async function takeOver(context: Context, remote: Remote): Promise<void> {
  if (keptToken(context, remote.name) === undefined) return;
  const folder = await folderOf(context, remote);
  const received = await folder?.receive({ as: remote.ourUser ?? undefined });
  if (!received) return;
  const { leftLines, resultLines } = await import('../views/sync.ts');
  const came = received.changes.length > 0 ? resultLines(remote.name, received) : [];
  for (const line of [...came, ...leftLines(context, remote.name, received)]) say(context, line);
}
