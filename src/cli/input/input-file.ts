import { constants, open as openDescriptor } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type { Context } from '../../context.ts';
import { unusable } from '../../domain/errors.ts';
import { fileError, usage } from '../terminal/errors.ts';
import { escapeControls } from '../terminal/io.ts';

const PIECE = 256 * 1024;

export interface InputFile {
  /** The name for messages, control characters escaped. */
  name: string;
  bytes: AsyncIterable<Uint8Array>;
  /** Closes a file that was not read to its end. */
  close(): void;
}

/**
 * Opens a file or a named pipe for reading; `-` is stdin.
 * @throws SciaticaError `unusable` for a folder, a device or an unreadable file, `invalid` if stdin is a terminal
 */
export async function openInput(context: Context, path: string): Promise<InputFile> {
  if (path === '-') {
    if (context.stdin.isTTY) throw usage('There is nothing on stdin: name a file, or pipe one in.');
    return { name: 'stdin', bytes: context.stdin, close() {} };
  }
  try {
    const found = await stat(path);
    if (found.isDirectory()) throw unusable(`${escapeControls(path)} is a folder, not a file.`);
    if (!found.isFile() && !found.isFIFO())
      throw unusable(`${escapeControls(path)} is a device: give a file, a pipe, or - for stdin.`);
    const stream = found.isFIFO()
      ? await openPipe(path)
      : (await open(path)).createReadStream({ highWaterMark: PIECE });
    return { name: escapeControls(path), bytes: readable(path, stream), close: () => stream.destroy() };
  } catch (error) {
    throw readError(error, path);
  }
}

/** Maximum length of a secret in bytes; the rest of a longer file is not read. */
const MOST_SECRET = 64 * 1024;

/**
 * Reads the text of a file or named pipe that holds a secret; `-` is stdin.
 * @returns at most its first 64 KiB
 * @throws SciaticaError as `openInput`
 */
export async function readSecret(context: Context, path: string): Promise<string> {
  const { bytes } = await openInput(context, path);
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of bytes) {
    pieces.push(piece);
    length += piece.length;
    if (length >= MOST_SECRET) break;
  }
  return Buffer.concat(pieces).subarray(0, MOST_SECRET).toString('utf8');
}

/** Opens a named pipe as a socket: a file read blocks a thread, and Ctrl-C would wait until data comes through the pipe. */
async function openPipe(path: string): Promise<Readable> {
  const { Socket } = await import('node:net');
  // Without waiting for a writer; on macOS a pipe without a writer would look empty.
  const flags = process.platform === 'linux' ? constants.O_RDONLY | constants.O_NONBLOCK : constants.O_RDONLY;
  const fd = await promisify(openDescriptor)(path, flags);
  return new Socket({ fd, readable: true, writable: false });
}

/** Passes the bytes on, and translates read errors as `openInput` does. */
async function* readable(path: string, bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    throw readError(error, path);
  }
}

function readError(error: unknown, path: string): unknown {
  const name = escapeControls(path);
  return fileError(error, (errno) => {
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return ['unusable', `There is no file ${name}.`];
    const why = errno === 'EACCES' || errno === 'EPERM' ? ': no permission' : ` (${errno})`;
    return ['unusable', `${name} cannot be read${why}.`];
  });
}
