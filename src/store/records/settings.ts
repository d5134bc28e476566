import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';

/**
 * The values are texts; JSON where it says so. A seq is a history seq.
 * - `id`: UUID of the database. `user`: id of the default user.
 * - `clock`: highest hybrid clock received from other databases.
 * - `deletions`: number of records that other databases deleted here since the user last agreed to deletions.
 * - `disputes`: see reconcile/disputes.ts. `shownAs`: see reconcile/user-merges.ts.
 * - `looked`: seq up to which an exchange has looked for records that were restored here.
 * - `horizon`: seq up to which entries may be missing. `gaps`: the `Gaps`, as JSON.
 * - `erased`: ids of erased users, as a JSON array. `erasedOfOthers`: by user id, what was erased that the user had a part in, as
 *   JSON. `erasedInBackups`: number of erasures that the backups are known to reflect.
 * - `erasedTokens`: SHA-256 of the tokens for erased users only, in hexadecimal, as a JSON array.
 * - `renewals`: renewed tokens that were not used yet, see tokens.ts.
 * - `erasing`, `copiesLeft`: the unfinished part of an erasure, see maintenance/erasing.ts.
 * - `backups`: the `BackupSetting`. `backupFolders`: all folders ever chosen for backups, as a JSON array.
 * - `pairingCode`, `pairingService`: see `Pairing`.
 * - `remotesSince`, `usersSince`: by remote, the last seq when it was added, and when its users were last chosen.
 * - `said`: by remote, SHA-256 of each line that its last sync printed.
 * - `formerMarks`: ids, as a JSON array of texts, of users who have yet to be told why a ✔ or ✖ that format 10 or older gave is
 *   gone.
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

/** Value of `backups`: a folder, `off`, or undefined for the one beside the database; and the age recipient, if encrypted. */
export interface BackupSetting {
  folder?: string | undefined;
  recipient?: string | undefined;
}

/** By reason, the history seq up to which entries are missing: after a restored backup, and after an erasure. */
interface Gaps {
  restored?: number;
  erased?: number;
}

/** Value of `folder` that turns automatic backups off. */
export const OFF = 'off';

/** The settings table of the database. */
export class Settings {
  constructor(private readonly db: Database) {}

  get(name: Setting): string | undefined {
    return this.db.value<string>('SELECT value FROM settings WHERE name = ?', name);
  }

  /** The target of automatic backups. */
  get backups(): BackupSetting {
    return storedJson<BackupSetting>(this.get('backups') ?? '{}');
  }

  /** Sets the target of automatic backups, and adds the folder to `backupFolders`, where erasures look for backups. */
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

  /** Records that entries up to `seq` may be missing: a client at an earlier seq has to read everything again. */
  addGap(reason: keyof Gaps, seq: number): void {
    this.db.write(() => {
      this.set('horizon', String(seq));
      this.set('gaps', JSON.stringify({ ...this.gaps, [reason]: seq }));
    });
  }

  /** The value of a setting that is a JSON array of texts. */
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
