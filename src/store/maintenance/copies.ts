import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The names of what a restore replaced and what a migration kept, in the folder of a database. */
export function copiesBeside(path: string): string[] {
  const start = `${basename(path)}.`;
  if (!existsSync(dirname(path))) return [];
  return readdirSync(dirname(path)).filter((name) => name.startsWith(start) && /\.(v\d|replaced)/.test(name));
}

/** Whose automatic backup a file is. */
const AUTOMATIC = /^(.+)\.auto-/;

/** The copies of a database that were made beside it, backups included; not the automatic ones of another database beside it. */
export function keptCopies(path: string): string[] {
  const folder = dirname(path);
  const kept = copiesBeside(path);
  const all = existsSync(join(folder, 'backups')) ? readdirSync(join(folder, 'backups')) : [];
  const isAnothers = (name: string) => {
    const owner = AUTOMATIC.exec(name)?.[1] ?? basename(path);
    return owner !== basename(path) && existsSync(join(folder, owner));
  };
  // Beside them are notes of failures, as text.
  const backups = all.filter(
    (name) => /\.db|\.age$/.test(name) && !name.endsWith('.txt') && !isAnothers(name),
  );
  return [...kept, ...backups.map((name) => join('backups', name))].map((name) => join(folder, name)).sort();
}
