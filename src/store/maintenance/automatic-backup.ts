import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { SciaticaError, unusable } from '../../domain/errors.ts';
import { localDay, mondayOf } from '../../domain/words/day.ts';
import { makeFolder, sizeOf, TEMPORARY, temporaryName } from '../../lib/files.ts';
import { AT, ENTRIES } from '../records/entries.ts';
import { Settings } from '../records/settings.ts';
import type { Database } from '../sqlite/database.ts';
import { backup, backupError } from './backup.ts';
import { type AutomaticBackup, type BackupPlan, backupsOf, digestOf, noteOf, planOf } from './backup-plan.ts';
import { ErasedMeanwhile } from './erased-meanwhile.ts';

/** A backup that remains to be made, in this process or another. */
export interface BackupJob extends BackupPlan {
  database: string;
  /** The database, or a copy of it that was made for this. */
  source: string;
  /** The local day, YYYY-MM-DD. */
  day: string;
}

/** What automatic backups need of the program around. */
export interface BackupMeans {
  /** The local day, YYYY-MM-DD. */
  today: string;
  warn(line: string): unknown;
  /** Runs `runBackupJob` in a process of its own, without waiting for it. */
  start(job: BackupJob): void;
  /** Nothing may take time here. */
  isService: boolean;
}

/** In bytes: up to here a backup takes a command no longer than a few commits. */
const AT_ONCE = 1024 * 1024;
/** In bytes: up to here a copy is made at once, in memory, and looked through in the background. */
const COPIED = 64 * 1024 * 1024;

/** After a failure in the background, the next attempt waits so long. */
const RETRY_MS = 60 * 60 * 1000;
/** Older temporary files were left by a process that was killed. */
const LEFTOVER_MS = 60 * 60 * 1000;

/**
 * Makes today's backup of a database that holds records, if there is none yet; called before the first change of a
 * process. Whatever goes wrong is a warning, never an error.
 */
export function backUpIfDue(db: Database, means: BackupMeans): void {
  const { today, warn, isService } = means;
  try {
    const plan = planOf(db.path, new Settings(db).backups);
    if (!plan || !hasRecords(db)) return;
    const made = backupsOf(plan);
    if (made.some(({ day }) => day === today)) return;
    const newest = made.findLast(({ day }) => day < today);
    if (isService && !(hasChangedSince(db, newest) && mayTry(db.path))) return;
    const failure = failureOf(plan);
    if (failure) {
      warn(failure.text);
      // One that lies ahead is of a clock that was wrong.
      if (Math.abs(Date.now() - failure.at) < RETRY_MS) return;
    }
    makeOrStart(db, plan, means);
  } catch (error) {
    warn(lineOf(error));
  }
}

function makeOrStart(db: Database, plan: BackupPlan, { today, start, isService }: BackupMeans): void {
  const bytes = sizeOf(db.path) + sizeOf(`${db.path}-wal`);
  prepareFolder(db, plan);
  requireRoom(plan, bytes);
  const job: BackupJob = { ...plan, database: db.path, source: db.path, day: today };
  if (isService || bytes > COPIED) start(job);
  else if (bytes <= AT_ONCE && plan.recipient === undefined) make(job);
  else start({ ...job, source: copied(db, plan) });
}

function prepareFolder(db: Database, { folder }: BackupPlan): void {
  const stat = statSync(folder, { throwIfNoEntry: false });
  // A folder that was chosen may be on a disk that is not there now.
  if (stat || planOf(db.path, {})?.folder !== folder) return;
  try {
    makeFolder(folder);
  } catch (error) {
    throw backupError(error, folder);
  }
}

/** When a service last tried, by database: it asks often, and a long database takes its time. */
const tried = new Map<string, number>();

function mayTry(path: string): boolean {
  if (Date.now() - (tried.get(path) ?? 0) < RETRY_MS) return false;
  tried.set(path, Date.now());
  return true;
}

/** On its day counts too: a backup holds what was there before the change that it was made for, and is finished after it. */
function hasChangedSince(db: Database, newest: AutomaticBackup | undefined): boolean {
  if (!newest) return true;
  const last = db.value<number>(`SELECT ${AT} FROM ${ENTRIES} ORDER BY entry.seq DESC LIMIT 1`) ?? 0;
  return localDay(new Date(last)) >= newest.day;
}

const hasRecords = (db: Database) => db.value('SELECT EXISTS (SELECT 1 FROM users)') === 1;

