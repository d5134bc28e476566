import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SciaticaError } from '../../domain/errors.ts';
import { localStamp } from '../../domain/words/day.ts';
import {
  isFull,
  linkNew,
  replace,
  syncFile,
  type Temporary,
  temporaryBeside,
  withFreeName,
} from '../../lib/files.ts';
import { damaged, domainError } from '../sqlite/errors.ts';
import { APPLICATION_ID } from '../sqlite/header.ts';
import { type Holding, holdingOf, integrityFaults, isSound, openToRead } from '../sqlite/verify.ts';

/** A copy that was made. */
export interface Backup extends Holding {
  path: string;
  bytes: number;
}

/**
 * Copies a database as it is at one moment, while others may write to it, into a file of its own (0600), which is
 * looked through before it gets its name.
 * @param target where to; with `rename`, the next free name if that one is taken
 * @throws SciaticaError `conflict` if the target exists and neither `force` nor `rename` is said, `full`,
 *   `damaged` if the database cannot be copied whole, `unusable`
 */
export function backup(
  source: string,
  target: string,
  { force = false, rename = false }: { force?: boolean; rename?: boolean } = {},
): Backup {
  if (!existsSync(source))
    throw new SciaticaError('unusable', `There is no database at ${source}, so there is nothing to back up.`);
  refuseTarget(source, target, force || rename);
  let temporary: Temporary | undefined;
  try {
    temporary = temporaryBeside(target);
    const holding = copyVerified(source, temporary.path);
    const bytes = statSync(temporary.path).size;
    const path = publish(temporary.path, target, { force, rename });
    return { path, bytes, ...holding };
  } catch (error) {
    throw backupError(error, target);
  } finally {
    temporary?.remove();
  }
}

/**
 * Keeps a database beside itself as it is before a migration; the caller holds the write lock, so that it is kept
 * once, and nothing is written between copy and migration.
 * @throws SciaticaError `full`, `damaged`; then nothing has changed
 */
export function keepVersion(path: string, version: number): void {
  const target = `${path}.v${version}-${localStamp(new Date())}`;
  let temporary: Temporary | undefined;
  try {
    temporary = temporaryBeside(path);
    copyVerified(path, temporary.path);
    publish(temporary.path, target, { force: false, rename: true });
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError) || failed.code !== 'full') throw failed;
    const megabytes = Math.ceil((statSync(path).size * 2) / 1e6);
    throw new SciaticaError(
      'full',
      `This sciatica keeps the records in a new way, and the disk has no room for a copy of the old ones. They were left as they are. Make room (about ${megabytes} MB at ${dirname(path)}) and try again.`,
      [],
      { cause: error },
    );
  } finally {
    temporary?.remove();
  }
}

/** VACUUM INTO reads one snapshot, however others write, and leaves out what was deleted (https://sqlite.org/lang_vacuum.html). */
function copyVerified(source: string, temporary: string): Holding {
  const db = openToRead(source);
  try {
    db.run('VACUUM INTO ?', temporary);
  } catch (error) {
    // Noise for a row id is more than there can be, which SQLite calls full too.
    throw integrityFaults(db).length > 0 ? new SciaticaError('damaged', damaged(source)) : error;
  } finally {
    db.close();
  }
  syncFile(temporary);
  const copy = openToRead(temporary);
  try {
    if (copy.pragma('application_id') !== APPLICATION_ID || !isSound(copy))
      throw new SciaticaError('damaged', damaged(source));
    return holdingOf(copy);
  } finally {
    copy.close();
  }
}

/** Gives a finished backup its name. @returns that name */
export function publish(
  temporary: string,
  target: string,
  { force, rename }: { force: boolean; rename: boolean },
): string {
  if (rename) return withFreeName(target, (name) => linkNew(temporary, name));
  if (force) replace(temporary, existsSync(target) ? realpathSync(target) : target);
  else linkNew(temporary, target);
  return target;
}

/** Said before the work is done; `publish` makes sure. */
export function refuseTarget(source: string, target: string, mayExist: boolean): void {
  const stat = statSync(target, { throwIfNoEntry: false });
  if (!stat) return;
  if (!stat.isFile()) throw new SciaticaError('unusable', `${target} is not a file.`);
  const same = statSync(source);
  if ((stat.dev === same.dev && stat.ino === same.ino) || existsSync(`${target}-wal`))
    throw new SciaticaError('conflict', `${target} is a database in use: choose another name.`);
  if (!mayExist) throw exists(target);
}

function exists(target: string): SciaticaError {
  return new SciaticaError('conflict', `${target} exists already. To replace it, add --force.`);
}

/** The error of writing a backup as one for a person; others as they are. */
export function backupError(error: unknown, target: string): unknown {
  const { code } = error as { code?: unknown };
  const fail = (kind: 'full' | 'unusable', message: string) =>
    new SciaticaError(kind, message, [], { cause: error });
  if (code === 'EEXIST') return exists(target);
  if (code === 'full' || isFull(error))
    return fail(
      'full',
      `The disk of ${dirname(target)} is full: no backup was made. Make room, or give another place.`,
    );
  // Of the two files, SQLite writes to the copy alone.
  const cause = (error as { cause?: { code?: unknown } }).cause?.code;
  if (/^SQLITE_IOERR_(WRITE|FSYNC|DIR_FSYNC|TRUNCATE|CLOSE)/.test(String(cause)))
    return fail('unusable', `${target} could not be written (${cause}): no backup was made.`);
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail('unusable', `There is no folder ${dirname(target)}: no backup was made.`);
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return fail('unusable', `No backup was made: no permission to write in ${dirname(target)}.`);
  return domainError(error, target);
}
