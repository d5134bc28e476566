import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { explained, SciaticaError } from '../../domain/errors.ts';
import { localStamp } from '../../domain/words/day.ts';
import { linkNew, syncFile, type Temporary, temporaryBeside, withFreeName } from '../../lib/files.ts';
import { sized } from '../../lib/size.ts';
import { withDatabase } from './connection.ts';
import type { Database } from './database.ts';
import { damaged, domainError, notOurs } from './errors.ts';
import { APPLICATION_ID } from './header.ts';
import { isSound, openToRead } from './verify.ts';

/**
 * Copies a database into an empty file, and verifies the copy.
 * @param look reads what the caller needs from the copy
 * @throws SciaticaError `damaged`, `full`, `unusable`, the last also for a database that is not ours
 */
export function copyVerified<T>(source: string, temporary: string, look: (copy: Database) => T): T {
  // Copies one snapshot, without deleted data (https://sqlite.org/lang_vacuum.html).
  withDatabase(openToRead(source), (db) => {
    try {
      db.run('VACUUM INTO ?', temporary);
    } catch (error) {
      // A damaged page with the largest possible rowid makes every insert fail with SQLITE_FULL.
      const isFull = error instanceof SciaticaError && error.code === 'full';
      if (isFull && !isSound(db)) throw new SciaticaError('damaged', damaged(source));
      throw error;
    }
  });
  syncFile(temporary);
  return withDatabase(openToRead(temporary), (copy) => {
    if (copy.pragma('application_id') !== APPLICATION_ID) throw notOurs(source);
    if (!isSound(copy)) throw new SciaticaError('damaged', damaged(source));
    return look(copy);
  });
}

/**
 * Copies a database beside itself before a migration. The caller holds the write lock, so that only one copy
 * is made, and nothing is written between copy and migration.
 * @throws SciaticaError `full`, `damaged`; then nothing has changed
 */
export function keepVersion(path: string, version: number): void {
  const target = `${path}.v${version}-${localStamp(new Date())}`;
  let temporary: Temporary | undefined;
  try {
    temporary = temporaryBeside(path);
    copyVerified(path, temporary.path, () => {});
    const { path: copy } = temporary;
    withFreeName(target, (name) => linkNew(copy, name));
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError) || failed.code !== 'full') throw failed;
    throw explained(
      'full',
      `This sciatica keeps the records in a new way, and the disk has no room for a copy of the old ones. They were left as they are. Make room (about ${sized(statSync(path).size * 2)} at ${dirname(path)}) and try again.`,
      error,
    );
  } finally {
    temporary?.remove();
  }
}
