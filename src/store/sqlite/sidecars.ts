import { chmodSync, lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { SciaticaError, unusable } from '../../domain/errors.ts';

/** Suffixes of the files that SQLite keeps beside a database. */
const SIDECARS = ['-wal', '-shm', '-journal'] as const;

/** Mode bits of a folder: group or others may write; only the owner of a file may remove it (sticky). */
const [WRITABLE, STICKY] = [0o022, 0o1000];

const statOf = (path: string) => statSync(path, { throwIfNoEntry: false });

/**
 * Refuses files beside a database that SQLite must not use: the log of a database that is gone, which it
 * would delete (pagerOpenWalIfPresent in pager.c), and, in a folder such as /tmp, files of another user, who
 * could read what is written to them. Call it before SQLite opens the database.
 * @throws SciaticaError `damaged`, `unusable`
 */
export function refuseForeignSidecars(path: string): void {
  // In this order: a process that creates a database writes to it before its log exists.
  const hasLog = (statOf(`${path}-wal`)?.size ?? 0) > 0;
  const database = statOf(path);
  if (hasLog && !database?.size)
    throw new SciaticaError(
      'damaged',
      (command) =>
        `${path} is ${database ? 'empty' : 'not there'}, but ${path}-wal is there, which may hold its records. To save what can be read: ${command('doctor --rescue FILE')}. To begin anew, move both away.`,
    );
  const foreign = foreignSidecar(path);
  if (foreign)
    throw unusable(
      `${foreign} belongs to another user of this computer, who could read what is written to it: nothing was opened. Keep the database in a folder of your own (--db), not in ${dirname(path)}.`,
    );
}

/**
 * Gives -wal and -shm, which SQLite created while the database was read-only, the present permissions of the
 * database: otherwise they would keep it from being written to.
 */
export function mendPermissions(path: string): void {
  const database = statOf(path);
  for (const file of [`${path}-wal`, `${path}-shm`]) {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    if (!database || !stat?.isFile() || stat.uid !== process.geteuid?.()) continue;
    if ((database.mode & ~stat.mode & 0o600) !== 0) chmodSync(file, database.mode & 0o777);
  }
}

/** A file beside a database, in a folder such as /tmp, that belongs neither to the database's owner nor to us nor to root. */
export function foreignSidecar(path: string): string | undefined {
  const mode = statOf(dirname(path))?.mode ?? 0;
  if ((mode & STICKY) === 0 || (mode & WRITABLE) === 0) return undefined;
  const ours = [0, process.geteuid?.(), statOf(path)?.uid];
  return SIDECARS.map((end) => path + end).find((file) => {
    const stat = lstatSync(file, { throwIfNoEntry: false });
    return stat !== undefined && !ours.includes(stat.uid);
  });
}

/** Whether there is a database at a path, or a part of one: a log without its database may hold records. */
export const isDatabaseAt = (path: string): boolean =>
  ['', ...SIDECARS].some((end) => lstatSync(path + end, { throwIfNoEntry: false }));
