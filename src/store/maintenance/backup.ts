import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { conflict, type ErrorCode, explained, type SciaticaError, unusable } from '../../domain/errors.ts';
import {
  errnoOf,
  isFull,
  linkNew,
  NotSynced,
  publish,
  type Temporary,
  temporaryBeside,
  withFreeName,
} from '../../lib/files.ts';
import { copyVerified } from '../sqlite/copy.ts';
import { domainError } from '../sqlite/errors.ts';
import { type Holding, holdingOf } from '../sqlite/verify.ts';
import { digestOf } from './backup-plan.ts';
import { ErasedMeanwhile, type Mark, markOf, unlessErasedSince } from './erased-meanwhile.ts';

/** A copy that was made. */
export interface Backup extends Holding {
  path: string;
  bytes: number;
}

/** How a backup gets its name. */
export interface Naming {
  /** Replaces what has the name. */
  force?: boolean;
  /** Takes the next free name where this one is taken. */
  rename?: boolean;
  /** The database, where the source is a copy of it. */
  database?: string;
}

/**
 * Copies a database as it is at one moment, while others may write to it, into a file of its own (0600), which is
 * looked through before it gets its name.
 * @throws SciaticaError `conflict` if the target exists and neither `force` nor `rename` is said, or if somebody was erased
 *   meanwhile; `full`, `damaged` if the database cannot be copied whole, `unusable`, `uncertain`
 */
export function backup(source: string, target: string, naming: Naming = {}): Backup {
  refuse(source, target, naming);
  let temporary: Temporary | undefined;
  try {
    temporary = temporaryBeside(target, digestOf(naming.database ?? source));
    const copy = copyToBackUp(source, temporary.path);
    return publishBackup(temporary.path, copy, source, target, naming);
  } catch (error) {
    throw wasStopped(error, temporary) ? new ErasedMeanwhile() : backupError(error, target);
  } finally {
    temporary?.remove();
  }
}

/** Whether something failed because an erasing has removed the temporary file, which holds the person. */
export const wasStopped = (error: unknown, temporary: Temporary | undefined): boolean =>
  temporary !== undefined && !(error instanceof NotSynced) && !existsSync(temporary.path);

/** What a copy holds, and up to where it knows the history. */
interface Copy extends Holding {
  mark: Mark;
}

/**
 * Copies a database into an empty file, and looks the copy through.
 * @throws SciaticaError `damaged`, `full`, `unusable` also for a database that is not ours
 */
export const copyToBackUp = (source: string, temporary: string): Copy =>
  copyVerified(source, temporary, (copy) => ({ ...holdingOf(copy), mark: markOf(copy) }));

/** Gives a finished backup its name, unless somebody was erased since its copy was made. */
export function publishBackup(
  temporary: string,
  { mark, ...holding }: Copy,
  source: string,
  target: string,
  { force = false, rename = false, database = source }: Naming,
): Backup {
  const bytes = statSync(temporary).size;
  const path = unlessErasedSince(database, mark, () => {
    if (rename) return withFreeName(target, (name) => linkNew(temporary, name));
    publish(temporary, target, force);
    return target;
  });
  return { path, bytes, ...holding };
}

/** Refuses what cannot be a source or a target before the work is done; `publishBackup` makes sure. */
export function refuse(source: string, target: string, { force, rename }: Naming): void {
  if (!existsSync(source))
    throw unusable(`There is no database at ${source}, so there is nothing to back up.`);
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw unusable(`${target} is not a file.`);
  const same = statSync(source);
  if ((stat.dev === same.dev && stat.ino === same.ino) || existsSync(`${target}-wal`))
    throw conflict(`${target} is a database in use: choose another name.`);
  if (!force && !rename) throw exists(target);
}

function exists(target: string): SciaticaError {
  return conflict(`${target} exists already. To replace it, add --force.`);
}

/** The error of writing a backup as one for a person; others as they are. */
export function backupError(error: unknown, target: string): unknown {
  const code = errnoOf(error) ?? (error as { code?: unknown }).code;
  const fail = (kind: ErrorCode, message: string) => explained(kind, message, error);
  if (error instanceof NotSynced) return fail('uncertain', error.message);
  if (code === 'EEXIST') return exists(target);
  if (code === 'full' || isFull(error))
    return fail('full', `The disk of ${dirname(target)} is full. Make room, or give another place.`);
  // Of the two files, SQLite writes to the copy alone.
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  if (/^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|CLOSE)/.test(String(cause)))
    return fail('unusable', `${target} could not be written (${cause}).`);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('unusable', `There is no folder ${dirname(target)}.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return fail('unusable', `No permission to write in ${dirname(target)}.`);
  return domainError(error, target);
}
