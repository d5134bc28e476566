import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The names of what a restore replaced and what a migration kept, in the folder of a database. */
export function copiesBeside(path: string): string[] {
  const start = `${basename(path)}.`;
  if (!existsSync(dirname(path))) return [];
  return readdirSync(dirname(path)).filter((name) => name.startsWith(start) && /\.(v\d|replaced)/.test(name));
}

/** The copies of a database that were made beside it, backups included. */
export function keptCopies(path: string): string[] {
  const folder = dirname(path);
  const kept = copiesBeside(path);
  const all = existsSync(join(folder, 'backups')) ? readdirSync(join(folder, 'backups')) : [];
  // Beside them are notes of failures, as text.
  const backups = all.filter((name) => /\.db|\.age$/.test(name) && !name.endsWith('.txt'));
  return [...kept, ...backups.map((name) => join('backups', name))].map((name) => join(folder, name)).sort();
}
