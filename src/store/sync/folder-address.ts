import { fileURLToPath, pathToFileURL } from 'node:url';

/** A remote that is a folder, which something else carries from machine to machine. */
export interface FolderAddress {
  /** Absolute. */
  path: string;
  /** The ids of the users whose records go there; undefined for all. */
  users?: readonly number[] | undefined;
  /** Whether its files are not encrypted. */
  isPlain: boolean;
}

/** The URL that stands for a folder in the table of remotes. */
export function folderUrl({ path, users, isPlain }: FolderAddress): string {
  const url = pathToFileURL(path);
  if (users) url.searchParams.set('users', users.join(','));
  if (isPlain) url.searchParams.set('plain', 'true');
  return url.href;
}

/** The folder that the URL of a remote stands for; undefined for the URL of a service. */
export function folderAddress(text: string): FolderAddress | undefined {
  if (!text.startsWith('file:')) return undefined;
  const url = new URL(text);
  return {
    path: fileURLToPath(url),
    users: url.searchParams.get('users')?.split(',').map(Number),
    isPlain: url.searchParams.has('plain'),
  };
}
