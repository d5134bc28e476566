import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The names of the copies that restores and migrations have kept in the folder of a database. */
export function copiesBeside(path: string): string[] {
  const start = `${basename(path)}.`;
  if (!existsSync(dirname(path))) return [];
  return readdirSync(dirname(path)).filter((name) => name.startsWith(start) && /\.(v\d|replaced)/.test(name));
}

/** Matches an automatic backup; captures the file name of its database. */
const AUTOMATIC = /^(.+)\.auto-/;

/** The paths of all copies of a database beside it and in its `backups` folder, except automatic backups of other databases. */
export function keptCopies(path: string): string[] {
  const folder = dirname(path);
  const kept = copiesBeside(path);
  const all = existsSync(join(folder, 'backups')) ? readdirSync(join(folder, 'backups')) : [];
  const isAnothers = (name: string) => {
    const owner = AUTOMATIC.exec(name)?.[1] ?? basename(path);
    return owner !== basename(path) && existsSync(join(folder, owner));
  };
  // Skips the notes of failures, which end in .txt.
  const backups = all.filter(
    (name) => /\.db|\.age$/.test(name) && !name.endsWith('.txt') && !isAnothers(name),
  );
  return [...kept, ...backups.map((name) => join('backups', name))].map((name) => join(folder, name)).sort();
}