/** @throws SciaticaError where a backup of so many bytes could not be made now */
export function requireRoom({ folder }: BackupPlan, bytes: number): void {
  let free: number;
  try {
    if (!statSync(folder).isDirectory()) throw unusable(`${folder} is not a folder.`);
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    free = bavail * bsize;
  } catch (error) {
    throw backupError(error, join(folder, 'x'));
  }
  if (free < 2 * bytes)
    throw new SciaticaError(
      'full',
      `The disk of ${folder} has less than twice the size of the database free. Make room, or give another place.`,
    );
}

/** The database as it is before the change, in a file of its own; where it is to be encrypted, beside the database. */
function copied(db: Database, { folder, recipient }: BackupPlan): string {
  const path = temporaryName(recipient === undefined ? folder : dirname(db.path), digestOf(db.path));
  try {
    writeFileSync(path, db.serialize(), { flag: 'wx', mode: 0o600 });
    return path;
  } catch (error) {
    rmSync(path, { force: true });
    throw backupError(error, path);
  }
}

/** Makes a backup that was started. What goes wrong is noted beside it. */
export async function runBackupJob(job: BackupJob): Promise<void> {
  try {
    if (job.recipient === undefined) make(job);
    else await makeEncrypted(job, job.recipient);
  } catch (error) {
    try {
      writeFileSync(noteOf(job), lineOf(error), { mode: 0o600 });
    } catch {
      // The folder cannot be written to: the next command meets that itself.
    }
  }
}

function make(job: BackupJob): void {
  try {
    backup(job.source, targetOf(job), { database: job.database });
  } catch (error) {
    requireHarmless(error, job);
  } finally {
    removeCopy(job);
  }
  tidy(job);
}

async function makeEncrypted(job: BackupJob, recipient: string): Promise<void> {
  const { encryptedBackup } = await import('./encrypted-backup.ts');
  try {
    await encryptedBackup(job.source, targetOf(job), recipient, { database: job.database });
  } catch (error) {
    requireHarmless(error, job);
  } finally {
    removeCopy(job);
  }
  tidy(job);
}

const targetOf = ({ folder, prefix, day, recipient }: BackupJob) =>
  join(folder, `${prefix}${day}.db${recipient === undefined ? '' : '.age'}`);

/**
 * Goes on where another process was faster, or somebody was erased meanwhile, perhaps before the copy was read: the next change
 * asks for a backup again.
 */
function requireHarmless(error: unknown, job: BackupJob): void {
  const isErased = error instanceof ErasedMeanwhile || !existsSync(job.source);
  if (!(isErased || existsSync(targetOf(job)))) throw error;
}

function removeCopy({ database, source }: BackupJob): void {
  if (source !== database) for (const end of ['', '-wal', '-shm']) rmSync(source + end, { force: true });
}

/** Removes what the rotation does not keep, and what killed processes left. */
function tidy(job: BackupJob): void {
  rmSync(noteOf(job), { force: true });
  const all = backupsOf(job);
  const kept = daysToKeep(
    all.map(({ day }) => day),
    job.day,
  );
  for (const { path, day } of all) if (!kept.has(day)) rmSync(path, { force: true });
  for (const name of readdirSync(job.folder)) {
    const path = join(job.folder, name);
    const age = Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (TEMPORARY.test(name) && age > LEFTOVER_MS) rmSync(path, { recursive: true, force: true });
  }
}

function failureOf(plan: BackupPlan): { text: string; at: number } | undefined {
  const path = noteOf(plan);
  return existsSync(path) ? { text: readFileSync(path, 'utf8'), at: statSync(path).mtimeMs } : undefined;
}

function lineOf(error: unknown): string {
  const why = error instanceof Error ? error.message : String(error);
  return `Today's backup was not made. ${why}`;
}

/** How many are kept: the last backup of each of so many days, weeks and months that have one. */
const KEPT = { days: 7, weeks: 4, months: 12 } as const;

/**
 * Which backups are kept.
 * @param days of all backups, YYYY-MM-DD
 * @param today is kept, also when a clock that went wrong has left later ones
 */
export function daysToKeep(days: readonly string[], today: string): Set<string> {
  const latestFirst = [...new Set(days)].sort().reverse();
  return new Set([
    ...latestFirst.filter((day) => day === today),
    ...lastOfEach(latestFirst, (day) => day, KEPT.days),
    ...lastOfEach(latestFirst, mondayOf, KEPT.weeks),
    ...lastOfEach(latestFirst, (day) => day.slice(0, 'YYYY-MM'.length), KEPT.months),
  ]);
}

function lastOfEach(
  latestFirst: readonly string[],
  periodOf: (day: string) => string,
  most: number,
): string[] {
  const last = new Map<string, string>();
  for (const day of latestFirst) if (!last.has(periodOf(day))) last.set(periodOf(day), day);
  return [...last.values()].slice(0, most);
}
