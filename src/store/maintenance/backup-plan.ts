import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { crypto } from '../../lib/crypto.ts';
import { realPathOf } from '../../lib/files.ts';
import { type BackupSetting, OFF } from '../records/settings.ts';

/** Location and names of the automatic backups of a database. */
export interface BackupPlan {
  folder: string;
  /** Prefix of the file names, because several databases may share a folder. */
  prefix: string;
  /** The age recipient to encrypt for; undefined for plain backups. */
  recipient?: string;
}

/** An automatic backup. */
export interface AutomaticBackup {
  path: string;
  /** The local day on which it was made. */
  day: string;
  isEncrypted: boolean;
}

/** The plan for the database at `path`. @returns undefined where automatic backups are turned off */
export function planOf(path: string, { folder, recipient }: BackupSetting): BackupPlan | undefined {
  if (folder === OFF) return undefined;
  const real = realPathOf(resolve(path));
  const beside = join(dirname(real), 'backups');
  const name = basename(real);
  const encrypted = recipient === undefined ? {} : { recipient };
  if (folder === undefined || folder === beside)
    return { folder: beside, prefix: `${name}.auto-`, ...encrypted };
  // A chosen folder may hold backups of databases with the same file name from different folders.
  return { folder, prefix: `${name}.${digestOf(real)}.auto-`, ...encrypted };
}

/** Eight hex digits that identify a database by its path, among those whose backups share a folder. */
export function digestOf(path: string): string {
  return crypto().createHash('sha256').update(realPathOf(path)).digest('hex').slice(0, 8);
}

const ENDING = /^(\d{4}-\d\d-\d\d)\.db(\.age)?$/;

/** The existing backups, the oldest first; none where the folder cannot be read. */
export function backupsOf({ folder, prefix }: BackupPlan): AutomaticBackup[] {
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix))
    .flatMap((name) => {
      const [, day, age] = ENDING.exec(name.slice(prefix.length)) ?? [];
      return day === undefined ? [] : [{ path: join(folder, name), day, isEncrypted: age !== undefined }];
    })
    .sort((a, b) => (a.day < b.day ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The file in which a background job notes its failure, for the next command to report. */
export const noteOf = ({ folder, prefix }: BackupPlan): string => join(folder, `${prefix}failed.txt`);
