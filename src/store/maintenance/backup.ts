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

/** A backup that was made. */
export interface Backup extends Holding {
  path: string;
  bytes: number;
}

/** How to name a backup. */
export interface Naming {
  /** Replace a file that has the name. */
  force?: boolean;
  /** Take the next free name if this one is taken. */
  rename?: boolean;
  /** The path of the database, if the source is a copy of it. */
  database?: string;
}

/**
 * Copies a snapshot of a database, while others may write to it, into a file (0600) that is verified before it gets its name.
 * @throws SciaticaError `conflict` if the target exists and neither `force` nor `rename` is set, or if somebody was erased
 *   meanwhile; `full`, `damaged` if the database cannot be copied completely, `unusable`, `uncertain`
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

/** Whether an error is due to a concurrent erasure, which removes the temporary file because that holds the erased person. */
export const wasStopped = (error: unknown, temporary: Temporary | undefined): boolean =>
  temporary !== undefined && !(error instanceof NotSynced) && !existsSync(temporary.path);

/** The content of a copy, and its position in the history. */
interface Copy extends Holding {
  mark: Mark;
}

/**
 * Copies a database into an empty file, and verifies the copy.
 * @throws SciaticaError `damaged`, `full`, `unusable`, the last also for a database that is not ours
 */
export const copyToBackUp = (source: string, temporary: string): Copy =>
  copyVerified(source, temporary, (copy) => ({ ...holdingOf(copy), mark: markOf(copy) }));

/** Gives a finished backup its name. @throws ErasedMeanwhile if somebody was erased since its copy was made */
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

/** Refuses unusable paths before the copying starts; `publishBackup` makes sure later that no file is overwritten. */
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

/** Translates an error of writing a backup for the user. Returns others unchanged. */
export function backupError(error: unknown, target: string): unknown {
  const code = errnoOf(error) ?? (error as { code?: unknown }).code;
  const fail = (kind: ErrorCode, message: string) => explained(kind, message, error);
  if (error instanceof NotSynced) return fail('uncertain', error.message);
  if (code === 'EEXIST') return exists(target);
  if (code === 'full' || isFull(error))
    return fail('full', `The disk of ${dirname(target)} is full. Make room, or give another place.`);
  // SQLite writes only to the copy, so a write error is about the target.
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  if (/^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|CLOSE)/.test(String(cause)))
    return fail('unusable', `${target} could not be written (${cause}).`);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('unusable', `There is no folder ${dirname(target)}.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return fail('unusable', `No permission to write in ${dirname(target)}.`);
  return domainError(error, target);
}
