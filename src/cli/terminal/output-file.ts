import { closeSync, constants, existsSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { conflict, explained, unusable } from '../../domain/errors.ts';
import { errnoOf, isFull, NotSynced, publish, syncFile, temporaryBeside } from '../../lib/files.ts';
import { fileError } from './errors.ts';
import { escapeControls, quoted } from './io.ts';

/**
 * Writes a file atomically: under a temporary name (0600) in the same folder, synced, then renamed. The event loop runs
 * between pieces, so that Ctrl-C is noticed; the temporary file is removed at exit.
 * @param force replace a file that exists
 * @throws SciaticaError `conflict` if it exists, `unusable` or `full` if it cannot be written, `uncertain` if it is in
 *   place but a power cut may undo that
 */
export async function writeOutputFile(
  path: string,
  options: { force: boolean },
  pieces: Iterable<string>,
): Promise<void> {
  try {
    refuseExisting(path, options.force);
    if (statSync(path, { throwIfNoEntry: false })?.isFIFO()) return await writeToPipe(path, pieces);
    if (isDevice(path)) return await writeInPlace(path, pieces);
    await writeBeside(existsSync(path) ? realpathSync(path) : path, pieces, options.force);
  } catch (error) {
    throw writeError(error, path);
  }
}

/** @throws SciaticaError `conflict` if the file exists and `force` is false, `unusable` for a folder */
export function refuseExisting(path: string, force: boolean): void {
  if (!existsSync(path) || isDevice(path)) return;
  if (statSync(path).isDirectory())
    throw unusable(`${escapeControls(path)} is a folder: give the name of a file in it.`);
  if (!force) throw conflict(existing(path));
}

const existing = (path: string) => `${escapeControls(path)} exists already. To replace it, add --force.`;

/** Whether a path is a pipe or a device such as /dev/null, which is written to, never replaced. */
function isDevice(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat !== undefined && !stat.isFile() && !stat.isDirectory();
}

async function writeBeside(path: string, pieces: Iterable<string>, force: boolean): Promise<void> {
  const temporary = temporaryBeside(path);
  try {
    await writeInPlace(temporary.path, pieces);
    syncFile(temporary.path);
    publish(temporary.path, path, force);
  } finally {
    temporary.remove();
  }
}

/** Polling interval until a named pipe has a reader, in milliseconds. */
const READER_EVERY_MS = 50;

/** Writes to a named pipe. No system call blocks, so signals are handled while it waits for a reader. */
async function writeToPipe(path: string, pieces: Iterable<string>): Promise<void> {
  const { Socket } = await import('node:net');
  const { pipeline } = await import('node:stream/promises');
  const fd = await openedForReader(path);
  await pipeline(Readable.from(pieces), new Socket({ fd, readable: false, writable: true }));
}

/** Opens a named pipe as soon as it has a reader; before, the system answers ENXIO. */
async function openedForReader(path: string): Promise<number> {
  for (;;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if (errnoOf(error) !== 'ENXIO') throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, READER_EVERY_MS));
  }
}

async function writeInPlace(path: string, pieces: Iterable<string>): Promise<void> {
  const file = openSync(path, 'w');
  try {
    for (const piece of pieces) {
      writeFileSync(file, piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
  } finally {
    closeSync(file);
  }
}

function writeError(error: unknown, path: string): unknown {
  if (error instanceof NotSynced) return explained('uncertain', escapeControls(error.message), error);
  const name = escapeControls(path);
  return fileError(error, (errno) => {
    // Another process has created the file meanwhile.
    if (errno === 'EEXIST') return ['conflict', existing(path)];
    if (isFull(error)) return ['full', `${name} was not written: the disk is full.`];
    if (errno === 'EACCES' || errno === 'EPERM' || errno === 'EROFS')
      return ['unusable', `${name} cannot be written: no permission for its folder.`];
    if (errno === 'ENOENT' || errno === 'ENOTDIR') {
      const folder = quoted(escapeControls(path.endsWith('/') ? path : dirname(path)));
      return ['unusable', `${name} cannot be written: there is no folder ${folder}.`];
    }
    return ['unusable', `${name} could not be written (${errno}).`];
  });
}
