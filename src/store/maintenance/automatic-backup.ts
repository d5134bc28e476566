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

/** A backup to be made, in this process or another. */
export interface BackupJob extends BackupPlan {
  database: string;
  /** The file to back up: the database, or a temporary copy of it. */
  source: string;
  /** The local day, YYYY-MM-DD. */
  day: string;
}

/** The dependencies of automatic backups. */
export interface BackupMeans {
  /** The local day, YYYY-MM-DD. */
  today: string;
  warn(line: string): unknown;
  /** Runs `runBackupJob` in a process of its own, without waiting for it. */
  start(job: BackupJob): void;
  /** Whether the process is a service, which must not block. */
  isService: boolean;
}

/** In bytes: up to this size, a backup takes no longer than a few commits, and a command makes it at once. */
const AT_ONCE = 1024 * 1024;
/** In bytes: up to this size, a command copies the database in memory, and the copy is verified in the background. */
const COPIED = 64 * 1024 * 1024;

/** Interval between attempts after a failure in the background, in milliseconds. */
const RETRY_MS = 60 * 60 * 1000;
/** In milliseconds: older temporary files were left by a killed process. */
const LEFTOVER_MS = 60 * 60 * 1000;

/**
 * Makes today's backup of a database with records, if there is none yet; called before the first change of a
 * process. A failure is a warning, never an error.
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
      // A failure far in the future was noted by a wrong clock, and does not delay the next attempt.
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
  // Only the default folder is created: a chosen one may be on a disk that is not mounted.
  if (stat || planOf(db.path, {})?.folder !== folder) return;
  try {
    makeFolder(folder);
  } catch (error) {
    throw backupError(error, folder);
  }
}

/** Time of the service's last attempt by database path: it checks often, and backing up a large database takes long. */
const tried = new Map<string, number>();

function mayTry(path: string): boolean {
  if (Date.now() - (tried.get(path) ?? 0) < RETRY_MS) return false;
  tried.set(path, Date.now());
  return true;
}

/** Changes on the day of the backup count too: it holds the state before the change that triggered it. */
function hasChangedSince(db: Database, newest: AutomaticBackup | undefined): boolean {
  if (!newest) return true;
  const last = db.value<number>(`SELECT ${AT} FROM ${ENTRIES} ORDER BY entry.seq DESC LIMIT 1`) ?? 0;
  return localDay(new Date(last)) >= newest.day;
}

const hasRecords = (db: Database) => db.value('SELECT EXISTS (SELECT 1 FROM users)') === 1;

/** Checks that a backup of a database of `bytes` could be made now. @throws SciaticaError */
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

/** Copies the database to a temporary file, before the change. A copy that is to be encrypted stays beside the database. */
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

/** Runs a backup job in the background. A failure is written to `noteOf(job)`, for the next command to report. */
export async function runBackupJob(job: BackupJob): Promise<void> {
  try {
    if (job.recipient === undefined) make(job);
    else await makeEncrypted(job, job.recipient);
  } catch (error) {
    try {
      writeFileSync(noteOf(job), lineOf(error), { mode: 0o600 });
    } catch {
      // The folder cannot be written to: the next command will report that itself.
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
 * Rethrows an error unless another process has made the backup, or an erasure has invalidated or removed the
 * copy: the next change triggers another backup.
 */
function requireHarmless(error: unknown, job: BackupJob): void {
  const isErased = error instanceof ErasedMeanwhile || !existsSync(job.source);
  if (!(isErased || existsSync(targetOf(job)))) throw error;
}

function removeCopy({ database, source }: BackupJob): void {
  if (source !== database) for (const end of ['', '-wal', '-shm']) rmSync(source + end, { force: true });
}

/** Removes the backups that the rotation does not keep, and the temporary files of killed processes. */
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

/** The rotation keeps the last backup of each of so many latest days, weeks and months that have one. */
const KEPT = { days: 7, weeks: 4, months: 12 } as const;

/**
 * Selects the backups to keep. Those of later days, which a clock that was ahead has left, are counted apart: they take no place of
 * those that have come.
 * @param days of all backups, YYYY-MM-DD
 */
export function daysToKeep(days: readonly string[], today: string): Set<string> {
  const latestFirst = [...new Set(days)].sort().reverse();
  const parts = [latestFirst.filter((day) => day <= today), latestFirst.filter((day) => day > today)];
  return new Set(
    parts.flatMap((part) => [
      ...lastOfEach(part, (day) => day, KEPT.days),
      ...lastOfEach(part, mondayOf, KEPT.weeks),
      ...lastOfEach(part, (day) => day.slice(0, 'YYYY-MM'.length), KEPT.months),
    ]),
  );
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
