import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { crypto } from '../../lib/crypto.ts';
import { realPathOf } from '../../lib/files.ts';
import { type BackupSetting, OFF } from '../records/settings.ts';

/** Where the automatic backups of a database are, and what they are called. */
export interface BackupPlan {
  folder: string;
  /** What the names begin with; several databases may share a folder. */
  prefix: string;
  /** The age recipient for whom they are encrypted. */
  recipient?: string;
}

/** A backup that was made by itself. */
export interface AutomaticBackup {
  path: string;
  /** The local day on which it was made. */
  day: string;
  isEncrypted: boolean;
}

/** @returns undefined where they are turned off */
export function planOf(path: string, { folder, recipient }: BackupSetting): BackupPlan | undefined {
  if (folder === OFF) return undefined;
  const real = realPathOf(resolve(path));
  const beside = join(dirname(real), 'backups');
  const name = basename(real);
  const encrypted = recipient === undefined ? {} : { recipient };
  if (folder === undefined || folder === beside)
    return { folder: beside, prefix: `${name}.auto-`, ...encrypted };
  // Elsewhere, databases of the same name in different folders may meet.
  return { folder, prefix: `${name}.${digestOf(real)}.auto-`, ...encrypted };
}

/** Eight hex digits that tell the databases apart whose backups share a folder. */
export function digestOf(path: string): string {
  return crypto().createHash('sha256').update(realPathOf(path)).digest('hex').slice(0, 8);
}

const ENDING = /^(\d{4}-\d\d-\d\d)\.db(\.age)?$/;

/** What is there, the oldest first; nothing where the folder cannot be read. */
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

/** Where the last failure of a background job is noted, for the next command to say. */
export const noteOf = ({ folder, prefix }: BackupPlan): string => join(folder, `${prefix}failed.txt`);
