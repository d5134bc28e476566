import { UNKNOWN_PAST } from '../../domain/history.ts';
import { isLeft } from '../reconcile/erasures.ts';
import { Settings } from '../records/settings.ts';
import { Tokens } from '../records/tokens.ts';
import type { Database } from '../sqlite/database.ts';
import { storedJson } from '../sqlite/errors.ts';
import { hasTable } from '../sqlite/verify.ts';

/** What must not be reset when a backup replaces a database. */
export type Past = ReturnType<typeof pastOf>;

interface PastToken {
  id: number;
  name: string;
  hash: Uint8Array;
  createdAt: number;
  expiresAt: number | null;
  revokedAt: number | null;
}

/** Reads the `Past` of a database, which may be of an older version. */
export function pastOf(db: Database) {
  const settings = new Settings(db);
  return db.read(() => ({
    /** The last id that each table has assigned (`sqlite_sequence`). */
    numbers: numbersOf(db),
    /** The UUID of the database, all UUIDs that it ever had, and its tokens. */
    id: settings.get('id'),
    identities: identitiesOf(db),
    tokens: hasTable(db, 'tokens')
      ? db.all<PastToken>('SELECT id, name, hash, createdAt, expiresAt, revokedAt FROM tokens')
      : [],
    /** Ids of erased users, and hashes of the tokens for only them. */
    erased: erasedIn(db),
    erasedTokens: settings.texts('erasedTokens'),
    /** The setting `erasing`, as stored. */
    erasing: settings.get('erasing'),
    /** The target of automatic backups, as stored, and all folders ever chosen. */
    backups: settings.get('backups'),
    backupFolders: settings.backupFolders,
  }));
}

/**
 * Prepares a backup to replace a database: no id is assigned twice, revoked and renewed tokens stay so, an
 * interrupted erasure is resumed, the pairing code is closed, clients that continue from a history seq are
 * told to read everything again, and automatic backups keep their target.
 * @param past undefined if there is no database, or an unreadable one
 */
export function carryOver(past: Past | undefined, backup: Database): void {
  const settings = new Settings(backup);
  backup.write(() => {
    const [here, theirs] = [numbersOf(backup), past?.numbers ?? new Map<string, number>()];
    const last = (table: string) => Math.max(here.get(table) ?? 0, theirs.get(table) ?? 0);
    // The sequence `changes` has no table.
    for (const table of theirs.keys())
      if (here.has(table) || hasTable(backup, table)) setLast(backup, table, last(table));
    const horizon = last('history') + (past ? 1 : UNKNOWN_PAST);
    setLast(backup, 'history', horizon);
    settings.addGap('restored', horizon);
    // The same id and name mean the same token only in a copy of the same database.
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
 * Ids of the users who were erased from the database that a backup replaces. In a backup of another database,
 * which shares no UUID with it, a user with such an id is somebody else.
 */
export function erasedBefore(past: Past | undefined, backup: Database): number[] {
  const isOther = !past?.identities.some((id) => identitiesOf(backup).includes(id));
  return (past?.erased ?? []).filter((id) => !(isOther && isLeft(backup, 'user', id)));
}

/** All UUIDs that a database has ever had, the present one first. */
export function identitiesOf(db: Database): (string | undefined)[] {
  const former = hasTable(db, 'identities')
    ? db.column<string>('SELECT uuid FROM origins JOIN identities ON identities.origin = origins.id')
    : [];
  return [new Settings(db).get('id'), ...former];
}

/** Also keeps the folders of the restored database: its users may be in backups there. */
function keepBackupSettings(settings: Settings, { backups, backupFolders }: Past): void {
  if (backups === undefined) settings.remove('backups');
  else settings.set('backups', backups);
  const folders = [...new Set([...backupFolders, ...settings.backupFolders])];
  if (folders.length > 0) settings.set('backupFolders', JSON.stringify(folders));
}

/** SQL condition: tokens that are for erased users only, and were deleted with them. */
const FOR_ERASED = `users IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM json_each(users) WHERE value NOT IN (SELECT value FROM json_each(?)))`;

/** Ids of erased users, including those erased from databases that this one has replaced. */
export function erasedIn(db: Database): number[] {
  if (!hasTable(db, 'history')) return [];
  const before = storedJson<number[]>(new Settings(db).get('erased') ?? '[]');
  return [
    ...before,
    // Erasures of single records have no id.
    ...db.column<number>(
      "SELECT recordId FROM history WHERE action = 'erase' AND recordId IS NOT NULL ORDER BY seq",
    ),
  ];
}

/** Reads sqlite_sequence, an ordinary table that may also be written (https://sqlite.org/autoinc.html). */
function numbersOf(db: Database): Map<string, number> {
  const rows = db.all<{ name: string; seq: number }>('SELECT name, seq FROM sqlite_sequence');
  return new Map(rows.map(({ name, seq }) => [name, seq]));
}

function setLast(db: Database, table: string, seq: number): void {
  db.run('DELETE FROM sqlite_sequence WHERE name = ?', table);
  db.run('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)', table, seq);
}
