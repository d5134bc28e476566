import { chmodSync, copyFileSync, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { conflict, SciaticaError, unusable } from '../../domain/errors.ts';
import { stateOf } from '../../domain/token.ts';
import { makeFolder, sizeOf, type Temporary, temporaryBeside } from '../../lib/files.ts';
import { Settings } from '../records/settings.ts';
import { Tokens } from '../records/tokens.ts';
import { connect, withDatabase } from '../sqlite/connection.ts';
import { domainError } from '../sqlite/errors.ts';
import { APPLICATION_ID, headerOf } from '../sqlite/header.ts';
import { migrations } from '../sqlite/migrations/index.ts';
import { migrate, refuseForeignFile } from '../sqlite/open.ts';
import { type Holding, holdingOf, isSound, openToRead } from '../sqlite/verify.ts';
import { putInPlace } from './put-in-place.ts';
import { erasedBefore, type Past, pastOf } from './restore-ledger.ts';

/** A backup that was verified and is ready to replace the database. */
export interface Restoration {
  /** The content of the backup. */
  copy: Holding;
  /** The content of the present database. */
  present: Holding | 'absent' | 'damaged';
  /** Ids of the users whom it would bring back although they were erased since. */
  erased: readonly number[];
  /** Number of valid tokens in it. */
  tokens: number;
  /** UUID of the database of which it is a backup. */
  identity: string | undefined;
  /**
   * Replaces the database by the backup. A kill at any moment leaves one or the other there, complete.
   * @param stamp names the file that keeps the replaced database
   * @returns the path of that file, if there was a database
   * @throws SciaticaError `conflict` while another program has the database open
   */
  apply(stamp: string): string | undefined;
  /** Removes the prepared copy, unless it was applied. */
  close(): void;
}

/**
 * Prepares to replace the database at `path` by the backup `file`: copies it beside the database, verifies the copy and migrates
 * it. The backup itself is never written to.
 * @throws SciaticaError `damaged` or `unusable` if it is no sound backup of ours, `conflict` if it is the database itself
 */
export function prepareRestore(file: string, path: string): Restoration {
  refuseFile(file, path);
  let temporary: Temporary | undefined;
  try {
    makeFolder(dirname(path));
    temporary = temporaryBeside(path);
    const { path: prepared, remove } = temporary;
    const copy = copied(file, prepared);
    const { present, past } = presentAt(path);
    const apply = (stamp: string) =>
      putInPlace(prepared, path, `${path}.replaced-${stamp}`, present === 'damaged');
    return { copy, present, ...broughtBack(prepared, past), apply, close: remove };
  } catch (error) {
    temporary?.remove();
    throw domainError(error, path);
  }
}

function refuseFile(file: string, path: string): void {
  const stat = statSync(file, { throwIfNoEntry: false });
  if (!stat) throw unusable(`There is no file ${file}.`);
  if (!stat.isFile()) throw unusable(`${file} is not a file: a backup is never read from a pipe or device.`);
  const present = statSync(path, { throwIfNoEntry: false });
  if (present?.dev === stat.dev && present.ino === stat.ino)
    throw conflict(`${file} is the database itself: there is nothing to restore.`);
}

/** With a log beside it, the file may be in use: SQLite copies a snapshot of both. Otherwise its bytes are the whole of it. */
function copyBytes(file: string, temporary: string): void {
  if (sizeOf(`${file}-wal`) > 0) {
    withDatabase(openToRead(file), (db) => db.run('VACUUM INTO ?', temporary));
  } else {
    copyFileSync(file, temporary);
    if (existsSync(`${file}-journal`)) copyFileSync(`${file}-journal`, `${temporary}-journal`);
    chmodSync(temporary, 0o600);
  }
}

function copied(file: string, prepared: string): Holding {
  try {
    copyBytes(file, prepared);
    return checked(file, prepared);
  } catch (error) {
    const failed = domainError(error, file);
    throw failed instanceof SciaticaError && failed.code === 'damaged' ? damagedBackup(file) : failed;
  }
}

function checked(file: string, prepared: string): Holding {
  const { isDatabase, applicationId, version } = headerOf(prepared);
  if (!isDatabase || applicationId !== APPLICATION_ID || version === 0)
    throw unusable(`${file} is not a backup of sciatica. Nothing was changed.`);
  if (version > migrations.length)
    throw unusable(
      `${file} was written by a newer sciatica (format ${version}; this one knows ${migrations.length}). Update sciatica first; nothing was changed.`,
    );
  return withDatabase(connect(prepared), (db) => {
    if (db.pragma('journal_mode = DELETE') !== 'delete' || !isSound(db)) throw damagedBackup(file);
    migrate(db, { keep: () => {} });
    return holdingOf(db);
  });
}

function damagedBackup(file: string): SciaticaError {
  return new SciaticaError(
    'damaged',
    `${file} is damaged: nothing was changed. To save what can still be read of it: sciatica doctor --db ${file} --rescue FILE`,
  );
}

function presentAt(path: string): { present: Restoration['present']; past?: Past } {
  // A log alone counts as damage: SQLite would take it for the log of the restored database.
  if (sizeOf(path) === 0) return { present: sizeOf(`${path}-wal`) > 0 ? 'damaged' : 'absent' };
  if (!headerOf(path).isDatabase) return { present: 'damaged' };
  refuseForeignFile(path, { mayBeNewer: true });
  try {
    return withDatabase(openToRead(path), (db) => ({ present: holdingOf(db), past: pastOf(db) }));
  } catch (error) {
    const failed = domainError(error, path);
    if (!(failed instanceof SciaticaError) || failed.code !== 'damaged') throw failed;
    return { present: 'damaged' };
  }
}

function broughtBack(
  prepared: string,
  past: Past | undefined,
): Pick<Restoration, 'erased' | 'tokens' | 'identity'> {
  return withDatabase(connect(prepared), (db) => ({
    erased: [...new Set(erasedBefore(past, db))].filter(
      (id) => db.value('SELECT 1 FROM users WHERE id = ?', id) === 1,
    ),
    tokens: new Tokens(db).list().filter((token) => stateOf(token, Date.now()) === 'valid').length,
    identity: new Settings(db).get('id'),
  }));
}
