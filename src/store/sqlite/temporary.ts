import { readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { errnoOf, isAbandoned, type Temporary, temporaryFolder } from '../../lib/files.ts';
import type { Database } from './database.ts';

/** A folder, and the number of its holders. */
interface Used {
  folder: Temporary;
  count: number;
}

/** Cache by the folder of the database. */
const used = new Map<string, Used>();

/**
 * Lets a connection spill sorts and temporary tables to files, in a folder (0700) beside the database, so
 * that records are stored nowhere else. Where no folder can be made, they stay in memory. Call it outside of
 * transactions, once for a connection.
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
 * Makes the folder for temporary files of all connections of this process, including those of other threads, which cannot make
 * their own (https://sqlite.org/pragma.html#pragma_temp_store_directory).
 * @returns a function that releases it, and removes it after the last holder; undefined where no folder can be made
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
    // SQLite unlinks its files at once, so a kill leaves an empty folder, which `removeAbandoned` removes.
    const use = { folder: temporaryFolder(beside, false), count: 0 };
    used.set(beside, use);
    return use;
  } catch {
    return undefined;
  }
}

/** Removes the temporary folders of killed processes. Ignores those that cannot be removed, such as another user's in /tmp. */
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
