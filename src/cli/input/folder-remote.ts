import type { Context } from '../../context.ts';
import { absent } from '../../domain/errors.ts';
import { folderAddress } from '../../store/sync/folder-address.ts';
import type { Remote } from '../../store/sync/remotes.ts';
import type { Folder } from '../../sync/folder.ts';
import type { Progress } from '../../sync/result.ts';
import { commandLine } from '../terminal/io.ts';
import { readSecret } from './input-file.ts';
import { keptToken } from './token-file.ts';

/** Remotes that are folders. The key of a folder is stored like the token of a service: only in a file beside the database. */

/**
 * The folder of a remote, to sync with.
 * @returns undefined if the remote is a service
 * @throws SciaticaError `not-found` if its key is not stored here
 */
export async function folderOf(
  context: Context,
  { name, url }: Pick<Remote, 'name' | 'url'>,
  progress?: Progress,
): Promise<Folder | undefined> {
  const address = folderAddress(url);
  if (!address) return undefined;
  const key = keptToken(context, name) ?? null;
  if (key === null && !address.isPlain)
    throw absent(
      `The key of ${address.path} is not kept here. Take it from another machine: ${commandLine(context, `remote key ${name} --key-file FILE`)}`,
    );
  const { Folder } = await import('../../sync/folder.ts');
  const { FolderCipher } = await import('../../sync/cipher.ts');
  return Folder.of({
    store: context.store,
    remote: name,
    path: address.path,
    cipher: new FolderCipher(address.isPlain ? null : key),
    users: address.users,
    now: () => context.now().getTime(),
    ...(progress && { progress }),
  });
}

/** The key in a file, or on stdin for `-`. @throws SciaticaError `unusable`, `invalid` */
export async function readKey(context: Context, file: string): Promise<string> {
  const { checkKey } = await import('../../sync/cipher.ts');
  return checkKey(await readSecret(context, file));
}

/**
 * Rewrites this machine's files in the folders of all remotes, after an erasure.
 * @returns the folders where that was done, and those where it failed, with the reason
 */
export async function rewriteFolders(
  context: Context,
): Promise<{ done: string[]; left: { path: string; why: string }[] }> {
  const done: string[] = [];
  const left: { path: string; why: string }[] = [];
  for (const remote of context.store.remotes.list()) {
    const path = folderAddress(remote.url)?.path;
    if (path === undefined) continue;
    try {
      await (await folderOf(context, remote))?.tell();
      done.push(path);
    } catch (error) {
      left.push({ path, why: (error as Error).message });
    }
  }
  return { done, left };
}
