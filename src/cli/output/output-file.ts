import { closeSync, existsSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SciaticaError } from '../../domain/errors.ts';
import { replace, syncFile, temporaryBeside } from '../../lib/files.ts';
import { escapeControls, quoted } from './io.ts';

/**
 * Writes a file that is there whole or not at all: under a temporary name (0600) in the same folder, synced, then
 * renamed. The event loop runs between pieces, so that Ctrl-C is noticed; the temporary file goes with the process.
 * @param force replace a file that exists
 * @throws SciaticaError `conflict` if it exists, `unusable` or `full` if it cannot be written
 */
export async function writeOutputFile(
  path: string,
  options: { force: boolean },
  pieces: Iterable<string>,
): Promise<void> {
  try {
    refuseExisting(path, options.force);
    if (isDevice(path)) return await writeInPlace(path, pieces);
    await writeBeside(existsSync(path) ? realpathSync(path) : path, pieces, options.force);
  } catch (error) {
    throw explained(error, path);
  }
}

/** @throws SciaticaError `conflict` if there is a file that must not be replaced, `unusable` for a folder */
export function refuseExisting(path: string, force: boolean): void {
  if (!existsSync(path) || isDevice(path)) return;
  if (statSync(path).isDirectory())
    throw new SciaticaError(
      'unusable',
      `${escapeControls(path)} is a folder: give the name of a file in it.`,
    );
  if (!force)
    throw new SciaticaError(
      'conflict',
      `${escapeControls(path)} exists already. To replace it, add --force.`,
    );
}

/** A pipe or a device such as /dev/null is written to, never replaced. */
function isDevice(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

async function writeBeside(path: string, pieces: Iterable<string>, force: boolean): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeInPlace(temporary.path, pieces);
    syncFile(temporary.path);
    // It took a while: somebody else may have put a file there.
    refuseExisting(path, force);
    replace(temporary.path, path);
  } finally {
    temporary.remove();
  }
}

async function writeInPlace(path: string, pieces: Iterable<string>): Promise<void> {
  const file = openSync(path, 'w');
  try {
    await writePieces(file, pieces);
  } finally {
    closeSync(file);
  }
}

async function writePieces(file: number, pieces: Iterable<string>): Promise<void> {
  for (const piece of pieces) {
    writeFileSync(file, piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (error instanceof SciaticaError || typeof code !== 'string') return error;
  const fail = (kind: 'full' | 'unusable', message: string) =>
    new SciaticaError(kind, `${escapeControls(path)} ${message}`, [], { cause: error });
  if (code === 'ENOSPC' || code === 'EDQUOT') return fail('full', 'was not written: the disk is full.');
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS')
    return fail('unusable', 'cannot be written: no permission for its folder.');
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return fail(
      'unusable',
      `cannot be written: there is no folder ${quoted(escapeControls(dirname(path)))}.`,
    );
  return fail('unusable', `could not be written (${code}).`);
}
