import { SciaticaError } from '../domain/errors.ts';

/** What SQLite or the file system says, as an error that tells a person what to do. Others pass through. */
export function domainError(error: unknown, path: string): unknown {
  const code = (error as { code?: unknown }).code;
  if (error instanceof SciaticaError || typeof code !== 'string') return error;
  const fail = (kind: 'busy' | 'full' | 'unusable', message: string) =>
    new SciaticaError(kind, message, [], { cause: error });
  if (/^SQLITE_(BUSY|LOCKED)/.test(code))
    return fail(
      'busy',
      'Another program is writing to the database and did not finish. Try again in a moment.',
    );
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code))
    return fail('full', 'The disk is full: nothing was saved. Make room and try again.');
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(code)) return fail('unusable', `${path} is damaged.`);
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM|AUTH)|EACCES|EPERM|EROFS)/.test(code))
    return fail('unusable', `${path} cannot be opened for writing: check its permissions and its folder's.`);
  if (/^(ENOTDIR|EEXIST|ENOENT|ELOOP|ENAMETOOLONG|ERR_INVALID_ARG_VALUE|EISDIR)$/.test(code))
    return fail('unusable', `The database cannot be at ${path}: not a usable path.`);
  if (/^(SQLITE_IOERR|EIO)/.test(code))
    return fail('unusable', `${path} could not be read or written (${code}).`);
  return error;
}
