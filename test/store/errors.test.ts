import { expect, test } from 'vitest';
import { NotSynced } from '../../src/lib/files.ts';
import { domainError } from '../../src/store/sqlite/errors.ts';
import { freshPath } from './helpers.ts';

const withCode = (code: string, message = '') => Object.assign(new Error(message), { code });

test.each([
  ['SQLITE_BUSY', 'busy'],
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['SQLITE_LOCKED_SHAREDCACHE', 'busy'],
  ['SQLITE_FULL', 'full'],
  ['SQLITE_IOERR_SHMSIZE', 'full'],
  ['ENOSPC', 'full'],
  ['EDQUOT', 'full'],
  ['SQLITE_CORRUPT_INDEX', 'damaged'],
  ['SQLITE_NOTADB', 'damaged'],
  ['SQLITE_FORMAT', 'damaged'],
  ['SQLITE_IOERR_SHORT_READ', 'damaged'],
  ['SQLITE_READONLY_DBMOVED', 'gone'],
  ['SQLITE_READONLY_DIRECTORY', 'unusable', /cannot be written/],
  ['SQLITE_CANTOPEN', 'unusable', /cannot be opened/],
  ['SQLITE_AUTH', 'unusable', /cannot be opened/],
  ['EACCES', 'unusable', /cannot be opened/],
  ['EROFS', 'unusable', /cannot be written/],
  ['ELOOP', 'unusable', /not a usable path/],
  ['ENAMETOOLONG', 'unusable', /not a usable path/],
  ['SQLITE_IOERR_READ', 'unusable', /could not be read or written \(SQLITE_IOERR_READ\)/],
  ['EIO', 'unusable', /could not be read or written \(EIO\)/],
])('%s is told as %s', (code, kind, words = /./) => {
  const error = withCode(code);
  expect(domainError(error, freshPath())).toMatchObject({
    name: 'SciaticaError',
    code: kind,
    message: expect.stringMatching(words),
  });
});

test.each(['no such column: x', 'unknown function: f()', 'table logs has 8 columns', 'malformed JSON'])(
  'a schema that is not ours is damage: %s',
  (message) => {
    expect(domainError(withCode('SQLITE_ERROR', message), 'x')).toMatchObject({ code: 'damaged' });
  },
);

test('a folder that could not be synced leaves it open whether something was saved', () => {
  expect(domainError(new NotSynced('x', withCode('EIO')), 'x')).toMatchObject({ code: 'uncertain' });
});

test.each([
  withCode('SQLITE_CONSTRAINT_CHECK'),
  withCode('SQLITE_ERROR', 'near "x": syntax error'),
  new Error('other'),
])('others pass through: %s', (error) => expect(domainError(error, 'x')).toBe(error));
