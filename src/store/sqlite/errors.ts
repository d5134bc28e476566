import { type ErrorCode, explained, SciaticaError, unusable, type Wording } from '../../domain/errors.ts';
import { errnoOf, hasRoom, isFull, NotSynced } from '../../lib/files.ts';

/** Translates an error of SQLite or of the file system into one that tells the user what to do. Returns others unchanged. */
export function domainError(error: unknown, path: string): unknown {
  const fail = (code: ErrorCode, message: Wording) => explained(code, message, error);
  if (error instanceof NotSynced) return fail('uncertain', error.message);
  const code = errnoOf(error) ?? (error as { code?: unknown }).code;
  if (error instanceof SciaticaError || typeof code !== 'string') return error;
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fail(
      'busy',
      'Another program is writing to the database and did not finish. Try again in a moment.',
    );
  // On a full disk, creating the index of the write-ahead log (-shm) fails too.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code) || isFull(error)) return full(error);
  // SQLite reports a full quota (EDQUOT) as a plain write error, or as a file that it cannot create
  // (unixWrite and unixOpen in os_unix.c).
  if (/^SQLITE_(IOERR_WRITE|CANTOPEN)/.test(code) && !hasRoom(path)) return full(error);
  if (/^SQLITE_(CORRUPT|NOTADB|FORMAT|IOERR_SHORT_READ)/.test(code) || isBrokenSchema(code, error))
    return fail('damaged', damaged(path));
  if (code === 'SQLITE_READONLY_DBMOVED') return gone();
  const what = /^(SQLITE_READONLY|EROFS)/.test(code) ? 'written' : 'opened';
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/.test(code))
    return fail('unusable', `${path} cannot be ${what}: check its permissions and its folder's.`);
  if (/^(ENOTDIR|EEXIST|ENOENT|ELOOP|ENAMETOOLONG|ERR_INVALID_ARG_VALUE|EISDIR)$/.test(code))
    return fail('unusable', `The database cannot be at ${path}: not a usable path.`);
  if (code.startsWith('SQLITE_IOERR') || errnoOf(error) !== undefined)
    return fail('unusable', `${path} could not be read or written (${code}).`);
  return error;
}

/**
 * Describes an error of the file system by the file that it names. Returns others unchanged.
 * @param file stands for the file where the error names none
 */
export function fileSystemError(error: unknown, file = 'A file'): unknown {
  if (error instanceof NotSynced) return domainError(error, '');
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  if (isFull(error)) return full(error);
  const { path = file } = error as NodeJS.ErrnoException;
  return explained('unusable', `${path} could not be read or written (${errno}).`, error);
}

/** Our statements fit every schema of ours, so an SQL error about a missing object or column means a damaged schema. */
function isBrokenSchema(code: string, error: unknown): boolean {
  const { message } = error as Error;
  return (
    code === 'SQLITE_ERROR' &&
    /^(no such|unknown function|table \S+ has|foreign key mismatch|attached databases must|unsupported file format|malformed)/.test(
      message,
    )
  );
}

export function full(cause?: unknown): SciaticaError {
  return explained('full', 'The disk is full: nothing was saved. Make room and try again.', cause);
}

/** The error for a file of another program, or one that is no database. */
export function notOurs(path: string): SciaticaError {
  return unusable(
    (command) =>
      `${path} is not a sciatica database; it was left as it is. Choose another file with --db. If it was one and may be damaged, see: ${command('doctor')}`,
  );
}

/** The message for a damaged file, which says what to do. */
export const damaged =
  (path: string): Wording =>
  (command) =>
    `${path} is damaged. To see how: ${command('doctor')}. To save what can still be read: ${command('doctor --rescue FILE')}`;

/**
 * Parses JSON that the database rendered or stores.
 * @throws SciaticaError `damaged` if it is malformed: SQLite does not notice changed bytes inside a text
 */
export function storedJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw explained(
      'damaged',
      (command) =>
        `A record in the database is damaged. To save the others: ${command('doctor --rescue FILE')}`,
      cause,
    );
  }
}

/** The error for a path that no longer leads to the open file: what is written to that file would be lost. */
export function gone(): SciaticaError {
  return new SciaticaError(
    'gone',
    'The database file was removed or replaced while it was in use: nothing was saved. Start sciatica again.',
  );
}

/** The error for a failed commit: SQLite has rolled it back, but after a crash it may turn out to be committed. */
export function uncertain(cause: unknown): SciaticaError {
  return explained(
    'uncertain',
    'The disk failed while this was being saved, so it may have been saved or not. Look before you try again.',
    cause,
  );
}
