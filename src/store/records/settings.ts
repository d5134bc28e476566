import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

/**
 * `id`: UUID of the database; `clock`: the highest clock that came from other databases; `deletions`: how many records
 * other databases deleted here since somebody agreed to it; `disputes`: see reconcile/disputes.ts; `looked`: the last entry of
 * the history when an exchange looked at what had come back; `user`: id of the default user; `horizon`: history seq before which
 * entries are missing; `gaps`: the `Gaps`; `erased`: ids of erased users, as a JSON array; `erasedOfOthers`: what was erased, by the ids of the users who had something of it; `erasedInBackups`: how many erasings the backups were looked through for; `shownAs`: see reconcile/user-merges.ts; `erasedTokens`: SHA-256 of the tokens that were for them
 * only, in hexadecimal, as a JSON array; `erasing` and `copiesLeft`: what is unfinished of erasing, see maintenance/erasing.ts;
 * `backups`: the `BackupSetting`; `backupFolders`: the folders where automatic backups were made before, as a JSON array; `pairingCode` and `pairingService`: see `Pairing`; `remotesSince`: the last entry of the
 * history when each remote was added, and `usersSince` when more users were chosen for it, by name; `said`: SHA-256 of the lines that the last sync with each said, by name; `formerMarks`: ids of the
 * users who have not been told yet why a ✔ or ✖ that a version of format 10 or before gave is gone, as a JSON array of texts.
 */
type Setting =
  | 'id'
  | 'clock'
  | 'deletions'
  | 'disputes'
  | 'looked'
  | 'user'
  | 'horizon'
  | 'gaps'
  | 'erased'
  | 'erasedOfOthers'
  | 'erasedInBackups'
  | 'shownAs'
  | 'erasedTokens'
  | 'renewals'
  | 'erasing'
  | 'copiesLeft'
  | 'backups'
  | 'backupFolders'
  | 'pairingCode'
  | 'pairingService'
  | 'remotesSince'
  | 'usersSince'
  | 'said'
  | 'formerMarks';

/** The setting `backups`: nothing for the folder beside the database, `off`, or another folder. */
export interface BackupSetting {
  folder?: string | undefined;
  recipient?: string | undefined;
}

/** The last entries of the history before which entries are missing because a backup was restored, or somebody erased. */
interface Gaps {
  restored?: number;
  erased?: number;
}

/** The folder that means: no backups. */
export const OFF = 'off';

/** The settings that the database itself holds. */
export class Settings {
  constructor(private readonly db: Database) {}

  get(name: Setting): string | undefined {
    return this.db.value<string>('SELECT value FROM settings WHERE name = ?', name);
  }

  /** Where automatic backups are made. */
  get backups(): BackupSetting {
    return storedJson<BackupSetting>(this.get('backups') ?? '{}');
  }

  /** Chooses where automatic backups are made; where they were is remembered. */
  set backups(setting: BackupSetting) {
    const { folder } = setting;
    this.db.write(() => {
      if (folder !== undefined && folder !== OFF)
        this.set('backupFolders', JSON.stringify([...new Set([...this.backupFolders, folder])]));
      this.set('backups', JSON.stringify(setting));
    });
  }

  get gaps(): Gaps {
    return storedJson<Gaps>(this.get('gaps') ?? '{}');
  }

  /** Notes that entries up to this one are missing: who goes on from an earlier one has to read everything anew. */
  addGap(reason: keyof Gaps, seq: number): void {
    this.db.write(() => {
      this.set('horizon', String(seq));
      this.set('gaps', JSON.stringify({ ...this.gaps, [reason]: seq }));
    });
  }

  /** What a setting holds that is a list of texts. */
  texts(name: 'erasedTokens' | 'formerMarks'): string[] {
    return storedJson<string[]>(this.get(name) ?? '[]');
  }

  /** The folders that were ever chosen for automatic backups. */
  get backupFolders(): string[] {
    return storedJson<string[]>(this.get('backupFolders') ?? '[]');
  }

  remove(name: Setting): void {
    this.db.run('DELETE FROM settings WHERE name = ?', name);
  }

  set(name: Setting, value: string): void {
    this.db.write(() =>
      this.db.run(
        'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        name,
        value,
      ),
    );
  }
}
