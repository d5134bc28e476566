import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SciaticaError } from '../../domain/errors.ts';
import { hasTag, isAbandoned, replace, syncFile, syncFolder, temporaryBeside } from '../../lib/files.ts';
import { Changes } from '../records/changes.ts';
import { Settings } from '../records/settings.ts';
import { Tokens } from '../records/tokens.ts';
import { connect, withDatabase } from '../sqlite/connection.ts';
import type { Database } from '../sqlite/database.ts';
import { damaged, domainError } from '../sqlite/errors.ts';
import { migrate } from '../sqlite/open.ts';
import { isSound, openToRead } from '../sqlite/verify.ts';
import { type AutomaticBackup, type BackupPlan, backupsOf, digestOf, planOf } from './backup-plan.ts';
import { keptCopies } from './copies.ts';
import { erase, overwrite } from './erase.ts';
import { ErasedMeanwhile, markOf, unlessErasedSince } from './erased-meanwhile.ts';
import { erasedFrom, findErased } from './erased-people.ts';

/** A copy that may still hold a person who was erased. */
export interface CopyLeft {
  path: string;
  /** Why it could not be written anew; undefined for one that is not for us to write. */
  why?: string;
}

/** What became of the copies of a database after a person was erased from it; paths. */
export interface CopiesAfterErasing {
  /** Automatic backups that were written anew without the person. */
  rewritten: string[];
  /** Encrypted ones: nobody here can look into them. */
  deleted: string[];
  /** Copies that were made by hand or before a change, and what failed or is out of reach. */
  left: CopyLeft[];
}

/** Why a copy could not be written anew, in words. */
export function reasonOf(error: unknown, path: string): string {
  const failed = domainError(error, path);
  if (failed instanceof SciaticaError && failed.code === 'full') return 'the disk is full';
  return failed instanceof Error ? failed.message : String(failed);
}

/** Erases who was erased from a database from its automatic backups too. What fails is among the ones that are left. */
export function eraseFromBackups(db: Database): CopiesAfterErasing {
  const { path: database } = db;
  const after: CopiesAfterErasing = { rewritten: [], deleted: [], left: [] };
  const handled = new Set<string>();
  for (const plan of plansOf(db)) {
    const inFolder = eraseFromFolder(database, plan, handled);
    for (const key of ['rewritten', 'deleted'] as const) after[key].push(...inFolder[key]);
    after.left.push(...inFolder.left);
  }
  try {
    // An encrypted backup is made of a plain copy beside the database; so is what a migration or a restore replaces kept.
    stopJobs(dirname(database), database, isAbandoned);
    const others = keptCopies(database).filter((path) => !handled.has(path));
    after.left.push(...others.map((path) => ({ path })));
  } catch (error) {
    after.left.push({ path: `${database}.*`, why: reasonOf(error, dirname(database)) });
  }
  return after;
}

/** @param handled gets the backups that were found */
function eraseFromFolder(database: string, plan: BackupPlan, handled: Set<string>): CopiesAfterErasing {
  const { folder } = plan;
  const after: CopiesAfterErasing = { rewritten: [], deleted: [], left: [] };
  const all = join(folder, `${plan.prefix}*`);
  if (!existsSync(folder)) return { ...after, left: [{ path: all, why: 'the folder is not there' }] };
  try {
    stopJobs(folder, database);
    for (const backup of backupsOf(plan)) {
      handled.add(backup.path);
      eraseFromBackup(database, backup, after);
    }
    syncFolder(folder);
    return after;
  } catch (error) {
    // Without the sync, a power cut may bring back what was there before.
    const why = reasonOf(error, folder);
    const unsure = [...after.rewritten, ...after.deleted, all].map((path) => ({ path, why }));
    return { rewritten: [], deleted: [], left: [...after.left, ...unsure] };
  }
}

function eraseFromBackup(
  database: string,
  { path, isEncrypted }: AutomaticBackup,
  after: CopiesAfterErasing,
): void {
  try {
    if (isEncrypted) {
      rmSync(path, { force: true });
      after.deleted.push(path);
      return;
    }
    const { isChanged, isUnsure } = rewrite(database, path);
    if (isChanged) after.rewritten.push(path);
    // No further attempt would tell more.
    if (isUnsure) after.left.push({ path });
  } catch (error) {
    // The rotation of another process may have removed it.
    if (existsSync(path)) after.left.push({ path, why: reasonOf(error, path) });
  }
}

/** Every place where backups of this database were made: beside it, and where they were moved to. */
function plansOf(db: Database): BackupPlan[] {
  const folders = [undefined, ...new Settings(db).backupFolders];
  return folders
    .map((folder) => planOf(db.path, { folder }))
    .filter((plan) => plan !== undefined)
    .filter(({ folder }, i) => i > 0 || existsSync(folder));
}

/**
 * A backup that is being made at this moment holds the person: without its temporary files it fails.
 * @param isLeft whether a file was left by a process that was killed
 */
function stopJobs(folder: string, database: string, isLeft = (_: string): boolean => false): void {
  const digest = digestOf(database);
  for (const name of readdirSync(folder).filter((file) => hasTag(file, digest) || isLeft(file)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** What became of a backup that is not encrypted. */
interface Rewriting {
  isChanged: boolean;
  /** Whether it may still hold somebody: it does not tell who they are. */
  isUnsure: boolean;
}

/** Writes a backup anew without all who are erased from the database by now: two erasings may be under way at once. */
function rewrite(database: string, path: string): Rewriting {
  for (;;) {
    try {
      return rewriteOnce(database, path);
    } catch (error) {
      if (!(error instanceof ErasedMeanwhile)) throw error;
    }
  }
}

function rewriteOnce(database: string, path: string): Rewriting {
  const temporary = temporaryBeside(path, digestOf(database));
  try {
    const { mark, erased } = withDatabase(openToRead(database), (db) =>
      db.read(() => ({ mark: markOf(db), erased: erasedFrom(db) })),
    );
    copyFileSync(path, temporary.path);
    const done = withDatabase(connect(temporary.path), (db): Rewriting => {
      db.pragma('journal_mode = DELETE');
      // Of one without a UUID, the migration makes one.
      const hasNames = new Settings(db).get('id') !== undefined;
      migrate(db, { keep: () => {} });
      const { found, hasForgotten, isUnsure } = findErased(db, erased, hasNames);
      const isChanged = hasForgotten || found.length > 0;
      if (isChanged) {
        new Changes(db, Date.now).run(() => erase(db, new Tokens(db), found), { source: 'erase' });
        overwrite(db);
      }
      if (isChanged && !isSound(db)) throw new SciaticaError('damaged', damaged(path));
      return { isChanged, isUnsure };
    });
    if (!done.isChanged) return done;
    syncFile(temporary.path);
    unlessErasedSince(database, mark, () => replace(temporary.path, path));
    return done;
  } finally {
    temporary.remove();
  }
}
