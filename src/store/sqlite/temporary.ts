import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, isAbandoned, type Temporary, temporaryFolder } from '../../lib/files.ts';
import type { Database } from './database.ts';

/** A folder, and how many connections use it. */
interface Used {
  folder: Temporary;
  count: number;
}

/** By the folder of the database. */
const used = new Map<string, Used>();

/**
 * Lets a connection put what it sorts and lays aside into files, as far as memory is too small for it: in a folder
 * (0700) beside the database, so that no record comes to lie elsewhere. Where none can be made, it stays in memory.
 * To be called outside of transactions, once for a connection.
 */
export function useTemporaryFolder(db: Database): void {
  if (db.obstacle) return;
  if (db.reader) {
    if (db.reader.hasTemporaryFolder) db.pragma('temp_store = FILE');
    return;
  }
  const release = holdTemporaryFolder(db);
  if (!release) return;
  db.onClose(release);
  db.pragma('temp_store = FILE');
}

/**
 * Makes the folder that all connections of this process put temporary files into, those of other threads included, which
 * cannot make one of their own (https://sqlite.org/pragma.html#pragma_temp_store_directory).
 * @returns what removes it when nobody else holds it; undefined where none can be made
 */
export function holdTemporaryFolder(db: Database): (() => void) | undefined {
  const beside = dirname(db.path);
  const use = used.get(beside) ?? made(beside);
  if (!use) return undefined;
  use.count++;
  db.pragma(`temp_store_directory = '${use.folder.path.replaceAll("'", "''")}'`);
  return () => {
    if (--use.count > 0) return;
    used.delete(beside);
    use.folder.remove();
  };
}

function made(beside: string): Used | undefined {
  try {
    // SQLite removes the names of its files at once: a signal leaves an empty folder, for `removeAbandoned`.
    const use = { folder: temporaryFolder(beside, false), count: 0 };
    used.set(beside, use);
    return use;
  } catch {
    return undefined;
  }
}

/** Removes such folders of processes that have been killed; what cannot be removed, such as another user's in /tmp, hinders nobody. */
export function removeAbandoned(folder: string): void {
  unlessRefused(() => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && isAbandoned(entry.name))
        unlessRefused(() => rmSync(join(folder, entry.name), { recursive: true, force: true }));
  });
}

function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
  }
}
