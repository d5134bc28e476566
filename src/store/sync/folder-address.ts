import { fileURLToPath, pathToFileURL } from 'node:url';

/** A folder that is carried from machine to machine, as a remote. */
export interface FolderAddress {
  /** Absolute. */
  path: string;
  /** The ids of the users whose records go there; undefined for all. */
  users?: readonly number[] | undefined;
  /** Whether its files are not encrypted. */
  isPlain: boolean;
}

/** A folder as the URL of a remote. */
export function folderUrl({ path, users, isPlain }: FolderAddress): string {
  const url = pathToFileURL(path);
  if (users) url.searchParams.set('users', users.join(','));
  if (isPlain) url.searchParams.set('plain', 'true');
  return url.href;
}

/** The folder that the URL of a remote leads to; undefined for a service. */
export function folderAddress(text: string): FolderAddress | undefined {
  if (!text.startsWith('file:')) return undefined;
  const url = new URL(text);
  return {
    path: fileURLToPath(url),
    users: url.searchParams.get('users')?.split(',').map(Number),
    isPlain: url.searchParams.has('plain'),
  };
}
