import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { SciaticaError } from '../../domain/errors.ts';
import { replace, syncFile, syncFolder, TEMPORARY, temporaryBeside } from '../../lib/files.ts';
import { connect, withDatabase } from '../sqlite/connection.ts';
import { damaged } from '../sqlite/errors.ts';
import { migrate } from '../sqlite/open.ts';
import { isSound } from '../sqlite/verify.ts';
import { type Store, storeOn } from '../store.ts';
import { type BackupPlan, backupsOf, planOf } from './backup-plan.ts';
import { keptCopies } from './copies.ts';

/** What became of the copies of a database after a person was erased from it; paths. */
export interface CopiesAfterErasing {
  /** Automatic backups that were written anew without the person. */
  rewritten: string[];
  /** Encrypted ones: nobody here can look into them. */
  deleted: string[];
  /** What may still hold the person: copies that were made by hand or before a change, and what is out of reach. */
  left: string[];
}

/** Erases a person from the automatic backups too. What fails is among the ones that are left. */
export function eraseFromBackups(store: Store, userId: number): CopiesAfterErasing {
  const after: CopiesAfterErasing = { rewritten: [], deleted: [], left: [] };
  const handled = new Set<string>();
  for (const plan of plansOf(store)) {
    if (!existsSync(plan.folder)) {
      after.left.push(join(plan.folder, `${plan.prefix}*`));
      continue;
    }
    stopJobs(plan);
    for (const { path, isEncrypted } of backupsOf(plan)) {
      handled.add(path);
      try {
        if (isEncrypted) {
          rmSync(path);
          after.deleted.push(path);
        } else if (rewrite(path, userId)) after.rewritten.push(path);
      } catch {
        after.left.push(path);
      }
    }
    syncFolder(plan.folder);
  }
  const others = keptCopies(store.path).filter(
    (path) => !handled.has(path) && /\.db|\.age$/.test(basename(path)),
  );
  after.left.push(...others);
  return after;
}

/** Every place where backups of this database were made: beside it, and where they were moved to. */
function plansOf({ path, settings }: Store): BackupPlan[] {
  const folders = [undefined, ...settings.backupFolders];
  return folders
    .map((folder) => planOf(path, { folder }))
    .filter((plan) => plan !== undefined)
    .filter(({ folder }, i) => i > 0 || existsSync(folder));
}

/** A backup that is being made at this moment holds the person: without its temporary files it fails. */
function stopJobs({ folder }: BackupPlan): void {
  for (const name of readdirSync(folder).filter((file) => TEMPORARY.test(file)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** @returns false if the backup never held the person */
function rewrite(path: string, userId: number): boolean {
  const temporary = temporaryBeside(path);
  try {
    copyFileSync(path, temporary.path);
    const isErased = withDatabase(connect(temporary.path), (db) => {
      db.pragma('journal_mode = DELETE');
      migrate(db, { keep: () => {} });
      const isIn = erased(storeOn(db), userId);
      if (isIn && !isSound(db)) throw new SciaticaError('damaged', damaged(path));
      return isIn;
    });
    if (!isErased) return false;
    syncFile(temporary.path);
    replace(temporary.path, path);
    return true;
  } finally {
    temporary.remove();
  }
}

function erased(store: Store, userId: number): boolean {
  try {
    store.erase(userId);
    return true;
  } catch (error) {
    if (error instanceof SciaticaError && error.code === 'not-found') return false;
    throw error;
  }
}
