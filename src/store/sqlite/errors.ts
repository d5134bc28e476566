import { type ErrorCode, explained, SciaticaError, unusable, type Wording } from '../../domain/errors.ts';
import { errnoOf, hasRoom, isFull, NotSynced } from '../../lib/files.ts';

/** What SQLite or the file system says, as an error that tells a person what to do. Others pass through. */
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
  // With no room left, the index of the write-ahead log (-shm) cannot be made either.
  if (/^SQLITE_(FULL|IOERR_SHMSIZE)/.test(code) || isFull(error)) return full(error);
  // To SQLite a full quota (EDQUOT) is an error of writing like any other, and so is that it can make no file
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
 * An error of the file system that nobody has explained, in words about the file that it names; others as they are.
 * @param file the file where the error names none
 */
export function fileSystemError(error: unknown, file = 'A file'): unknown {
  if (error instanceof NotSynced) return domainError(error, '');
  const errno = errnoOf(error);
  if (errno === undefined) return error;
  if (isFull(error)) return full(error);
  const { path = file } = error as NodeJS.ErrnoException;
  return explained('unusable', `${path} could not be read or written (${errno}).`, error);
}

/** Our own statements fit every schema of ours: where SQLite finds none or another, the file does not say what it is. */
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

/** The file belongs to another program, or to none. */
export function notOurs(path: string): SciaticaError {
  return unusable(
    (command) =>
      `${path} is not a sciatica database; it was left as it is. Choose another file with --db. If it was one and may be damaged, see: ${command('doctor')}`,
  );
}

/** What to do about a damaged file. */
export const damaged =
  (path: string): Wording =>
  (command) =>
    `${path} is damaged. To see how: ${command('doctor')}. To save what can still be read: ${command('doctor --rescue FILE')}`;

/**
 * Reads JSON that the database rendered or keeps.
 * @throws SciaticaError `damaged` if it is none: SQLite finds no fault in a text whose bytes have changed
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

/** The path no longer leads to the file that is open: what is written to it, nobody would find again. */
export function gone(): SciaticaError {
  return new SciaticaError(
    'gone',
    'The database file was removed or replaced while it was in use: nothing was saved. Start sciatica again.',
  );
}

/** An error while a change was made durable: SQLite has rolled it back, but after a crash it may be there. */
export function uncertain(cause: unknown): SciaticaError {
  return explained(
    'uncertain',
    'The disk failed while this was being saved, so it may have been saved or not. Look before you try again.',
    cause,
  );
}
