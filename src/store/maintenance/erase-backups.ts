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

/** A copy of a database that may still hold an erased person. */
export interface CopyLeft {
  path: string;
  /** Why it could not be rewritten; undefined where another attempt is pointless, as for copies that are never rewritten. */
  why?: string;
}

/** The outcome for the copies of a database after an erasure; paths. */
export interface CopiesAfterErasing {
  /** Automatic backups that were rewritten without the person. */
  rewritten: string[];
  /** Encrypted automatic backups, which cannot be read here and so are deleted. */
  deleted: string[];
  /** Copies made by hand, by a migration or by a restore, and backups that are out of reach or could not be rewritten. */
  left: CopyLeft[];
}

/** Words an error for `CopyLeft.why`. */
export function reasonOf(error: unknown, path: string): string {
  const failed = domainError(error, path);
  if (failed instanceof SciaticaError && failed.code === 'full') return 'the disk is full';
  return failed instanceof Error ? failed.message : String(failed);
}

/** Erases from the automatic backups of a database everybody who was erased from it. Backups where that fails are in `left`. */
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
    // Plain copies for encrypted backups, and temporary copies of migrations and restores, are beside it.
    stopJobs(dirname(database), database, isAbandoned);
    const others = keptCopies(database).filter((path) => !handled.has(path));
    after.left.push(...others.map((path) => ({ path })));
  } catch (error) {
    after.left.push({ path: `${database}.*`, why: reasonOf(error, dirname(database)) });
  }
  return after;
}

/** Erases from the backups in one folder. @param handled receives the paths of all backups found */
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
    // Another attempt would not find out more.
    if (isUnsure) after.left.push({ path });
  } catch (error) {
    // The rotation of another process may have removed it.
    if (existsSync(path)) after.left.push({ path, why: reasonOf(error, path) });
  }
}

/** Every place with automatic backups of this database: the default folder, if it exists, and all that were ever chosen. */
function plansOf(db: Database): BackupPlan[] {
  const folders = [undefined, ...new Settings(db).backupFolders];
  return folders
    .map((folder) => planOf(db.path, { folder }))
    .filter((plan) => plan !== undefined)
    .filter(({ folder }, i) => i > 0 || existsSync(folder));
}

/**
 * Makes running backup jobs fail, because their copies hold the person, by removing their temporary files.
 * @param isLeft whether a file of that name was left by a killed process
 */
function stopJobs(folder: string, database: string, isLeft = (_: string): boolean => false): void {
  const digest = digestOf(database);
  for (const name of readdirSync(folder).filter((file) => hasTag(file, digest) || isLeft(file)))
    rmSync(join(folder, name), { recursive: true, force: true });
}

/** The outcome for a backup that is not encrypted. */
interface Rewriting {
  isChanged: boolean;
  /** Whether it may still hold an erased person, because its users cannot be identified. */
  isUnsure: boolean;
}

/** Rewrites a backup without all persons who are erased by now. Starts again if another erasure ends meanwhile. */
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
      // Asked before the migration, which gives a database without a UUID one.
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
