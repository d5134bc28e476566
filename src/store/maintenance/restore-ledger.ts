import { UNKNOWN_PAST } from '../../domain/history.ts';
import { isLeft } from '../reconcile/erasures.ts';
import { Settings } from '../records/settings.ts';
import { Tokens } from '../records/tokens.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { hasTable } from '../sqlite/verify.ts';

/** What must not go back in time when a backup takes the place of a database. */
export type Past = ReturnType<typeof pastOf>;

interface PastToken {
  id: number;
  name: string;
  hash: Uint8Array;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** Reads the past of a database, which may be of an older version. */
export function pastOf(db: Database) {
  const settings = new Settings(db);
  return db.read(() => ({
    /** The last number that each table has given. */
    numbers: numbersOf(db),
    /** The UUID of the database, all that it ever had, and its tokens. */
    id: settings.get('id'),
    identities: identitiesOf(db),
    tokens: hasTable(db, 'tokens')
      ? db.all<PastToken>('SELECT id, name, hash, createdAt, expiresAt, revokedAt FROM tokens')
      : [],
    /** The ids of the users who were erased, and the hashes of the tokens that were for them only. */
    erased: erasedIn(db),
    erasedTokens: settings.texts('erasedTokens'),
    /** What is unfinished of erasing, as it is stored. */
    erasing: settings.get('erasing'),
    /** Where automatic backups are made, as it is stored, and were. */
    backups: settings.get('backups'),
    backupFolders: settings.backupFolders,
  }));
}

/**
 * Lets a backup go on from the past of the database whose place it takes: no id is given again, tokens that were
 * taken back or renewed stay so, an erasing that was interrupted is finished, no pairing code is open, who goes on from an entry of
 * the history is told to read everything anew,
 * and automatic backups are made where they were until now.
 * @param past nothing where there is no database, or one that cannot be read
 */
export function carryOver(past: Past | undefined, backup: Database): void {
  const settings = new Settings(backup);
  backup.write(() => {
    const [here, theirs] = [numbersOf(backup), past?.numbers ?? new Map<string, number>()];
    const last = (table: string) => Math.max(here.get(table) ?? 0, theirs.get(table) ?? 0);
    // That of changes has no table.
    for (const table of theirs.keys())
      if (here.has(table) || hasTable(backup, table)) setLast(backup, table, last(table));
    const horizon = last('history') + (past ? 1 : UNKNOWN_PAST);
    setLast(backup, 'history', horizon);
    settings.addGap('restored', horizon);
    // Only in copies of the same database is a token of the same id and name the same.
    const isCopy = past?.id === settings.get('id');
    for (const { id, name, hash, createdAt, expiresAt, revokedAt } of past?.tokens ?? [])
      backup.run(
        `UPDATE tokens SET hash = ?, createdAt = ?, expiresAt = ?, revokedAt = coalesce(?, revokedAt)
         WHERE hash = ? OR (? AND id = ? AND name = ?)`,
        ...[hash, createdAt, expiresAt, revokedAt, hash, isCopy ? 1 : 0, id, name],
      );
    const erased = JSON.stringify([...new Set([...erasedBefore(past, backup), ...erasedIn(backup)])]);
    settings.set('erased', erased);
    const own = backup.column<string>(`SELECT lower(hex(hash)) FROM tokens WHERE ${FOR_ERASED}`, erased);
    const tokens = [...(past?.erasedTokens ?? []), ...settings.texts('erasedTokens'), ...own];
    settings.set('erasedTokens', JSON.stringify([...new Set(tokens)]));
    backup.run(`DELETE FROM tokens WHERE ${FOR_ERASED}`, erased);
    settings.remove('renewals');
    new Tokens(backup).pairing.reset();
    if (past?.erasing !== undefined) settings.set('erasing', past.erasing);
    if (past) keepBackupSettings(settings, past);
  });
}

/**
 * Who was erased from the database whose place a backup takes, by id. In a backup of another database, which shares no UUID with it,
 * a user with such an id is somebody else.
 */
export function erasedBefore(past: Past | undefined, backup: Database): number[] {
  const isOther = !past?.identities.some((id) => identitiesOf(backup).includes(id));
  return (past?.erased ?? []).filter((id) => !(isOther && isLeft(backup, 'user', id)));
}

/** The UUIDs that a database has, and had. */
export function identitiesOf(db: Database): (string | undefined)[] {
  const former = hasTable(db, 'identities')
    ? db.column<string>('SELECT uuid FROM origins JOIN identities ON identities.origin = origins.id')
    : [];
  return [new Settings(db).get('id'), ...former];
}

/** The folders of the backup are remembered too: its person may be in backups there. */
function keepBackupSettings(settings: Settings, { backups, backupFolders }: Past): void {
  if (backups === undefined) settings.remove('backups');
  else settings.set('backups', backups);
  const folders = [...new Set([...backupFolders, ...settings.backupFolders])];
  if (folders.length > 0) settings.set('backupFolders', JSON.stringify(folders));
}

/** The tokens that are for erased users only went with them. */
const FOR_ERASED = `users IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM json_each(users) WHERE value NOT IN (SELECT value FROM json_each(?)))`;

/** Who was erased, by id, also from databases whose place this one has taken. */
export function erasedIn(db: Database): number[] {
  if (!hasTable(db, 'history')) return [];
  const before = storedJson<number[]>(new Settings(db).get('erased') ?? '[]');
  return [
    ...before,
    // Of records of others only that something was erased is kept.
    ...db.column<number>(
      "SELECT recordId FROM history WHERE action = 'erase' AND recordId IS NOT NULL ORDER BY seq",
    ),
  ];
}

/** As SQLite keeps them (https://sqlite.org/autoinc.html): it may be written to as any other table. */
function numbersOf(db: Database): Map<string, number> {
  const rows = db.all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence');
  return new Map(rows.map(({ name, seq }) => [name, seq]));
}

function setLast(db: Database, table: string, seq: number): void {
  db.run('DELETE FROM sqlite_sequence WHERE name = ?', table);
  db.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, seq);
}
